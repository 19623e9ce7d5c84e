import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '@fairlead/testing';
import { untilExtensionsSettled } from '../src/extensions/until-extensions-settled.ts';

function waiting() {
  const clock = manualClock();
  const settled = Promise.withResolvers<void>();
  const givenUp = Promise.withResolvers<void>();
  const printed: string[] = [];
  const ended = untilExtensionsSettled(
    { clock, stderr: (text) => void printed.push(text) },
    { settled: settled.promise },
    givenUp.promise,
  );
  return { clock, settle: settled.resolve, giveUp: givenUp.resolve, printed, ended };
}

test('folders that are loaded within a second are waited for without a word', async () => {
  const { clock, settle, printed, ended } = waiting();
  settle();
  assert.equal(await ended, true);
  assert.deepEqual([printed, clock.pendingTimers], [[], 0]);
});

test('a folder that loads for a minute is waited for, and that is said', async () => {
  const { clock, settle, printed, ended } = waiting();
  await clock.advance(60_000);
  assert.deepEqual(printed, ['fairlead: loading extensions …\n']);
  settle();
  assert.equal(await ended, true);
});

test('whoever stops the start does not wait for what still loads', async () => {
  const { giveUp, ended } = waiting();
  giveUp();
  assert.equal(await ended, false);
});
