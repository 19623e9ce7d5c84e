import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hygiene, manualClock, type TestLike, waitFor } from '@fairlead/testing';
import type { SessionStreamEvent } from '../src/sessions/session-stream-event.ts';
import { FakeSessions, FOX, OWL } from './fixture/fake-sessions.ts';
import { type GatewayFixtureOptions, startGateway } from './fixture/gateway-fixture.ts';
import { ask } from './fixture/http-client.ts';
import { openStream } from './fixture/stream-reader.ts';

type Context = Parameters<typeof hygiene>[0] & TestLike;

async function setUp(t: Context, options: Omit<GatewayFixtureOptions, 'sessions'> = {}) {
  hygiene(t);
  const host = new FakeSessions();
  const session = host.add('a');
  const gateway = await startGateway(t, { sessions: host, ...options });
  const path = `/api/sessions/${session}/stream`;
  const listening = (count: number) =>
    waitFor(() => host.sinks.size === count, { what: `${count} subscribers` });
  const open = async (query = '', headers: Readonly<Record<string, string>> = {}, token = gateway.token) => {
    const reader = await openStream(t, gateway.port, { path: `${path}${query}`, token, headers });
    assert.equal(reader.response.statusCode, 200);
    return reader;
  };
  return { host, gateway, session, path, open, listening };
}

const entry = (cursor: number, text = `no ${cursor}`): SessionStreamEvent => ({
  kind: 'entry',
  cursor,
  entry: { id: `k:${cursor}:0`, type: 'message', text },
});

test('a stream tells each event by its name; only an entry has an id', async (t) => {
  const { host, open, listening } = await setUp(t);
  const reader = await open();
  await listening(1);
  const { headers } = reader.response;
  assert.equal(headers['content-type'], 'text/event-stream; charset=utf-8');
  assert.deepEqual([headers['cache-control'], headers['x-accel-buffering']], ['no-store', 'no']);
  host.tell({ kind: 'delta', turn: 'trn_1', step: 0, what: 'reasoning', at: 4, text: 'line\nbreak' });
  host.tell({ kind: 'step_reset', turn: 'trn_1', step: 0 });
  host.tell({ kind: 'state', turn: 'trn_1', agent: FOX.id, state: 'tool', tool: 'shell' });
  host.tell({ kind: 'progress', call: 'call_1', done: 1, total: 2, text: 'half' });
  host.tell({ kind: 'approval', approval: 'apr_1', state: 'open' });
  host.tell(entry(7));
  host.tell({ kind: 'reset' });
  const events = [];
  for (let count = 0; count < 7; count += 1) events.push(await reader.next());
  assert.deepEqual(events, [
    { event: 'delta', data: { turn: 'trn_1', step: 0, kind: 'reasoning', at: 4, text: 'line\nbreak' } },
    { event: 'step_reset', data: { turn: 'trn_1', step: 0 } },
    { event: 'state', data: { turn: 'trn_1', agent: FOX.id, state: 'tool', tool: 'shell' } },
    { event: 'progress', data: { call: 'call_1', done: 1, total: 2, text: 'half' } },
    { event: 'approval', data: { approval: 'apr_1', state: 'open' } },
    { id: '7', event: 'entry', data: { id: 'k:7:0', type: 'message', text: 'no 7' } },
    { event: 'reset', data: {} },
  ]);
});

test('after a cut a reader goes on behind the last entry that it heard', async (t) => {
  const { host, session, open, listening } = await setUp(t);
  const first = await open();
  await listening(1);
  host.tell(entry(7));
  const heard = await first.next();
  assert.equal(heard?.id, '7');
  first.cut();
  await first.ended;
  await listening(0);
  host.missed = [entry(8), entry(9)];
  // A browser keeps the address and sends the header beside it: the header is of the later moment.
  const second = await open('?after=3', { 'last-event-id': '7' });
  assert.deepEqual([(await second.next())?.id, (await second.next())?.id], ['8', '9']);
  await listening(1);
  await open('?after=3');
  await listening(2);
  assert.deepEqual(host.asked, [
    ['subscribe', session, {}],
    ['subscribe', session, { after: 7 }],
    ['subscribe', session, { after: 3 }],
  ]);
});

