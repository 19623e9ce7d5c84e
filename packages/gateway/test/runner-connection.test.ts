import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeLink, faultOf, say } from './fixture/fake-link.ts';

const RELOADED = { kind: 'reload', providers: [], failures: [] };

test('the first frame must be register, within 15 s', async () => {
  const link = new FakeLink();
  const first = link.attach('a');
  say(first.connection, { type: 'ping', ts: 1 });
  assert.deepEqual(first.socket.frames, [
    {
      type: 'error',
      code: 'expected_register',
      message: 'The first frame on the Runner link must be register, within 15 s.',
    },
  ]);
  assert.deepEqual(first.socket.closedWith, { status: 1008, reason: 'expected_register' });
  const second = link.attach('a');
  await link.clock.advance(14_999);
  assert.equal(second.socket.closedWith, null);
  await link.clock.advance(1);
  assert.deepEqual(second.socket.closedWith, { status: 1008, reason: 'expected_register' });
  assert.equal(link.clock.pendingTimers, 0);
});

test('a Runner may speak only for the id of its token', () => {
  const link = new FakeLink();
  const { socket, connection } = link.attach('a');
  say(connection, {
    type: 'register',
    runner_id: 'b',
    instance_id: 'i1',
    connection_epoch: 1,
    capabilities: [],
    projects: [],
  });
  assert.equal(socket.ofType('error')[0]?.['code'], 'register_forbidden');
  assert.deepEqual(link.hub.runners(), []);
});

test('a registered Runner is visible with its instance, name and capabilities', () => {
  const link = new FakeLink();
  const { socket, connection } = link.attach('a');
  const frame = {
    type: 'register',
    runner_id: 'a',
    instance_id: 'i1',
    connection_epoch: 1,
    name: 'Desk',
    capabilities: ['native_tool_plugins'],
    projects: [],
  };
  say(connection, frame);
  assert.deepEqual(socket.frames, [{ type: 'registered' }]);
  assert.deepEqual(link.hub.runners(), [
    { runner: 'a', name: 'Desk', instanceId: 'i1', capabilities: ['native_tool_plugins'], projects: [] },
  ]);
  connection.closed();
  assert.deepEqual(link.hub.runners(), []);
});

test('a request is handed over with what is left of its budget, and settled by its own result', async () => {
  const link = new FakeLink();
  const { socket, connection } = link.registered('a');
  const { promise } = link.request('a', { kind: 'reload' }, { budgetMs: 125_000, call: 'call_1' });
  assert.deepEqual(socket.ofType('request'), [
    { type: 'request', id: 1, deadline_ms: 125_000, request: { kind: 'reload' }, call: 'call_1' },
  ]);
  say(connection, { type: 'result', id: 1, response: { dispatch_state: 'completed', payload: RELOADED } });
  assert.deepEqual(await promise, { certainty: 'completed', value: RELOADED });
  assert.equal(link.clock.pendingTimers, 1);
});

test('the Runner’s own certainty and code are passed on', async () => {
  const link = new FakeLink();
  const { connection } = link.registered('a');
  const { promise } = link.request('a');
  const error = { code: 'plugin_reload_busy', message: 'busy' };
  say(connection, { type: 'result', id: 1, response: { dispatch_state: 'not_started', error } });
  assert.deepEqual(await promise, { certainty: 'not_started', fault: error });
});

