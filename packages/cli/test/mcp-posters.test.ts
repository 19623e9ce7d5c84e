import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { systemClock } from '@fairlead/base';
import { hygiene, manualClock, waitFor } from '@fairlead/testing';
import { readHead } from '../src/mcp/answer-head.ts';
import { KeepAliveClient } from '../src/mcp/keep-alive-client.ts';
import { LoopbackClient } from '../src/mcp/loopback-client.ts';
import { openPoster } from '../src/mcp/open-poster.ts';
import type { Poster } from '../src/mcp/post.ts';
import { connectProxy } from './connect-proxy.ts';
import { deadUrl, httpAnswer, rawServer } from './loopback-server.ts';

const wanted = { path: '/x', token: 'fairlead_pat_x', accept: 'text/x', body: { a: 'é' }, timeoutMs: 20_000 };

type Open = (url: string, clock?: ReturnType<typeof systemClock>) => Promise<Poster>;
const ways: readonly (readonly [string, Open])[] = [
  ['over bare sockets', (url, clock = systemClock()) => openPoster(clock, url)],
  [
    'with Node’s client',
    (url, clock = systemClock()) => openPoster(clock, url.replace('127.0.0.1', 'localhost')),
  ],
];

async function opened(t: TestContext, open: Open, url: string, clock?: ReturnType<typeof systemClock>) {
  const poster = await open(url, clock);
  t.after(() => poster[Symbol.dispose]());
  return poster;
}

/** A server that keeps its connections: every whole request of a connection is answered with what `answer` gives. */
async function keepingServer(t: TestContext, answer: (request: string) => string) {
  return await rawServer(t, (socket: Socket, first) => {
    socket.write(answer(first));
    socket.on('data', (chunk) => void socket.write(answer(chunk.toString('latin1'))));
  });
}

