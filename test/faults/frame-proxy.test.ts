import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { hygiene, waitFor } from '@fairlead/testing';
import { WebSocket, WebSocketServer } from 'ws';
import { FrameProxy, type FrameRule } from './frame-proxy.ts';
import { FrameSplitter } from './link-frames.ts';

/** A gateway and a Runner that only note what they hear, with the proxy between them. */
async function linked(t: TestContext) {
  hygiene(t);
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = await FrameProxy.listen((server.address() as AddressInfo).port);
  const accepted = once(sockets, 'connection');
  const runner = new WebSocket(proxy.url);
  const [gateway] = (await accepted) as [WebSocket];
  await once(runner, 'open');
  t.after(async () => {
    await proxy[Symbol.asyncDispose]();
    for (const client of sockets.clients) client.terminate();
    sockets.close();
    await new Promise((resolve) => server.close(resolve));
  });
  const heard: string[] = [];
  const seen: string[] = [];
  proxy.onFrame = ({ frame, name }) => seen.push(`${frame} ${name}`);
  runner.on('message', (data) => heard.push(String(Reflect.get(JSON.parse(String(data)), 'id'))));
  gateway.on('message', (data) => heard.push(`answer ${Reflect.get(JSON.parse(String(data)), 'id')}`));
  runner.on('close', () => heard.push('runner closed'));
  gateway.on('close', () => heard.push('gateway closed'));
  return {
    proxy,
    gateway,
    heard,
    seen,
    request: (id: number) =>
      gateway.send(
        JSON.stringify({
          type: 'request',
          id,
          request: { kind: 'tools_call', arguments: { name: `c${id}` } },
        }),
      ),
    ask: (id: number) =>
      gateway.send(JSON.stringify({ type: 'request', id, request: { kind: 'outcome', call: 'c' } })),
    say: (frame: object) => runner.send(JSON.stringify(frame)),
    answer: (id: number) => runner.send(JSON.stringify({ type: 'result', id })),
    other: (id: number) => gateway.send(JSON.stringify({ type: 'ping', id, filling: 'x'.repeat(70_000) })),
    until: (count: number) => waitFor(() => heard.length >= count, { what: `${count} frames of ${heard}` }),
  };
}

const ON_FIRST = { frame: 'request', name: 'c1' } as const;

test('without a rule everything passes, and calls and their answers are recognised', async (t) => {
  const { request, answer, other, until, heard, seen } = await linked(t);
  request(1);
  other(2);
  await until(2);
  answer(1);
  answer(7);
  await until(4);
  assert.deepEqual(heard, ['1', '2', 'answer 1', 'answer 7']);
  assert.deepEqual(seen, ['request c1', 'result c1']);
});

for (const [title, does, expected] of [
  ['repeated at once', { kind: 'repeat', when: 'at once' }, ['1', '1', '2', 'answer 1']],
  ['repeated behind its answer', { kind: 'repeat', when: 'after the answer' }, ['1', '2', 'answer 1', '1']],
  ['overtaken by one', { kind: 'overtake', by: 1 }, ['2', '1', 'answer 1']],
] as const) {
  test(`a request is ${title}, once`, async (t) => {
    const { proxy, request, answer, until, heard } = await linked(t);
    proxy.rules = [{ ...ON_FIRST, does } satisfies FrameRule];
    request(1);
    request(2);
    await until(expected.indexOf('answer 1'));
    answer(1);
    await until(expected.length);
    // The copy is answered, too, and that brings no further copy.
    answer(1);
    request(3);
    await until(expected.length + 2);
    assert.deepEqual(heard.toSorted(), [...expected, '3', 'answer 1'].toSorted());
  });
}

