import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitFor } from '@fairlead/testing';
import { ADA } from '../sessions/session-room.ts';
import { ALLOWED, gateTool, passTurn, sayTurn } from './gate-tool.ts';
import { hostRoom } from './host-room.ts';

test('a pause during a tool cancels it with its certainty, holds what waits over a restart, and lets it go on', async (t) => {
  const { extension, entered } = gateTool();
  const scripts = { default: [passTurn, sayTurn('I am back.')] };
  const made = { scripts, extensions: () => [extension], policy: ALLOWED };
  const room = await hostRoom(t, made);
  const session = await room.session('ann');
  await room.say(session, 'go');
  await entered;
  assert.equal(room.host.halted.aborted, false);
  assert.equal(await room.host.pause(), true);
  assert.equal(room.host.halted.reason?.code, 'host_paused');
  assert.equal(await room.host.pause(), false);
  assert.deepEqual(await room.told(session), [
    ...['Ada: go', 'ack ann 1', 'call pass'],
    'result outcome_unknown call_cancelled: call_cancelled: The call was cancelled after its handler had begun.',
    'end cancelled host_paused',
  ]);
  await room.ask(session, 'still there?');
  assert.equal((await room.told(session)).at(-1), 'Ada: still there?');
  await assert.rejects(room.host.continueTurn(session), { code: 'host_paused' });
  await assert.rejects(room.host.runOnce({ session, text: 'now', from: ADA }), { code: 'host_paused' });
  await room.close();
  const next = await hostRoom(t, { ...made, floor: room.floor, boot: 'boot_2' });
  assert.notEqual((await next.host.status()).pausedAtMs, null);
  await next.host.idle();
  assert.equal((await next.told(session)).at(-1), 'Ada: still there?');
  assert.equal(next.host.halted.aborted, true);
  assert.equal(await next.host.resume(), true);
  assert.equal(next.host.halted.aborted, false);
  assert.equal(await next.host.resume(), false);
  await next.host.idle();
  assert.deepEqual((await next.told(session)).slice(-3), ['ack ann 1', 'ann: I am back.', 'end completed']);
});

test('a pause that comes while a resume is being written stands: nothing begins', async (t) => {
  const room = await hostRoom(t, { scripts: { default: [sayTurn('Hi.')] }, policy: ALLOWED });
  const session = await room.session('ann');
  await room.host.pause();
  const resuming = room.host.resume();
  assert.equal(await room.host.pause(), true);
  assert.equal(await resuming, true);
  assert.equal(room.host.halted.aborted, true);
  await room.ask(session, 'hello');
  assert.deepEqual(await room.told(session), ['Ada: hello']);
  assert.equal(await room.host.resume(), true);
  await room.host.idle();
  assert.equal((await room.told(session)).at(-1), 'end completed');
});

