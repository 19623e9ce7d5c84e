import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock, seededRandom } from '@fairlead/testing';
import { Budget, type Budgeted, BudgetWheel } from '../src/dispatch/budget-wheel.ts';

/** Somebody whose budgets say when they passed. */
function owner(clock: { monotonicMs(): number }): Budgeted & { readonly passed: number[] } {
  const passed: number[] = [];
  return { passed, expire: () => void passed.push(clock.monotonicMs()) };
}

test('a budget passes within its last tick, and never after its time', async () => {
  const clock = manualClock();
  const wheel = new BudgetWheel(clock, 20);
  const one = owner(clock);
  wheel.arm(new Budget(one), 100);
  await clock.advance(5);
  wheel.arm(new Budget(one), 100);
  await clock.advance(1000);
  assert.deepEqual(one.passed, [100, 100]);
  assert.equal(clock.pendingTimers, 0);
});

test('what is disarmed before the tick reads no clock and sets one timer', async () => {
  const clock = manualClock();
  let reads = 0;
  let timers = 0;
  const wheel = new BudgetWheel({
    monotonicMs: () => {
      reads += 1;
      return clock.monotonicMs();
    },
    wallMs: () => 0,
    setTimer(delayMs, fire) {
      timers += 1;
      return clock.setTimer(delayMs, fire);
    },
  });
  const one = owner(clock);
  for (let round = 0; round < 1000; round += 1) {
    const budget = new Budget(one);
    wheel.arm(budget, 10_000);
    wheel.disarm(budget);
  }
  await clock.advance(30_000);
  assert.deepEqual([reads, timers, one.passed], [0, 1, []]);
  assert.equal(clock.pendingTimers, 0);
});

test('a budget that is armed again begins again', async () => {
  const clock = manualClock();
  const wheel = new BudgetWheel(clock, 20);
  const one = owner(clock);
  const budget = new Budget(one);
  wheel.arm(budget, 100);
  await clock.advance(60);
  wheel.arm(budget, 100);
  await clock.advance(99);
  assert.deepEqual(one.passed, []);
  await clock.advance(10);
  assert.deepEqual(one.passed, [160]);
});

test('the alarm goes when the last budget is disarmed', async () => {
  const clock = manualClock();
  const wheel = new BudgetWheel(clock, 20);
  const one = owner(clock);
  const [short, long] = [new Budget(one), new Budget(one)];
  wheel.arm(short, 100);
  wheel.arm(long, 60_000);
  await clock.advance(200);
  assert.equal(clock.pendingTimers, 1);
  wheel.disarm(long);
  wheel.disarm(long);
  assert.equal(clock.pendingTimers, 0);
  assert.deepEqual(one.passed, [100]);
});

test('a clock that stands still is read at once, and budgets pass to the millisecond', async () => {
  const clock = manualClock();
  const wheel = new BudgetWheel(clock, 0);
  const one = owner(clock);
  await clock.advance(7);
  wheel.arm(new Budget(one), 100);
  await clock.advance(99);
  assert.deepEqual(one.passed, []);
  await clock.advance(1);
  assert.deepEqual(one.passed, [107]);
});

test('one that passes may disarm and arm others', async () => {
  const clock = manualClock();
  const wheel = new BudgetWheel(clock, 0);
  const later = owner(clock);
  const other = new Budget(later);
  const next = new Budget(later);
  wheel.arm(
    new Budget({
      expire() {
        wheel.disarm(other);
        wheel.arm(next, 50);
      },
    }),
    100,
  );
  wheel.arm(other, 100);
  await clock.advance(1000);
  assert.deepEqual(later.passed, [150]);
});

for (const tickMs of [0, 20])
  test(`one that passes may give one that is due another time (tick of ${tickMs} ms)`, async () => {
    const clock = manualClock();
    const wheel = new BudgetWheel(clock, tickMs);
    const later = owner(clock);
    const other = new Budget(later);
    wheel.arm(new Budget({ expire: () => wheel.arm(other, 100) }), 100);
    wheel.arm(other, 100);
    await clock.advance(1000);
    assert.deepEqual(later.passed, [200]);
    assert.equal(clock.pendingTimers, 0);
  });

test('closing forgets every budget', async () => {
  const clock = manualClock();
  const wheel = new BudgetWheel(clock, 20);
  const one = owner(clock);
  wheel.arm(new Budget(one), 100);
  await clock.advance(50);
  wheel.arm(new Budget(one), 100);
  wheel.close();
  assert.equal(clock.pendingTimers, 0);
  await clock.advance(1000);
  assert.deepEqual(one.passed, []);
});

test('property: with any arming and disarming, each budget that is left passes once and in time', async (t) => {
  const random = seededRandom(undefined, t);
  for (let round = 0; round < 50; round += 1) {
    const clock = manualClock();
    const wheel = new BudgetWheel(clock, 20);
    const expected: { readonly latest: number; readonly one: ReturnType<typeof owner> }[] = [];
    const disarmed: ReturnType<typeof owner>[] = [];
    for (let step = 0; step < 30; step += 1) {
      const one = owner(clock);
      const budget = new Budget(one);
      const ms = 20 + random.below(300);
      wheel.arm(budget, ms);
      if (random.below(3) === 0) {
        wheel.disarm(budget);
        disarmed.push(one);
      } else expected.push({ latest: clock.monotonicMs() + ms, one });
      await clock.advance(random.below(40));
    }
    await clock.advance(1000);
    for (const { latest, one } of expected) {
      assert.equal(one.passed.length, 1);
      const [at = 0] = one.passed;
      assert.ok(at <= latest && at >= latest - 20, `${at} for ${latest}`);
    }
    for (const one of disarmed) assert.deepEqual(one.passed, []);
    assert.equal(clock.pendingTimers, 0);
  }
});
