// docs/reference/runtime-tools.md, "work_on_project"
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { completed, isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import type { ProjectCatalog, ProjectCatalogEntry } from '@fairlead/protocol';
import type { Principal, VisibleRunner } from '../src/index.ts';
import { projectIdOf } from '../src/projects/project-id.ts';
import { gist } from './dispatch-floor.ts';
import { fakeRunner, fault } from './fake-runners.ts';
import { OPERATOR, type ToolsFloor, toolsFloor } from './tools-floor.ts';

const REVISION = 'wc_plugcat_47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU';
const SITE = { id: 'site', name: 'The site', kind: 'git' };
const ENTRY: ProjectCatalogEntry = {
  plugin: 'repo-info',
  name: 'Repository',
  tool: 'git_summary',
  description: 'What git says.',
  annotations: { readOnlyHint: true },
};

function runner(id: string, ...projects: VisibleRunner['projects'][number][]): VisibleRunner {
  return { ...fakeRunner(id), projects };
}

function catalog(changes: Partial<ProjectCatalog> = {}): ProjectCatalog {
  return {
    kind: 'project_catalog',
    project: 'site',
    catalog_revision: REVISION,
    total_count: 1,
    entries: [ENTRY],
    ...changes,
  };
}

async function floorWith(
  t: Parameters<typeof toolsFloor>[0],
  ...runners: VisibleRunner[]
): Promise<ToolsFloor> {
  const floor = await toolsFloor(t);
  floor.runners.connected = runners;
  floor.runners.answers.project_catalog = () => completed(catalog());
  return floor;
}

/** The code of an error that stands in an output. */
function codeIn(error: Json | undefined): Json | undefined {
  return error !== undefined && isJsonObject(error) ? error['code'] : undefined;
}

const with_ = (...scopes: Principal['scopes']): Principal => ({ id: 'token:t', scopes });

describe('the list', () => {
  test('has every project of the Runners that the token may use, by id', async (t) => {
    const floor = await floorWith(
      t,
      { ...runner('z', SITE), name: 'Desk' },
      runner('a', { id: 'ä ö', name: 'Größe', kind: 'folder' }, SITE),
      runner('bare'),
      { ...runner('no-plugins', SITE), capabilities: [] },
    );
    const { output } = await floor.call('work_on_project', {});
    assert.deepEqual(output, {
      projects: [
        { project: 'agent:a:site', name: 'The site', kind: 'git', runner: 'a' },
        { project: 'agent:a:ä ö', name: 'Größe', kind: 'folder', runner: 'a' },
        { project: 'agent:no-plugins:site', name: 'The site', kind: 'git', runner: 'no-plugins' },
        { project: 'agent:z:site', name: 'The site', kind: 'git', runner: 'z', runnerName: 'Desk' },
      ],
      totalCount: 4,
      truncated: false,
    });
    const limited = { ...OPERATOR, runners: ['z'] };
    const seen = await floor.call('work_on_project', {}, { principal: limited });
    assert.equal(seen.output?.['totalCount'], 1);
    const none = await floor.call('work_on_project', {}, { principal: { ...OPERATOR, runners: [] } });
    assert.deepEqual(none.output, { projects: [], totalCount: 0, truncated: false });
    assert.deepEqual(floor.runners.sent, []);
  });

  test('needs project:read and nothing else', async (t) => {
    const floor = await floorWith(t, runner('local', SITE));
    assert.deepEqual(gist(await floor.call('work_on_project', {}, { principal: with_('project:read') })), [
      'completed',
      undefined,
    ]);
    const others = OPERATOR.scopes.filter((scope) => scope !== 'project:read');
    const refused = await floor.call('work_on_project', {}, { principal: with_(...others, 'admin') });
    assert.deepEqual(
      [...gist(refused), refused.needsScope],
      ['not_started', 'insufficient_scope', 'project:read'],
    );
  });

  test('has at most 64 KiB, and counts all', async (t) => {
    const many = (id: string) =>
      runner(
        id,
        ...Array.from({ length: 64 }, (_, index) => ({
          id: `${'p'.repeat(100)}${index}`,
          name: 'n'.repeat(128),
          kind: 'git',
        })),
      );
    const floor = await floorWith(t, many('a'), many('b'), many('c'), many('d'));
    const { output } = await floor.call('work_on_project', {});
    assert.ok(output !== undefined);
    assert.deepEqual([output['totalCount'], output['truncated']], [256, true]);
    const bytes = Buffer.byteLength(JSON.stringify(output['projects']));
    assert.ok(bytes <= 65_538 && bytes > 64_000, `${bytes}`);
  });
});

describe('one project', () => {
  const show = (floor: ToolsFloor, project: string, principal = OPERATOR) =>
    floor.call('work_on_project', { project }, { principal });

  test('is shown with its Runner and its tools, asked of that Runner by its own id', async (t) => {
    const floor = await floorWith(t, runner('other', SITE), { ...runner('local', SITE), name: 'Desk' });
    const answer = await show(floor, 'agent:local:site');
    assert.deepEqual(answer.output, {
      project: 'agent:local:site',
      name: 'The site',
      kind: 'git',
      runner: 'local',
      runnerName: 'Desk',
      catalog: { catalog_revision: REVISION, total_count: 1, truncated: false, entries: [ENTRY] },
    });
    assert.deepEqual(
      floor.runners.sent.map(({ runner: to, instanceId, request, options }) => ({
        to,
        instanceId,
        request,
        options,
      })),
      [
        {
          to: 'local',
          instanceId: 'local-1',
          request: { kind: 'project_catalog', project: 'site' },
          options: { budgetMs: 10_000, call: answer.call },
        },
      ],
    );
    assert.deepEqual(await floor.rows(), [
      {
        principal: 'token:operator',
        action: 'work_on_project',
        runner: null,
        plugin: null,
        tool: null,
        binding_present: 0,
        arguments_digest: null,
        certainty: 'completed',
        code: null,
      },
    ]);
  });

  test('is shown without its tools to a token without plugin:inspect, and no Runner is asked', async (t) => {
    const floor = await floorWith(t, runner('local', SITE));
    const { output } = await show(floor, 'agent:local:site', with_('project:read'));
    assert.deepEqual(output, { project: 'agent:local:site', name: 'The site', kind: 'git', runner: 'local' });
    assert.deepEqual(floor.runners.sent, []);
  });

  test('that is not there, and one that may not be seen, look alike', async (t) => {
    const floor = await floorWith(t, runner('local', SITE), runner('other', SITE));
    const limited = { ...OPERATOR, runners: ['other'] };
    const [hidden, absent] = [
      await show(floor, 'agent:local:site', limited),
      await show(floor, 'agent:none:site', limited),
    ];
    assert.deepEqual(gist(hidden), ['not_started', 'project_unavailable']);
    assert.deepEqual({ ...hidden, call: '' }, { ...absent, call: '' });
    for (const id of [
      'site',
      'local:site',
      'agent:local',
      'agent:local:',
      'agent:local:site:',
      'agent::site',
      'AGENT:local:site',
    ])
      assert.deepEqual(gist(await show(floor, id)), ['not_started', 'project_unavailable'], id);
  });

  test('is shown although its tools cannot be had, with why', async (t) => {
    const floor = await floorWith(t, runner('local', SITE));
    const rows = [
      [() => fault('outcome_unknown', 'plugin_gateway_timeout'), 'plugin_gateway_timeout'],
      [() => fault('not_started', 'runner_unavailable'), 'runner_unavailable'],
      [() => fault('not_started', 'project_unavailable'), 'project_unavailable'],
      [() => fault('not_started', 'invalid_plugin_request'), 'invalid_plugin_request'],
      // A Runner that answers about another project, or beyond the bounds.
      [() => completed(catalog({ project: 'other' })), 'invalid_plugin_response'],
      [() => completed(catalog({ total_count: 0 })), 'invalid_plugin_response'],
      [() => fault('not_started', 'permission_denied'), 'invalid_plugin_response'],
    ] as const;
    for (const [answer, code] of rows) {
      floor.runners.answers.project_catalog = answer;
      const { output, certainty } = await show(floor, 'agent:local:site');
      assert.ok(output !== undefined);
      assert.equal(certainty, 'completed');
      assert.equal(output['catalog'], undefined);
      assert.equal(codeIn(output['catalogError']), code);
      assert.doesNotMatch(JSON.stringify(output), /FOREIGN/);
    }
  });

  test('of a Runner that was started again meanwhile says so instead of its tools', async (t) => {
    const floor = await floorWith(t, runner('local', SITE));
    floor.runners.answers.project_catalog = () => {
      floor.runners.connected = [{ ...runner('local', SITE), instanceId: 'local-2' }];
      return completed(catalog());
    };
    const { output } = await show(floor, 'agent:local:site');
    assert.equal(codeIn(output?.['catalogError']), 'plugin_replaced');
  });

  test('has a catalog of at most 8 KiB, whose count and revision are those of the whole', async (t) => {
    const floor = await floorWith(t, runner('local', SITE));
    const entries = Array.from({ length: 100 }, (_, index) => ({
      ...ENTRY,
      tool: `tool_${String(index).padStart(3, '0')}`,
      description: '"é'.repeat(170),
    }));
    floor.runners.answers.project_catalog = () => completed(catalog({ total_count: 1024, entries }));
    const { output } = await show(floor, 'agent:local:site');
    const shown = output?.['catalog'] as JsonObject & { entries: JsonObject[] };
    const bytes = Buffer.byteLength(JSON.stringify(shown));
    assert.ok(bytes <= 8192, `${bytes}`);
    const next = Buffer.byteLength(JSON.stringify(entries[shown.entries.length]));
    assert.ok(bytes + next + 1 > 8192, 'no entry that had room is missing');
    assert.deepEqual(
      [shown['total_count'], shown['truncated'], shown['catalog_revision']],
      [1024, true, REVISION],
    );
    assert.deepEqual(shown.entries, entries.slice(0, shown.entries.length));
  });

  test('says that its catalog was cut by its Runner already', async (t) => {
    const floor = await floorWith(t, runner('local', SITE));
    floor.runners.answers.project_catalog = () => completed(catalog({ total_count: 2 }));
    const { output } = await show(floor, 'agent:local:site');
    assert.equal((output?.['catalog'] as JsonObject | undefined)?.['truncated'], true);
  });
});

describe('the id of a project', () => {
  const rows: readonly (readonly [string, string, string])[] = [
    ['local', 'site', 'agent:local:site'],
    ['a.b-c_d', 'x:y', 'agent:a.b-c_d:x:y'],
    ['a:b', 'c', 'agent:a%3Ab:c'],
    ['a', 'b:c', 'agent:a:b:c'],
    ['a%3Ab', 'c', 'agent:a%253Ab:c'],
    ['ä', 'ein Projekt 🧭', 'agent:ä:ein Projekt 🧭'],
  ];
  for (const [of, project, id] of rows)
    test(`${id} leads to ${project} of ${of} and to no other`, async (t) => {
      assert.equal(projectIdOf(of, project), id);
      const floor = await floorWith(
        t,
        ...rows.map(([each, own]) => runner(each, { id: own, name: `${each}/${own}`, kind: 'k' })),
      );
      floor.runners.answers.project_catalog = () => completed(catalog({ project }));
      const { output } = await floor.call('work_on_project', { project: id });
      assert.deepEqual([output?.['name'], output?.['runner']], [`${of}/${project}`, of]);
    });
});

describe('params that ask for nothing', () => {
  const rows = [
    [null, { problem: 'not_an_object' }],
    [[], { problem: 'not_an_object' }],
    [{ planted: 1 }, { problem: 'unknown_member' }],
    [{ project: 7 }, { member: 'project', problem: 'invalid' }],
    [{ project: '' }, { member: 'project', problem: 'invalid' }],
    [{ project: 'a\nb' }, { member: 'project', problem: 'invalid' }],
    [{ project: 'x'.repeat(520) }, { member: 'project', problem: 'invalid' }],
  ] as const;
  for (const [params, detail] of rows)
    test(JSON.stringify(params).slice(0, 60), async (t) => {
      const floor = await floorWith(t, runner('local', SITE));
      const answer = await floor.call('work_on_project', params);
      assert.deepEqual(answer, {
        action: 'work_on_project',
        certainty: 'not_started',
        error: {
          code: 'invalid_arguments',
          message: 'The arguments are not what the tool takes; nothing was sent.',
          recovery: 'work_on_project takes nothing, or project: an id that it lists.',
          detail,
        },
      });
      assert.deepEqual(await floor.rows(), []);
    });
});