test('frames that carry no call are recognised by their kind, and attacked alike', async (t) => {
  const { proxy, say, ask, answer, until, heard, seen } = await linked(t);
  proxy.rules = [{ frame: 'outcome', name: '', does: { kind: 'repeat', when: 'at once' } }];
  ask(1);
  ask(2);
  await until(3);
  answer(1);
  say({ type: 'register', id: 'r' });
  say({ type: 'inventory', id: 'i' });
  say({ type: 'ended', id: 'e' });
  await until(7);
  assert.deepEqual(heard, ['1', '1', '2', 'answer 1', 'answer r', 'answer i', 'answer e']);
  assert.deepEqual(seen, ['outcome ', 'outcome ', 'told ', 'register ', 'inventory ', 'ended ']);
});

test('an answer is delivered twice, the second time behind the next frame', async (t) => {
  const { proxy, request, answer, until, heard } = await linked(t);
  proxy.rules = [{ frame: 'result', name: 'c1', does: { kind: 'repeat', when: 'after the answer' } }];
  request(1);
  await until(1);
  answer(1);
  answer(2);
  await until(4);
  assert.deepEqual(heard, ['1', 'answer 1', 'answer 2', 'answer 1']);
});

test('what is held goes when it is let go, in its order', async (t) => {
  const { proxy, request, until, heard, seen } = await linked(t);
  proxy.rules = [{ ...ON_FIRST, does: { kind: 'hold' } }];
  proxy.rules = [...proxy.rules, { frame: 'told', name: '', does: { kind: 'hold' } }];
  request(1);
  request(2);
  await waitFor(() => seen.length === 2, { what: 'both frames at the proxy' });
  assert.deepEqual(heard, []);
  assert.deepEqual(
    proxy.rules.map(({ frame }) => frame),
    ['told'],
    'the rules for which no frame has come',
  );
  proxy.release();
  await until(2);
  assert.deepEqual(heard, ['1', '2']);
});

for (const [at, arrives] of [
  ['before', false],
  ['inside', false],
  ['after', true],
] as const) {
  for (const end of ['both', 'runner', 'gateway'] as const) {
    test(`cut ${at} a frame at ${end}: it ${arrives ? 'arrives' : 'does not arrive'}, and both ends learn of it`, async (t) => {
      const { proxy, request, until, heard } = await linked(t);
      proxy.rules = [{ ...ON_FIRST, does: { kind: 'cut', at, end } }];
      request(1);
      await until(arrives ? 3 : 2);
      assert.deepEqual(heard.toSorted(), [...(arrives ? ['1'] : []), 'gateway closed', 'runner closed']);
    });
  }
}

test('frames are whole however they arrive', () => {
  const frame = (length: number) => {
    const payload = Buffer.alloc(length, 0x61);
    const head =
      length < 126 ? [0x81, length] : length < 65_536 ? [0x81, 126, length >> 8, length & 255] : null;
    if (head !== null) return Buffer.concat([Buffer.from(head), payload]);
    const long = Buffer.alloc(10);
    long.writeUInt16BE(0x817f);
    long.writeBigUInt64BE(BigInt(length), 2);
    return Buffer.concat([long, payload]);
  };
  const handshake = Buffer.from('HTTP/1.1 101 Switching\r\n\r\n');
  const frames = [frame(0), frame(5), frame(126), frame(65_535), frame(70_000)];
  const all = Buffer.concat([handshake, ...frames]);
  for (const step of [1, 7, 1000, all.length]) {
    const splitter = new FrameSplitter();
    const whole: Buffer[] = [];
    for (let at = 0; at < all.length; at += step) whole.push(...splitter.push(all.subarray(at, at + step)));
    assert.deepEqual(
      whole.map(({ length }) => length),
      [handshake, ...frames].map(({ length }) => length),
    );
  }
});

test('what a gateway sent before it was killed has been dealt with when its link is drained', async (t) => {
  const { proxy, gateway, request, seen } = await linked(t);
  request(1);
  gateway.terminate();
  await proxy.drained();
  assert.deepEqual(seen, ['request c1']);
});
