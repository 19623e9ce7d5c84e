import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engineFloor, hello } from './engine-floor.ts';

const MINUTE = 60_000;
const hourly = { kind: 'cron', cron: '0 * * * *' };
const DONE = { state: 'fired', outcome: 'completed' } as const;
const AWAY = { state: 'not_started', code: 'extension_unknown' } as const;

test('a routine whose row is read again and again while it waits fires once (elsewhere each reading left another entry in the heap)', async (t) => {
  const { engine, put, pass, agent, fired } = await engineFloor(t);
  await put('greet', hello(hourly));
  for (let times = 0; times < 5; times += 1) {
    await put('greet', hello(hourly, { payload: { times } }));
    await engine.changed(agent.root, 'agent', 'greet');
  }
  await pass(60 * MINUTE);
  assert.deepEqual(fired, ['greet 01:00:00']);
});

test('a one-shot whose handler fails is settled: it goes, and no restart fires it again', async (t) => {
  const floor = await engineFloor(t, {
    fire: async () => ({ state: 'fired', outcome: 'failed', code: 'went_wrong' }),
  });
  await floor.put('once', hello({ kind: 'at', at: Date.UTC(2026, 0, 1, 0, 10) }));
  await floor.pass(10 * MINUTE);
  assert.equal(await floor.row('once'), null);
  await floor.restart();
  await floor.pass(60 * MINUTE);
  assert.deepEqual(floor.fired, ['once 00:10:00']);
  assert.deepEqual(await floor.slots('once'), ['00:10:00 fired failed went_wrong']);
});

test('a restart within the minute of a slot loses none and fires none twice', async (t) => {
  const floor = await engineFloor(t);
  await floor.put('daily', hello({ kind: 'cron', cron: '30 0 * * *' }));
  await floor.pass(30 * MINUTE - 1000);
  await floor.restart({ boot: 'boot_2' });
  await floor.pass(1000);
  await floor.restart({ boot: 'boot_3' });
  await floor.pass(20_000);
  assert.deepEqual(floor.fired, ['daily 00:30:00']);
  assert.deepEqual(await floor.slots('daily'), ['00:30:00 fired completed']);
});

test('a slot that came due while the host was restarting, less than a minute ago, still runs', async (t) => {
  const floor = await engineFloor(t);
  await floor.put('daily', hello({ kind: 'cron', cron: '30 0 * * *' }));
  await floor.pass(30 * MINUTE - 1000);
  await floor.engine.close();
  await floor.host.clock.advance(40_000);
  await floor.restart();
  assert.deepEqual(await floor.slots('daily'), ['00:30:00 fired completed']);
});

test('what had run is not caught up, also where catching up is asked for', async (t) => {
  const floor = await engineFloor(t);
  const missed = { policy: 'catch_up', window_secs: 86_400, most: 10 };
  await floor.put('hourly', hello(hourly, { missed }));
  await floor.pass(120 * MINUTE);
  await floor.restart();
  await floor.pass(1000);
  assert.deepEqual(floor.fired, ['hourly 01:00:00', 'hourly 02:00:00']);
});

test('a daily job that was missed in the morning does not run in the evening, and its slot says that it was missed', async (t) => {
  const floor = await engineFloor(t);
  await floor.put('daily', hello({ kind: 'cron', cron: '0 11 * * *' }));
  await floor.engine.close();
  await floor.host.clock.advance(22 * 60 * MINUTE);
  await floor.restart();
  await floor.pass(1000);
  assert.deepEqual(floor.fired, []);
  assert.deepEqual(await floor.slots('daily'), ['11:00:00 missed']);
});

test('a one-shot and a recurring job catch up alike, where both are told to', async (t) => {
  const floor = await engineFloor(t);
  await floor.put('once', hello({ kind: 'at', at: Date.UTC(2026, 0, 1, 11) }));
  await floor.put('daily', hello({ kind: 'cron', cron: '0 11 * * *' }, { missed: 'run_once' }));
  await floor.engine.close();
  await floor.host.clock.advance(22 * 60 * MINUTE);
  await floor.restart();
  await floor.pass(1000);
  assert.deepEqual([...floor.fired].sort(), ['daily 11:00:00', 'once 11:00:00']);
});

test('a one-shot whose extension is away waits for it, over a restart too, and runs once it is there', async (t) => {
  let isThere = false;
  const floor = await engineFloor(t, { fire: async () => (isThere ? DONE : AWAY) });
  await floor.put('once', hello({ kind: 'at', at: Date.UTC(2026, 0, 1, 0, 10) }));
  await floor.pass(60 * MINUTE);
  await floor.restart();
  assert.deepEqual(await floor.slots('once'), []);
  isThere = true;
  await floor.pass(5 * MINUTE);
  assert.deepEqual(await floor.slots('once'), ['00:10:00 fired completed']);
  assert.equal(await floor.row('once'), null);
});

test('a one-shot that nobody could run in time is missed, shown, and takes up no place any more', async (t) => {
  const floor = await engineFloor(t);
  await floor.put('once', hello({ kind: 'at', at: Date.UTC(2026, 0, 1, 11) }));
  await floor.engine.close();
  await floor.host.clock.advance(36 * 60 * MINUTE);
  await floor.restart();
  await floor.pass(1000);
  assert.deepEqual(floor.fired, []);
  assert.deepEqual(await floor.slots('once'), ['11:00:00 missed']);
  assert.equal(await floor.row('once'), null);
  assert.deepEqual(floor.engine.list(), []);
});

test('a one-shot under a ceiling is skipped, and its slot says why', async (t) => {
  const floor = await engineFloor(t, { heldBack: () => 'ceiling_reached' });
  await floor.put('once', hello({ kind: 'at', at: Date.UTC(2026, 0, 1, 0, 10) }));
  await floor.pass(60 * MINUTE);
  assert.deepEqual(await floor.slots('once'), ['00:10:00 skipped ceiling_reached']);
  assert.equal(await floor.row('once'), null);
});

test('a jitter delays each slot by as much as it is drawn for it, and by no more than it may', async (t) => {
  const floor = await engineFloor(t, {
    fire: async ({ lateMs }) => {
      late.push(lateMs);
      return { state: 'fired', outcome: 'completed' };
    },
  });
  const late: number[] = [];
  await floor.put('spread', hello(hourly, { jitter_secs: 600 }));
  for (let minutes = 0; minutes < 24 * 60; minutes += 1) await floor.pass(MINUTE);
  assert.ok(late.length >= 23, `${late.length}`);
  assert.ok(late.every((ms) => ms >= 0 && ms <= 600_000 + MINUTE));
  assert.ok(new Set(late).size > 12, 'they are spread');
  assert.equal(new Set(floor.fired).size, floor.fired.length);
});
