import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '@fairlead/testing';
import { Family } from '../src/family/family.ts';
import type { ProcessReader, ProcessRow } from '../src/process-table/process-reader.ts';
import { endFamily } from '../src/tree/end-family.ts';

/** Null: the table could not be read. */
type Look = readonly (readonly [number, number, number])[] | null;

/** A machine whose process table is one look after the other; the last one stays. */
function machine(looks: readonly Look[], current: (pid: number) => boolean = () => true) {
  const clock = manualClock();
  const sent: string[] = [];
  let read = 0;
  const reader: ProcessReader = {
    async read() {
      const rows = new Map<number, ProcessRow>();
      const look = looks[Math.min(read, looks.length - 1)] ?? null;
      if (look !== null) rows.set(1, { pid: 1, parent: 0, group: 1, session: 1, started: 0, ended: false });
      for (const [pid, parent, started] of look ?? [])
        rows.set(pid, { pid, parent, group: 7, session: 7, started, ended: false });
      read += 1;
      return { rows, environmentHolds: () => false };
    },
    row: () => null,
    isCurrent: ({ pid }) => current(pid),
  };
  let collect: () => void = () => {};
  let isCollected = false;
  const collected = new Promise<void>((resolve) => {
    collect = () => {
      isCollected = true;
      resolve();
    };
  });
  const ending = endFamily({
    family: new Family({ root: { pid: 7, started: 1 }, mark: Buffer.from('x'), spared: [] }),
    reader,
    signal: (pid, signal) => {
      sent.push(`${signal} ${pid}`);
      if (signal === 'SIGKILL' && pid === -7 && looks.length > 1) collect();
    },
    clock,
    budgetMs: 1000,
    pid: 7,
    isCollected: () => isCollected,
    collected,
  });
  return { clock, sent, ending, reads: () => read, collect: () => collect() };
}

test('the group is stopped before the first look, then killed with everybody found', async () => {
  const { sent, ending, reads, clock } = machine([
    [
      [7, 1, 1],
      [8, 7, 2],
    ],
    [],
  ]);
  await clock.advance(50);
  assert.equal(await ending, 0);
  assert.deepEqual(sent, ['SIGSTOP -7', 'SIGKILL -7', 'SIGKILL 7', 'SIGKILL 8']);
  assert.equal(reads(), 3);
});

test('a table that cannot be read is no proof either, and counts as one who is left', async () => {
  const blind = machine([null, null]);
  await blind.clock.advance(1500);
  assert.equal(await blind.ending, 1);
  const blinded = machine([[[7, 1, 1]], [], null, [], []]);
  await blinded.clock.advance(100);
  assert.equal(await blinded.ending, 0);
  assert.equal(blinded.reads(), 5);
});

test('one look that finds nobody is no proof', async () => {
  const { sent, ending, clock, reads } = machine([[[7, 1, 1]], [], [[9, 1, 3]], [], []]);
  await clock.advance(100);
  assert.equal(await ending, 0);
  assert.equal(sent.includes('SIGKILL 9'), true);
  assert.equal(reads(), 5);
});

test('a number that changed hands after the look is not signalled', async () => {
  const { sent, ending, clock } = machine(
    [
      [
        [7, 1, 1],
        [8, 7, 2],
      ],
      [],
    ],
    (pid) => pid !== 8,
  );
  await clock.advance(50);
  await ending;
  assert.deepEqual(sent, ['SIGSTOP -7', 'SIGKILL -7', 'SIGKILL 7']);
});

test('a group whose leader was collected is not signalled as a group', async () => {
  const { sent, ending, clock } = machine([[[7, 1, 1]], [[8, 1, 2]], []]);
  await clock.advance(50);
  assert.equal(await ending, 0);
  assert.deepEqual(
    sent.filter((line) => line.includes('-7')),
    ['SIGSTOP -7', 'SIGKILL -7'],
  );
  assert.equal(sent.includes('SIGKILL 8'), true);
});

test('what cannot be killed is given up when the budget is over, and counted', async () => {
  const { ending, clock, reads } = machine([
    [
      [7, 1, 1],
      [8, 7, 2],
    ],
  ]);
  let survivors: number | null = null;
  void ending.then((count) => {
    survivors = count;
  });
  await clock.advance(999);
  assert.equal(survivors, null);
  await clock.advance(1);
  assert.equal(await ending, 2);
  assert.equal(reads() < 70, true);
});

test('a leader that is never collected does not hold it up for ever', async () => {
  const { ending, clock } = machine([[]]);
  await clock.advance(1000);
  assert.equal(await ending, 0);
});
