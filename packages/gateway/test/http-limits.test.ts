import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import type { Invocation } from '@fairlead/dispatch';
import { hygiene, manualClock } from '@fairlead/testing';
import { fakeExecutor, pendingExecutor, startGateway } from './fixture/gateway-fixture.ts';
import { ask, callTool, envelopeOf, exchange } from './fixture/http-client.ts';

const LIST = { tool: 'plugin_tool', params: { action: 'list' } };
const RELOAD = { tool: 'plugin_tool', params: { action: 'reload', runner: 'local' } };
const TIMES = { headersMs: 500, receiveMs: 1_000, slowCheckMs: 50, idleMarginMs: 10_000 };
const HEAD = 'POST /api/tools/call HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';

test('a body over the limit is 413, whether its length was told or not, and the client reads the answer', async (t) => {
  hygiene(t);
  const { executor, asked } = fakeExecutor();
  const { port, token } = await startGateway(t, { executor, config: { bodyBytes: 600_000 } });
  const bytes = JSON.stringify({ tool: 'plugin_tool', params: { text: 'x'.repeat(8_000_000) } });
  const told = await ask(port, { path: '/api/tools/call', token, bytes });
  assert.equal(told.status, 413);
  assert.equal(told.envelope.error?.code, 'body_too_large');
  assert.equal(told.envelope.dispatch_certainty, 'not_started');
  const raw = await exchange(
    port,
    `${HEAD}Authorization: Bearer ${token}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`,
    `${(700_000).toString(16)}\r\n${'x'.repeat(700_000)}\r\n0\r\n\r\n`,
  );
  assert.match(raw, /^HTTP\/1\.1 413 /);
  assert.equal(asked.length, 0);
});

test('a client that sends all of a body that is too large before it reads anything still reads the 413', async (t) => {
  hygiene(t);
  const { port, token } = await startGateway(t);
  const size = 12 * 1024 * 1024;
  const socket = connect(port, '127.0.0.1');
  socket.pause();
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.write(`${HEAD}Authorization: Bearer ${token}\r\nContent-Length: ${size}\r\n\r\n`);
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.write(Buffer.alloc(size, 'x'), () => resolve());
  });
  socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  socket.resume();
  await once(socket, 'close');
  const answers = Buffer.concat(chunks).toString('utf8');
  assert.deepEqual(
    [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1]),
    ['413', '200'],
  );
});

test('a body of exactly the limit is read', async (t) => {
  hygiene(t);
  const { executor, asked } = fakeExecutor();
  const { port, token } = await startGateway(t, { executor, config: { bodyBytes: 524_288 } });
  const frame = JSON.stringify({ tool: 'plugin_tool', params: { text: '' } });
  const bytes = JSON.stringify({ tool: 'plugin_tool', params: { text: 'x'.repeat(524_288 - frame.length) } });
  assert.equal(Buffer.byteLength(bytes), 524_288);
  assert.equal((await ask(port, { path: '/api/tools/call', token, bytes })).status, 200);
  const over = await ask(port, { path: '/api/tools/call', token, bytes: `${bytes} ` });
  assert.equal(over.status, 413);
  assert.equal(asked.length, 1);
});

test('headers that come too slowly are answered 408 and the socket is closed', async (t) => {
  hygiene(t);
  const { port } = await startGateway(t, { times: TIMES });
  const answer = await exchange(port, 'GET /healthz HTTP/1.1\r\nHost: loc');
  assert.match(answer, /^HTTP\/1\.1 408 /);
  assert.equal(envelopeOf(answer).error?.code, 'request_incomplete');
  assert.equal(envelopeOf(answer).dispatch_certainty, 'not_started');
});

test('a body that comes too slowly is cut off and reaches no executor', async (t) => {
  hygiene(t);
  const { executor, asked } = fakeExecutor();
  const { port, token } = await startGateway(t, {
    executor,
    times: TIMES,
  });
  const answer = await exchange(
    port,
    `${HEAD}Authorization: Bearer ${token}\r\nContent-Length: 100\r\n\r\n{"tool"`,
  );
  assert.match(answer, /^HTTP\/1\.1 408 /);
  assert.equal(envelopeOf(answer).error?.code, 'request_incomplete');
  assert.equal(asked.length, 0);
});

