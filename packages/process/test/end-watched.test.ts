import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '@fairlead/base';
import type { ProcessReader, ProcessRow } from '../src/process-table/process-reader.ts';
import { endWatched } from '../src/watchdog/end-watched.ts';

function row(pid: number, started: number): ProcessRow {
  return { pid, parent: 1, group: pid, session: pid, started, ended: false };
}

test('whom a slow watchdog has stopped is ended, though the time for it is over before the first look', async () => {
  const sent: string[] = [];
  const reader: ProcessReader = {
    async read() {
      const rows = new Map([[1, row(1, 0)]]);
      if (sent.length === 0) rows.set(8, row(8, 5));
      return { rows, environmentHolds: () => false };
    },
    row: () => null,
    isCurrent: () => true,
  };
  // As on a machine that gives this process no time: two seconds are gone whenever it looks at the clock.
  let nowMs = 0;
  const clock: Clock = {
    monotonicMs: () => {
      nowMs += 2_000;
      return nowMs;
    },
    wallMs: () => nowMs,
    setTimer: (_delayMs, fire) => {
      fire();
      return { cancel() {} };
    },
  };
  await endWatched({
    watched: new Map([[8, 5]]),
    mark: Buffer.from('x'),
    since: 1,
    reader,
    signal: (pid, signal) => void sent.push(`${signal} ${pid}`),
    clock,
  });
  assert.deepEqual(sent, ['SIGKILL 8']);
});
