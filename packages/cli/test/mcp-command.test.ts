import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import { hygiene, repositoryRoot, temporaryFolder, waitFor } from '@fairlead/testing';
// Loaded here, so that no test is blamed for what loading it opens.
import { mcp } from '../src/commands/mcp/mcp.ts';
import { holdFolder } from './held-folder.ts';
import { deadUrl } from './loopback-server.ts';
import { testContext } from './test-context.ts';

const PROGRAM = join(repositoryRoot, 'packages/cli/bin/fairlead.js');
const RESULT_TYPE = 'application/vnd.fairlead.mcp-result+json; charset=utf-8';
const TOKEN = 'fairlead_pat_aaaa';

type Request = {
  readonly path: string;
  readonly token: string;
  readonly accept: string;
  readonly body: JsonObject;
};
type Reply = (response: ServerResponse, request: Request, socket: Socket) => void;

/** As a gateway answers: with the length of the body. */
const answer = (response: ServerResponse, status: number, type: string, text: string) =>
  void response
    .writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) })
    .end(text);
const envelope =
  (status: number, error: JsonObject, certainty = 'not_started'): Reply =>
  (response) => {
    const body = { success: false, output: null, error, dispatch_certainty: certainty, call: 'call_e' };
    answer(response, status, 'application/json', JSON.stringify(body));
  };
const result =
  (value: Json): Reply =>
  (response) =>
    answer(response, 200, RESULT_TYPE, JSON.stringify(value));
const DONE = { content: [{ type: 'text', text: 'done' }], _meta: { dispatchState: 'completed' } };

const TOOL = {
  name: 'plugin_tool',
  description: 'Finds and calls.',
  inputSchema: { type: 'object', properties: { action: { type: 'string' } }, additionalProperties: false },
  annotations: { readOnlyHint: false },
  scopes: ['plugin:inspect'],
};

