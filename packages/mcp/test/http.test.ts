import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { waitFor } from '@fairlead/testing';
import { serveRaw, serveV1, serveV2 } from './http-servers.ts';
import { faultOf, mcpFloor } from './mcp-floor.ts';

const SUM = { text: '5', isError: false, data: { sum: 5 } };

for (const era of ['both', 'modern', 'legacy'] as const)
  test(`a server of the official v2 package over HTTP is spoken to where it serves ${era}`, async (t) => {
    const { http } = await mcpFloor(t);
    const s = await http(await serveV2(t, era));
    await s.server.settled;
    assert.equal(s.server.notice, undefined);
    assert.deepEqual(s.names(), ['s__add']);
    assert.deepEqual(await s.call('add', { a: 2, b: 3 }), SUM);
    const { state } = s.server;
    const revision = state.kind === 'running' ? state.connection.client.revision : undefined;
    assert.equal(revision, era === 'legacy' ? '2025-11-25' : '2026-07-28');
  });

for (const json of [false, true])
  test(`a server of the official v1 package over HTTP, answers as ${json ? 'JSON' : 'events'}; its session is given back`, async (t) => {
    const { http } = await mcpFloor(t);
    const { url, sessions } = await serveV1(t, json);
    const s = await http(url);
    await s.server.settled;
    assert.deepEqual(await s.call('add', { a: 2, b: 3 }), SUM);
    assert.equal(sessions.size, 1);
    await s.server.close();
    await waitFor(() => sessions.size === 0, { what: 'the session to be given back' });
  });

/** What a hostile server answers a call with, and what is known then. */
const ANSWERS = [
  ['503, as a proxy answers', { status: 503 }, 'outcome_unknown', 'mcp_answer_lost'],
  ['500', { status: 500 }, 'outcome_unknown', 'mcp_answer_lost'],
  ['404 of a session', { status: 404 }, 'outcome_unknown', 'mcp_answer_lost'],
  ['410', { status: 410 }, 'outcome_unknown', 'mcp_answer_lost'],
  ['408', { status: 408 }, 'outcome_unknown', 'mcp_answer_lost'],
  ['425', { status: 425 }, 'outcome_unknown', 'mcp_answer_lost'],
  [
    'a redirect to itself',
    { status: 307, headers: { location: '/mcp' } },
    'outcome_unknown',
    'mcp_answer_lost',
  ],
  ['400', { status: 400, body: 'no' }, 'completed', 'mcp_refused'],
  ['401', { status: 401, headers: { 'www-authenticate': 'Bearer' } }, 'completed', 'mcp_refused'],
  [
    '403 that asks for more scope',
    { status: 403, headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="all"' } },
    'completed',
    'mcp_refused',
  ],
  ['429', { status: 429, headers: { 'retry-after': '1' } }, 'completed', 'mcp_refused'],
  [
    '200 with a page',
    { status: 200, headers: { 'content-type': 'text/html' } },
    'outcome_unknown',
    'mcp_answer_lost',
  ],
  [
    '200 and half of a JSON',
    { status: 200, headers: { 'content-type': 'application/json' }, body: '{"jsonrpc":' },
    'outcome_unknown',
    'mcp_answer_lost',
  ],
  [
    'events that end without an answer',
    { status: 200, headers: { 'content-type': 'text/event-stream' }, body: ': hello\n\n' },
    'outcome_unknown',
    'mcp_answer_lost',
  ],
] as const;

for (const era of ['legacy', 'modern'] as const)
  for (const [what, answer, certainty, code] of ANSWERS)
    test(`a call that is answered with ${what} is sent once (${era}): ${certainty}`, async (t) => {
      const { http } = await mcpFloor(t, { env: { TOKEN: 'Bearer secret' } });
      const {
        status,
        headers = {},
        body = '',
      } = answer as {
        status: number;
        headers?: Record<string, string>;
        body?: string;
      };
      const raw = await serveRaw(
        t,
        (_request, response) => {
          response.writeHead(status, headers).end(body);
        },
        { era },
      );
      const s = await http(raw.url, { headersEnv: { authorization: 'TOKEN' } });
      await s.server.settled;
      assert.deepEqual((await faultOf(s.call('act'))).slice(0, 2), [certainty, code]);
      await s.server.close();
      assert.equal(raw.calls.length, 1);
      assert.equal(raw.calls[0]?.headers.authorization, 'Bearer secret');
    });

for (const [what, error, code] of [
  ['a header mismatch', { code: -32_020, message: 'Header mismatch' }, 'mcp_error'],
  ['an error', { code: -32_602, message: 'bad' }, 'mcp_error'],
] as const)
  test(`a call that is answered with ${what} is sent once, and ended`, async (t) => {
    const { http } = await mcpFloor(t);
    const raw = await serveRaw(
      t,
      ({ id }, response) => {
        response.writeHead(400, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, error }));
      },
      { era: 'modern' },
    );
    const s = await http(raw.url);
    await s.server.settled;
    assert.deepEqual((await faultOf(s.call('act'))).slice(0, 2), ['completed', code]);
    await s.server.close();
    assert.equal(raw.calls.length, 1);
  });