test('a place to begin that is none is refused before the stream begins', async (t) => {
  const { host, gateway, path } = await setUp(t);
  const { port, token } = gateway;
  const asked = [
    { path: `${path}?after=-1` },
    { path: `${path}?after=1&after=2` },
    { path: `${path}?after=1e3` },
    { path: `${path}?since=1` },
    { path, headers: { 'last-event-id': 'k:1:0' } },
    { path, headers: { 'last-event-id': '1'.repeat(16) } },
  ];
  for (const wanted of asked) {
    const answer = await ask(port, { ...wanted, token });
    assert.deepEqual([answer.status, answer.envelope.error?.code], [400, 'query_invalid'], wanted.path);
  }
  assert.deepEqual(host.asked, []);
});

test('a silent stream is pinged each 15 s, and nothing ticks when nobody reads', async (t) => {
  const clock = manualClock();
  const { open, listening, gateway } = await setUp(t, { clock });
  const before = clock.pendingTimers;
  const reader = await open();
  await listening(1);
  await clock.advance(15_000);
  assert.deepEqual(await reader.next(), { event: 'ping', data: {} });
  await clock.advance(14_999);
  const next = reader.next();
  await clock.advance(1);
  assert.deepEqual(await next, { event: 'ping', data: {} });
  reader.cut();
  await listening(0);
  assert.equal(clock.pendingTimers, before);
  await gateway.gateway.close();
});

test('a stream ends with its token: at once when it is revoked', async (t) => {
  const { host, gateway, open, listening } = await setUp(t);
  const token = await gateway.mint(['session:read']);
  const reader = await open('', {}, token);
  const other = await open();
  await listening(2);
  const { id } = gateway.tokens.list().at(-1) ?? { id: '' };
  const revoking = gateway.tokens.revoke(id);
  await reader.ended;
  await revoking;
  assert.equal(host.sinks.size, 1);
  assert.deepEqual(host.tell(entry(8)), [true]);
  assert.equal(await reader.next(), null);
  assert.equal((await other.next())?.id, '8');
});

test('a stream ends with its token: nothing is told once it has expired', async (t) => {
  const clock = manualClock();
  const { host, gateway, open, listening } = await setUp(t, { clock });
  const reader = await open('', {}, await gateway.mint(['session:read'], undefined, 60_000));
  const silent = await open('', {}, await gateway.mint(['session:read'], undefined, 61_000));
  await listening(2);
  await clock.advance(59_999);
  host.tell(entry(1));
  clock.jumpWall(1);
  host.tell(entry(2));
  await reader.ended;
  const heard = [];
  for (let event = await reader.next(); event !== null; event = await reader.next()) heard.push(event.event);
  assert.deepEqual(heard, ['ping', 'ping', 'ping', 'entry']);
  // One to whom nothing is told ends with the next ping.
  clock.jumpWall(1_000);
  await clock.advance(15_000);
  await silent.ended;
  assert.equal(host.sinks.size, 0);
});

test('a token that ends while its stream is prepared opens none', async (t) => {
  const { host, gateway, path } = await setUp(t);
  const token = await gateway.mint(['session:read']);
  const { id } = gateway.tokens.list().at(-1) ?? { id: '' };
  host.onLine = async () => void (await gateway.tokens.revoke(id));
  const answer = await ask(gateway.port, { path, token });
  assert.deepEqual([answer.status, answer.envelope.error?.code], [401, 'unauthorized']);
  assert.deepEqual(host.asked, []);
});

test('the end of the gateway ends its streams, and an end of the reader its subscription', async (t) => {
  const { host, gateway, open, listening } = await setUp(t);
  const reader = await open();
  const gone = await open();
  await listening(2);
  gone.cut();
  await listening(1);
  const closing = gateway.gateway.close();
  await reader.ended;
  assert.equal(await reader.next(), null);
  assert.equal(host.sinks.size, 0);
  await closing;
});

