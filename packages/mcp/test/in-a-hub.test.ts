import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '@fairlead/base';
import { callTool, type ExtensionSource, openHub } from '@fairlead/hub';
import { openPeer } from '@fairlead/store';
import { seededRandom, waitFor } from '@fairlead/testing';
import { McpServers, type StdioServer } from '../src/index.ts';
import { mcpFloor, type TestFloor, tool } from './mcp-floor.ts';

/** A hub with these servers, and a session in it. */
async function opened(t: TestContext, { floor, folder }: TestFloor, configs: readonly StdioServer[]) {
  const clock = systemClock();
  const { store } = floor;
  const peer = await openPeer({ store, stateDirectory: join(folder), clock, random: seededRandom(1) });
  t.after(() => peer.close());
  const servers = new McpServers(configs, floor);
  const hub = await openHub({
    ...{ peer, store, clock, sources: [], report: () => {} },
    agents: { resolve: async () => null, open: (id) => peer.open(id) },
  });
  t.after(() => hub.close());
  await servers.install(hub);
  const session = (await peer.create('session')).root;
  await hub.openSession(session);
  let calls = 0;
  return {
    ...{ hub, servers, session },
    async call(
      name: string,
      args = {},
      more: { readonly signal?: AbortSignal; readonly onProgress?: (text: string) => void } = {},
    ) {
      using set = await hub.liveSet({ session });
      calls += 1;
      const { certainty, code, text } = await callTool(set, {
        tool: name,
        args,
        call: `call_${calls}`,
        ...more,
      });
      return [certainty, code ?? null, text] as const;
    },
    names: async () => {
      using set = await hub.liveSet({ session });
      return [...set.tools.keys()];
    },
  };
}

/** The configuration of a scripted server whose own first start is over. */
async function config(floor: TestFloor, name: string, script: Parameters<TestFloor['scripted']>[0]) {
  const s = await floor.scripted(script, { name });
  await s.server.settled;
  await s.server.close();
  return { s, config: s.server.config as StdioServer };
}

test('a server in a hub: its tools are called by name, arguments are held against its schema, progress is told', async (t) => {
  const floor = await mcpFloor(t);
  const inputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  const { config: a } = await config(floor, 'a', {
    tools: [tool('echo', { inputSchema }), tool('progress')],
  });
  const h = await opened(t, floor, [a]);
  await h.servers.settled();
  assert.deepEqual(await h.names(), ['a__echo', 'a__progress']);
  assert.deepEqual(await h.call('a__echo', { n: 1 }), ['completed', null, '{"n":1}']);
  const [certainty, code, text] = await h.call('a__echo', { n: 'x' });
  assert.deepEqual([certainty, code], ['not_started', 'tool_arguments_invalid']);
  assert.match(text, /\/n must be a number/);
  const lines: string[] = [];
  await h.call('a__progress', {}, { onProgress: (line) => void lines.push(line) });
  assert.deepEqual(lines, ['1 of 2', 'nearly']);
  const [row] = h.hub.extensions();
  assert.deepEqual([row?.name, row?.tier, row?.state, row?.builtin], ['mcp-a', 'mcp', 'running', false]);
});

test('a call of a server that is still starting is told so, and the turn goes on', async (t) => {
  const floor = await mcpFloor(t);
  const { s, config: a } = await config(floor, 'a', { tools: [tool('echo')] });
  s.write({ start: { hang: true }, tools: [tool('echo')] });
  const h = await opened(t, floor, [a]);
  assert.deepEqual(await h.names(), ['a__echo']);
  assert.deepEqual((await h.call('a__echo')).slice(0, 2), ['not_started', 'mcp_starting']);
  const [row] = h.hub.extensions();
  assert.deepEqual([row?.state, row?.reason?.code], ['failing', 'mcp_starting']);
});

test('a tool that came later appears in the next turn once it was approved', async (t) => {
  const floor = await mcpFloor(t);
  const { s, config: a } = await config(floor, 'a', { tools: [tool('echo')] });
  s.write({ tools: [tool('echo'), tool('fresh')] });
  const h = await opened(t, floor, [a]);
  await h.servers.settled();
  assert.deepEqual(
    (await h.names()).filter((name) => name.startsWith('a__')),
    ['a__echo'],
  );
  assert.equal((await h.call('a__fresh'))[0], 'not_started');
  assert.deepEqual(s.calls(), []);
  const diff = h.servers.diff('mcp-a');
  assert.ok('value' in diff);
  const { tools } = diff.value as {
    readonly tools: readonly { readonly tool: string; readonly observation: string }[];
  };
  assert.deepEqual(
    tools.map((one) => one.tool),
    ['fresh'],
  );
  assert.deepEqual('value' in h.servers.diff('mcp-a', 'echo') && h.servers.diff('mcp-a', 'echo'), {
    certainty: 'completed',
    value: { name: 'mcp-a', tools: [] },
  });
  const seen = new Map([['fresh', tools[0]?.observation ?? '']]);
  assert.deepEqual(await h.servers.approve('mcp-a', seen, 'token:me'), {
    certainty: 'completed',
    value: { name: 'mcp-a', approved: ['fresh'] },
  });
  await waitFor(async () => (await h.names()).includes('a__fresh'), { what: 'the tool is live' });
  assert.equal((await h.call('a__fresh'))[0], 'completed');
  const again = await h.servers.approve('mcp-a', seen, 'token:me');
  assert.equal('fault' in again && again.fault.code, 'mcp_nothing_pending');
});

test('a name that is no server’s has no output, no difference and nothing to approve', async (t) => {
  const floor = await mcpFloor(t);
  const servers = new McpServers([], floor.floor);
  await servers.settled();
  const answers = [servers.output('x'), servers.diff('x'), await servers.approve('x', new Map(), 'me')];
  assert.deepEqual(
    answers.map((answer) => 'fault' in answer && answer.fault.code),
    ['extension_unknown', 'extension_unknown', 'extension_unknown'],
  );
  assert.equal(servers.has('x'), false);
});

test('a server whose name is taken is refused alone, and nobody waits for it', async (t) => {
  const floor = await mcpFloor(t);
  const { config: a } = await config(floor, 'a', { start: { says: 'hello' }, tools: [] });
  const servers = new McpServers([a], floor.floor);
  await servers.install({
    install: async (sources: readonly ExtensionSource[]) => ({
      ...{ installed: [], known: [], failures: [], notes: [] },
      refused: sources.map(({ ref }) => ({
        name: ref.name,
        ref,
        code: 'extension_duplicate',
        reason: 'taken',
      })),
    }),
  });
  await servers.settled();
  assert.ok(floor.logs.some((line) => line.includes('mcp.refused')));
});

test('a hub that closes ends its servers; a call in flight is unknown, a later one was never sent', async (t) => {
  const floor = await mcpFloor(t);
  const { s, config: a } = await config(floor, 'a', { start: { says: 'hello' }, tools: [tool('hang')] });
  const h = await opened(t, floor, [a]);
  await h.servers.settled();
  const output = h.servers.output('mcp-a');
  assert.deepEqual('value' in output && output.value, { name: 'mcp-a', output: 'hello\n' });
  using set = await h.hub.liveSet({ session: h.session });
  const hanging = callTool(set, { tool: 'a__hang', args: {}, call: 'call_h' });
  await waitFor(() => s.calls().length === 1, { what: 'the call arrived' });
  await h.hub.close();
  assert.equal((await hanging).certainty, 'outcome_unknown');
  const later = await callTool(set, { tool: 'a__hang', args: {}, call: 'call_l' });
  assert.equal(later.certainty, 'not_started');
});