test('a server that asks for input is not answered and not called again', async (t) => {
  const { http } = await mcpFloor(t);
  const raw = await serveRaw(
    t,
    ({ id }, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const inputRequests = { a: { method: 'elicitation/create', params: { message: 'who?' } } };
      response.end(
        JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'input_required', inputRequests } }),
      );
    },
    { era: 'modern' },
  );
  const s = await http(raw.url);
  await s.server.settled;
  assert.deepEqual((await faultOf(s.call('act'))).slice(0, 2), ['completed', 'mcp_input_required']);
  await s.server.close();
  assert.equal(raw.calls.length, 1);
});

test('a connection that breaks after the request was read leaves the outcome unknown, and nothing is replayed', async (t) => {
  const { http } = await mcpFloor(t);
  const ports = new Set<number | undefined>();
  const broken: boolean[] = [];
  const raw = await serveRaw(
    t,
    (_request, response, incoming) => {
      broken.push(ports.has(incoming.socket.remotePort));
      response.socket?.destroy();
    },
    { before: (_request, _response, incoming) => void ports.add(incoming.socket.remotePort) },
  );
  const s = await http(raw.url);
  await s.server.settled;
  assert.deepEqual((await faultOf(s.call('act'))).slice(0, 2), ['outcome_unknown', 'mcp_answer_lost']);
  // It was a connection that had served before: the kind that clients of HTTP try again after.
  assert.deepEqual(broken, [true]);
  assert.deepEqual((await faultOf(s.call('act'))).slice(0, 2), ['outcome_unknown', 'mcp_answer_lost']);
  await s.server.close();
  assert.equal(raw.calls.length, 2);
});

test('events that break off in the middle of an answer leave the outcome unknown', async (t) => {
  const { http } = await mcpFloor(t);
  const raw = await serveRaw(t, ({ id }, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`event: message\ndata: {"jsonrpc":"2.0","id":${id},"result":`);
    setImmediate(() => response.destroy());
  });
  const s = await http(raw.url);
  await s.server.settled;
  assert.deepEqual((await faultOf(s.call('act'))).slice(0, 2), ['outcome_unknown', 'mcp_answer_lost']);
  assert.equal(raw.calls.length, 1);
});

test('an answer over HTTP that is larger than can be taken is not held', async (t) => {
  const { http } = await mcpFloor(t);
  const raw = await serveRaw(t, (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.on('error', () => {});
    const piece = Buffer.alloc(1024 * 1024, ' ');
    const more = () => {
      for (let mib = 0; mib < 100; mib += 1)
        if (!response.write(piece)) return void response.once('drain', more);
    };
    more();
  });
  const s = await http(raw.url);
  await s.server.settled;
  const fault = await faultOf(s.call('act'));
  assert.deepEqual(fault.slice(0, 2), ['outcome_unknown', 'mcp_answer_lost']);
});

test('a session that the server has forgotten: the call is unknown, the next one has a session of its own', async (t) => {
  const { http } = await mcpFloor(t);
  let forgotten = true;
  const raw = await serveRaw(t, ({ id }, response) => {
    if (forgotten) {
      forgotten = false;
      response.writeHead(404).end('{"error":"session not found"}');
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'ok' }] } }));
  });
  const s = await http(raw.url);
  await s.server.settled;
  assert.deepEqual((await faultOf(s.call('act'))).slice(0, 2), ['outcome_unknown', 'mcp_answer_lost']);
  await waitFor(() => raw.others.filter((one) => one === 'initialize').length === 2, {
    what: 'a new session',
  });
  await waitFor(() => s.server.state.kind === 'running', { what: 'it runs again' });
  assert.equal((await s.call('act'))['text'], 'ok');
  assert.deepEqual(
    raw.calls.map(({ headers }) => headers['mcp-session-id']),
    ['session-1', 'session-2'],
  );
});

test('nobody listens any more: nothing was sent, and that is proven', async (t) => {
  const { http, logs } = await mcpFloor(t);
  const raw = await serveRaw(t, () => {});
  const s = await http(raw.url);
  await s.server.settled;
  const { state } = s.server;
  assert.equal(state.kind, 'running');
  // The address is given to nobody: a port that was free a moment ago.
  const gone = createServer();
  gone.listen(0, '127.0.0.1');
  await new Promise((resolve) => gone.once('listening', resolve));
  const { port } = gone.address() as { port: number };
  await new Promise((resolve) => gone.close(resolve));
  const dead = await http(`http://127.0.0.1:${port}/mcp`, { name: 'dead' });
  await dead.server.settled;
  assert.equal(dead.server.state.kind, 'failed');
  assert.equal(dead.server.notice?.code, 'mcp_connect_failed');
  assert.deepEqual((await faultOf(dead.call('act'))).slice(0, 2), ['not_started', 'mcp_unavailable']);
  assert.ok(logs.some((line) => line.includes('mcp.failed')));
});

