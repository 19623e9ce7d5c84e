import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineExtension } from '@fairlead/extension';
import { waitFor } from '@fairlead/testing';
import { owedLimits } from '../../src/limits.ts';
import { noRoomForRows } from '../no-room.ts';
import { ADA } from '../sessions/session-room.ts';
import { sayTurn } from './gate-tool.ts';
import { type HostRoom, hostRoom } from './host-room.ts';

/** A host of which the first turn of an agent cannot begin before it is let: its extension opens slowly. */
async function slowRoom(t: Parameters<typeof hostRoom>[0], { alone = false } = {}) {
  const entered = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  const slow = defineExtension({
    name: 'slow',
    version: '1.0.0',
    agent: {
      async open() {
        entered.resolve();
        await opened.promise;
      },
      tools: { idle: { about: 'Does nothing.', args: {}, run: () => '' } },
    },
  });
  const room = await hostRoom(t, {
    scripts: { default: [sayTurn('One.'), sayTurn('Two.')] },
    extensions: () => [slow],
    alone,
  });
  const session = await room.session('ann');
  return { room, session, entered: entered.promise, open: () => opened.resolve() };
}

const takesBack = (sql: string) => sql.startsWith("UPDATE wakes SET state = 'ignored'");

const wakes = async ({ floor }: HostRoom) =>
  (
    await floor.store.read<{ state: string; reason: string | null }>(
      'SELECT state, reason FROM wakes ORDER BY seq LIMIT 9',
    )
  ).map(({ state, reason }) => [state, reason]);

test('what is cancelled before its turn has begun is not answered later, and is read by the next turn', async (t) => {
  const { room, session, entered, open } = await slowRoom(t);
  await room.say(session, 'never mind');
  await entered;
  const cancelled = room.host.cancel(session);
  open();
  assert.equal(await cancelled, true);
  await room.host.idle();
  assert.deepEqual(await room.told(session), ['Ada: never mind']);
  assert.deepEqual(await wakes(room), [['ignored', 'cancelled']]);
  await room.ask(session, 'now');
  assert.deepEqual((await room.told(session)).slice(1), [
    'Ada: now',
    'ack ann 1',
    'ann: One.',
    'end completed',
  ]);
});

test('what a pause finds before its turn has begun waits on', async (t) => {
  const { room, session, entered, open } = await slowRoom(t);
  await room.say(session, 'hello');
  await entered;
  const paused = room.host.pause();
  open();
  await paused;
  assert.deepEqual(await wakes(room), [['pending', null]]);
  await room.host.resume();
  await room.host.idle();
  assert.deepEqual((await room.told(session)).slice(1), ['ack ann 1', 'ann: One.', 'end completed']);
});

test('a run that is cancelled in that moment is told so, and one whose agent left meanwhile too', async (t) => {
  const { room, session, entered, open } = await slowRoom(t);
  const stop = new AbortController();
  const run = room.host.runOnce({ session, text: 'mine', from: ADA, signal: stop.signal });
  await entered;
  const posted: string[] = [];
  const second = room.host.runOnce({
    session,
    text: 'next',
    from: ADA,
    posted: (entry) => posted.push(entry),
  });
  const refused = assert.rejects(second, { code: 'turn_cancelled' });
  await waitFor(() => posted.length === 1, { what: 'the second message' });
  stop.abort();
  // Another peer takes the agent out: what waits for it is not known here.
  const database = await room.host.sessions.open(session);
  const meta = await room.host.sessions.meta(session);
  await database.doc('meta').clear(['agents', meta.agents[0]?.id ?? '']);
  open();
  assert.deepEqual(await run.then(({ turn, status, code }) => [turn, status, code]), [
    ...[null, 'cancelled', 'turn_cancelled'],
  ]);
  await refused;
  assert.deepEqual(await wakes(room), [
    ['ignored', 'cancelled'],
    ['ignored', 'agent_not_attached'],
  ]);
});

test('a run that is cancelled before its turn began is told so on a full disk, and is not answered later', async (t) => {
  const { room, session, entered, open } = await slowRoom(t);
  const { store, clock } = room.floor;
  const stop = new AbortController();
  const run = room.host.runOnce({ session, text: 'mine', from: ADA, signal: stop.signal });
  await entered;
  const disk = noRoomForRows(t, store, takesBack);
  stop.abort();
  open();
  const { turn, status, code } = await run;
  assert.deepEqual([turn, status, code], [null, 'cancelled', 'turn_cancelled']);
  assert.deepEqual(await wakes(room), [['pending', null]]);
  disk.mock.restore();
  await waitFor(
    async () => {
      await clock.advance(owedLimits.againMs);
      return (await wakes(room))[0]?.[0] !== 'pending';
    },
    { what: 'what was taken back' },
  );
  await room.host.idle();
  assert.deepEqual(await wakes(room), [['ignored', 'cancelled']]);
  assert.deepEqual(await room.told(session), ['Ada: mine']);
});

