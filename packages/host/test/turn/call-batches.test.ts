import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Effect } from '../../src/policy/tool-policy.ts';
import { callBatches, runBatch } from '../../src/turn/call-batches.ts';

const EFFECTS: Readonly<Record<string, Effect>> = { r: 'read', n: 'records', w: 'write' };
const batchesOf = (calls: string) =>
  callBatches(calls.split(''), (call) => EFFECTS[call] ?? 'write').map((batch) => batch.join(''));

test('neighbours that only read go together, anything else alone and in its place', () => {
  assert.deepEqual(batchesOf('rrwrnnrrr'), ['rr', 'w', 'r', 'n', 'n', 'rrr']);
  assert.deepEqual(batchesOf('www'), ['w', 'w', 'w']);
  assert.deepEqual(batchesOf(''), []);
});

test('at most so many run at once, the next begins where one ended, and the answers stand in their order', async () => {
  const waiting: (() => void)[] = [];
  const began: number[] = [];
  const running = runBatch([0, 1, 2, 3], 2, async (call) => {
    began.push(call);
    await new Promise<void>((resolve) => waiting.push(resolve));
    return `end ${call}`;
  });
  assert.deepEqual(began, [0, 1]);
  waiting[1]?.();
  await new Promise(setImmediate);
  assert.deepEqual(began, [0, 1, 2]);
  waiting[2]?.();
  await new Promise(setImmediate);
  waiting[0]?.();
  waiting[3]?.();
  assert.deepEqual(await running, ['end 0', 'end 1', 'end 2', 'end 3']);
});

test('a call that cannot be written down lets the others end before it is told', async () => {
  const ended: number[] = [];
  const running = runBatch([0, 1], 8, async (call) => {
    if (call === 0) throw new Error('disk full');
    await new Promise(setImmediate);
    ended.push(call);
    return call;
  });
  await assert.rejects(running, /disk full/);
  assert.deepEqual(ended, [1]);
});
