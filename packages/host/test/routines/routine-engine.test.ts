import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FairleadError } from '@fairlead/base';
import type { Durability, Statement, Store } from '@fairlead/store';
import { waitFor } from '@fairlead/testing';
import { type FiringEnd, RoutineEngine } from '../../src/routines/routine-engine.ts';
import { claimSlot, slotName } from '../../src/routines/slot-rows.ts';
import { OwedWrites } from '../../src/sessions/owed-writes.ts';
import { engineFloor, hello } from './engine-floor.ts';

const MINUTE = 60_000;
const hourly = { kind: 'cron', cron: '0 * * * *' };
const DONE = { state: 'fired', outcome: 'completed' } as const;
const AWAY = { state: 'not_started', code: 'extension_unknown' } as const;
const full = () => Promise.reject(new FairleadError('store_disk_full', 'No room.'));

test('a routine fires when it is due, and not between', async (t) => {
  const floor = await engineFloor(t);
  await floor.put('greet', hello(hourly));
  await floor.pass(59 * MINUTE);
  assert.deepEqual(floor.fired, []);
  await floor.pass(MINUTE);
  await floor.pass(61 * MINUTE);
  assert.deepEqual(floor.fired, ['greet 01:00:00', 'greet 02:00:00']);
  assert.deepEqual(await floor.slots('greet'), ['01:00:00 fired completed', '02:00:00 fired completed']);
});

test('a handler receives the payload as it stands', async (t) => {
  const seen: unknown[] = [];
  const floor = await engineFloor(t, {
    fire: async ({ routine, lateMs }) => {
      seen.push(routine.extension, routine.name, routine.payload, lateMs);
      return { state: 'fired', outcome: 'completed' };
    },
  });
  await floor.put('greet', hello(hourly));
  await floor.pass(60 * MINUTE);
  assert.deepEqual(seen, ['greeter', 'greet', { who: 'Ada' }, 0]);
});

test('an interval counts from the end of the firing before', async (t) => {
  const floor = await engineFloor(t, {
    fire: async () => {
      await floor.host.clock.advance(30_000);
      return { state: 'fired', outcome: 'completed' };
    },
  });
  await floor.put('tick', hello({ kind: 'every', secs: 60 }));
  await floor.pass(MINUTE);
  await floor.pass(MINUTE);
  assert.deepEqual(floor.fired, ['tick 00:01:00', 'tick 00:02:30']);
});

test('a one-shot fires once, its row goes, its history stays', async (t) => {
  const floor = await engineFloor(t);
  await floor.put('once', hello({ kind: 'at', at: Date.UTC(2026, 0, 1, 0, 5) }));
  await floor.pass(10 * MINUTE);
  await floor.restart();
  await floor.pass(10 * MINUTE);
  assert.deepEqual(floor.fired, ['once 00:05:00']);
  assert.equal(await floor.row('once'), null);
  assert.deepEqual(await floor.slots('once'), ['00:05:00 fired completed']);
  assert.deepEqual(floor.engine.list(), []);
});

test('a one-shot of an hour ago fires at the next start', async (t) => {
  const floor = await engineFloor(t);
  await floor.engine.close();
  await floor.put('once', hello({ kind: 'at', at: Date.UTC(2026, 0, 1, 0, 5) }));
  floor.host.clock.jumpWall(65 * MINUTE);
  await floor.restart();
  assert.deepEqual(floor.fired, ['once 00:05:00']);
});

test('three failures in a row switch a routine off, and it is off after a restart', async (t) => {
  const floor = await engineFloor(t, {
    fire: async () => ({ state: 'fired', outcome: 'failed', code: 'boom' }),
  });
  await floor.put('greet', hello(hourly));
  for (let hour = 0; hour < 5; hour += 1) await floor.pass(60 * MINUTE);
  await floor.restart();
  await floor.pass(120 * MINUTE);
  assert.deepEqual(floor.fired, ['greet 01:00:00', 'greet 02:00:00', 'greet 03:00:00']);
  assert.equal(((await floor.row('greet')) as { enabled: boolean }).enabled, false);
  assert.deepEqual(floor.reports, ['routine_disabled greet']);
  const [line] = floor.engine.list();
  assert.deepEqual([line?.failures, line?.lastCode, line?.next], [3, 'boom', null]);
});

