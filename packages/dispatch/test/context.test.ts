// docs/reference/runtime-tools.md, "Context"
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { completed, type JsonObject } from '@fairlead/base';
import type { Principal } from '../src/index.ts';
import { fakeRunner, fault } from './fake-runners.ts';
import { OPERATOR, type ToolsFloor, toolsFloor } from './tools-floor.ts';

const REVISION = 'wc_plugcat_47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU';
const SITE = { id: 'site', name: 'The site', kind: 'git' };
const CATALOG = { catalog_revision: REVISION, total_count: 0, truncated: false, entries: [] };

async function floorOf(t: Parameters<typeof toolsFloor>[0]): Promise<ToolsFloor> {
  const floor = await toolsFloor(t);
  floor.runners.connected = [{ ...fakeRunner('local'), projects: [SITE] }];
  floor.runners.answers.project_catalog = () =>
    completed({
      kind: 'project_catalog',
      project: 'site',
      catalog_revision: REVISION,
      total_count: 0,
      entries: [],
    });
  return floor;
}

const kinds = (floor: ToolsFloor) => floor.runners.sent.map(({ request }) => request.kind);

test('the catalog of the project that work_on_project shows stands beside its output', async (t) => {
  const floor = await floorOf(t);
  const context = ['plugins.catalog'];
  const answer = await floor.call('work_on_project', { project: 'agent:local:site' }, { context });
  assert.deepEqual(answer.context, { 'plugins.catalog': { project: 'agent:local:site', ...CATALOG } });
  assert.deepEqual(answer.output?.['catalog'], CATALOG);
});

test('the catalog of a named project stands beside any call, read after it has ended, under its id', async (t) => {
  const floor = await floorOf(t);
  const context = ['plugins.catalog:agent:local:site'];
  const answer = await floor.call('plugin_tool', { action: 'list', runner: 'local' }, { context });
  assert.deepEqual(answer.context, {
    'plugins.catalog:agent:local:site': { project: 'agent:local:site', ...CATALOG },
  });
  assert.equal((answer.output?.['plugins'] as JsonObject[] | undefined)?.length, 2);
  assert.deepEqual(kinds(floor), ['providers_list', 'project_catalog']);
  assert.equal(floor.runners.sent[1]?.options.call, answer.call);
  assert.equal((await floor.rows()).length, 1);
});

test('what is asked for twice is asked once', async (t) => {
  const floor = await floorOf(t);
  const context = Array(16).fill('plugins.catalog:agent:local:site') as string[];
  await floor.call('read_tool_manifest', { tool_name: 'plugin_tool' }, { context });
  assert.deepEqual(kinds(floor), ['project_catalog']);
});

test('a call without a context has none, and neither has one that has no output', async (t) => {
  const floor = await floorOf(t);
  assert.equal('context' in (await floor.call('work_on_project', {})), false);
  assert.equal('context' in (await floor.call('work_on_project', {}, { context: [] })), false);
  const context = ['plugins.catalog:agent:local:site'];
  for (const answer of [
    await floor.call('work_on_project', { project: 'agent:none:site' }, { context }),
    await floor.call('work_on_project', { project: 7 }, { context }),
    await floor.call(
      'plugin_tool',
      { action: 'list' },
      { context, principal: { id: 'token:t', scopes: [] } },
    ),
  ]) {
    assert.equal('context' in answer, false);
    assert.notEqual(answer.error, undefined);
  }
  assert.deepEqual(floor.runners.sent, []);
});

describe('what cannot be had says why in its place, and the call is as it was', () => {
  const without = (scope: string): Principal => ({
    ...OPERATOR,
    scopes: OPERATOR.scopes.filter((each) => each !== scope),
  });
  const list = { action: 'list' };
  const rows: readonly (readonly [string, string, Principal, string, JsonObject?])[] = [
    ['a name that is none', 'plugins.other', OPERATOR, 'context_unknown'],
    ['no name', '', OPERATOR, 'context_unknown'],
    ['a name of every object', '__proto__', OPERATOR, 'context_unknown'],
    ['no project', 'plugins.catalog', OPERATOR, 'context_project_missing'],
    ['a project that is not there', 'plugins.catalog:agent:local:other', OPERATOR, 'project_unavailable'],
    ['a project that is none', 'plugins.catalog:', OPERATOR, 'project_unavailable'],
    [
      'a Runner that may not be used',
      'plugins.catalog:agent:local:site',
      { ...OPERATOR, runners: [] },
      'project_unavailable',
    ],
    [
      'no project:read',
      'plugins.catalog:agent:local:site',
      without('project:read'),
      'insufficient_scope',
      { scope: 'project:read' },
    ],
  ];
  for (const [what, name, principal, code, detail] of rows)
    test(what, async (t) => {
      const floor = await floorOf(t);
      const { context, output, certainty } = await floor.call('plugin_tool', list, {
        context: [name],
        principal,
      });
      assert.equal(certainty, 'completed');
      assert.notEqual(output, undefined);
      assert.deepEqual(Object.keys(context ?? {}), [name]);
      const { error } = Object.values(context ?? {})[0] as { error: JsonObject };
      assert.deepEqual([error['code'], error['detail']], [code, detail]);
      assert.equal(typeof error['recovery'], 'string');
      assert.deepEqual(kinds(floor), []);
    });

  test('no plugin:inspect', async (t) => {
    const floor = await floorOf(t);
    const principal = without('plugin:inspect');
    const context = ['plugins.catalog'];
    const answer = await floor.call(
      'work_on_project',
      { project: 'agent:local:site' },
      { context, principal },
    );
    const { error } = Object.values(answer.context ?? {})[0] as { error: JsonObject };
    assert.deepEqual([error['code'], error['detail']], ['insufficient_scope', { scope: 'plugin:inspect' }]);
    assert.deepEqual(floor.runners.sent, []);
  });

  test('a Runner that does not answer', async (t) => {
    const floor = await floorOf(t);
    floor.runners.answers.project_catalog = () => fault('outcome_unknown', 'plugin_gateway_timeout');
    const context = ['plugins.catalog:agent:local:site'];
    const answer = await floor.call('plugin_tool', list, { context });
    const { error } = Object.values(answer.context ?? {})[0] as { error: JsonObject };
    assert.equal(error['code'], 'plugin_gateway_timeout');
    assert.doesNotMatch(JSON.stringify(answer), /FOREIGN/);
  });

  test('a params that is no object has no project', async (t) => {
    const floor = await floorOf(t);
    const answer = await floor.call(
      'call_runtime_tool',
      { tool: 'check_runner_config', arguments: { runner: 'local' } },
      { context: ['plugins.catalog'] },
    );
    assert.equal('context' in answer, false);
  });
});
