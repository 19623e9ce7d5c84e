import assert from 'node:assert/strict';
import { test } from 'node:test';
import { delay } from '@fairlead/base';
import { manualClock } from '../src/index.ts';

test('time stands still until it is advanced', async () => {
  const clock = manualClock();
  assert.deepEqual([clock.monotonicMs(), clock.wallMs()], [0, 1_767_225_600_000]);
  await clock.advance(1500);
  assert.deepEqual([clock.monotonicMs(), clock.wallMs()], [1500, 1_767_225_601_500]);
});

test('timers fire in order of time, then of setting, and see their own time', async () => {
  const clock = manualClock();
  const fired: string[] = [];
  const note = (name: string) => () => fired.push(`${name}@${clock.monotonicMs()}`);
  clock.setTimer(20, note('c'));
  clock.setTimer(10, note('a'));
  clock.setTimer(10, note('b'), { unref: true });
  clock.setTimer(31, note('never'));
  await clock.advance(30);
  assert.deepEqual(fired, ['a@10', 'b@10', 'c@20']);
  assert.equal(clock.pendingTimers, 1);
});

test('a timer set while firing fires in the same advance when it is due', async () => {
  const clock = manualClock();
  const fired: number[] = [];
  clock.setTimer(5, () => clock.setTimer(5, () => fired.push(clock.monotonicMs())));
  await clock.advance(10);
  assert.deepEqual(fired, [10]);
});

test('promise reactions run between timers', async () => {
  const clock = manualClock();
  const order: string[] = [];
  const twice = (async () => {
    await delay(clock, 10);
    order.push('woken');
    await delay(clock, 10);
    order.push('again');
  })();
  clock.setTimer(15, () => order.push('between'));
  await clock.advance(20);
  await twice;
  assert.deepEqual(order, ['woken', 'between', 'again']);
});

test('a cancelled timer never fires', async () => {
  const clock = manualClock();
  clock.setTimer(1, () => assert.fail('fired')).cancel();
  await clock.advance(10);
  assert.equal(clock.pendingTimers, 0);
});

test('the wall clock jumps without the monotonic one', () => {
  const clock = manualClock({ startWallMs: 1000 });
  clock.jumpWall(-400);
  assert.deepEqual([clock.monotonicMs(), clock.wallMs()], [0, 600]);
});
