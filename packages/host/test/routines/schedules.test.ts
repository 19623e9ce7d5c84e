import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { RunningHost } from '../../src/host/running-host.ts';
import { sessionBounds } from '../../src/limits.ts';
import { claimSlot } from '../../src/routines/slot-rows.ts';
import { ALLOWED, gateTool, passTurn, sayTurn } from '../host/gate-tool.ts';
import { type HostRoom, type HostRoomOptions, hostRoom } from '../host/host-room.ts';
import { scheduleHandler } from './schedule-handler.ts';

const HOUR = 3_600_000;
const hourly = { kind: 'cron', cron: '0 * * * *', zone: 'UTC' };

interface Planned extends HostRoom {
  readonly running: RunningHost;
  readonly ann: string;
  add(id: string, wish: JsonObject): Promise<void>;
  pass(ms: number): Promise<void>;
  slots(id: string): Promise<readonly string[]>;
}

async function planned(
  t: { after(hook: () => unknown): void },
  options: Partial<HostRoomOptions> = {},
): Promise<Planned> {
  const room = await hostRoom(t, {
    scripts: { default: [sayTurn('Watered.'), sayTurn('Again.'), sayTurn('And again.'), sayTurn('Still.')] },
    ...options,
    extensions: (prepared) => [scheduleHandler, ...(options.extensions?.(prepared) ?? [])],
  });
  const { host } = room;
  assert.ok(host instanceof RunningHost);
  const { id: ann } = await host.agents.resolve('ann');
  return {
    ...room,
    running: host,
    ann,
    async add(id, wish) {
      await host.routines.book.add(ann, id, { trigger: hourly, task: 'Water the plants.', ...wish });
    },
    async pass(ms) {
      for (let left = ms; left > 0; left -= 60_000) {
        await room.floor.clock.advance(Math.min(left, 60_000));
        await host.idle();
      }
    },
    async slots(id) {
      const rows = await host.routines.history(ann, id);
      return [...rows]
        .reverse()
        .map(({ due, state, outcome, code }) =>
          [new Date(due).toISOString().slice(11, 16), state, outcome, code].filter(Boolean).join(' '),
        );
    },
  };
}

const refused = (code: string) => (error: unknown) =>
  error instanceof Error && Reflect.get(error, 'code') === code;

test('a fresh schedule makes a session of its own each time, and its history links there', async (t) => {
  const room = await planned(t);
  await room.add('plants', { target: { kind: 'fresh' } });
  await room.pass(2 * HOUR);
  assert.deepEqual(await room.slots('plants'), ['01:00 fired completed', '02:00 fired completed']);
  const [newest, first] = await room.running.routines.history(room.ann, 'plants');
  assert.ok(newest?.session && first?.session && newest.session !== first.session);
  assert.match(newest.turn ?? '', /^trn_/);
  assert.deepEqual(await room.told(first.session), [
    'plants asks: Water the plants.',
    ...['ack ann 1', 'ann: Watered.', 'end completed'],
  ]);
  const { meta } = await room.host.sessions.line(first.session);
  assert.equal(meta.source, 'schedule:ann:plants');
});

test('what a schedule asks for stands in its session without secrets', async (t) => {
  const room = await planned(t, { secrets: ['planted-0123456789-value'] });
  const session = await room.session('ann');
  const target = { kind: 'pinned', session };
  await room.add('plants', { target, task: 'Water with planted-0123456789-value.' });
  await room.pass(HOUR);
  const asked = (await room.told(session)).filter((line) => line.includes(' asks: '));
  assert.deepEqual(asked, ['plants asks: Water with [REDACTED:configured_secret].']);
});