test('an answer of another kind, about another provider, that contradicts itself or without form is invalid_plugin_response', async () => {
  const link = new FakeLink();
  const { connection, socket } = link.registered('a');
  const answers = [
    { dispatch_state: 'completed', payload: { kind: 'providers_list', providers: [] } },
    {
      dispatch_state: 'completed',
      payload: { kind: 'check', provider: 'other', ready: true, phase: 'ready', tools: [] },
    },
    {
      dispatch_state: 'not_started',
      payload: { kind: 'check', provider: 'echo', ready: true, phase: 'ready', tools: [] },
    },
    {
      dispatch_state: 'completed',
      payload: {
        kind: 'check',
        provider: 'echo',
        ready: true,
        phase: 'ready',
        tools: [],
        code: 'plugin_eof',
      },
    },
    { dispatch_state: 'completed', payload: { kind: 'check', provider: 'echo', ready: true } },
    { dispatch_state: 'not_started', error: { code: 'Not A Code', message: 'x' } },
    { dispatch_state: 'completed' },
    'nonsense',
  ];
  for (const [index, response] of answers.entries()) {
    const { promise } = link.request('a', { kind: 'check', provider: 'echo' });
    say(connection, { type: 'result', id: index + 1, response });
    assert.equal(faultOf(await promise), 'outcome_unknown invalid_plugin_response', JSON.stringify(response));
  }
  assert.equal(socket.closedWith, null);
});

test('a result that nobody waits for is dropped and counted, and a flood of them ends the link', async () => {
  const link = new FakeLink();
  const { connection, socket } = link.registered('a');
  const { promise } = link.request('a');
  const result = (id: number) => ({
    type: 'result',
    id,
    response: { dispatch_state: 'completed', payload: RELOADED },
  });
  say(connection, result(7));
  say(connection, result(1));
  assert.equal((await promise).certainty, 'completed');
  say(connection, result(1));
  say(connection, { type: 'result', id: 9, response: 'nonsense' });
  assert.equal(link.hub.counters.strayFrames, 3);
  for (let count = 3; count < 10_000; count += 1) say(connection, result(7));
  assert.equal(socket.closedWith, null);
  say(connection, result(7));
  assert.deepEqual(socket.closedWith, { status: 1008, reason: 'runner_frame_unexpected' });
  assert.deepEqual(link.hub.runners(), []);
});

test('a late result is dropped: the request has had its outcome', async () => {
  const link = new FakeLink();
  const { connection } = link.registered('a');
  const { promise } = link.request('a', { kind: 'reload' }, { budgetMs: 1_000 });
  await link.clock.advance(1_000);
  assert.equal(faultOf(await promise), 'outcome_unknown plugin_gateway_timeout');
  say(connection, { type: 'result', id: 1, response: { dispatch_state: 'completed', payload: RELOADED } });
  assert.equal(link.hub.counters.strayFrames, 1);
});

test('64 frames are handed to a socket that does not write, 256 more wait, the next is refused', () => {
  const link = new FakeLink();
  const { socket } = link.registered('a');
  socket.flows = false;
  const requests = Array.from({ length: 321 }, () => link.request('a'));
  assert.equal(socket.ofType('request').length, 64);
  return requests[320]?.promise.then((outcome) => {
    assert.equal(faultOf(outcome), 'not_started plugin_gateway_unavailable');
    assert.equal(requests.filter((request) => request.state.outcome !== null).length, 1);
  });
});

test('what waits is handed over in order as the socket writes', () => {
  const link = new FakeLink();
  const { socket } = link.registered('a');
  socket.flows = false;
  for (let count = 0; count < 70; count += 1) link.request('a');
  socket.write(3);
  assert.deepEqual(
    socket.ofType('request').map((frame) => frame['id']),
    Array.from({ length: 67 }, (_, index) => index + 1),
  );
  socket.flows = true;
  socket.write(100);
  assert.equal(socket.ofType('request').length, 70);
});

test('a socket that holds over 1 MiB takes no more, whatever the count, until it has written', () => {
  const link = new FakeLink();
  const { socket, connection } = link.registered('a');
  socket.flows = false;
  say(connection, { type: 'ping', ts: 1 });
  socket.bufferedBytes = 1024 * 1024;
  link.request('a');
  assert.equal(socket.ofType('request').length, 0);
  socket.bufferedBytes = 0;
  socket.write(1);
  assert.equal(socket.ofType('request').length, 1);
  socket.bufferedBytes = 1024 * 1024;
  link.request('a');
  socket.bufferedBytes = 0;
  link.request('a');
  assert.deepEqual(
    socket.ofType('request').map((frame) => frame['id']),
    [1, 2, 3],
  );
  link.hub.close();
});