/** A gateway whose calls a test answers. */
async function gatewayStub(t: TestContext, reply: Reply) {
  const requests: Request[] = [];
  const sockets = new Set<Socket>();
  const stub = { reply, connections: 0 };
  const server = createServer((incoming: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { url: path = '', headers } = incoming;
      const request = {
        path,
        token: headers.authorization ?? '',
        accept: headers.accept ?? '',
        body: JSON.parse(Buffer.concat(chunks).toString('utf8')) as JsonObject,
      };
      requests.push(request);
      if (path === '/api/tools/list') {
        const list = {
          success: true,
          output: { tools: [TOOL] },
          error: null,
          dispatch_certainty: 'completed',
        };
        answer(response, 200, 'application/json', JSON.stringify(list));
      } else stub.reply(response, request, incoming.socket);
    });
  });
  server.on('connection', (socket) => {
    stub.connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  t.after(() => (server.listening ? close() : undefined));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const calls = () => requests.filter(({ path }) => path === '/api/tools/call');
  return { ...stub, stub, url, requests, calls, sockets, close };
}

/** `fairlead mcp` with a client on its streams. */
function client(
  t: TestContext,
  env: Readonly<Record<string, string>>,
  flags: Parameters<typeof mcp>[1] = {},
) {
  const input = new PassThrough();
  const output = new PassThrough();
  const context = testContext(temporaryFolder(t), { env, streams: { input, output } });
  const lines: string[] = [];
  let rest = '';
  output.setEncoding('utf8').on('data', (chunk: string) => {
    rest += chunk;
    const whole = rest.split('\n');
    rest = whole.pop() ?? '';
    lines.push(...whole);
  });
  const ended = mcp(context, flags);
  ended.catch(() => undefined);
  t.after(async () => {
    input.end();
    await ended.catch(() => undefined);
  });
  let id = 0;
  const say = (text: string) => void input.write(`${text}\n`);
  const nextLine = async () => {
    await waitFor(() => lines.length > 0, { what: 'a line of output' });
    return JSON.parse(lines.shift() ?? '') as { id: Json; result?: JsonObject; error?: JsonObject };
  };
  const ask = async (method: string, params: JsonObject = {}) => {
    id += 1;
    say(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    const line = await nextLine();
    assert.equal(line.id, id);
    return line;
  };
  return {
    context,
    input,
    lines,
    ended,
    say,
    nextLine,
    ask,
    initialize: () =>
      ask('initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'x', version: '1' },
      }),
    call: async (given: JsonObject = { action: 'list' }, more: JsonObject = {}) =>
      (await ask('tools/call', { name: 'plugin_tool', arguments: given, ...more })).result ?? {},
  };
}

const failureOf = (value: JsonObject) => {
  const { error, dispatchState } = value['structuredContent'] as { error: JsonObject; dispatchState: string };
  return [value['isError'], error['code'], dispatchState];
};

test('without a gateway mcp says so and prints nothing on stdout', async (t) => {
  hygiene(t);
  const none = client(t, { FAIRLEAD_STATE_DIR: temporaryFolder(t) });
  await assert.rejects(none.ended, { code: 'token_missing' });
  const dead = client(t, { FAIRLEAD_TOKEN: TOKEN }, { serverUrl: await deadUrl() });
  await assert.rejects(dead.ended, { code: 'server_unreachable' });
  assert.deepEqual([...none.lines, ...dead.lines], []);
});

test('the program writes messages of the protocol to stdout and nothing else, whatever goes wrong', async (t) => {
  hygiene(t);
  const run = async (args: readonly string[], lines: readonly string[]) => {
    const child = spawn(process.execPath, [PROGRAM, 'mcp', ...args], {
      env: {
        ...process.env,
        FAIRLEAD_TOKEN: TOKEN,
        FAIRLEAD_STATE_DIR: temporaryFolder(t),
        NODE_DEBUG: 'http,net',
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    t.after(() => child.kill('SIGKILL'));
    child.stdin.on('error', () => {});
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    for (const line of lines) child.stdin.write(`${line}\n`);
    if (lines.length > 0)
      await waitFor(() => said.split('\n').length > lines.length, {
        what: 'an answer to each line',
        timeoutMs: 30_000,
      });
    child.stdin.end();
    await ended;
    return said;
  };
  const request = (id: number, method: string, params: JsonObject) =>
    JSON.stringify({ jsonrpc: '2.0', id, method, params });
  const info = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  const call = { name: 'plugin_tool', arguments: { action: 'call', binding: 'wc_pbind_x', arguments: {} } };
  const gateway = await gatewayStub(t, (_response, _request, socket) => socket.destroy());
  const said = await run(
    ['--server-url', gateway.url],
    [request(1, 'initialize', info), 'hello', request(2, 'no/such', {}), request(3, 'tools/call', call)],
  );
  const messages = said
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject);
  assert.deepEqual(
    messages.map(({ jsonrpc, id }) => [jsonrpc, id]).sort(),
    [
      ['2.0', 1],
      ['2.0', null],
      ['2.0', 2],
      ['2.0', 3],
    ].sort(),
  );
  assert.equal(await run(['--server-url', await deadUrl()], []), '');
});

test('a gateway that refuses the token says why; what is none says that something refused', async (t) => {
  hygiene(t);
  for (const [status, type, body, code] of [
    [
      401,
      'application/json',
      JSON.stringify({
        success: false,
        output: null,
        error: { code: 'unauthorized', message: 'No.' },
        dispatch_certainty: 'not_started',
      }),
      'unauthorized',
    ],
    [403, 'text/html', '<html>', 'access_refused'],
    [
      200,
      'application/json',
      JSON.stringify({ success: true, output: {}, error: null, dispatch_certainty: 'completed' }),
      'access_refused',
    ],
  ] as const) {
    const server = createServer((_request, response) => {
      response.setHeader('connection', 'close');
      answer(response, status, type, body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    const serverUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await assert.rejects(client(t, { FAIRLEAD_TOKEN: TOKEN }, { serverUrl }).ended, { code });
  }
});

test('list and call go to the gateway over kept sockets, with token, session and context', async (t) => {
  hygiene(t);
  const gateway = await gatewayStub(t, result(DONE));
  const mine = client(t, { FAIRLEAD_TOKEN: TOKEN }, { serverUrl: gateway.url });
  assert.deepEqual((await mine.initialize()).result?.['capabilities'], { tools: {} });
  const { tools } = (await mine.ask('tools/list')).result as { tools: JsonObject[] };
  assert.deepEqual(Object.keys(tools[0] ?? {}), ['name', 'description', 'inputSchema', 'annotations']);
  const given = { action: 'list', recording_session_id: 'ses_x' };
  assert.deepEqual(await mine.call(given, { _meta: { 'fairlead/context': ['plugins.catalog'] } }), DONE);
  assert.deepEqual(await mine.call(), DONE);
  assert.deepEqual(
    gateway.calls().map(({ token, accept, body }) => [token, accept, body]),
    [
      [
        `Bearer ${TOKEN}`,
        'application/vnd.fairlead.mcp-result+json',
        {
          tool: 'plugin_tool',
          params: { action: 'list' },
          recording_session_id: 'ses_x',
          context: ['plugins.catalog'],
        },
      ],
      [
        `Bearer ${TOKEN}`,
        'application/vnd.fairlead.mcp-result+json',
        { tool: 'plugin_tool', params: { action: 'list' } },
      ],
    ],
  );
  assert.equal(gateway.stub.connections, 1);
  mine.input.end();
  assert.equal(await mine.ended, 0);
  assert.deepEqual(mine.context.printed, { stdout: '', stderr: '' });
});

test('a 2026 client is served too', async (t) => {
  hygiene(t);
  const gateway = await gatewayStub(t, result(DONE));
  const mine = client(t, { FAIRLEAD_TOKEN: TOKEN }, { serverUrl: gateway.url });
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const discovered = (await mine.ask('server/discover', { _meta })).result;
  assert.deepEqual(discovered?.['supportedVersions'], ['2026-07-28']);
  const { content, resultType } = await mine.call({ action: 'list' }, { _meta });
  assert.deepEqual([content, resultType], [DONE.content, 'complete']);
  const unknown = await mine.ask('resources/list', { _meta });
  assert.equal(unknown.error?.['code'], -32601);
});

test('what the gateway refuses keeps its words and certainty; a tool that is none is the protocol’s fault', async (t) => {
  hygiene(t);
  const refusal = {
    code: 'insufficient_scope',
    message: 'No scope.',
    recovery: 'Another token.',
    detail: { scope: 'plugin:invoke' },
  };
  const gateway = await gatewayStub(t, envelope(403, refusal));
  const mine = client(t, { FAIRLEAD_TOKEN: TOKEN }, { serverUrl: gateway.url });
  await mine.initialize();
  assert.deepEqual((await mine.call())['structuredContent'], {
    error: { code: 'insufficient_scope', message: 'No scope.', detail: { scope: 'plugin:invoke' } },
    dispatchState: 'not_started',
    recovery: 'Another token.',
    call: 'call_e',
  });
  gateway.stub.reply = envelope(400, { code: 'request_timeout', message: 'Late.' }, 'outcome_unknown');
  assert.deepEqual(failureOf(await mine.call()), [true, 'request_timeout', 'outcome_unknown']);
  for (const code of ['unknown_tool', 'tool_route_gateway']) {
    gateway.stub.reply = envelope(404, { code, message: 'None.' });
    const { error } = await mine.ask('tools/call', { name: 'none', arguments: {} });
    assert.deepEqual(error, { code: -32602, message: 'None.', data: { code } });
  }
  const wrong = await mine.call({ recording_session_id: 7 });
  assert.deepEqual(failureOf(wrong), [true, 'invalid_arguments', 'not_started']);
});

test('an answer that is lost or none of a gateway’s is unknown for what has effects, and nothing is sent again', async (t) => {
  hygiene(t);
  const gateway = await gatewayStub(t, (_response, _request, socket) => socket.destroy());
  const mine = client(t, { FAIRLEAD_TOKEN: TOKEN }, { serverUrl: gateway.url });
  await mine.initialize();
  const given = { action: 'call', binding: 'wc_pbind_x', arguments: {} };
  assert.deepEqual(failureOf(await mine.call(given)), [true, 'answer_lost', 'outcome_unknown']);
  // Lost on the connection that had brought the list of tools: the kind that clients of HTTP try again after.
  assert.deepEqual([gateway.stub.connections, gateway.calls().length], [1, 1]);
  assert.deepEqual(failureOf(await mine.call()), [true, 'read_lost', 'not_started']);
  gateway.stub.reply = (response) => answer(response, 502, 'text/html', '<html>');
  assert.deepEqual(failureOf(await mine.call(given)), [true, 'answer_lost', 'outcome_unknown']);
  gateway.stub.reply = (response) => answer(response, 200, RESULT_TYPE, '[]');
  assert.deepEqual(failureOf(await mine.call(given)), [true, 'answer_lost', 'outcome_unknown']);
  gateway.stub.reply = (response) => answer(response, 403, 'text/html', '<html>');
  assert.deepEqual(failureOf(await mine.call(given)), [true, 'access_refused', 'not_started']);
  assert.equal(gateway.calls().length, 5);
});

/** A state directory whose host is this process. */
async function stateDirectory(t: TestContext) {
  const folder = join(temporaryFolder(t), 'state');
  mkdirSync(folder, { mode: 0o700 });
  await holdFolder(t, folder);
  return {
    folder,
    points: (url: string, token: string) => {
      writeFileSync(join(folder, 'operator.token'), `${token}\n`, { mode: 0o600 });
      const server = { url, pid: process.pid, startedAtMs: 1, version: '0', runner: null, startedWith: {} };
      writeFileSync(join(folder, 'server.json'), JSON.stringify(server), { mode: 0o600 });
    },
  };
}

test('a host that was started anew elsewhere is found at the next call, which is sent once', async (t) => {
  hygiene(t);
  const state = await stateDirectory(t);
  const first = await gatewayStub(t, result(DONE));
  state.points(first.url, 'fairlead_pat_first');
  const mine = client(t, { FAIRLEAD_STATE_DIR: state.folder });
  await mine.initialize();
  assert.deepEqual(await mine.call(), DONE);
  await first.close();
  // The kept socket is gone; whether the client knows already is not for it to choose.
  assert.equal((await mine.call())['isError'], true);
  assert.deepEqual(failureOf(await mine.call()), [true, 'server_unreachable', 'not_started']);
  const second = await gatewayStub(t, result(DONE));
  state.points(second.url, 'fairlead_pat_second');
  assert.deepEqual(await mine.call(), DONE);
  assert.deepEqual(
    second.calls().map(({ token }) => token),
    ['Bearer fairlead_pat_second'],
  );
  // The operator token was renewed: the old one is refused, so nothing ran, and the new one is tried.
  second.stub.reply = (response, request, socket) =>
    request.token === 'Bearer fairlead_pat_third'
      ? result(DONE)(response, request, socket)
      : envelope(401, { code: 'unauthorized', message: 'No.' })(response, request, socket);
  assert.deepEqual(failureOf(await mine.call()), [true, 'unauthorized', 'not_started']);
  state.points(second.url, 'fairlead_pat_third');
  assert.deepEqual(await mine.call(), DONE);
  assert.equal(second.calls().length, 4);
});

test('two calls that fail together while the host moves both find it, once, and the sockets of the old way are closed', async (t) => {
  hygiene(t);
  const state = await stateDirectory(t);
  const refuse = envelope(401, { code: 'unauthorized', message: 'No.' });
  const held: (() => void)[] = [];
  const first = await gatewayStub(
    t,
    (response, request, socket) => void held.push(() => refuse(response, request, socket)),
  );
  const second = await gatewayStub(t, result(DONE));
  state.points(first.url, 'fairlead_pat_first');
  const mine = client(t, { FAIRLEAD_STATE_DIR: state.folder });
  await mine.initialize();
  for (const id of [101, 102, 103])
    mine.say(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'plugin_tool' } }));
  await waitFor(() => held.length === 3, { what: 'three calls at the old gateway' });
  state.points(second.url, 'fairlead_pat_second');
  held[0]?.();
  held[1]?.();
  const answers = [await mine.nextLine(), await mine.nextLine()];
  assert.deepEqual(
    answers.map(({ result: given }) => given),
    [DONE, DONE],
  );
  // The third fails when the way was changed already.
  assert.equal(first.sockets.size > 0, true);
  held[2]?.();
  assert.deepEqual((await mine.nextLine()).result, DONE);
  await waitFor(() => first.sockets.size === 0, { what: 'the end of the old sockets' });
  assert.deepEqual([first.calls().length, second.calls().length], [3, 3]);
});

test('a 401 that is not a gateway’s own proves nothing, and the call is not sent again', async (t) => {
  hygiene(t);
  const state = await stateDirectory(t);
  const first = await gatewayStub(t, (response) => answer(response, 401, 'text/html', '<html>'));
  const second = await gatewayStub(t, result(DONE));
  state.points(first.url, 'fairlead_pat_first');
  const mine = client(t, { FAIRLEAD_STATE_DIR: state.folder });
  await mine.initialize();
  state.points(second.url, 'fairlead_pat_second');
  const given = { action: 'call', binding: 'wc_pbind_x', arguments: {} };
  assert.deepEqual(failureOf(await mine.call(given)), [true, 'access_refused', 'not_started']);
  const unknown = envelope(401, { code: 'unauthorized', message: 'No.' }, 'outcome_unknown');
  first.stub.reply = unknown;
  assert.deepEqual(failureOf(await mine.call(given)), [true, 'unauthorized', 'outcome_unknown']);
  assert.deepEqual([first.calls().length, second.calls().length], [2, 0]);
});

test('a token that is refused before anything is served leaves no socket open', async (t) => {
  hygiene(t);
  const sockets = new Set<Socket>();
  const server = createServer((_request, response) => answer(response, 403, 'text/html', '<html>'));
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const serverUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const mine = client(t, { FAIRLEAD_TOKEN: TOKEN }, { serverUrl });
  await assert.rejects(mine.ended, { code: 'access_refused' });
  await waitFor(() => sockets.size === 0, { what: 'the end of the socket' });
});

test('lines that are no messages are answered, and the next one is served', async (t) => {
  hygiene(t);
  const gateway = await gatewayStub(t, result(DONE));
  const mine = client(t, { FAIRLEAD_TOKEN: TOKEN }, { serverUrl: gateway.url });
  await mine.initialize();
  for (const [line, id, code] of [
    ['hello', null, -32700],
    ['{"jsonrpc":"2.0","id":7,"id":8,"method":"ping"}', null, -32700],
    [`{"jsonrpc":"2.0","id":7,"method":"x","params":${'['.repeat(80)}${']'.repeat(80)}}`, null, -32700],
    ['[{"jsonrpc":"2.0","id":7,"method":"ping"}]', null, -32600],
    ['"ping"', null, -32600],
    ['{"jsonrpc":"1.0","id":7,"method":"ping"}', 7, -32600],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', null, -32600],
    [`{"jsonrpc":"2.0","id":7,"method":"${'x'.repeat(1_100_000)}"}`, null, -32600],
  ] as const) {
    mine.say(line);
    const answer = await mine.nextLine();
    assert.deepEqual([answer.id, answer.error?.['code']], [id, code], line.slice(0, 60));
  }
  mine.say('');
  mine.input.write(`{"jsonrpc":"2.0","id":"crlf","method":"ping"}\r\n{"jsonrpc":"2.0",`);
  assert.deepEqual(await mine.nextLine(), { jsonrpc: '2.0', id: 'crlf', result: {} });
  mine.input.write(`"id":"parts","method":"ping"}\n`);
  assert.deepEqual(await mine.nextLine(), { jsonrpc: '2.0', id: 'parts', result: {} });
  assert.deepEqual(gateway.calls(), []);
});

test('at the end of its input mcp ends with 0, also while a call runs, and lets go of its sockets', async (t) => {
  hygiene(t);
  const gateway = await gatewayStub(t, () => undefined);
  const mine = client(t, { FAIRLEAD_TOKEN: TOKEN }, { serverUrl: gateway.url });
  await mine.initialize();
  mine.say(JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'plugin_tool' } }));
  await waitFor(() => gateway.calls().length === 1, { what: 'the call at the gateway' });
  mine.input.end();
  assert.equal(await mine.ended, 0);
  await waitFor(() => gateway.sockets.size === 0, { what: 'the end of the sockets' });
  assert.deepEqual(mine.lines, []);
});