test('a run that waits behind another one and is cancelled on a full disk is told so, and is not answered later', async (t) => {
  const { room, session, entered, open } = await slowRoom(t);
  const { store, clock } = room.floor;
  await room.say(session, 'first');
  await entered;
  const stop = new AbortController();
  const posted = Promise.withResolvers<string>();
  const { signal } = stop;
  const run = room.host.runOnce({ session, text: 'mine', from: ADA, signal, posted: posted.resolve });
  await posted.promise;
  const disk = noRoomForRows(t, store, takesBack);
  stop.abort();
  const { turn, status, code } = await run;
  assert.deepEqual([turn, status, code], [null, 'cancelled', 'turn_cancelled']);
  disk.mock.restore();
  open();
  await waitFor(
    async () => {
      await clock.advance(owedLimits.againMs);
      return (await wakes(room)).every(([state]) => state !== 'pending' && state !== 'taken');
    },
    { what: 'the answer of the first' },
  );
  await room.host.idle();
  assert.deepEqual(await wakes(room), [
    ['done', null],
    ['ignored', 'cancelled'],
  ]);
});

test('a run whose message could not be taken back, and is not owed, is not told that it was cancelled', async (t) => {
  const { room, session, entered, open } = await slowRoom(t);
  const stop = new AbortController();
  const posted = Promise.withResolvers<string>();
  const { signal } = stop;
  const first = room.host.runOnce({ session, text: 'first', from: ADA, signal });
  await entered;
  const second = room.host.runOnce({ session, text: 'second', from: ADA, signal, posted: posted.resolve });
  await posted.promise;
  const ends = Promise.allSettled([first, second]);
  noRoomForRows(t, room.floor.store, takesBack, 'store_corrupt');
  stop.abort();
  open();
  const codes = (await ends).map((end) => (end.status === 'rejected' ? end.reason.code : end.value.code));
  assert.deepEqual(codes, ['store_corrupt', 'store_corrupt']);
  assert.equal(room.host.floor.owed.has(session), false);
});

test('a run alone that is cancelled on a full disk and ends is not told cancelled for what the next start answers', async (t) => {
  const { room, session, entered, open } = await slowRoom(t, { alone: true });
  const stop = new AbortController();
  const run = room.host.runOnce({ session, text: 'mine', from: ADA, signal: stop.signal });
  await entered;
  const disk = noRoomForRows(t, room.floor.store, takesBack);
  const refused = assert.rejects(run, { code: 'store_disk_full' });
  stop.abort();
  open();
  await refused;
  await room.close();
  disk.mock.restore();
  assert.deepEqual(await wakes(room), [['pending', null]]);
});

test('a run alone that is cancelled while the disk is full for a moment is told so, and is not answered later', async (t) => {
  const { room, session, entered, open } = await slowRoom(t, { alone: true });
  const stop = new AbortController();
  const run = room.host.runOnce({ session, text: 'mine', from: ADA, signal: stop.signal });
  await entered;
  let refusals = 1;
  noRoomForRows(t, room.floor.store, (sql) => {
    if (!takesBack(sql) || refusals === 0) return false;
    refusals -= 1;
    return true;
  });
  stop.abort();
  open();
  const { turn, status, code } = await run;
  assert.deepEqual([turn, status, code], [null, 'cancelled', 'turn_cancelled']);
  assert.deepEqual(await wakes(room), [['ignored', 'cancelled']]);
});

test('what waits for an agent that moved to another peer is left to that one', async (t) => {
  const { room, session } = await slowRoom(t);
  await room.host.pause();
  await room.say(session, 'hello');
  const [agent] = await room.host.agents.list();
  await (await room.host.agents.open(agent?.id ?? '')).doc('meta').set(['home'], 'another peer');
  await room.host.resume();
  await room.host.idle();
  assert.deepEqual(await wakes(room), [['ignored', 'agent_not_home']]);
  await assert.rejects(room.host.runOnce({ session, text: 'x', from: ADA }), { code: 'agent_not_home' });
});

test('a stop waits 15 s for what was cancelled, then says that some did not end', async (t) => {
  const { room, session, entered, open } = await slowRoom(t);
  await room.say(session, 'hello');
  await entered;
  const closed = room.host.close();
  const told = () => {
    room.floor.clock.advance(1000);
    return room.reports.length > 0;
  };
  await waitFor(told, { what: 'the end of the wait' });
  assert.deepEqual(
    room.reports.map(({ level, code }) => [level, code]),
    [['warn', 'host_stopping']],
  );
  open();
  await closed;
  await room.close();
});