test('on loss what waited is not_started and what was handed over is outcome_unknown; nothing is sent again', async () => {
  const link = new FakeLink();
  const first = link.registered('a');
  first.socket.flows = false;
  const requests = Array.from({ length: 66 }, () => link.request('a'));
  first.connection.closed();
  const outcomes = await Promise.all(requests.map((request) => request.promise));
  assert.deepEqual(outcomes.map(faultOf), [
    ...Array(64).fill('outcome_unknown runner_unavailable'),
    ...Array(2).fill('not_started runner_unavailable'),
  ]);
  const second = link.registered('a', 'i1', 2);
  await link.clock.advance(1_000);
  assert.deepEqual(second.socket.frames, [{ type: 'registered' }]);
});

test('a wait that elapses in the queue is not_started, and the socket never sees the request', async () => {
  const link = new FakeLink();
  const { socket } = link.registered('a');
  socket.flows = false;
  for (let count = 0; count < 64; count += 1) link.request('a', { kind: 'reload' }, { budgetMs: 20_000 });
  const { promise } = link.request('a', { kind: 'providers_list' }, { budgetMs: 5_000 });
  await link.clock.advance(5_000);
  assert.equal(faultOf(await promise), 'not_started plugin_gateway_timeout');
  socket.flows = true;
  socket.write(64);
  assert.equal(socket.ofType('request').length, 64);
});

test('waiting in the queue is taken from the budget that the Runner is told', async () => {
  const link = new FakeLink();
  const { socket } = link.registered('a');
  socket.flows = false;
  for (let count = 0; count < 65; count += 1) link.request('a', { kind: 'reload' }, { budgetMs: 20_000 });
  await link.clock.advance(3_000);
  socket.write(1);
  assert.equal(socket.ofType('request')[64]?.['deadline_ms'], 17_000);
});

test('an expired request that waited makes room for the next', async () => {
  const link = new FakeLink();
  const { socket } = link.registered('a');
  socket.flows = false;
  for (let count = 0; count < 320; count += 1)
    link.request('a', { kind: 'reload' }, { budgetMs: count < 64 ? 60_000 : 5_000 });
  await link.clock.advance(5_000);
  const { state } = link.request('a');
  await link.clock.advance(0);
  assert.equal(state.outcome, null);
});

test('at most 1,024 requests wait for an answer; the rest stay where they are proven not started', async () => {
  const link = new FakeLink();
  const { socket, connection } = link.registered('a');
  for (let count = 0; count < 1_030; count += 1) link.request('a');
  assert.equal(socket.ofType('request').length, 1_024);
  say(connection, { type: 'result', id: 1, response: { dispatch_state: 'completed', payload: RELOADED } });
  assert.equal(socket.ofType('request').length, 1_025);
  say(connection, { type: 'result', id: 2, response: 'nonsense' });
  assert.equal(socket.ofType('request').length, 1_026);
});

test('another instance than the one asked for is runner_unavailable, and nothing is sent', async () => {
  const link = new FakeLink();
  const { socket } = link.registered('a', 'i2');
  const { promise } = link.request('a', { kind: 'reload' }, { instance: 'i1' });
  assert.equal(faultOf(await promise), 'not_started runner_unavailable');
  assert.equal(faultOf(await link.request('nobody').promise), 'not_started runner_unavailable');
  assert.equal(socket.ofType('request').length, 0);
});