for (const [way, open] of ways) {
  test(`${way}: requests go one after another over one connection, with length, token and what is accepted`, async (t) => {
    hygiene(t);
    const server = await keepingServer(t, () =>
      httpAnswer(201, '{"b":1}', ['content-type: text/x; charset=utf-8']),
    );
    const poster = await opened(t, open, server.url);
    for (let index = 0; index < 3; index += 1)
      assert.deepEqual(await poster.post(wanted), {
        kind: 'answered',
        status: 201,
        mediaType: 'text/x',
        bytes: Buffer.from('{"b":1}'),
      });
    assert.equal(server.received.length, 1);
    const requests = (server.received[0] ?? '').split('POST /x HTTP/1.1\r\n').slice(1);
    assert.equal(requests.length, 3);
    for (const request of requests) {
      assert.match(request, /^authorization: Bearer fairlead_pat_x\r$/im);
      assert.match(request, /^accept: text\/x\r$/im);
      assert.match(request, /^content-type: application\/json\r$/im);
      assert.match(request, /^content-length: 10\r$/im);
      assert.match(request, /^host: (127\.0\.0\.1|localhost):\d+\r$/im);
    }
  });

  test(`${way}: an answer in many pieces is whole`, async (t) => {
    hygiene(t);
    const body = JSON.stringify({ text: 'é'.repeat(50) });
    const server = await rawServer(t, async (socket) => {
      for (const byte of Buffer.from(httpAnswer(200, body))) {
        socket.write(Buffer.of(byte));
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    const reply = await (await opened(t, open, server.url)).post(wanted);
    assert.equal(reply.kind === 'answered' && reply.bytes.toString('utf8'), body);
  });

  test(`${way}: what was never on a connection is unsent`, async (t) => {
    hygiene(t);
    const poster = await opened(t, open, await deadUrl());
    assert.deepEqual(await poster.post(wanted), { kind: 'unsent', reason: 'ECONNREFUSED' });
  });

  for (const [name, onRequest] of [
    ['a reset', (socket: Socket) => void socket.resetAndDestroy()],
    ['the end of the connection', (socket: Socket) => void socket.end()],
    ['half an answer', (socket: Socket) => void socket.end(httpAnswer(200, '{"b":1}').slice(0, -2))],
    ['no HTTP', (socket: Socket) => void socket.end('220 ready\r\n\r\n')],
    [
      'headers without end',
      (socket: Socket) => void socket.write(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(20_000)}`),
    ],
    ['9 MiB', (socket: Socket) => void socket.write(httpAnswer(200, 'x'.repeat(9 * 1024 * 1024)))],
  ] as const)
    test(`${way}: ${name} is a lost answer`, async (t) => {
      hygiene(t);
      const server = await rawServer(t, onRequest);
      const poster = await opened(t, open, server.url);
      assert.equal((await poster.post(wanted)).kind, 'lost');
    });

  test(`${way}: an answer that does not come in time is lost`, async (t) => {
    hygiene(t);
    const clock = manualClock();
    let arrived = 0;
    const server = await rawServer(t, () => {
      arrived += 1;
    });
    const poster = await opened(t, open, server.url, clock);
    const reply = poster.post(wanted);
    await waitFor(() => arrived === 1, { what: 'the request' });
    clock.advance(20_000);
    assert.deepEqual(await reply, { kind: 'lost', reason: 'no answer within 20 s' });
  });

  test(`${way}: after an answer that closes its connection the next request has one of its own`, async (t) => {
    hygiene(t);
    const server = await rawServer(t, (socket) => socket.end(httpAnswer(200, '{}', ['connection: close'])));
    const poster = await opened(t, open, server.url);
    for (let index = 0; index < 2; index += 1) assert.equal((await poster.post(wanted)).kind, 'answered');
    assert.equal(server.received.length, 2);
  });

  test(`${way}: when the command ends, whoever waits is told, and no socket is left`, async (t) => {
    hygiene(t);
    let arrived = 0;
    const server = await rawServer(t, () => {
      arrived += 1;
    });
    const poster = await opened(t, open, server.url);
    const reply = poster.post(wanted);
    await waitFor(() => arrived === 1, { what: 'the request' });
    poster[Symbol.dispose]();
    assert.equal((await reply).kind, 'lost');
  });
}

for (const [name, answer] of [
  ['without a length', 'HTTP/1.1 200 OK\r\ncontent-type: a/b\r\n\r\n{}'],
  ['in chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'],
  ['with two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}'],
  ['with a length that is none', 'HTTP/1.1 200 OK\r\ncontent-length: -2\r\n\r\n{}'],
  ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\n{}'],
] as const)
  test(`over bare sockets an answer ${name} is none of a gateway’s, and is lost`, async (t) => {
    hygiene(t);
    const server = await rawServer(t, (socket) => void socket.write(answer));
    const poster = await openPoster(systemClock(), server.url);
    t.after(() => poster[Symbol.dispose]());
    assert.deepEqual(await poster.post(wanted), { kind: 'lost', reason: 'an answer that is not Fairlead’s' });
  });

test('over bare sockets bytes behind an answer, or without a request, end the connection', async (t) => {
  hygiene(t);
  const sockets: Socket[] = [];
  const server = await rawServer(t, (socket) => {
    sockets.push(socket);
    const more = sockets.length === 1 ? 'HTTP/1.1 200 OK\r\n' : '';
    socket.write(`${httpAnswer(200, '{}')}${more}`);
  });
  const poster = await openPoster(systemClock(), server.url);
  t.after(() => poster[Symbol.dispose]());
  assert.equal((await poster.post(wanted)).kind, 'answered');
  assert.equal((await poster.post(wanted)).kind, 'answered');
  assert.equal(sockets.length, 2);
  sockets[1]?.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
  await waitFor(() => sockets[1]?.destroyed === true || sockets[1]?.readableEnded === true, {
    what: 'its end',
  });
  assert.equal((await poster.post(wanted)).kind, 'answered');
  assert.equal(sockets.length, 3);
});

test('over bare sockets at most four connections are kept', async (t) => {
  hygiene(t);
  const open = new Set<Socket>();
  const waiting: Socket[] = [];
  const server = await rawServer(t, (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    waiting.push(socket);
  });
  const poster = await openPoster(systemClock(), server.url);
  t.after(() => poster[Symbol.dispose]());
  const replies = Array.from({ length: 6 }, () => poster.post(wanted));
  await waitFor(() => waiting.length === 6, { what: 'six requests' });
  for (const socket of waiting) socket.write(httpAnswer(200, '{}'));
  await Promise.all(replies);
  await waitFor(() => open.size === 4, { what: 'the end of two connections' });
});

test('the way to a gateway is bare sockets on this machine alone, and Node’s client everywhere else', async () => {
  const clock = systemClock();
  for (const url of ['http://127.0.0.1:7420', 'http://127.0.0.1:7420/', 'http://127.0.0.1'])
    assert.ok((await openPoster(clock, url)) instanceof LoopbackClient, url);
  for (const url of [
    'https://127.0.0.1:7420',
    'http://localhost:7420',
    'http://[::1]:7420',
    'http://127.0.0.1/behind',
  ])
    assert.ok((await openPoster(clock, url)) instanceof KeepAliveClient, url);
  await assert.rejects(openPoster(clock, 'ftp://127.0.0.1'), { code: 'server_url_invalid' });
});

test('with Node’s client a path in front of the gateway’s own, and chunks, are taken', async (t) => {
  hygiene(t);
  const server = await rawServer(
    t,
    (socket) =>
      void socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'),
  );
  const poster = await openPoster(systemClock(), `${server.url}/behind/`);
  t.after(() => poster[Symbol.dispose]());
  const reply = await poster.post(wanted);
  assert.equal(reply.kind === 'answered' && reply.bytes.toString('utf8'), '{}');
  assert.match(server.received[0] ?? '', /^POST \/behind\/x HTTP\/1\.1\r\n/);
});

async function through(t: TestContext, options: Parameters<typeof connectProxy>[1]) {
  const proxy = await connectProxy(t, options);
  const poster = await openPoster(systemClock(), 'http://gateway.test:7420', new URL(proxy.url));
  t.after(() => poster[Symbol.dispose]());
  return { proxy, poster };
}

test('through a proxy every request has a way of its own', async (t) => {
  hygiene(t);
  const server = await rawServer(t, (socket) => void socket.write(httpAnswer(200, '{}')));
  const { proxy, poster } = await through(t, { to: Number(new URL(server.url).port) });
  for (let index = 0; index < 2; index += 1) assert.equal((await poster.post(wanted)).kind, 'answered');
  assert.deepEqual(
    proxy.asked.map(({ target }) => target),
    ['gateway.test:7420', 'gateway.test:7420'],
  );
  assert.match(server.received[1] ?? '', /^POST \/x HTTP\/1\.1\r\n/);
});

test('what a proxy lets through may have begun; what it refuses has not', async (t) => {
  hygiene(t);
  const server = await rawServer(t, (socket) => void socket.resetAndDestroy());
  const open = await through(t, { to: Number(new URL(server.url).port) });
  assert.equal((await open.poster.post(wanted)).kind, 'lost');
  const refusing = await through(t, { refuse: 403 });
  const reason = 'the proxy answered HTTP 403';
  assert.deepEqual(await refusing.poster.post(wanted), { kind: 'unsent', reason });
});

test('the head of an answer is read only when it is whole', () => {
  const head =
    'HTTP/1.1 200 OK\r\nContent-Type: a/b; c=d\r\nContent-Length: 2\r\nConnection: Keep-Alive\r\n\r\n';
  const bytes = Buffer.from(`${head}{}`);
  for (let length = 0; length < head.length; length += 1)
    assert.equal(readHead(bytes.subarray(0, length)), 'more', String(length));
  const read = { status: 200, mediaType: 'a/b', bodyAt: head.length, length: 2, isLast: false };
  assert.deepEqual(readHead(bytes.subarray(0, head.length)), read);
  assert.deepEqual(readHead(bytes), read);
});
