import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RoundEvents } from './round-events.ts';

test('what happened before the round was over has happened: a step behind a long pause is still taken', async () => {
  const events = new RoundEvents();
  const over = new AbortController();
  events.happened({ on: 'ledger', call: 0 });
  over.abort();
  assert.equal(await events.until({ on: 'ledger', call: 0 }, over.signal), true);
  assert.equal(await events.until({ on: 'ledger', call: 1 }, over.signal), false);
});

test('whoever waits learns that it happens, or that the round is over', async () => {
  const events = new RoundEvents();
  const over = new AbortController();
  const [comes, never] = [0, 1].map((call) => events.until({ on: 'sent', call }, over.signal));
  events.happened({ on: 'sent', call: 0 });
  over.abort();
  assert.deepEqual([await comes, await never], [true, false]);
});