test('a frame that cannot be read, is binary or has no place here ends the link with its code', () => {
  const cases: [Buffer, boolean, string, number][] = [
    [Buffer.from('{'), false, 'link_frame_malformed', 1002],
    [Buffer.from('{"type":"pong","type":"ping","ts":1}'), false, 'link_frame_malformed', 1002],
    [Buffer.from([0x22, 0xff, 0x22]), false, 'link_frame_malformed', 1002],
    [Buffer.from('{"type":"ping","ts":1}'), true, 'link_frame_invalid', 1002],
    [Buffer.from('{"type":"nonsense"}'), false, 'link_frame_invalid', 1002],
    [
      Buffer.from('{"type":"request","id":1,"deadline_ms":1,"request":{"kind":"reload"}}'),
      false,
      'link_frame_invalid',
      1002,
    ],
    [Buffer.from('{"type":"registered"}'), false, 'link_frame_invalid', 1002],
    [
      Buffer.from(
        '{"type":"register","runner_id":"a","instance_id":"i1","connection_epoch":2,"capabilities":[],"projects":[]}',
      ),
      false,
      'runner_frame_unexpected',
      1008,
    ],
  ];
  for (const [bytes, isBinary, code, status] of cases) {
    const link = new FakeLink();
    const { socket, connection } = link.registered('a');
    connection.receive(bytes, isBinary);
    assert.equal(socket.frames.at(-1)?.['code'], code);
    assert.deepEqual(socket.closedWith, { status, reason: code });
    assert.deepEqual(link.hub.runners(), []);
    const frames = socket.frames.length;
    connection.receive(bytes, isBinary);
    assert.equal(socket.frames.length, frames);
  }
});

test('a ping is answered with its own ts, unless the Runner does not read', () => {
  const link = new FakeLink();
  const { socket, connection } = link.registered('a');
  say(connection, { type: 'ping', ts: 5 });
  assert.deepEqual(socket.ofType('pong'), [{ type: 'pong', ts: 5 }]);
  socket.bufferedBytes = 2 * 1024 * 1024;
  for (let count = 0; count < 1_000; count += 1) say(connection, { type: 'ping', ts: 6 });
  assert.equal(socket.ofType('pong').length, 1);
});

test('goodbye frees the id and ends the link, and what was handed over is outcome_unknown', async () => {
  const link = new FakeLink();
  const { socket, connection } = link.registered('a');
  const { promise } = link.request('a');
  say(connection, { type: 'goodbye' });
  assert.deepEqual(socket.closedWith, { status: 1000, reason: 'goodbye' });
  assert.equal(faultOf(await promise), 'outcome_unknown runner_unavailable');
  assert.deepEqual(link.registered('a', 'i2').socket.frames, [{ type: 'registered' }]);
});

test('an error frame of the Runner is logged by its code alone', () => {
  const link = new FakeLink();
  const { connection } = link.registered('a');
  say(connection, { type: 'error', code: 'broken', message: 'marker-path' });
  assert.deepEqual(link.events.slice(-1), ['runner.error broken']);
  assert.equal(link.events.join().includes('marker-path'), false);
});

test('a Runner that sends errors without end, or dials without end, fills no log, and another’s lines are written', async () => {
  const link = new FakeLink();
  const error = (code: string) => ({ type: 'error', code, message: 'x' });
  const quiet = link.registered('quiet');
  const loud = link.registered('loud');
  for (let count = 0; count < 1_000; count += 1) say(loud.connection, error('broken'));
  assert.equal(link.events.filter((event) => event === 'runner.error broken').length, 49);
  loud.connection.closed();
  const again = link.registered('loud', 'i2');
  assert.equal(link.events.length, 51);
  say(quiet.connection, error('odd'));
  assert.deepEqual(link.events.slice(-1), ['runner.error odd']);
  await link.clock.advance(10_000);
  say(again.connection, error('broken'));
  assert.deepEqual(link.events.slice(-2), ['refusals.not_logged', 'runner.error broken']);
});