test('a success between failures starts the count again, and 0 never switches off', async (t) => {
  const ends: FiringEnd[] = [];
  const fail = { state: 'fired', outcome: 'failed' } as const;
  const floor = await engineFloor(t, { fire: async () => ends.shift() ?? fail });
  ends.push(fail, fail, { state: 'fired', outcome: 'completed' }, fail, fail);
  await floor.put('greet', hello(hourly));
  await floor.put('stubborn', hello({ kind: 'cron', cron: '30 * * * *' }, { max_failures: 0 }));
  for (let hour = 0; hour < 4; hour += 1) await floor.pass(60 * MINUTE);
  assert.equal(((await floor.row('stubborn')) as { enabled?: boolean }).enabled, undefined);
  const stubborn = floor.engine.list().find(({ routine }) => routine === 'stubborn');
  assert.notEqual(stubborn?.next, null);
});

test('the count of failures survives a restart', async (t) => {
  const floor = await engineFloor(t, { fire: async () => ({ state: 'fired', outcome: 'failed' }) });
  await floor.put('greet', hello(hourly));
  await floor.pass(60 * MINUTE);
  await floor.pass(60 * MINUTE);
  await floor.restart();
  assert.equal(floor.engine.list()[0]?.failures, 2);
  await floor.pass(60 * MINUTE);
  assert.deepEqual(floor.reports, ['routine_disabled greet']);
});

test('a slot that nobody was there to begin is missed once it is late, says why, and is no failure', async (t) => {
  const floor = await engineFloor(t, { fire: async () => AWAY });
  await floor.put('greet', hello(hourly));
  for (let hour = 0; hour < 4; hour += 1) await floor.pass(60 * MINUTE);
  await floor.pass(5 * MINUTE);
  assert.deepEqual(await floor.slots('greet'), [
    '01:00:00 missed extension_unknown',
    '02:00:00 missed extension_unknown',
    '03:00:00 missed extension_unknown',
    '04:00:00 missed extension_unknown',
  ]);
  const [line] = floor.engine.list();
  assert.deepEqual([line?.failures, line?.lastCode], [0, 'extension_unknown']);
  assert.deepEqual(floor.reports, ['routine_unfired greet']);
});

test('a slot that somebody is there for within the minute runs', async (t) => {
  const ends = [AWAY, AWAY];
  const floor = await engineFloor(t, { fire: async () => ends.shift() ?? DONE });
  await floor.put('greet', hello(hourly));
  await floor.pass(60 * MINUTE);
  assert.deepEqual(await floor.slots('greet'), []);
  for (let second = 0; second < 20; second += 1) await floor.pass(1000);
  assert.deepEqual(await floor.slots('greet'), ['01:00:00 fired completed']);
});

test('one crash does not switch off a routine of every second', async (t) => {
  const ends: FiringEnd[] = [
    { state: 'unknown', code: 'extension_crashed' },
    ...Array<FiringEnd>(4).fill({ state: 'not_started', code: 'extension_crashed' }),
  ];
  const floor = await engineFloor(t, { fire: async () => ends.shift() ?? DONE });
  await floor.put('tick', hello({ kind: 'every', secs: 1 }));
  for (let second = 0; second < 60; second += 1) await floor.pass(1000);
  assert.deepEqual((await floor.slots('tick')).slice(0, 2), [
    '00:00:01 unknown extension_crashed',
    '00:00:02 fired completed',
  ]);
  const [line] = floor.engine.list();
  assert.deepEqual([line?.failures, line?.lastCode], [0, null]);
  assert.deepEqual(await floor.row('tick'), hello({ kind: 'every', secs: 1 }));
});

test('a slot that could not begin is not run by the row that took the place of its own', async (t) => {
  const floor = await engineFloor(t, {
    fire: async () => {
      await floor.put('greet', hello({ kind: 'cron', cron: '30 * * * *' }));
      return AWAY;
    },
  });
  await floor.put('greet', hello(hourly));
  await floor.pass(60 * MINUTE);
  await floor.pass(10 * MINUTE);
  assert.deepEqual(await floor.slots('greet'), ['01:00:00 skipped extension_unknown']);
  assert.deepEqual(floor.fired, ['greet 01:00:00']);
});

