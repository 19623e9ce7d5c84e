import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import { hygiene, manualClock } from '@fairlead/testing';
import { fakeExecutor, pendingExecutor, startGateway } from './fixture/gateway-fixture.ts';
import { ask, exchange } from './fixture/http-client.ts';
import { call, eras, post, rpc } from './fixture/mcp-client.ts';

const { headers: OLD } = rpc('2025-11-25', 'x');
const { headers: NEW } = rpc('2026-07-28', 'tools/list');
const LIST = rpc('2026-07-28', 'tools/list').body;

/** Bytes of a body → the status and the code of the fault. Nothing of it may reach a tool. */
const BYTES: readonly (readonly [string, string, number, number])[] = [
  ['nothing', '', 400, -32600],
  ['half a message', '{"jsonrpc":"2.0","id":1', 400, -32700],
  ['a word', 'hello', 400, -32700],
  ['a key twice', '{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list"}', 400, -32700],
  ['a lone surrogate', '{"jsonrpc":"2.0","id":"\\ud800","method":"tools/list"}', 400, -32700],
  ['a number beyond all', '{"jsonrpc":"2.0","id":1e999,"method":"tools/list"}', 400, -32700],
  [
    'an integer that would change',
    '{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/list"}',
    400,
    -32700,
  ],
  [
    '40 levels',
    `{"jsonrpc":"2.0","id":1,"method":"x","params":${'['.repeat(40)}${']'.repeat(40)}}`,
    400,
    -32700,
  ],
  ['20,000 values', `{"jsonrpc":"2.0","id":1,"method":"x","params":[${'0,'.repeat(20_000)}0]}`, 400, -32700],
  ['2 MiB', `{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(2 * 1024 * 1024)}"}`, 413, -32000],
];

for (const [name, bytes, status, code] of BYTES)
  test(`a body of ${name} is refused in the protocol’s words, and the next request is served`, async (t) => {
    hygiene(t);
    const { executor, asked } = fakeExecutor();
    const { port, token } = await startGateway(t, { executor });
    for (const headers of [OLD, NEW]) {
      const answer = await post(port, token, {
        bytes,
        headers: { ...headers, 'content-type': 'application/json' },
      });
      assert.equal(answer.status, status, answer.text.slice(0, 300));
      assert.equal(answer.message.error?.code, code);
      assert.ok(answer.text.length < 4_096);
      assert.match(answer.contentType ?? '', /^application\/json/);
    }
    assert.equal((await post(port, token, rpc('2025-11-25', 'tools/list'))).status, 200);
    assert.deepEqual(asked, []);
  });

/** A message → the status and the code of its fault, in a 2025 and in a 2026 request. */
const CALL = { name: 'plugin_tool', arguments: { action: 'list' } };
const BATCH = [
  { jsonrpc: '2.0', id: 1, method: 'tools/call', params: CALL },
  { jsonrpc: '2.0', id: 1, method: 'tools/call', params: CALL },
];
const MESSAGES: readonly (readonly [string, Json, number, number])[] = [
  ['a batch', BATCH, 400, -32600],
  ['an empty batch', [], 400, -32600],
  ['a text', 'tools/list', 400, -32600],
  ['null', null, 400, -32600],
  ['a message without a method', { jsonrpc: '2.0', id: 1 }, 400, -32600],
  ['another JSON-RPC', { jsonrpc: '1.0', id: 1, method: 'tools/list' }, 400, -32600],
  ['a method that is a number', { jsonrpc: '2.0', id: 1, method: 7 }, 400, -32600],
  ['an id that is an object', { jsonrpc: '2.0', id: {}, method: 'tools/list' }, 400, -32600],
  ['an id of 300 characters', { jsonrpc: '2.0', id: 'x'.repeat(300), method: 'tools/list' }, 400, -32600],
];

for (const [name, body, status, code] of MESSAGES)
  test(`${name} is refused and reaches no tool`, async (t) => {
    hygiene(t);
    const { executor, asked } = fakeExecutor();
    const { port, token } = await startGateway(t, { executor });
    for (const headers of [OLD, NEW]) {
      const answer = await post(port, token, { body, headers });
      assert.deepEqual([answer.status, answer.message.error?.code], [status, code], answer.text);
    }
    assert.deepEqual(asked, []);
  });