test('a pause that cannot be written cancels all the same and says so; asked for again, it is written', async (t) => {
  const { extension, entered } = gateTool();
  const room = await hostRoom(t, {
    scripts: { default: [passTurn] },
    extensions: () => [extension],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  await room.say(session, 'go');
  await entered;
  const full = async () => {
    throw new Error('disk full');
  };
  t.mock.method(room.floor.store, 'write', full, { times: 1 });
  await assert.rejects(room.host.pause(), /disk full/);
  await room.host.idle();
  assert.equal((await room.told(session)).at(-1), 'end cancelled host_paused');
  assert.equal(await room.host.pause(), true);
  assert.equal(await room.host.resume(), true);
});

test('a cancelled turn ends with its certainty, and goes on when it is told to', async (t) => {
  const { extension, entered, open } = gateTool();
  const room = await hostRoom(t, {
    scripts: { default: [passTurn, passTurn] },
    extensions: () => [extension],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  assert.equal(await room.host.cancel(session), false);
  await assert.rejects(room.host.continueTurn(session), { code: 'nothing_to_continue' });
  await room.say(session, 'go');
  await entered;
  await assert.rejects(room.host.continueTurn(session), { code: 'turn_running' });
  assert.deepEqual(await room.host.running(session)?.state, 'tool');
  assert.equal(await room.host.cancel(session), true);
  assert.equal((await room.told(session)).at(-1), 'end cancelled turn_cancelled');
  assert.equal(room.host.running(session), undefined);
  open();
  const { turn } = await room.host.continueTurn(session);
  await room.host.idle();
  assert.deepEqual((await room.told(session)).slice(-5), [
    ...['ack ann 0 resumes', 'call pass', 'result completed: passed', 'ann: Done.', 'end completed'],
  ]);
  const acks = (await room.entries(session)).filter((entry) => entry.type === 'ack');
  assert.equal(acks[1]?.turn, turn);
  assert.equal(acks[1]?.resumes, acks[0]?.turn);
  await assert.rejects(room.host.continueTurn(session), { code: 'nothing_to_continue' });
});

test('closing a session cancels its turn, waits for its certainty, and nothing wakes there any more', async (t) => {
  const { extension, entered } = gateTool();
  const room = await hostRoom(t, {
    scripts: { default: [passTurn] },
    extensions: () => [extension],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  await room.say(session, 'go');
  await entered;
  await room.say(session, 'and then?');
  await room.host.closeSession(session);
  assert.equal((await room.told(session)).at(-1), 'end cancelled session_closed');
  await room.host.idle();
  assert.equal((await room.told(session)).at(-1), 'end cancelled session_closed');
  await assert.rejects(room.say(session, 'hello?'), { code: 'session_closed' });
  await assert.rejects(room.host.continueTurn(session), { code: 'session_closed' });
});

test('closing the host cancels what runs, and the next start lets it be continued', async (t) => {
  const { extension, entered } = gateTool();
  const scripts = { default: [passTurn, sayTurn('As I was saying.')] };
  const made = { scripts, extensions: () => [extension], policy: ALLOWED };
  const room = await hostRoom(t, made);
  const session = await room.session('ann');
  await room.say(session, 'go');
  await entered;
  await room.close();
  const next = await hostRoom(t, { ...made, floor: room.floor, boot: 'boot_2' });
  assert.equal((await next.told(session)).at(-1), 'end cancelled host_stopping');
  await next.host.continueTurn(session);
  await next.host.idle();
  assert.equal((await next.told(session)).at(-2), 'ann: As I was saying.');
});

test('status says who runs what, what waits and who is asked', async (t) => {
  const { extension, entered, open } = gateTool();
  const room = await hostRoom(t, {
    scripts: { default: [passTurn, sayTurn('Yes.')] },
    extensions: () => [extension],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  assert.deepEqual(await room.host.status(), {
    ...{ pausedAtMs: null, agents: 1, running: [], waiting: 0, approvals: 0 },
  });
  await room.say(session, 'go');
  await entered;
  await room.say(session, 'more');
  const { running, waiting } = await room.host.status();
  assert.deepEqual(
    running.map(({ turn: _, agent: __, ...shown }) => shown),
    [{ session, state: 'tool', tool: 'pass' }],
  );
  assert.equal(waiting, 1);
  open();
  await room.host.idle();
});

test('the ceilings are told at the first start, and again when they have changed', async (t) => {
  const scripts = {};
  const room = await hostRoom(t, { scripts });
  const words = await room.host.firstWords();
  assert.match(words[0] ?? '', /^A turn stops at 1,000,000 tokens or 2\.00 USD/);
  assert.deepEqual(await room.host.firstWords(), []);
  await room.close();
  const { floor } = room;
  const same = await hostRoom(t, { scripts, floor, boot: 'boot_2' });
  assert.deepEqual(await same.host.firstWords(), []);
  await same.close();
  const other = await hostRoom(t, { scripts, floor, boot: 'boot_3', limits: { turn_tokens: 5 } });
  assert.match((await other.host.firstWords())[0] ?? '', /^A turn stops at 5 tokens/);
});

test('a turn that cannot begin is tried again, and the log says why', async (t) => {
  const room = await hostRoom(t, { scripts: { default: [sayTurn('At last.')] } });
  const session = await room.session('ann');
  const { floor } = room.host;
  const read = floor.store.read.bind(floor.store);
  let fails = true;
  floor.store.read = (async (...query: Parameters<typeof read>) => {
    if (fails && query[0].includes("state = 'pending' ORDER BY seq")) throw new Error('the disk is gone');
    return await read(...query);
  }) as typeof read;
  await room.say(session, 'hello');
  await waitFor(() => room.reports.length > 0, { what: 'the report' });
  assert.deepEqual(room.reports[0], { level: 'error', code: 'turn_failed', message: 'Error', session });
  fails = false;
  room.floor.clock.advance(1000);
  await waitFor(async () => (await room.told(session)).includes('ann: At last.'), { what: 'the answer' });
});