test('a reader that goes away while its subscription is made leaves none behind', async (t) => {
  const { host, gateway, open } = await setUp(t);
  const { promise: made, resolve } = Promise.withResolvers<void>();
  host.onSubscribe = () => made;
  const reader = await open();
  reader.cut();
  await reader.ended;
  // The gateway has heard of it once it answers on another socket.
  for (let count = 0; count < 3; count += 1) await ask(gateway.port, { path: '/healthz' });
  resolve();
  await waitFor(() => host.closes === 1, { what: 'the end of the subscription' });
  assert.equal(host.sinks.size, 0);
});

test('a reader over 1 MiB behind holds nobody up: it is told to read again once it reads', async (t) => {
  const { host, open, listening } = await setUp(t);
  const slow = await open();
  const quick = await open();
  await listening(2);
  slow.pause();
  const [slowSink] = [...host.sinks];
  const text = 'x'.repeat(64 * 1024);
  let told = 0;
  for (; told < 1_000 && slowSink?.(entry(told, text)) === true; told += 1) await new Promise(setImmediate);
  assert.ok(told > 16 && told < 1_000, `${told} entries until it was full`);
  assert.equal(slowSink?.(entry(told)), false);
  assert.equal(host.drains, 0);
  for (const sink of host.sinks) if (sink !== slowSink) assert.equal(sink(entry(1)), true);
  assert.equal((await quick.next())?.id, '1');
  slow.read();
  let event = await slow.next();
  for (let count = 0; count < told; count += 1) event = await slow.next();
  assert.deepEqual(event, { event: 'reset', data: {} });
  assert.equal(host.drains, 1);
  assert.equal(slowSink?.(entry(2_000)), true);
  assert.equal((await slow.next())?.id, '2000');
});

test('what a subscription cannot begin with ends the stream, and the log says why', async (t) => {
  const { host, gateway, open } = await setUp(t);
  host.onSubscribe = async () => {
    throw new Error('the store is closed');
  };
  const reader = await open();
  await reader.ended;
  assert.ok(gateway.lines.some((line) => line.includes('stream.failed')));
});

test('streams take half of the sockets at most, and a place becomes free with each that ends', async (t) => {
  const { gateway, path, open, listening } = await setUp(t, { config: { connections: 8 } });
  const readers = [await open(), await open(), await open(), await open()];
  await listening(4);
  const refused = await ask(gateway.port, { path, token: gateway.token });
  assert.deepEqual([refused.status, refused.envelope.error?.code], [400, 'stream_limit_reached']);
  readers[0]?.cut();
  await listening(3);
  await open();
});

test('there is no HEAD of a stream', async (t) => {
  const { gateway, path } = await setUp(t);
  const { status, headers } = await ask(gateway.port, { method: 'HEAD', path, token: gateway.token });
  assert.deepEqual([status, headers['allow']], [405, 'GET, OPTIONS']);
});

test('an export ends with its token, and takes a place among the streams', async (t) => {
  const { host, gateway, path, session, open, listening } = await setUp(t, { config: { connections: 8 } });
  const exportPath = `/api/sessions/${session}/export`;
  host.lines = async function* () {
    yield { format: 'fairlead-session-v1' };
    await new Promise(() => {});
  };
  const token = await gateway.mint(['session:read']);
  const { id } = gateway.tokens.list().at(-1) ?? { id: '' };
  const reader = await openStream(t, gateway.port, { path: exportPath, token });
  assert.equal(reader.response.statusCode, 200);
  for (let count = 0; count < 3; count += 1) await open();
  await listening(3);
  for (const full of [path, exportPath]) {
    const refused = await ask(gateway.port, { path: full, token: gateway.token });
    assert.deepEqual([refused.status, refused.envelope.error?.code], [400, 'stream_limit_reached'], full);
  }
  await gateway.tokens.revoke(id);
  await reader.ended;
  assert.equal(reader.response.complete, false);
  host.lines = async function* () {
    yield { format: 'fairlead-session-v1' };
  };
  const isFree = async () => {
    const { status } = await ask(gateway.port, { path: exportPath, token: gateway.token });
    return status === 200;
  };
  await waitFor(isFree, { what: 'the place of the export' });
  // One that has ended by itself gives its place back, too.
  await waitFor(isFree, { what: 'the place of the next one' });
});