test('the gateway pings each 30 s, and any frame counts as life', async () => {
  const link = new FakeLink();
  const { socket, connection } = link.registered('a');
  for (let count = 1; count <= 10; count += 1) {
    await link.clock.advance(30_000);
    assert.equal(socket.ofType('ping').length, count);
    say(connection, { type: 'pong', ts: 1 });
  }
  assert.equal(socket.closedWith, null);
  assert.equal(socket.terminated, false);
});

test('a Runner that misses two pings is dropped after 60 s of silence, and its requests have their outcome', async () => {
  const link = new FakeLink();
  const { socket } = link.registered('a');
  const { promise } = link.request('a', { kind: 'reload' }, { budgetMs: 125_000 });
  await link.clock.advance(59_999);
  assert.equal(socket.ofType('ping').length, 1);
  assert.equal(socket.terminated, false);
  assert.equal(link.hub.runners().length, 1);
  await link.clock.advance(1);
  assert.equal(socket.terminated, true);
  assert.deepEqual(link.hub.runners(), []);
  assert.equal(faultOf(await promise), 'outcome_unknown runner_unavailable');
  assert.equal(link.clock.pendingTimers, 0);
});

test('a silent Runner holds its id for 60 s, a closed one not at all', async () => {
  const link = new FakeLink();
  const held = link.registered('a', 'i1');
  await link.clock.advance(45_000);
  const early = link.registered('a', 'i2');
  assert.equal(early.socket.frames[0]?.['code'], 'runner_id_taken');
  assert.deepEqual(early.socket.closedWith, { status: 1008, reason: 'runner_id_taken' });
  await link.clock.advance(15_000);
  assert.equal(held.socket.terminated, true);
  const late = link.registered('a', 'i2');
  assert.deepEqual(late.socket.frames, [{ type: 'registered' }]);
  late.connection.closed();
  assert.deepEqual(link.registered('a', 'i3').socket.frames, [{ type: 'registered' }]);
});

test('a third Runner with a taken id is refused, and the holder goes on', async () => {
  const link = new FakeLink();
  const holder = link.registered('a', 'i1');
  link.registered('b', 'i1');
  const third = link.registered('a', 'i9');
  assert.equal(third.socket.frames[0]?.['code'], 'runner_id_taken');
  const { promise } = link.request('a');
  say(holder.connection, {
    type: 'result',
    id: 1,
    response: { dispatch_state: 'completed', payload: RELOADED },
  });
  assert.equal((await promise).certainty, 'completed');
});

test('the same process that dials again replaces its dead socket; an equal or older epoch does not', async () => {
  const link = new FakeLink();
  const first = link.registered('a', 'i1', 3);
  assert.equal(link.registered('a', 'i1', 3).socket.frames[0]?.['code'], 'runner_id_taken');
  assert.equal(link.registered('a', 'i1', 2).socket.frames[0]?.['code'], 'runner_id_taken');
  const { promise } = link.request('a');
  const again = link.registered('a', 'i1', 4);
  assert.deepEqual(again.socket.frames, [{ type: 'registered' }]);
  assert.deepEqual(first.socket.closedWith, { status: 1008, reason: 'runner_replaced' });
  assert.equal(faultOf(await promise), 'outcome_unknown runner_unavailable');
  assert.equal(link.hub.runners().length, 1);
});

test('a revoked token ends its link at once, registered or not', () => {
  const link = new FakeLink();
  const registered = link.registered('a');
  const waiting = link.attach('a');
  const other = link.registered('b');
  link.revoke('token-of-a');
  assert.deepEqual(registered.socket.closedWith, { status: 1008, reason: 'runner_token_ended' });
  assert.deepEqual(waiting.socket.closedWith, { status: 1008, reason: 'runner_token_ended' });
  assert.equal(other.socket.closedWith, null);
  assert.deepEqual(
    link.hub.runners().map((runner) => runner.runner),
    ['b'],
  );
});

