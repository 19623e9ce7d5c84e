import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { hygiene, manualClock } from '@fairlead/testing';
import { startGateway } from './fixture/gateway-fixture.ts';
import { ask, envelopeOf, exchange } from './fixture/http-client.ts';
import { dial, register, runner } from './fixture/runner-peer.ts';

const UPGRADE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';

test('a Runner with its token registers, answers, and frees its id when its socket closes', async (t) => {
  hygiene(t);
  const { port, mintRunner, hub } = await startGateway(t);
  const token = await mintRunner('here');
  const peer = await runner(t, port, token, 'here');
  assert.deepEqual(hub.runners(), [
    { runner: 'here', instanceId: 'instance-1', capabilities: ['native_tool_plugins'], projects: [] },
  ]);
  const answer = hub.request(
    'here',
    'instance-1',
    { kind: 'providers_list' },
    { budgetMs: 10_000, call: 'call_1' },
  );
  const frame = await peer.next();
  assert.equal(frame['call'], 'call_1');
  assert.deepEqual(frame['request'], { kind: 'providers_list' });
  peer.send({
    type: 'result',
    id: frame['id'],
    response: { dispatch_state: 'completed', payload: { kind: 'providers_list', providers: [] } },
  });
  assert.deepEqual(await answer, {
    certainty: 'completed',
    value: { kind: 'providers_list', providers: [] },
  });
  const handed = hub.request('here', 'instance-1', { kind: 'reload' }, { budgetMs: 10_000 });
  await peer.next();
  peer.socket.terminate();
  const lost = await handed;
  assert.equal(lost.certainty, 'outcome_unknown');
  assert.equal('fault' in lost && lost.fault.code, 'runner_unavailable');
  const second = await runner(t, port, token, 'here', 'instance-2');
  assert.deepEqual(second.waiting, []);
  assert.equal(hub.runners()[0]?.instanceId, 'instance-2');
});

test('an upgrade without a live Runner token is refused before it is one, with an envelope', async (t) => {
  hygiene(t);
  const { port, token, tokens } = await startGateway(t);
  const revoked = await tokens.mintRunner({ runner: 'here' });
  await tokens.revoke(revoked.token.id);
  await assert.rejects(dial(t, port, undefined), /HTTP 401 .*token_missing/);
  await assert.rejects(dial(t, port, 'nonsense'), /HTTP 401 .*token_malformed/);
  await assert.rejects(dial(t, port, `fairlead_runner_${'a'.repeat(43)}`), /HTTP 401 .*token_unknown/);
  await assert.rejects(dial(t, port, revoked.secret), /HTTP 401 .*token_revoked/);
  await assert.rejects(
    dial(t, port, token),
    /HTTP 401 .*This is a personal token; the Runner link takes a Runner token/,
  );
});

test('an upgrade with a foreign Host or Origin is refused', async (t) => {
  hygiene(t);
  const { port, mintRunner } = await startGateway(t);
  const token = await mintRunner('here');
  await assert.rejects(dial(t, port, token, { host: 'evil.example' }), /HTTP 403 .*host_not_allowed/);
  await assert.rejects(
    dial(t, port, token, { origin: 'https://evil.example' }),
    /HTTP 403 .*origin_not_allowed/,
  );
});

test('the link’s path without an upgrade says what it is', async (t) => {
  hygiene(t);
  const { port } = await startGateway(t);
  const answer = await ask(port, { path: '/api/runner/link' });
  assert.equal(answer.status, 426);
  assert.equal(answer.headers.upgrade, 'websocket');
  assert.equal(answer.envelope.error?.code, 'upgrade_required');
  assert.equal((await ask(port, { path: '/api/runner/link', method: 'POST', bytes: '{}' })).status, 405);
});

test('an upgrade that is no WebSocket handshake is refused with an envelope', async (t) => {
  hygiene(t);
  const { port, mintRunner } = await startGateway(t);
  const token = await mintRunner('here');
  const answer = await exchange(
    port,
    `GET /api/runner/link HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short\r\n\r\n`,
  );
  assert.match(answer, /^HTTP\/1\.1 400 /);
  assert.equal(envelopeOf(answer).error?.code, 'malformed_request');
});

test('a client that vanishes in the middle of an upgrade disturbs nobody', async (t) => {
  hygiene(t);
  const { port, hub } = await startGateway(t);
  for (let count = 0; count < 20; count += 1) {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(`GET /api/runner/link HTTP/1.1\r\nHost: localhost\r\n${UPGRADE}\r\n`);
    socket.resetAndDestroy();
  }
  assert.equal((await ask(port, { path: '/healthz' })).status, 200);
  assert.deepEqual(hub.runners(), []);
});