test('an export whose token expires breaks off before the next line, or with the next ping', async (t) => {
  const clock = manualClock();
  const { host, gateway, session } = await setUp(t, { clock });
  const { promise: asked, resolve: go } = Promise.withResolvers<void>();
  host.lines = async function* () {
    yield { format: 'fairlead-session-v1' };
    await asked;
    yield { type: 'message', text: 'too late' };
  };
  const path = `/api/sessions/${session}/export`;
  const begin = async () => {
    const token = await gateway.mint(['session:read'], undefined, 60_000);
    return await openStream(t, gateway.port, { path, token });
  };
  const silent = await begin();
  await clock.advance(10_000);
  clock.jumpWall(50_000);
  await clock.advance(5_000);
  await silent.ended;
  assert.equal(silent.response.complete, false);
  const reading = await begin();
  clock.jumpWall(60_000);
  go();
  await reading.ended;
  assert.equal(reading.response.complete, false);
});

test('an agent that joins takes the session out of a limited token’s stream', async (t) => {
  const { host, gateway, open, listening } = await setUp(t);
  host.runners.set(OWL.id, ['near']);
  host.add('a', { agents: [OWL] });
  const token = await gateway.mint(['session:read'], ['near']);
  const limited = await open('', {}, token);
  const other = await open();
  await listening(2);
  host.tell(entry(1));
  host.tell(entry(2));
  assert.deepEqual([(await limited.next())?.id, (await limited.next())?.id], ['1', '2']);
  host.add('a', { agents: [OWL, FOX] });
  host.tell(entry(3));
  await limited.ended;
  assert.equal(await limited.next(), null);
  const heard = [await other.next(), await other.next(), await other.next()];
  assert.deepEqual(
    heard.map((event) => event?.id),
    ['1', '2', '3'],
  );
  host.add('a', { agents: [OWL] });
  const again = await open('', {}, token);
  await listening(2);
  host.runners.delete(OWL.id);
  host.tell(entry(4));
  await again.ended;
  assert.equal(await again.next(), null);
});

test('an agent that joins ends a limited token’s export before the next line', async (t) => {
  const { host, gateway, session } = await setUp(t);
  host.runners.set(OWL.id, ['near']);
  host.add('a', { agents: [OWL] });
  const { promise: asked, resolve: go } = Promise.withResolvers<void>();
  host.lines = async function* () {
    yield { format: 'fairlead-session-v1' };
    await asked;
    yield { type: 'message', text: 'of another one' };
  };
  const token = await gateway.mint(['session:read'], ['near']);
  const reader = await openStream(t, gateway.port, { path: `/api/sessions/${session}/export`, token });
  host.add('a', { agents: [OWL, FOX] });
  go();
  await reader.ended;
  assert.equal(reader.response.complete, false);
});

test('what a limited token is told waits until it was asked about, in order, and no more than 1 MiB of it', async (t) => {
  const { host, gateway, open, listening } = await setUp(t);
  host.runners.set(OWL.id, ['near']);
  host.add('a', { agents: [OWL] });
  const reader = await open('', {}, await gateway.mint(['session:read'], ['near']));
  await listening(1);
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  host.onLine = () => answered;
  const [sink] = [...host.sinks];
  const text = 'x'.repeat(64 * 1024);
  let told = 0;
  while (told < 100 && sink?.(entry(told, text)) === true) told += 1;
  assert.equal(told, 16);
  assert.equal(host.drains, 0);
  answer();
  for (let cursor = 0; cursor < told; cursor += 1) assert.equal((await reader.next())?.id, `${cursor}`);
  assert.deepEqual(await reader.next(), { event: 'reset', data: {} });
  assert.equal(host.drains, 1);
});
