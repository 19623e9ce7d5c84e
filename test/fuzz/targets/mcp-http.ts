import { startGateway } from '../../../packages/gateway/test/fixture/gateway-fixture.ts';
import { hold, type Target } from '../engine/target.ts';
import { scratchFolder } from '../scratch-folder.ts';
import { McpConnection } from './mcp/mcp-connection.ts';
import { judgeAnswer, judgeLast, type McpKnown } from './mcp/mcp-judge.ts';
import { ERAS, postsOf } from './mcp/mcp-posts.ts';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'f', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const call = (name: string, args: object, more: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args, ...more },
});
const list = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'tools/list', params: {} });
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

/** An input is a body, or what is posted one after another on one connection (`mcp/mcp-posts.ts`). */
export const target: Target = {
  name: 'mcp-http',
  holds:
    'every request has one answer in its turn, of the protocol, with its own id or none, of a bounded size; a call says what became of it, nothing is an internal error, and the gateway goes on',
  covers: [
    'packages/gateway/src/mcp',
    'packages/gateway/src/http',
    'packages/gateway/src/auth/bearer.ts',
    'packages/gateway/src/calls',
    'packages/dispatch/src/invocation',
    'packages/dispatch/src/plugin-tool',
    'packages/dispatch/src/tools',
    'packages/dispatch/src/projects',
  ],
  form: 'json',
  maxBytes: 32_768,
  stepMs: 3_000,
  words: [
    'plugin_tool',
    'work_on_project',
    'read_tool_manifest',
    'call_runtime_tool',
    'session_list',
    'tools/call',
    'tools/list',
    'ping',
    'server/discover',
    'initialize',
    'subscriptions/listen',
    'notifications/cancelled',
    'recording_session_id',
    'fairlead/context',
    '_meta',
    'io.modelcontextprotocol/protocolVersion',
    'wc_pbind_AAAAAAAAAAAAAAAAAAAAAA',
    'plugins.catalog',
    'posts',
    'headers',
    'body',
    'raw',
    'era',
    'framing',
    'chunks',
    'half',
    'method',
    'GET',
    'OPTIONS',
    'content-type',
    'text/plain',
    'application/json;charset=utf-16',
    'content-encoding',
    'accept',
    'authorization',
    'Bearer ',
    'mcp-method',
    'mcp-name',
    'mcp-session-id',
    'mcp-protocol-version',
    '2025-06-18',
    '2024-11-05',
    'origin',
    'http://localhost',
  ],
  seeds: () => [
    ...[
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'f', version: '1' } },
      },
      list('a'),
      { jsonrpc: '2.0', id: 1, method: 'server/discover' },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'm' } },
      call('plugin_tool', { action: 'list' }),
      call('plugin_tool', { action: 'describe', runner: 'r', plugin: 'p', tool: 't' }),
      call('plugin_tool', {
        action: 'call',
        binding: 'wc_pbind_AAAAAAAAAAAAAAAAAAAAAA',
        arguments: { a: 1 },
      }),
      call('plugin_tool', { action: 'outcome', call: 'inv_x' }),
      call('plugin_tool', { action: 'list', recording_session_id: 's' }),
      call('plugin_tool', { action: 'list' }, { _meta: { ...META, 'fairlead/context': ['a'] } }),
      call('work_on_project', {}),
      call('read_tool_manifest', { tool: 'plugin_tool' }),
      call('call_runtime_tool', { tool: 'check_runner_config', arguments: { runner: 'r' } }),
      call('no_such_tool', {}),
      [list(1), list(2)],
      list('x'.repeat(257)),
      list(9_007_199_254_740_991),
      {
        posts: [
          { body: list(1) },
          { era: 1, body: list(2) },
          { body: call('plugin_tool', {}) },
          { body: list('z') },
        ],
      },
      {
        posts: [
          { headers: { 'content-type': 'text/plain' }, body: list(1) },
          { headers: { authorization: null }, body: list(2) },
        ],
      },
      {
        posts: [
          { headers: { accept: 'text/html' }, body: list(1) },
          { headers: { 'mcp-protocol-version': ['2025-11-25', '2026-07-28'] }, body: list(1) },
        ],
      },
      {
        posts: [
          { era: 1, headers: { 'mcp-method': 'tools/call', 'mcp-name': 'x' }, body: list(1) },
          { era: 1, headers: { 'mcp-protocol-version': null }, body: list(1) },
        ],
      },
      {
        posts: [
          { headers: { origin: 'http://evil.invalid' }, body: list(1) },
          { headers: { host: 'evil.invalid' }, body: list(1) },
        ],
      },
      {
        posts: [
          { headers: { 'content-encoding': 'gzip' }, body: list(1) },
          { headers: { 'content-type': 'application/json; charset=utf-8' }, body: list(1) },
        ],
      },
      {
        posts: [
          { method: 'GET' },
          { method: 'OPTIONS' },
          { method: 'DELETE', headers: { 'mcp-session-id': 's' } },
          { path: '/mcp/', body: list(1) },
        ],
      },
      {
        posts: [
          { framing: 'chunks', body: list(1) },
          { framing: 'chunks', raw: '' },
          { framing: 'half', body: list(1) },
        ],
      },
      { posts: [{ headers: { 'mcp-name': '\u0001' }, body: list(1) }] },
    ].map((body) => JSON.stringify(body)),
    '{"jsonrpc":"2.0","id":1,"method":"tools/list"',
    '{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list"}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"plugin_tool","arguments":{"__proto__":{"action":"list"}}}}',
    '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1e3,"method":"ping"}',
    `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${deep(29)}}}`,
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"plugin_tool","arguments":{"a":${deep(40)}}}}`,
    '\ufeff{"jsonrpc":"2.0","id":1,"method":"ping"}',
  ],
  open: async () => {
    const folder = scratchFolder();
    process.env['TMPDIR'] = folder.path;
    const hooks: (() => unknown)[] = [];
    const { port, token, lines } = await startGateway({ after: (hook) => void hooks.push(hook) });
    const connection = new McpConnection(port);
    const known = { tools: await toolsOf(connection, token), token };
    return {
      run: async (input) => {
        await judge(connection, input, known);
        const failed = lines.find((line) => line.includes('.failed"') && line.includes('"error"'));
        const shows = lines.some((line) => line.includes(token));
        lines.length = 0;
        hold(failed === undefined, 'nothing fails inside the gateway', () => failed ?? '');
        hold(!shows, 'no line of the log shows the token');
      },
      close: async () => {
        connection.close();
        for (const hook of hooks.reverse()) await hook();
        folder.remove();
      },
    };
  },
};

async function judge(connection: McpConnection, input: Uint8Array, known: McpKnown): Promise<void> {
  const posts = postsOf(input, known.token);
  if (posts.length === 0) return;
  // What cannot be told from the next request ends a connection: everything behind it stays unsent.
  const broken = posts.findIndex(({ isSound }) => !isSound);
  const sent = broken < 0 ? posts : posts.slice(0, broken + 1);
  const { answers, isClosed } = await connection.send(
    sent.map(({ bytes }) => bytes),
    broken < 0 ? 'kept' : sent.at(-1)?.isHalf === true ? 'half' : 'broken',
  );
  const sound = broken < 0 ? sent : sent.slice(0, broken);
  hold(isClosed ? broken >= 0 : true, 'a connection is not closed on an honest client');
  hold(answers.length <= sent.length, 'nothing is answered twice');
  for (const [index, post] of sound.entries()) {
    const answer = answers[index];
    // A broken request behind it may close the socket before its answer is written.
    if (answer === undefined) hold(broken >= 0, 'every request has an answer');
    else judgeAnswer(post, answer, known);
  }
  const last = answers[sound.length];
  if (last !== undefined) judgeLast(last, known.token);
}

async function toolsOf(connection: McpConnection, token: string): Promise<ReadonlyMap<string, string>> {
  const posts = postsOf(Buffer.from(JSON.stringify(list(1))), token);
  const { answers } = await connection.send(
    posts.map(({ bytes }) => bytes),
    'kept',
  );
  const tools = answers.map(({ text }) => (JSON.parse(text) as { result: { tools: unknown } }).result.tools);
  return new Map(ERAS.map((era, index) => [era, JSON.stringify(tools[index])]));
}