for (const era of eras)
  test(`${era}: params of tools/call that are none are -32602, and reach no tool`, async (t) => {
    hygiene(t);
    const { executor, asked } = fakeExecutor();
    const { port, token } = await startGateway(t, { executor });
    for (const params of [
      {},
      { name: 7 },
      { name: '' },
      { name: 'plugin_tool', arguments: [] },
      { name: 'plugin_tool', arguments: 'list' },
      { name: 'plugin_tool', arguments: null },
    ]) {
      const { headers, body } = rpc(era, 'tools/call', params as JsonObject);
      if (era === '2026-07-28') headers['mcp-name'] ??= 'plugin_tool';
      const { message, text } = await post(port, token, { headers, body });
      // The newer revision compares name and header first.
      assert.ok([-32602, -32020].includes(message.error?.code ?? 0), text);
    }
    assert.deepEqual(asked, []);
  });

const WITHOUT = (name: string) => Object.fromEntries(Object.entries(NEW).filter(([key]) => key !== name));
const named = (version: string): Json => {
  const { params, ...rest } = LIST;
  const meta = {
    ...(params as { _meta: JsonObject })._meta,
    'io.modelcontextprotocol/protocolVersion': version,
  };
  return { ...rest, params: { _meta: meta } };
};
const HEADERS: readonly (readonly [string, Record<string, string>, Json, number, number])[] = [
  ['a 2026 request without its version header', WITHOUT('mcp-protocol-version'), LIST, 400, -32020],
  ['a 2026 request without its method header', WITHOUT('mcp-method'), LIST, 400, -32020],
  ['a method header of another method', { ...NEW, 'mcp-method': 'tools/call' }, LIST, 400, -32020],
  [
    'a version header of another revision',
    { ...NEW, 'mcp-protocol-version': '2025-11-25' },
    LIST,
    400,
    -32020,
  ],
  [
    'a revision that nobody speaks',
    { ...NEW, 'mcp-protocol-version': '2099-01-01' },
    named('2099-01-01'),
    400,
    -32022,
  ],
  ['a 2026 header on a 2025 body', NEW, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, 400, -32602],
  [
    'a 2025 version that never was',
    { ...OLD, 'mcp-protocol-version': '1999-01-01' },
    { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    400,
    -32000,
  ],
  [
    'initialize with a 2026 header',
    NEW,
    { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} },
    400,
    -32020,
  ],
  [
    'a method that there is not',
    { ...NEW, 'mcp-method': 'no/such' },
    { ...LIST, method: 'no/such' },
    404,
    -32601,
  ],
  [
    'a subscription: nothing here changes',
    { ...NEW, 'mcp-method': 'subscriptions/listen' },
    { ...LIST, method: 'subscriptions/listen' },
    404,
    -32601,
  ],
  [
    'a method of 100,000 characters',
    { ...NEW, 'mcp-method': 'x' },
    { ...LIST, method: 'm'.repeat(100_000) },
    400,
    -32020,
  ],
];

for (const [name, headers, body, status, code] of HEADERS)
  test(`${name}: HTTP ${status}, ${code}, with the id of the request`, async (t) => {
    hygiene(t);
    const { port, token } = await startGateway(t);
    const answer = await post(port, token, { headers, body });
    assert.deepEqual([answer.status, answer.message.error?.code], [status, code], answer.text.slice(0, 300));
    assert.ok(answer.text.length < 4_096);
    if (code !== -32000) assert.equal(answer.message.id, 1);
  });

test('a cursor that nobody gave out is -32602', async (t) => {
  hygiene(t);
  const { port, token } = await startGateway(t);
  for (const era of eras) {
    const { message } = await post(port, token, rpc(era, 'tools/list', { cursor: 'x' }));
    assert.equal(message.error?.code, -32602);
  }
});

test('params that a method cannot have are -32602, not an internal error that shows a parser’s report', async (t) => {
  hygiene(t);
  const { port, token } = await startGateway(t);
  const body: JsonObject = {
    jsonrpc: '2.0',
    id: 7,
    method: 'initialize',
    params: { clientInfo: { secret: 1 } },
  };
  const { message, text } = await post(port, token, { body, headers: OLD });
  const error = { code: -32602, message: 'The params are not those of this method.' };
  assert.deepEqual(message, { jsonrpc: '2.0', id: 7, error });
  assert.ok(!text.includes('secret'));
});

test('an unknown method of 2025 is -32601; responses and notifications are accepted and nothing more', async (t) => {
  hygiene(t);
  const { executor, asked } = fakeExecutor();
  const { port, token } = await startGateway(t, { executor });
  const { message } = await post(port, token, rpc('2025-11-25', 'no/such'));
  assert.equal(message.error?.code, -32601);
  for (const body of [
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    { jsonrpc: '2.0', method: 'tools/call', params: CALL },
  ]) {
    const answer = await post(port, token, { body, headers: OLD });
    assert.deepEqual([answer.status, answer.text], [202, '']);
  }
  assert.deepEqual(asked, []);
});

