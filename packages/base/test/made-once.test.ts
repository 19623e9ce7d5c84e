import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeOnce } from '../src/made-once.ts';

test('what could not be made is made again at the next use, and then kept', async () => {
  let attempts = 0;
  const get = madeOnce(async () => {
    attempts += 1;
    if (attempts === 1) throw new Error('too many open files');
    return { attempts };
  });
  const [first, second] = [get(), get()];
  await assert.rejects(first, /too many open files/);
  await assert.rejects(second, /too many open files/);
  const made = await get();
  assert.equal(made.attempts, 2);
  assert.equal(await get(), made);
});