test('a pinned schedule comes back to its session, and to the agent that planned it', async (t) => {
  const room = await planned(t, {
    scripts: { 'agent:ann': [sayTurn('Watered.')], 'agent:bob': [sayTurn('Hello.')] },
    agents: [{ name: 'ann' }, { name: 'bob' }],
  });
  // Bob is the host there; Ann does not even take part.
  const session = await room.session('bob');
  await room.add('plants', { target: { kind: 'pinned', session } });
  await room.pass(HOUR);
  assert.deepEqual(await room.told(session), [
    'plants asks: Water the plants.',
    ...['ack ann 1', 'ann: Watered.', 'end completed'],
  ]);
});

test('a busy session waits its turn, and the slot is not lost (the seed skipped it)', async (t) => {
  const { extension, entered, open } = gateTool();
  const room = await planned(t, {
    scripts: { default: [passTurn, sayTurn('Watered.')] },
    extensions: () => [extension],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  await room.add('plants', { target: { kind: 'pinned', session } });
  await room.floor.clock.advance(HOUR - 1000);
  await room.say(session, 'go');
  await entered;
  await room.floor.clock.advance(2000);
  await room.running.routines.engine.idle();
  assert.deepEqual(await room.slots('plants'), ['01:00 running']);
  open();
  await room.host.idle();
  assert.deepEqual(await room.slots('plants'), ['01:00 fired completed']);
});

test('a session with too much waiting is a failure of the slot, with its code, and nothing is told to anybody', async (t) => {
  const { extension, entered, open } = gateTool();
  const room = await planned(t, {
    scripts: { default: [passTurn, sayTurn('Much.')] },
    extensions: () => [extension],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  await room.add('plants', { target: { kind: 'pinned', session } });
  await room.floor.clock.advance(HOUR - 1000);
  for (let count = 0; count <= sessionBounds.pending; count += 1) {
    await room.say(session, 'go');
    if (count === 0) await entered;
  }
  await room.floor.clock.advance(2000);
  await room.running.routines.engine.idle();
  assert.deepEqual(await room.slots('plants'), ['01:00 fired failed session_busy']);
  open();
  await room.host.idle();
  assert.ok(!(await room.told(session)).includes('plants asks: Water the plants.'));
});

test('a schedule of a closed session is switched off', async (t) => {
  const room = await planned(t);
  const session = await room.session('ann');
  await room.add('plants', { target: { kind: 'pinned', session } });
  await room.host.closeSession(session);
  await room.pass(3 * HOUR);
  assert.deepEqual(await room.slots('plants'), ['01:00 skipped session_closed']);
  const [line] = await room.running.routines.book.list(room.ann);
  assert.deepEqual([line?.schedule?.enabled, line?.next], [false, null]);
});

test('a model that fails is a failure of the slot, and three switch the schedule off (the seed never heard of it)', async (t) => {
  const room = await planned(t, { scripts: { default: [] } });
  await room.add('plants', { target: { kind: 'fresh' } });
  await room.pass(5 * HOUR);
  const slots = await room.slots('plants');
  assert.deepEqual(slots, [
    '01:00 fired failed script_mismatch',
    '02:00 fired failed script_mismatch',
    '03:00 fired failed script_mismatch',
  ]);
  const [line] = await room.running.routines.book.list(room.ann);
  assert.deepEqual([line?.fires, line?.failures, line?.schedule?.enabled], [3, 3, false]);
});

test('a bound of fires counts the directives, and a new bound counts anew', async (t) => {
  const room = await planned(t);
  await room.add('plants', { target: { kind: 'fresh' }, max_fires: 2 });
  await room.pass(4 * HOUR);
  assert.deepEqual((await room.slots('plants')).slice(0, 3), [
    '01:00 fired completed',
    '02:00 fired completed',
    '03:00 skipped schedule_spent',
  ]);
  await room.running.routines.book.modify(room.ann, 'plants', { max_fires: 1, enabled: true });
  await room.pass(2 * HOUR);
  assert.deepEqual((await room.slots('plants')).slice(-2), [
    '05:00 fired completed',
    '06:00 skipped schedule_spent',
  ]);
});

test('what is due at its end or later does not fire', async (t) => {
  const room = await planned(t);
  await room.add('plants', { target: { kind: 'fresh' }, expires_at: Date.UTC(2026, 0, 1, 2) });
  await room.pass(4 * HOUR);
  assert.deepEqual(await room.slots('plants'), ['01:00 fired completed', '02:00 skipped schedule_expired']);
});

test('an agent that is at home elsewhere fires nothing here', async (t) => {
  const room = await planned(t);
  await room.add('plants', { target: { kind: 'fresh' } });
  await (await room.host.agents.open(room.ann)).commit((tx) => tx.set('meta', ['home'], 'another peer'));
  await room.pass(2 * HOUR);
  assert.deepEqual((await room.slots('plants')).slice(0, 1), ['01:00 skipped agent_not_here']);
});

test('a pinned schedule of an agent that is at home elsewhere says nothing in the session, and stands as it stood', async (t) => {
  const room = await planned(t);
  const session = await room.session('ann');
  await room.add('plants', { target: { kind: 'pinned', session } });
  const database = await room.host.agents.open(room.ann);
  await database.commit((tx) => tx.set('meta', ['home'], 'another peer'));
  await room.pass(2 * HOUR);
  assert.deepEqual(await room.told(session), []);
  const row = (await database.latest('schedules').get('plants'))?.value as JsonObject;
  assert.equal(row['enabled'], true);
});

test('a pause holds schedules back, and what was due then is missed', async (t) => {
  const room = await planned(t);
  await room.add('plants', { target: { kind: 'fresh' } });
  await room.host.pause();
  await room.pass(HOUR + 1000);
  await room.host.resume();
  await room.pass(HOUR);
  assert.deepEqual(await room.slots('plants'), ['01:00 missed slot_paused', '02:00 fired completed']);
});

test('a claim without a directive runs at the next start: nothing was told to anybody', async (t) => {
  const room = await planned(t);
  await room.add('plants', { target: { kind: 'fresh' } });
  const due = Date.UTC(2026, 0, 1, 0, 0);
  await room.close();
  await room.floor.store.write([
    claimSlot({ database: room.ann, routine: 'schedule:plants', due }, 'boot_1', 0, due),
  ]);
  const next = await planned(t, { floor: room.floor, boot: 'boot_2' });
  await next.host.idle();
  assert.deepEqual(await next.slots('plants'), ['00:00 fired completed']);
});

for (const [state, end] of [
  ['completed', 'fired completed'],
  ['silent', 'fired completed'],
  ['cancelled', 'fired cancelled'],
  ['failed', 'fired failed turn_failed'],
  ['interrupted', 'unknown turn_interrupted'],
  [undefined, 'unknown turn_never_began'],
] as const)
  test(`a slot whose end the host before did not write down is ${end} where its turn ${state === undefined ? 'never began' : `was ${state}`}`, async (t) => {
    const room = await planned(t);
    await room.add('plants', { target: { kind: 'fresh' } });
    await room.pass(HOUR);
    await room.close();
    const { store } = room.floor;
    const left = { sql: "UPDATE slots SET state = 'running', outcome = NULL", parameters: [] };
    const turns =
      state === undefined
        ? { sql: 'DELETE FROM turns', parameters: [] }
        : { sql: 'UPDATE turns SET state = ?', parameters: [state] };
    await store.write([left, turns]);
    const next = await planned(t, { floor: room.floor, boot: 'boot_2' });
    await next.host.idle();
    assert.deepEqual(await next.slots('plants'), [`01:00 ${end}`]);
    const [line] = await next.running.routines.book.list(room.ann);
    assert.equal(line?.failures, /failed|unknown/.test(end) ? 1 : 0);
  });

test('one-shots, intervals and what cannot be planned', async (t) => {
  const room = await planned(t, { limits: { schedules_per_agent: 2, schedule_min_secs: 300 } });
  const { book } = room.running.routines;
  const fresh = { kind: 'fresh' };
  const add = (id: string, trigger: JsonObject, more: JsonObject = {}) =>
    book.add(room.ann, id, { trigger, task: 'Do it.', target: fresh, ...more });
  await assert.rejects(add('a', { kind: 'cron', cron: 'nonsense' }), refused('schedule_invalid'));
  await assert.rejects(add('a b', hourly), refused('schedule_invalid'));
  await assert.rejects(add('a', hourly, { task: '  ' }), refused('schedule_invalid'));
  await assert.rejects(add('a', hourly, { target: { kind: 'somewhere' } }), refused('schedule_invalid'));
  await assert.rejects(add('a', { kind: 'cron', cron: '* * * * *' }), refused('schedule_too_often'));
  await assert.rejects(add('a', { kind: 'cron', cron: '0,1 12 * * *' }), refused('schedule_too_often'));
  await assert.rejects(add('a', { kind: 'every', secs: 299 }), refused('schedule_too_often'));
  await add('a', { kind: 'every', secs: 3600 });
  await assert.rejects(add('a', hourly), refused('schedule_exists'));
  await add('b', { kind: 'at', at: Date.UTC(2026, 0, 1, 0, 10) });
  await assert.rejects(add('c', hourly), refused('schedule_limit'));
  await assert.rejects(book.modify(room.ann, 'zz', { task: 'x' }), refused('schedule_unknown'));
  await assert.rejects(book.modify(room.ann, 'a', {}), refused('schedule_unchanged'));
  await assert.rejects(book.remove(room.ann, 'zz'), refused('schedule_unknown'));
  await assert.rejects(book.list('agt_nobody'), refused('agent_unknown'));
  await room.pass(HOUR + 60_000);
  assert.deepEqual(await room.slots('b'), ['00:10 fired completed']);
  assert.deepEqual(await room.slots('a'), ['01:00 fired completed']);
  assert.deepEqual(
    (await book.list(room.ann)).map(({ id, fires }) => [id, fires]),
    [['a', 1]],
  );
  await book.modify(room.ann, 'a', { enabled: false });
  assert.equal((await book.list(room.ann))[0]?.next, null);
  await book.modify(room.ann, 'a', { enabled: true, task: 'Do it well.', expires_at: Date.UTC(2027, 0, 1) });
  const [line] = await book.list(room.ann);
  assert.deepEqual([line?.schedule?.task, line?.schedule?.expiresAt], ['Do it well.', Date.UTC(2027, 0, 1)]);
  assert.equal(line?.next, Date.UTC(2026, 0, 1, 2, 1));
  await book.modify(room.ann, 'a', { expires_at: null });
  assert.equal((await book.list(room.ann))[0]?.schedule?.expiresAt, undefined);
  await book.remove(room.ann, 'a');
  assert.deepEqual(await book.list(room.ann), []);
});

test('a bound of fires is not forgotten among many fires of others', async (t) => {
  const room = await planned(t);
  const database = await room.host.agents.open(room.ann);
  await room.add('plants', { target: { kind: 'fresh' }, max_fires: 1 });
  await room.pass(HOUR);
  for (let from = 0; from < 1200; from += 400)
    await room.floor.peer.transaction((tx) => {
      for (let index = 0; index < 400; index += 1)
        tx.on(database).append('schedule_fires', { schedule: 'other', generation: 1, due: from + index });
    });
  await room.pass(HOUR);
  assert.deepEqual(await room.slots('plants'), ['01:00 fired completed', '02:00 skipped schedule_spent']);
});

test('a schedule is not changed to come too often', async (t) => {
  const room = await planned(t);
  await room.add('plants', { target: { kind: 'fresh' } });
  const { book } = room.running.routines;
  await assert.rejects(
    book.modify(room.ann, 'plants', { trigger: { kind: 'every', secs: 5 } }),
    refused('schedule_too_often'),
  );
});