test('a slot that was given back while the next one was looked at is still due after a restart', async (t) => {
  const first = Promise.withResolvers<FiringEnd>();
  const second = Promise.withResolvers<string>();
  const ends = [first.promise];
  let looks = 0;
  const floor = await engineFloor(t, {
    fire: () => ends.shift() ?? Promise.resolve(DONE),
    heldBack: () => {
      looks += 1;
      return looks === 2 ? second.promise : undefined;
    },
  });
  const missed = { policy: 'catch_up', window_secs: 600, most: 5 };
  await floor.put('greet', hello({ kind: 'cron', cron: '* * * * *' }, { overlap: 'allow', missed }));
  await floor.host.clock.advance(MINUTE);
  await waitFor(() => floor.fired.length === 1, { what: 'the first slot' });
  await floor.host.clock.advance(MINUTE);
  await waitFor(() => looks === 2, { what: 'the look at the second slot' });
  first.resolve(AWAY);
  await waitFor(async () => (await floor.slots('greet')).length === 0, { what: 'the slot given back' });
  second.resolve('ceiling_reached');
  await floor.restart();
  assert.deepEqual(await floor.slots('greet'), ['00:01:00 fired completed', '00:02:00 fired completed']);
});

test('an interval that is switched off while it runs fires no more', async (t) => {
  const off = hello({ kind: 'every', secs: 60 }, { enabled: false });
  const floor = await engineFloor(t, {
    fire: async () => {
      await floor.put('tick', off);
      return DONE;
    },
  });
  await floor.put('tick', hello({ kind: 'every', secs: 60 }));
  await floor.pass(5 * MINUTE);
  assert.deepEqual(floor.fired, ['tick 00:01:00']);
  assert.equal(floor.engine.list()[0]?.next, null);
});

test('a one-shot that is switched off while it runs stays, switched off', async (t) => {
  const at = { kind: 'at', at: Date.UTC(2026, 0, 1, 0, 5) };
  const off = hello(at, { enabled: false });
  const floor = await engineFloor(t, {
    fire: async () => {
      await floor.put('once', off);
      return DONE;
    },
  });
  await floor.put('once', hello(at));
  await floor.pass(10 * MINUTE);
  assert.deepEqual(await floor.slots('once'), ['00:05:00 fired completed']);
  assert.deepEqual(await floor.row('once'), off);
});

test('a slot that is due while the one before runs is skipped, and said so', async (t) => {
  const gate = Promise.withResolvers<FiringEnd>();
  const floor = await engineFloor(t, { fire: () => gate.promise });
  await floor.put('slow', hello({ kind: 'cron', cron: '* * * * *' }));
  await floor.host.clock.advance(MINUTE);
  await waitFor(() => floor.fired.length === 1, { what: 'the first slot' });
  await floor.host.clock.advance(MINUTE);
  await waitFor(async () => (await floor.slots('slow')).length === 2, { what: 'the second slot' });
  gate.resolve({ state: 'fired', outcome: 'completed' });
  await floor.engine.idle();
  assert.deepEqual(floor.fired, ['slow 00:01:00']);
  assert.deepEqual(await floor.slots('slow'), ['00:01:00 fired completed', '00:02:00 skipped slot_overlap']);
});

test('where overlap is allowed both run', async (t) => {
  const gate = Promise.withResolvers<FiringEnd>();
  const floor = await engineFloor(t, { fire: () => gate.promise });
  await floor.put('slow', hello({ kind: 'cron', cron: '* * * * *' }, { overlap: 'allow' }));
  for (let count = 1; count <= 2; count += 1) {
    await floor.host.clock.advance(MINUTE);
    await waitFor(() => floor.fired.length === count, { what: `slot ${count}` });
  }
  gate.resolve({ state: 'fired', outcome: 'completed' });
  await floor.engine.idle();
  assert.deepEqual(await floor.slots('slow'), ['00:01:00 fired completed', '00:02:00 fired completed']);
});