test('a call that was sent behind a body that is no JSON is answered on the same connection', async (t) => {
  hygiene(t);
  const { executor, asked } = fakeExecutor();
  const { port, token } = await startGateway(t, { executor });
  const posted = (path: string, text: string, last = '') =>
    `POST ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\naccept: application/json, text/event-stream\r\n${last}content-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
  const call = JSON.stringify(rpc('2025-11-25', 'tools/call', CALL).body);
  const answers = await exchange(
    port,
    posted('/mcp', '{') + posted('/api/tools/call', '{') + posted('/mcp', call, 'connection: close\r\n'),
  );
  assert.deepEqual(answers.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 400', 'HTTP/1.1 400', 'HTTP/1.1 200']);
  assert.equal(asked.length, 1);
});

test('another media type, and any content encoding, is 415', async (t) => {
  hygiene(t);
  const { port, token } = await startGateway(t);
  const bytes = JSON.stringify(rpc('2025-11-25', 'tools/list').body);
  for (const extra of [{ 'content-type': 'text/plain' }, { 'content-encoding': 'gzip' }]) {
    const headers = { ...OLD, 'content-type': 'application/json', ...extra };
    const answer = await ask(port, { path: '/mcp', method: 'POST', token, bytes, headers });
    assert.equal(answer.status, 415);
  }
});

for (const era of eras) {
  test(`${era}: a call that passes the time limit is answered request_timeout, outcome_unknown`, async (t) => {
    hygiene(t);
    const clock = manualClock();
    const { executor, started, finish } = pendingExecutor();
    const { port, token } = await startGateway(t, { executor, clock });
    const answer = call(port, token, era, 'plugin_tool');
    await started;
    clock.advance(300_000);
    const { structuredContent, isError } = await answer;
    const { error, dispatchState } = structuredContent as { error: { code: string }; dispatchState: string };
    assert.deepEqual([isError, error.code, dispatchState], [true, 'request_timeout', 'outcome_unknown']);
    finish({ certainty: 'completed', output: {} });
  });

  test(`${era}: a call that runs when the gateway stops is answered before its socket is closed`, async (t) => {
    hygiene(t);
    const clock = manualClock();
    const { executor, started, finish } = pendingExecutor();
    const { port, token, gateway } = await startGateway(t, { executor, clock });
    const answer = call(port, token, era, 'plugin_tool');
    await started;
    const closed = gateway.close();
    clock.advance(3_000);
    const { structuredContent } = await answer;
    const { error, dispatchState } = structuredContent as { error: { code: string }; dispatchState: string };
    assert.deepEqual([error.code, dispatchState], ['gateway_stopping', 'outcome_unknown']);
    finish({ certainty: 'completed', output: {} });
    clock.advance(250);
    await closed;
  });

  test(`${era}: a tool that fails is answered outcome_unknown without a word of its error`, async (t) => {
    hygiene(t);
    const { executor } = fakeExecutor(() => {
      throw new Error('MARKER');
    });
    const { port, token, lines } = await startGateway(t, { executor });
    const result = await call(port, token, era, 'plugin_tool');
    const { error, dispatchState } = result['structuredContent'] as JsonObject;
    assert.deepEqual([(error as JsonObject)['code'], dispatchState], ['internal_error', 'outcome_unknown']);
    assert.equal(JSON.stringify(result).includes('MARKER'), false);
    assert.ok(lines.some((line) => line.includes('call.failed')));
  });
}

test('a client that leaves in the middle of a call does not stop it', async (t) => {
  hygiene(t);
  const { executor, started, finish } = pendingExecutor();
  const { port, token } = await startGateway(t, { executor });
  const { headers, body } = rpc('2025-11-25', 'tools/call', CALL);
  const text = JSON.stringify(body);
  const lines = Object.entries({ ...headers, host: 'localhost', authorization: `Bearer ${token}` });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const request = `POST /mcp HTTP/1.1\r\n${head}content-type: application/json\r\ncontent-length: ${text.length}\r\nconnection: close\r\n\r\n${text}`;
  const left = exchange(port, request);
  await started;
  finish({ certainty: 'completed', output: {}, summary: 'Done.' });
  assert.match(await left, /"dispatchState":"completed"/);
  assert.equal((await post(port, token, rpc('2026-07-28', 'tools/list'))).status, 200);
});