test('a wrong runner id, a taken id and a first frame that is not register are told and closed', async (t) => {
  hygiene(t);
  const { port, mintRunner } = await startGateway(t);
  const token = await mintRunner('here');
  const wrong = await dial(t, port, token);
  wrong.send(register('there'));
  assert.equal((await wrong.next())['code'], 'register_forbidden');
  assert.deepEqual(await wrong.closed, { status: 1008, reason: 'register_forbidden' });
  await runner(t, port, token, 'here', 'instance-1');
  const taken = await dial(t, port, token);
  taken.send(register('here', 'instance-2'));
  assert.equal((await taken.next())['code'], 'runner_id_taken');
  assert.deepEqual(await taken.closed, { status: 1008, reason: 'runner_id_taken' });
  const early = await dial(t, port, token);
  early.send({ type: 'ping', ts: 1 });
  assert.equal((await early.next())['code'], 'expected_register');
});

test('a silent Runner is dropped on the wire, and another can take its id', async (t) => {
  hygiene(t);
  const clock = manualClock();
  const { port, mintRunner, hub } = await startGateway(t, { clock });
  const token = await mintRunner('here');
  const silent = await runner(t, port, token, 'here', 'instance-1');
  await clock.advance(30_000);
  assert.equal((await silent.next())['type'], 'ping');
  await clock.advance(30_000);
  assert.equal((await silent.closed).status, 1006);
  assert.deepEqual(hub.runners(), []);
  await runner(t, port, token, 'here', 'instance-2');
});

test('a frame over 8 MiB ends the link, and so does a binary one', async (t) => {
  hygiene(t);
  const { port, mintRunner, hub } = await startGateway(t);
  const token = await mintRunner('here');
  const large = await runner(t, port, token, 'here');
  large.socket.send('x'.repeat(8 * 1024 * 1024 + 1));
  assert.equal((await large.closed).status, 1009);
  const binary = await runner(t, port, token, 'here', 'instance-2');
  binary.socket.send(Buffer.from('{"type":"ping","ts":1}'));
  assert.equal((await binary.next())['code'], 'link_frame_invalid');
  assert.equal((await binary.closed).status, 1002);
  assert.deepEqual(hub.runners(), []);
});

test('a flood of frames ends the link, and the gateway goes on serving', async (t) => {
  hygiene(t);
  const { port, mintRunner, hub } = await startGateway(t);
  const peer = await runner(t, port, await mintRunner('here'), 'here');
  const response = { dispatch_state: 'not_started', error: { code: 'nothing', message: 'nothing' } };
  for (let count = 0; count < 10_001; count += 1) peer.send({ type: 'result', id: 5, response });
  assert.equal((await peer.next())['code'], 'runner_frame_unexpected');
  assert.deepEqual(await peer.closed, { status: 1008, reason: 'runner_frame_unexpected' });
  assert.equal(hub.counters.strayFrames, 10_001);
  assert.equal((await ask(port, { path: '/healthz' })).status, 200);
});

test('sockets that do not register fill their own room only', async (t) => {
  hygiene(t);
  const { port, mintRunner } = await startGateway(t);
  const tokens = await Promise.all(Array.from({ length: 16 }, (_, index) => mintRunner(`far-${index}`)));
  const waiting = await Promise.all([1, 2, 3, 4].flatMap(() => tokens.map((token) => dial(t, port, token))));
  const here = await mintRunner('here');
  await assert.rejects(dial(t, port, here), /HTTP 400 .*runner_limit_reached/);
  waiting[0]?.send(register('far-0'));
  assert.equal((await waiting[0]?.next())?.type, 'registered');
  await dial(t, port, here);
});

test('sockets of one token that do not register keep no other Runner out', async (t) => {
  hygiene(t);
  const { port, mintRunner } = await startGateway(t);
  const loud = await mintRunner('loud');
  const waiting = await Promise.all([1, 2, 3, 4].map(() => dial(t, port, loud)));
  await assert.rejects(dial(t, port, loud), /HTTP 400 .*runner_limit_reached/);
  await runner(t, port, await mintRunner('here'), 'here');
  waiting[0]?.send(register('loud'));
  assert.equal((await waiting[0]?.next())?.type, 'registered');
  await dial(t, port, loud);
});

test('revoking a Runner token closes its live link', async (t) => {
  hygiene(t);
  const { port, token, tokens } = await startGateway(t);
  const minted = await tokens.mintRunner({ runner: 'here' });
  const peer = await runner(t, port, minted.secret, 'here');
  const answer = await ask(port, { path: `/api/admin/tokens/${minted.token.id}`, method: 'DELETE', token });
  assert.equal(answer.status, 200);
  assert.equal((await peer.next())['code'], 'runner_token_ended');
  assert.deepEqual(await peer.closed, { status: 1008, reason: 'runner_token_ended' });
  await assert.rejects(dial(t, port, minted.secret), /HTTP 401/);
});
