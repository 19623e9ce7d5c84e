// docs/reference/runtime-tools.md, "Context": asked for and answered in the same place, over both faces
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { hygiene } from '@fairlead/testing';
import { startGateway } from './fixture/gateway-fixture.ts';
import { ask } from './fixture/http-client.ts';
import { call, eras } from './fixture/mcp-client.ts';
import { dial, register } from './fixture/runner-peer.ts';

const REVISION = 'wc_plugcat_47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU';
const CATALOG = {
  project: 'agent:here:site',
  catalog_revision: REVISION,
  total_count: 1,
  truncated: false,
  entries: [{ plugin: 'echo', name: 'Echo', tool: 'say', annotations: {} }],
};

/** A gateway with a Runner that has one project. */
async function serving(t: TestContext) {
  hygiene(t);
  const fixture = await startGateway(t);
  const peer = await dial(t, fixture.port, await fixture.mintRunner('here'));
  peer.send({ ...register('here'), projects: [{ id: 'site', name: 'The site', kind: 'git' }] });
  assert.equal((await peer.next()).type, 'registered');
  const { project: _project, truncated: _truncated, ...catalog } = CATALOG;
  void (async () => {
    for (;;) {
      const frame = await peer.next();
      if (frame.type !== 'request') continue;
      const payload = { kind: 'project_catalog', project: 'site', ...catalog };
      peer.send({ type: 'result', id: frame['id'], response: { dispatch_state: 'completed', payload } });
    }
  })();
  return fixture;
}

test('over HTTP it is asked for beside params and stands beside the output', async (t) => {
  const { port, token } = await serving(t);
  const body = {
    tool: 'work_on_project',
    params: { project: 'agent:here:site' },
    context: ['plugins.catalog', 'other'],
  };
  const { status, envelope } = await ask(port, { path: '/api/tools/call', token, body });
  assert.equal(status, 200);
  const { context, ...rest } = envelope as unknown as { context: JsonObject; output: JsonObject };
  assert.deepEqual(Object.keys(rest), ['success', 'output', 'error', 'dispatch_certainty', 'call']);
  assert.deepEqual(context['plugins.catalog'], CATALOG);
  assert.equal((context['other'] as { error: JsonObject }).error['code'], 'context_unknown');
  const { project: _project, ...catalog } = CATALOG;
  assert.deepEqual(rest.output['catalog'], catalog);
});

test('it goes with the members of the tool as well, and a longest id of a project fits', async (t) => {
  const { port, token } = await serving(t);
  const longest = `plugins.catalog:agent:${'%3A'.repeat(128)}:${'p'.repeat(128)}`;
  const body = {
    tool: 'read_tool_manifest',
    tool_name: 'plugin_tool',
    context: ['plugins.catalog:agent:here:site', longest],
  };
  const { envelope } = await ask(port, { path: '/api/tools/call', token, body });
  const { context } = envelope as unknown as { context: JsonObject };
  assert.deepEqual(context['plugins.catalog:agent:here:site'], CATALOG);
  assert.equal((context[longest] as { error: JsonObject }).error['code'], 'project_unavailable');
});

test('a call without it has none', async (t) => {
  const { port, token } = await serving(t);
  const { text } = await ask(port, { path: '/api/tools/call', token, body: { tool: 'work_on_project' } });
  assert.equal(text.includes('"context"'), false);
});

for (const era of eras)
  test(`over MCP, ${era}, it is asked for in _meta and answered there`, async (t) => {
    const { port, token } = await serving(t);
    const asked = { 'fairlead/context': ['plugins.catalog'] };
    const result = await call(port, token, era, 'work_on_project', { project: 'agent:here:site' }, asked);
    const meta = result['_meta'] as JsonObject;
    assert.deepEqual(meta['fairlead/context'], { 'plugins.catalog': CATALOG });
    assert.equal(result['isError'] ?? false, false);
    const without = await call(port, token, era, 'work_on_project', {});
    assert.equal('fairlead/context' in (without['_meta'] as JsonObject), false);
  });