test('slots that were slept through are caught up one after another', async (t) => {
  const floor = await engineFloor(t);
  await floor.put('greet', hello(hourly, { missed: { policy: 'catch_up', window_secs: 86_400, most: 2 } }));
  floor.host.clock.jumpWall(4.5 * 60 * MINUTE);
  await floor.pass(20_000);
  assert.deepEqual(floor.fired, ['greet 03:00:00', 'greet 04:00:00']);
  assert.deepEqual(await floor.slots('greet'), [
    '01:00:00 missed',
    '02:00:00 missed',
    '03:00:00 fired completed',
    '04:00:00 fired completed',
  ]);
});

test('a clock that is set back fires no slot again', async (t) => {
  const floor = await engineFloor(t);
  await floor.put('greet', hello(hourly));
  await floor.pass(61 * MINUTE);
  floor.host.clock.jumpWall(-30 * MINUTE);
  for (let step = 0; step < 6; step += 1) await floor.pass(15 * MINUTE);
  assert.deepEqual(floor.fired, ['greet 01:00:00', 'greet 02:00:00']);
});

test('what is due during a pause is missed when it ends', async (t) => {
  const floor = await engineFloor(t);
  await floor.put('greet', hello(hourly));
  floor.engine.pause();
  await floor.pass(61 * MINUTE);
  assert.deepEqual(floor.fired, []);
  floor.engine.resume();
  await floor.pass(60 * MINUTE);
  assert.deepEqual(floor.fired, ['greet 02:00:00']);
  assert.deepEqual(await floor.slots('greet'), ['01:00:00 missed slot_paused', '02:00:00 fired completed']);
});

test('under a ceiling nothing fires, and the slot says why', async (t) => {
  let why: string | undefined = 'ceiling_reached';
  const floor = await engineFloor(t, { heldBack: () => why });
  await floor.put('greet', hello(hourly));
  await floor.pass(60 * MINUTE);
  why = undefined;
  await floor.pass(60 * MINUTE);
  assert.deepEqual(await floor.slots('greet'), [
    '01:00:00 skipped ceiling_reached',
    '02:00:00 fired completed',
  ]);
});

/** A slot as a process leaves it that is killed after its claim. */
async function killedAfterClaim(t: TestContext, heldBack?: () => string | undefined) {
  const floor = await engineFloor(t, heldBack === undefined ? {} : { heldBack });
  await floor.put('greet', hello(hourly));
  await floor.engine.close();
  const slot = { database: floor.agent.root, routine: 'greet', due: Date.UTC(2026, 0, 1, 0, 0) };
  await floor.host.store.write([claimSlot(slot, 'boot_1', 0, slot.due)]);
  return { floor, slot };
}

test('a claim of a host that was killed is unknown and shown, counts as a failure, and does not run again', async (t) => {
  const { floor } = await killedAfterClaim(t);
  await floor.restart({ fate: { state: 'unknown', code: 'host_ended' } });
  await floor.pass(60 * MINUTE);
  assert.deepEqual(floor.fired, ['greet 01:00:00']);
  assert.deepEqual(await floor.slots('greet'), ['00:00:00 unknown host_ended', '01:00:00 fired completed']);
});

test('a claim behind which nothing had begun runs at the next start', async (t) => {
  const { floor } = await killedAfterClaim(t);
  await floor.restart({ fate: { state: 'again' } });
  assert.deepEqual(floor.fired, ['greet 00:00:00']);
  assert.deepEqual(await floor.slots('greet'), ['00:00:00 fired completed']);
});

test('what goes on by itself after a restart is ended by who knows how', async (t) => {
  const { floor, slot } = await killedAfterClaim(t);
  await floor.restart({ fate: { state: 'running' } });
  assert.deepEqual(await floor.slots('greet'), ['00:00:00 claimed']);
  await floor.engine.settled(slot, { state: 'fired', outcome: 'completed' });
  assert.deepEqual(await floor.slots('greet'), ['00:00:00 fired completed']);
});

test('a slot of a routine that is gone is settled all the same', async (t) => {
  const { floor } = await killedAfterClaim(t);
  await floor.agent.latest('routines').put('greet', null);
  await floor.restart({ fate: { state: 'again' } });
  assert.deepEqual(floor.fired, []);
  assert.deepEqual(await floor.slots('greet'), ['00:00:00 unknown routine_gone']);
});