test('a client that leaves in the middle of its body reaches no executor, and the next one is served', async (t) => {
  hygiene(t);
  const { executor, asked } = fakeExecutor();
  const { port, token } = await startGateway(t, { executor });
  const socket = connect(port, '127.0.0.1');
  socket.write(`${HEAD}Authorization: Bearer ${token}\r\nContent-Length: 100\r\n\r\n{"tool"`);
  await once(socket, 'connect');
  socket.resetAndDestroy();
  await once(socket, 'close');
  assert.equal((await callTool(port, token, LIST)).status, 200);
  assert.equal(asked.length, 1);
});

test('a client that goes away while its call runs does not stop the call', async (t) => {
  hygiene(t);
  let finish: (invocation: Invocation) => void = () => undefined;
  let begun: () => void = () => undefined;
  const started = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const settled: string[] = [];
  const { executor } = fakeExecutor(async () => {
    begun();
    const invocation = await new Promise<Invocation>((resolve) => {
      finish = resolve;
    });
    settled.push(invocation.certainty);
    return invocation;
  });
  const { port, token, lines } = await startGateway(t, { executor });
  const body = JSON.stringify(LIST);
  const socket = connect(port, '127.0.0.1');
  socket.write(`${HEAD}Authorization: Bearer ${token}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  await started;
  socket.resetAndDestroy();
  await once(socket, 'close');
  finish({ certainty: 'completed', output: { kept: true } });
  assert.equal((await ask(port, { path: '/healthz' })).status, 200);
  assert.deepEqual(settled, ['completed']);
  assert.equal(
    lines.some((line) => line.includes('"error"')),
    false,
  );
});

test('a call over the time limit is answered outcome_unknown, and its late end is dropped', async (t) => {
  hygiene(t);
  const clock = manualClock();
  const { executor, started, finish } = pendingExecutor();
  const { port, token } = await startGateway(t, { executor, clock });
  const waiting = callTool(port, token, RELOAD);
  await started;
  await clock.advance(299_999);
  await clock.advance(1);
  const answer = await waiting;
  assert.equal(answer.status, 400);
  assert.equal(answer.envelope.error?.code, 'request_timeout');
  assert.equal(answer.envelope.dispatch_certainty, 'outcome_unknown');
  finish({ certainty: 'completed', output: {} });
  assert.equal((await ask(port, { path: '/healthz' })).status, 200);
});

test('a question over the time limit says that nothing was changed, not that it was never asked', async (t) => {
  hygiene(t);
  const clock = manualClock();
  const { executor, started, finish } = pendingExecutor();
  const { port, token } = await startGateway(t, { executor, clock });
  const waiting = callTool(port, token, LIST);
  await started;
  await clock.advance(300_000);
  const { envelope } = await waiting;
  assert.deepEqual([envelope.error?.code, envelope.dispatch_certainty], ['request_timeout', 'not_started']);
  assert.match(envelope.error?.recovery ?? '', /^It only reads, so nothing was changed\. /);
  finish({ certainty: 'completed', output: {} });
});

test('an executor that fails is answered outcome_unknown without a word of its error', async (t) => {
  hygiene(t);
  const { executor } = fakeExecutor(() => {
    throw new Error('marker-internal-path');
  });
  const { port, token, lines } = await startGateway(t, { executor });
  const answer = await callTool(port, token, RELOAD);
  assert.equal(answer.status, 400);
  assert.equal(answer.envelope.error?.code, 'internal_error');
  assert.equal(answer.envelope.dispatch_certainty, 'outcome_unknown');
  assert.equal(answer.text.includes('marker-internal-path'), false);
  assert.equal(
    lines.some((line) => line.includes('call.failed')),
    true,
  );
});

test('one socket carries many requests, several at once too, each answered in order', async (t) => {
  hygiene(t);
  const { executor } = fakeExecutor((params) => ({
    certainty: 'completed',
    output: { echo: params as never },
  }));
  const { port, token } = await startGateway(t, { executor });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const sockets = new Set<unknown>();
  for (let count = 0; count < 20; count += 1) {
    await new Promise<void>((resolve, reject) => {
      const request = httpRequest({ host: '127.0.0.1', port, path: '/healthz', agent }, (response) => {
        response.resume().on('end', resolve);
      });
      request.on('socket', (socket) => sockets.add(socket));
      request.on('error', reject);
      request.end();
    });
  }
  assert.equal(sockets.size, 1);
  const one = (n: number, close: boolean) => {
    const body = JSON.stringify({ tool: 'plugin_tool', params: { n } });
    const connection = close ? 'Connection: close\r\n' : '';
    return `${HEAD}Authorization: Bearer ${token}\r\n${connection}Content-Length: ${body.length}\r\n\r\n${body}`;
  };
  const answers = await exchange(port, one(1, false) + one(2, false) + one(3, true));
  assert.deepEqual(
    [...answers.matchAll(/"echo":\{"n":(\d)\}/g)].map((match) => match[1]),
    ['1', '2', '3'],
  );
});

test('sockets beyond the limit are dropped and the others go on', async (t) => {
  hygiene(t);
  const { port, token } = await startGateway(t, { config: { connections: 8 } });
  // These, and 16 more for this machine itself.
  const held = Array.from({ length: 24 }, () => connect(port, '127.0.0.1'));
  const question = `GET /api/admin/tokens HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  t.after(() => {
    for (const socket of held) socket.destroy();
  });
  await Promise.all(held.map((socket) => once(socket, 'connect')));
  held[0]?.write(question);
  await once(held[0] as (typeof held)[0], 'data');
  const oneMore = connect(port, '127.0.0.1');
  oneMore.on('error', () => undefined);
  await once(oneMore, 'close');
  held[0]?.write(question);
  const [chunk] = await once(held[0] as (typeof held)[0], 'data');
  assert.match(String(chunk), /^HTTP\/1\.1 200 /);
});

test('sockets without a token, however many, leave the host’s own commands a way in', async (t) => {
  hygiene(t);
  const { port, token } = await startGateway(t, { config: { connections: 8 } });
  const closesAfter = async (head: string, body = '') => {
    const socket = connect(port, '127.0.0.1');
    t.after(() => socket.destroy());
    socket.on('error', () => undefined);
    socket.write(`${head} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n`);
    socket.write(`Content-Type: application/json\r\nAuthorization: Bearer none\r\n\r\n${body}`);
    const [answer] = await once(socket, 'data');
    return /^connection: (?:Upgrade, )?close\r$/im.test(String(answer));
  };
  for (let count = 0; count < 4; count += 1) assert.equal(await closesAfter('GET /healthz'), false);
  for (let count = 0; count < 30; count += 1) assert.equal(await closesAfter('GET /healthz'), true);
  const heads = ['GET /openapi.json', 'GET /none', 'GET /%zz', 'GET /api/sessions', 'GET /api/runner/link'];
  for (const head of heads) assert.equal(await closesAfter(head), true, head);
  assert.equal(await closesAfter('POST /api/runner/pair', '{'), true);
  // Who shows a token that is good keeps its socket.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const first = await ask(port, { path: '/api/admin/tokens', token, agent });
  const second = await ask(port, { path: '/api/admin/tokens', token, agent });
  assert.deepEqual([first.status, second.status], [200, 200]);
  assert.equal(first.localPort, second.localPort);
});

test('garbage behind a call that runs is not answered in its place: the socket is closed', async (t) => {
  hygiene(t);
  let begun: () => void = () => undefined;
  const started = new Promise<void>((resolve) => {
    begun = resolve;
  });
  let finish: (invocation: Invocation) => void = () => undefined;
  const { executor } = fakeExecutor(() => {
    begun();
    return new Promise<Invocation>((resolve) => {
      finish = resolve;
    });
  });
  const { port, token } = await startGateway(t, { executor });
  const body = JSON.stringify(LIST);
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => undefined);
  socket.write(`${HEAD}Authorization: Bearer ${token}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  await started;
  socket.write('NONSENSE\r\n\r\n');
  await once(socket, 'close');
  assert.equal(Buffer.concat(chunks).toString('utf8'), '');
  finish({ certainty: 'completed', output: {} });
});

test('a socket on which nothing moves is closed, whatever its call does', async (t) => {
  hygiene(t);
  let finish: (invocation: Invocation) => void = () => undefined;
  const { executor } = fakeExecutor(
    () =>
      new Promise<Invocation>((resolve) => {
        finish = resolve;
      }),
  );
  const times = { headersMs: 10_000, receiveMs: 10_000, slowCheckMs: 1_000, idleMarginMs: 50 };
  const { port, token } = await startGateway(t, {
    executor,
    times,
    config: { requestSecs: 0.05 },
    clock: manualClock(),
  });
  await assert.rejects(callTool(port, token, LIST), { code: 'ECONNRESET' });
  finish({ certainty: 'completed', output: {} });
});