test('a client that closes its end of the output ends mcp', async (t) => {
  hygiene(t);
  const gateway = await gatewayStub(t, result(DONE));
  const mine = client(t, { FAIRLEAD_TOKEN: TOKEN }, { serverUrl: gateway.url });
  await mine.initialize();
  mine.context.streams().output.destroy();
  assert.equal(await mine.ended, 0);
});

test('calls beyond 64 at once are refused, and what runs goes on', async (t) => {
  hygiene(t);
  const waiting: (() => void)[] = [];
  const gateway = await gatewayStub(
    t,
    (response, request, socket) => void waiting.push(() => result(DONE)(response, request, socket)),
  );
  const mine = client(t, { FAIRLEAD_TOKEN: TOKEN }, { serverUrl: gateway.url });
  await mine.initialize();
  for (let id = 100; id < 165; id += 1)
    mine.say(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'plugin_tool' } }));
  const refused = await mine.nextLine();
  assert.equal(refused.id, 164);
  assert.deepEqual(failureOf(refused.result ?? {}), [true, 'mcp_calls_full', 'not_started']);
  await waitFor(() => waiting.length === 64, { what: 'the calls at the gateway' });
  for (const answer of waiting) answer();
  await waitFor(() => mine.lines.length === 64, { what: 'every answer' });
  assert.equal(gateway.calls().length, 64);
});