test('two engines on one database, their clocks two minutes apart, run each slot once', async (t) => {
  const floor = await engineFloor(t);
  const { peer, store, clock } = floor.host;
  await floor.put('greet', hello(hourly));
  const fired: number[] = [];
  const other = new RoutineEngine({
    peer: {
      ...peer,
      transaction: peer.transaction.bind(peer),
      onWrite: async () => async () => {},
    } as unknown as typeof peer,
    store,
    clock: { ...clock, wallMs: () => clock.wallMs() + 2 * MINUTE },
    boot: 'boot_other',
    zone: 'UTC',
    owed: new OwedWrites(clock),
    placeOf: async () => ({ kind: 'agent', database: floor.agent }),
    fateOf: async () => ({ state: 'running' }),
    report: () => {},
    fire: async ({ slot }) => {
      fired.push(slot.due);
      return { state: 'fired', outcome: 'completed' };
    },
  });
  await other.start();
  t.after(() => other.close());
  for (let hour = 0; hour < 6; hour += 1) {
    await floor.pass(60 * MINUTE);
    await other.idle();
  }
  assert.equal(fired.length + floor.fired.length, 6);
  assert.equal((await floor.slots('greet')).length, 6);
});

test('a slot that runs by itself ends when it is said how', async (t) => {
  const floor = await engineFloor(t, { fire: async () => ({ state: 'running' }) });
  await floor.put('greet', hello(hourly));
  await floor.pass(60 * MINUTE);
  const slot = { database: floor.agent.root, routine: 'greet', due: Date.UTC(2026, 0, 1, 1) };
  assert.equal(slotName(slot), `${floor.agent.root}/greet@1767229200000`);
  assert.equal(floor.engine.list()[0]?.running, 1);
  await floor.engine.settled(slot, { state: 'fired', outcome: 'failed', code: 'model_failed' }, 'trn_1');
  assert.deepEqual(await floor.slots('greet'), ['01:00:00 fired failed model_failed']);
  assert.deepEqual([floor.engine.list()[0]?.failures, floor.engine.list()[0]?.running], [1, 0]);
  await floor.engine.settled(slot, { state: 'fired', outcome: 'completed' });
  assert.deepEqual(await floor.slots('greet'), ['01:00:00 fired failed model_failed']);
});

test('an interval goes on, and its slot ends, where the end of a firing found the disk full', async (t) => {
  const floor = await engineFloor(t, { fire: async () => ({ state: 'running' }) });
  await floor.put('tick', hello({ kind: 'every', secs: 60 }));
  await floor.pass(MINUTE);
  const slot = { database: floor.agent.root, routine: 'tick', due: Date.UTC(2026, 0, 1, 0, 1) };
  const disk = t.mock.method(floor.host.store, 'write', full);
  await floor.engine.settled(slot, DONE, 'trn_1');
  assert.deepEqual(await floor.slots('tick'), ['00:01:00 claimed']);
  disk.mock.restore();
  await floor.pass(MINUTE);
  assert.deepEqual(floor.fired, ['tick 00:01:00', 'tick 00:02:00']);
  const first = async () => (await floor.slots('tick'))[0];
  await waitFor(async () => (await first()) === '00:01:00 fired completed', { what: 'the end of the slot' });
});

test('missed slots go on to be caught up where the end of one of them found the disk full', async (t) => {
  const floor = await engineFloor(t);
  const { store } = floor.host;
  const write = store.write.bind(store);
  let isFull = true;
  t.mock.method(store, 'write', (...given: Parameters<typeof write>) => {
    const isEnd = given[0].some(({ sql }) => sql.startsWith('UPDATE slots'));
    if (!isEnd || !isFull) return write(...given);
    isFull = false;
    return full();
  });
  await floor.put('greet', hello(hourly, { missed: { policy: 'catch_up', window_secs: 86_400, most: 2 } }));
  floor.host.clock.jumpWall(4.5 * 60 * MINUTE);
  await floor.pass(20_000);
  assert.deepEqual(floor.fired, ['greet 03:00:00', 'greet 04:00:00']);
  await waitFor(
    async () => {
      await floor.pass(1000);
      return (await floor.slots('greet')).includes('03:00:00 fired completed');
    },
    { what: 'the end of the slot' },
  );
});