test('a token that expires is noticed at the next request, at register and at the next beat', async () => {
  const link = new FakeLink();
  const first = link.registered('a');
  first.life.live = false;
  assert.equal(faultOf(await link.request('a').promise), 'not_started runner_unavailable');
  assert.equal(first.socket.ofType('request').length, 0);
  assert.deepEqual(first.socket.closedWith, { status: 1008, reason: 'runner_token_ended' });
  const second = link.attach('b', { live: false });
  say(second.connection, {
    type: 'register',
    runner_id: 'b',
    instance_id: 'i',
    connection_epoch: 1,
    capabilities: [],
    projects: [],
  });
  assert.equal(second.socket.frames[0]?.['code'], 'runner_token_ended');
  const third = link.registered('c');
  third.life.live = false;
  await link.clock.advance(30_000);
  assert.deepEqual(third.socket.closedWith, { status: 1008, reason: 'runner_token_ended' });
});

test('sockets that have not registered are counted, and Runners too', () => {
  const link = new FakeLink();
  const waiting = Array.from({ length: 64 }, (_, index) => link.attach(`w${index}`));
  assert.equal(link.hub.hasRoom('token-of-other'), false);
  waiting[0]?.connection.closed();
  assert.equal(link.hub.hasRoom('token-of-other'), true);
  for (let count = 0; count < 256; count += 1) link.registered(`r${count}`);
  const over = link.registered('one-more');
  assert.equal(over.socket.frames[0]?.['code'], 'runner_limit_reached');
});

test('closing the hub says goodbye to everyone and settles everything', async () => {
  const link = new FakeLink();
  const { socket } = link.registered('a');
  const waiting = link.attach('b');
  const { promise } = link.request('a');
  link.hub.close();
  assert.deepEqual(socket.frames.at(-1), { type: 'goodbye' });
  assert.deepEqual(socket.closedWith, { status: 1001, reason: 'the gateway stops' });
  assert.deepEqual(waiting.socket.closedWith, { status: 1001, reason: 'the gateway stops' });
  assert.equal(faultOf(await promise), 'outcome_unknown runner_unavailable');
  assert.equal(link.clock.pendingTimers, 0);
  link.hub.close();
});

test('listeners hear every registration, that of the same process again too, once requests to it are taken', async () => {
  const link = new FakeLink();
  const heard: string[] = [];
  const stop = link.hub.listen({
    registered: ({ runner, instanceId }) => {
      const takesRequests = link.hub.runners().some((visible) => visible.instanceId === instanceId);
      heard.push(`${runner} ${instanceId} ${takesRequests}`);
    },
    ended: () => heard.push('ended'),
  });
  const first = link.registered('a');
  const { promise } = link.request('a');
  link.registered('a', 'i1', 2);
  assert.equal(first.socket.closedWith?.reason, 'runner_replaced');
  assert.equal(faultOf(await promise), 'outcome_unknown runner_unavailable');
  link.registered('b', 'i9');
  stop();
  link.registered('c');
  assert.deepEqual(heard, ['a i1 true', 'a i1 true', 'b i9 true']);
});

test('listeners hear which call has ended, and by whom; before it has registered a Runner says nothing', () => {
  const link = new FakeLink();
  const heard: unknown[] = [];
  link.hub.listen({
    registered: () => undefined,
    ended: ({ runner, instanceId }, call) => heard.push([runner, instanceId, call]),
  });
  const { connection, socket } = link.registered('a');
  say(connection, { type: 'ended', call: 'call_1' });
  assert.deepEqual(heard, [['a', 'i1', 'call_1']]);
  assert.equal(socket.closedWith, null);
  const early = link.attach('b');
  say(early.connection, { type: 'ended', call: 'call_2' });
  assert.equal(early.socket.closedWith?.reason, 'expected_register');
  connection.closed();
  say(connection, { type: 'ended', call: 'call_3' });
  assert.equal(heard.length, 1);
});