test('a server that never answers its handshake is given up after its timeout', async (t) => {
  const { http } = await mcpFloor(t);
  const raw = await serveRaw(t, () => {}, {
    before: (_request, response) => {
      // Held: no answer, and no end.
      response.flushHeaders();
    },
  });
  const s = await http(raw.url, { startupTimeoutMs: 300 });
  await s.server.settled;
  assert.equal(s.server.state.kind, 'failed');
});

test('an answer 503, as a proxy gives it, does not send the call again', async (t) => {
  const { http } = await mcpFloor(t);
  const raw = await serveRaw(t, (_request, response) => {
    response.writeHead(503, { 'retry-after': '0' }).end();
  });
  const s = await http(raw.url);
  await s.server.settled;
  assert.deepEqual((await faultOf(s.call('act'))).slice(0, 2), ['outcome_unknown', 'mcp_answer_lost']);
  // What would be tried again now would be there before the next one.
  assert.deepEqual((await faultOf(s.call('act'))).slice(0, 2), ['outcome_unknown', 'mcp_answer_lost']);
  await s.server.close();
  assert.equal(raw.calls.length, 2);
});

test('members of a result that are deep arrays where texts belong end the call with an answer', async (t) => {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  let result = '';
  const raw = await serveRaw(t, ({ id }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`);
  });
  const { http } = await mcpFloor(t);
  const s = await http(raw.url);
  await s.server.settled;
  const results = [
    [`{"content":[{"type":"resource_link","uri":${deep}}]}`, '[resource ]'],
    [`{"content":[{"type":${deep}}]}`, '[content of type none, left out]'],
    [`{"content":[{"type":"image","mimeType":${deep}}]}`, '[image of an unknown type, 0 bytes, left out]'],
    [`{"content":[{"type":"resource","resource":{"uri":${deep}}}]}`, '[resource  , 0 bytes, left out]'],
  ] as const;
  for (const [said, text] of results) {
    result = said;
    assert.deepEqual(await s.call('act'), { text, isError: false });
  }
});

/** A call that is answered with a stream of events, `ask` beginning it. */
const streamOf =
  (ask: (response: ServerResponse) => void) => (_request: unknown, response: ServerResponse) => {
    response.on('error', () => {});
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    ask(response);
  };

const isAnswer = ({ method }: { readonly method?: string }) => method === undefined;

test('a server that asks without end and takes no answer is given up before its answers fill the host', async (t) => {
  const { http, logs } = await mcpFloor(t);
  let asked = 0;
  const raw = await serveRaw(
    t,
    streamOf((response) => {
      const more = () => {
        for (let many = 0; many < 200 && asked < 20_000; many += 1) {
          asked += 1;
          const ping = JSON.stringify({ jsonrpc: '2.0', id: `p${asked}`, method: 'ping' });
          if (!response.write(`event: message\ndata: ${ping}\n\n`)) break;
        }
        if (asked < 20_000 && !response.destroyed) setImmediate(more);
      };
      more();
    }),
    { held: isAnswer },
  );
  const s = await http(raw.url);
  await s.server.settled;
  const fault = await faultOf(s.call('act'));
  assert.deepEqual(fault.slice(0, 2), ['outcome_unknown', 'mcp_answer_lost']);
  await waitFor(() => logs.some((line) => line.includes('it does not read what it is sent')), {
    what: 'its end is told',
  });
  const answers = raw.others.filter((method) => method === undefined).length;
  assert.ok(answers <= 16, `${answers} answers were under way`);
  assert.equal(raw.calls.length, 1);
});

test('a server that asks often and takes each answer goes on, and so does one that tells much', async (t) => {
  const { http } = await mcpFloor(t);
  const raw = await serveRaw(t, ({ id }, response) =>
    streamOf(() => {
      const say = (message: object) =>
        response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
      for (let many = 0; many < 2000; many += 1)
        say({ method: 'notifications/message', params: { level: 'info', data: many } });
      for (let many = 0; many < 100; many += 1) say({ id: `p${many}`, method: 'ping' });
      say({ id, result: { content: [{ type: 'text', text: 'done' }] } });
      response.end();
    })(undefined, response),
  );
  const s = await http(raw.url);
  await s.server.settled;
  assert.equal((await s.call('act'))['text'], 'done');
  await waitFor(() => raw.others.filter((method) => method === undefined).length === 100, {
    what: 'each ping is answered',
  });
  assert.equal(s.server.state.kind, 'running');
});

test('a server that refuses the answer to its ping has not refused the call', async (t) => {
  const { http } = await mcpFloor(t);
  let call: ServerResponse | undefined;
  const raw = await serveRaw(
    t,
    streamOf((response) => {
      call = response;
      response.write('event: message\ndata: {"jsonrpc":"2.0","id":"p","method":"ping"}\n\n');
    }),
    {
      before: (request, response) => {
        if (!isAnswer(request)) return;
        response.writeHead(400).end('no');
        response.once('close', () => call?.destroy());
      },
    },
  );
  const s = await http(raw.url);
  await s.server.settled;
  assert.deepEqual((await faultOf(s.call('act'))).slice(0, 2), ['outcome_unknown', 'mcp_answer_lost']);
  assert.deepEqual([raw.calls.length, raw.others.filter((method) => method === undefined).length], [1, 1]);
});