test('a routine whose last failure found the disk full fires no more, and its row says so once there is room', async (t) => {
  const floor = await engineFloor(t, {
    fire: async () => ({ state: 'fired', outcome: 'failed', code: 'boom' }),
  });
  const row = hello({ kind: 'every', secs: 60 }, { max_failures: 1 });
  await floor.put('tick', row);
  const disk = t.mock.method(floor.host.peer, 'transaction', full);
  await floor.pass(5 * MINUTE);
  assert.deepEqual(floor.fired, ['tick 00:01:00']);
  assert.deepEqual([await floor.row('tick'), floor.reports], [row, []]);
  disk.mock.restore();
  await waitFor(
    async () => {
      await floor.pass(1000);
      return floor.reports.length > 0;
    },
    { what: 'the switch' },
  );
  assert.deepEqual(floor.reports, ['routine_disabled tick']);
  assert.deepEqual(await floor.row('tick'), { ...row, enabled: false });
  assert.deepEqual(await floor.slots('tick'), ['00:01:00 fired failed boom']);
});

test('a one-shot under a ceiling is skipped once the disk has room to say so', async (t) => {
  const floor = await engineFloor(t, { heldBack: () => 'ceiling_reached' });
  await floor.put('once', hello({ kind: 'at', at: Date.UTC(2026, 0, 1, 0, 5) }));
  const disk = t.mock.method(floor.host.peer, 'transaction', full);
  await floor.pass(10 * MINUTE);
  assert.deepEqual(await floor.slots('once'), []);
  disk.mock.restore();
  await floor.pass(MINUTE);
  assert.deepEqual(await floor.slots('once'), ['00:05:00 skipped ceiling_reached']);
  assert.equal(await floor.row('once'), null);
});

test('a row that cannot be read is listed and does nothing', async (t) => {
  const floor = await engineFloor(t);
  await floor.put('odd', hello({ kind: 'cron', cron: 'when it suits' }));
  await floor.pass(60 * MINUTE);
  assert.deepEqual(floor.fired, []);
  assert.deepEqual(
    floor.engine.list().map(({ routine, next, lastCode }) => [routine, next, lastCode]),
    [['odd', null, 'routine_invalid']],
  );
});

test('one that is taken out, switched off or changed fires no more as it was', async (t) => {
  const floor = await engineFloor(t);
  await floor.put('gone', hello(hourly));
  await floor.put('off', hello(hourly));
  await floor.put('other', hello(hourly));
  await floor.pass(30 * MINUTE);
  await floor.put('gone', null);
  await floor.put('off', hello(hourly, { enabled: false }));
  await floor.put('other', hello({ kind: 'cron', cron: '45 * * * *' }));
  await floor.pass(60 * MINUTE);
  assert.deepEqual(floor.fired, ['other 00:45:00']);
});

test('a row that comes from another peer is known without a restart', async (t) => {
  const floor = await engineFloor(t);
  await floor.agent.latest('routines').put('greet', hello(hourly));
  for (let step = 0; step < 20 && floor.engine.list().length === 0; step += 1) await floor.pass(0);
  await floor.pass(60 * MINUTE);
  assert.deepEqual(floor.fired, ['greet 01:00:00']);
});

test('a thousand that are due at once run some at a time, each once', async (t) => {
  let most = 0;
  let now = 0;
  const floor = await engineFloor(t, {
    fire: async () => {
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setImmediate(resolve));
      now -= 1;
      return { state: 'fired', outcome: 'completed' };
    },
  });
  for (let index = 0; index < 200; index += 1) await floor.put(`r${index}`, hello(hourly));
  await floor.pass(60 * MINUTE);
  assert.equal(new Set(floor.fired).size, 200);
  assert.equal(floor.fired.length, 200);
  assert.ok(most <= 32 && most > 1, `${most}`);
});

