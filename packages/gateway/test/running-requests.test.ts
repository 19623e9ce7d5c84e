import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '@fairlead/testing';
import { type RequestEnd, RunningRequests } from '../src/calls/running-requests.ts';

test('each request is cut at its own limit, in the order they came, with one timer', async () => {
  const clock = manualClock();
  const running = new RunningRequests(clock, 1_000);
  const ends: string[] = [];
  const begin = (name: string) => running.begin((why: RequestEnd) => ends.push(`${name} ${why}`));
  const first = begin('first');
  await clock.advance(400);
  begin('second');
  await clock.advance(100);
  const third = begin('third');
  assert.equal(clock.pendingTimers, 1);
  assert.equal(running.done(third), true);
  await clock.advance(500);
  assert.deepEqual(ends, ['first request_timeout']);
  assert.equal(running.done(first), false);
  await clock.advance(399);
  assert.equal(running.size, 1);
  await clock.advance(1);
  assert.deepEqual(ends, ['first request_timeout', 'second request_timeout']);
  assert.equal(clock.pendingTimers, 0);
  begin('fourth');
  assert.equal(clock.pendingTimers, 1);
});

test('a drain of nothing ends at once and leaves no timer', async () => {
  const clock = manualClock();
  const running = new RunningRequests(clock, 1_000);
  running.done(running.begin(() => undefined));
  await running.drain(500);
  assert.equal(clock.pendingTimers, 0);
});

test('a drain ends with the last request, or cuts what is left', async () => {
  const clock = manualClock();
  const running = new RunningRequests(clock, 10_000);
  const ends: RequestEnd[] = [];
  const entry = running.begin((why) => ends.push(why));
  const draining = running.drain(500);
  assert.equal(running.done(entry), true);
  await draining;
  assert.equal(ends.length, 0);
  running.begin((why) => ends.push(why));
  const again = running.drain(500);
  await clock.advance(500);
  await again;
  assert.deepEqual(ends, ['gateway_stopping']);
  assert.equal(running.size, 0);
});
