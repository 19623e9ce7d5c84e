import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '@fairlead/testing';
import { Moment } from '../../src/install/moment.ts';
import { within } from '../../src/install/within.ts';

test('whoever waits for a moment is told once, at once where it has come, and never after letting go', () => {
  const moment = new Moment();
  const told: string[] = [];
  moment.tell(() => told.push('first'));
  const letGo = moment.tell(() => told.push('second'));
  letGo();
  assert.equal(moment.hasCome, false);
  moment.come();
  moment.come();
  moment.tell(() => told.push('third'));
  assert.equal(moment.hasCome, true);
  assert.deepEqual(told, ['first', 'third']);
});

test('a host that loaded and unloaded extensions for weeks keeps nothing of those that are gone', async () => {
  // A promise that does not settle keeps everyone who raced against it: each load kept its worker until the host ended.
  const moment = new Moment();
  const clock = manualClock();
  for (let load = 0; load < 100; load += 1) {
    assert.deepEqual(await within(clock, 1_000, Promise.resolve(load), moment), { value: load });
    await moment.before(Promise.resolve());
    await assert.rejects(moment.before(Promise.reject(new Error('broken'))), { message: 'broken' });
  }
  assert.equal(moment.waiting, 0);
});

test('what is waited for is given up when the moment comes', async () => {
  const moment = new Moment();
  const clock = manualClock();
  const never = new Promise<void>(() => {});
  const [work, idle] = [within(clock, 1_000, never, moment), moment.before(never)];
  assert.equal(moment.waiting, 2);
  moment.come();
  assert.equal(await work, 'given_up');
  await idle;
  assert.equal(await within(clock, 1_000, never, moment), 'given_up');
});