test('a clock that was ten days ahead and is put right stops nothing, not even over a restart', async (t) => {
  const floor = await engineFloor(t);
  await floor.put('greet', hello(hourly));
  floor.host.clock.jumpWall(10 * 24 * 60 * MINUTE);
  await floor.pass(2 * 60 * MINUTE);
  const ahead = floor.fired.length;
  floor.host.clock.jumpWall(-10 * 24 * 60 * MINUTE);
  await floor.pass(61 * MINUTE);
  assert.equal(floor.fired.length, ahead + 1);
  // The same for a host that was not running when the clock was put right.
  const other = await engineFloor(t);
  await other.put('greet', hello(hourly));
  other.host.clock.jumpWall(10 * 24 * 60 * MINUTE);
  await other.pass(2 * 60 * MINUTE);
  await other.engine.close();
  other.host.clock.jumpWall(-10 * 24 * 60 * MINUTE);
  const before = other.fired.length;
  await other.restart();
  await other.pass(61 * MINUTE);
  assert.equal(other.fired.length, before + 1);
});

test('what was taken out, however much it is, crowds nothing out', async (t) => {
  const floor = await engineFloor(t);
  const { peer } = floor.host;
  for (let from = 0; from < 2000; from += 400)
    await peer.transaction((tx) => {
      for (let index = from; index < from + 400; index += 1)
        tx.on(floor.agent).put('routines', `a${index}`, null);
    });
  await floor.put('z', hello(hourly));
  await floor.restart();
  assert.deepEqual(
    (await floor.agent.latest('routines').heads()).map(({ key }) => key),
    ['z'],
  );
  await floor.pass(60 * MINUTE);
  assert.deepEqual(floor.fired, ['z 01:00:00']);
});

test('a row that somebody mends while its last slot fails is not switched off', async (t) => {
  const floor = await engineFloor(t, {
    fire: async () => {
      await floor.agent.latest('routines').put('greet', hello(hourly, { payload: 'mended' }));
      return { state: 'fired', outcome: 'failed', code: 'boom' };
    },
  });
  await floor.put('greet', hello(hourly, { max_failures: 1 }));
  await floor.pass(60 * MINUTE);
  assert.deepEqual(await floor.row('greet'), hello(hourly, { payload: 'mended' }));
});

test('a claim of an earlier start waits for the end of a pause, and obeys a ceiling', async (t) => {
  const paused = await killedAfterClaim(t);
  await paused.floor.restart({ fate: { state: 'again' }, isPaused: true });
  assert.deepEqual(paused.floor.fired, []);
  paused.floor.engine.resume();
  await paused.floor.engine.idle();
  assert.deepEqual(paused.floor.fired, ['greet 00:00:00']);
  let why: string | undefined;
  const { floor } = await killedAfterClaim(t, () => why);
  why = 'ceiling_reached';
  await floor.restart({ fate: { state: 'again' } });
  assert.deepEqual(await floor.slots('greet'), ['00:00:00 skipped ceiling_reached']);
});

test('a claim and the end of a slot survive the loss of power', async (t) => {
  const floor = await engineFloor(t);
  const { peer, store, clock } = floor.host;
  await floor.engine.close();
  const written: string[] = [];
  const watched = {
    read: store.read.bind(store),
    write: (statements: readonly Statement[], durability?: Durability) => {
      for (const { sql } of statements)
        if (/^(INSERT INTO|UPDATE) slots/.test(sql))
          written.push(`${sql.slice(0, 6)} ${durability ?? 'full'}`);
      return store.write(statements, durability);
    },
  } as unknown as Store;
  const engine = new RoutineEngine({
    ...{ peer, store: watched, clock, boot: 'boot_2', zone: 'UTC', owed: new OwedWrites(clock) },
    placeOf: async () => ({ kind: 'agent', database: floor.agent }),
    fateOf: async () => ({ state: 'unknown' }),
    report: () => {},
    fire: async () => ({ state: 'fired', outcome: 'completed' }),
  });
  await engine.start();
  t.after(() => engine.close());
  await floor.agent.latest('routines').put('greet', hello(hourly));
  await engine.changed(floor.agent.root, 'agent', 'greet');
  await clock.advance(60 * MINUTE);
  await engine.idle();
  assert.deepEqual(written, ['INSERT full', 'UPDATE full']);
});
