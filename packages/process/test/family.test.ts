import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Family } from '../src/family/family.ts';
import type { ProcessRow, ProcessTable } from '../src/process-table/process-reader.ts';

/** pid, parent, session, started, and what else is special. */
type Entry = readonly [number, number, number, number, ('marked' | 'ended')?];

const RUNNER: Entry = [process.pid, 1, 50, 10];

function table(...entries: Entry[]): ProcessTable {
  const rows = new Map<number, ProcessRow>();
  for (const [pid, parent, session, started, special] of [RUNNER, ...entries])
    rows.set(pid, { pid, parent, group: session, session, started, ended: special === 'ended' });
  const marked = new Set(entries.filter(([, , , , special]) => special === 'marked').map(([pid]) => pid));
  return { rows, environmentHolds: (pid) => marked.has(pid) };
}

function family(spared: readonly number[] = [process.pid]): Family {
  return new Family({ root: { pid: 1000, started: 100 }, mark: Buffer.from('x'), spared });
}

function pids(rows: readonly ProcessRow[]): number[] {
  return rows.map(({ pid }) => pid).sort((left, right) => left - right);
}

const ROOT: Entry = [1000, process.pid, 1000, 100];

test('the root, its descendants, its session, and whoever carries the mark are members', () => {
  const members = family().members(
    table(
      ROOT,
      [1001, 1000, 1000, 101],
      [1002, 1001, 1002, 102],
      [1003, 1, 1000, 103],
      [1004, 1, 1004, 104, 'marked'],
      [1005, 1004, 1005, 105],
    ),
  );
  assert.deepEqual(pids(members), [1000, 1001, 1002, 1003, 1004, 1005]);
});

test('nobody else is', () => {
  const members = family([process.pid, 900]).members(
    table(
      ROOT,
      [900, 1000, 900, 101],
      [800, 1, 800, 99, 'marked'],
      [801, 800, 800, 101],
      [1001, 1, 1001, 101],
      [1002, process.pid, 50, 102],
      [1003, 1000, 1000, 103, 'ended'],
    ),
  );
  assert.deepEqual(pids(members), [1000]);
});

test('a session that a member made is the tree’s, though the member has ended by the next look', () => {
  const tree = family();
  tree.members(table(ROOT, [1001, 1000, 1001, 101]));
  assert.deepEqual(pids(tree.members(table([1002, 1, 1001, 102]))), [1002]);
});

test('a session whose leader has gone before is the tree’s by any member in it', () => {
  const found = family().members(table(ROOT, [1002, 1, 1001, 102, 'marked'], [1003, 1, 1001, 103]));
  assert.deepEqual(pids(found), [1000, 1002, 1003]);
});

test('the Runner’s own session, and one older than the tree, are not taken over', () => {
  const found = family().members(
    table(
      ROOT,
      [1001, 1, 50, 101, 'marked'],
      [1002, 1, 50, 102],
      [70, 1, 70, 20],
      [1003, 1, 70, 103, 'marked'],
      [1004, 1, 70, 104],
    ),
  );
  assert.deepEqual(pids(found), [1000, 1001, 1003]);
});

test('a member stays known when its parent has ended and nothing else shows it', () => {
  const tree = family();
  tree.members(table(ROOT, [1001, 1000, 1001, 101], [1002, 1001, 50, 102]));
  assert.deepEqual(pids(tree.members(table([1002, 1, 50, 102]))), [1002]);
});

test('a number that somebody else has by now is nobody of the tree', () => {
  const tree = family();
  tree.members(table(ROOT, [1001, 1000, 1001, 101]));
  const reused = table([1000, 1, 1000, 500], [1001, 1, 1001, 501], [1002, 1001, 1001, 502]);
  assert.deepEqual(tree.members(reused), []);
});

test('a session without a leader is given up when the number gets one', () => {
  const tree = family();
  tree.members(table(ROOT, [1002, 1, 1001, 102, 'marked']));
  assert.deepEqual(tree.members(table([1001, 1, 1001, 300], [1003, 1, 1001, 301])), []);
});

test('once the root’s session is empty its number is given up', () => {
  const tree = family();
  assert.equal(tree.rootIsGone(table([1001, 1, 1000, 101])), false);
  assert.deepEqual(pids(tree.members(table([1001, 1, 1000, 101]))), [1001]);
  const other = family();
  assert.equal(other.rootIsGone(table([1001, 1, 1001, 101])), true);
  assert.deepEqual(other.members(table([1002, 1, 1000, 102])), []);
});

test('where starts are not known the rest still holds', () => {
  const tree = new Family({ root: { pid: 1000, started: 0 }, mark: Buffer.from('x'), spared: [process.pid] });
  const found = tree.members(
    table([1000, process.pid, 1000, 0], [1001, 1000, 1001, 0], [1002, 1, 1000, 0], [1003, 1, 1003, 0]),
  );
  assert.deepEqual(pids(found), [1000, 1001, 1002]);
});

test('whatever the table: nothing older, ended or spared is a member, and children of members are', () => {
  const pid = fc.integer({ min: 990, max: 1010 });
  const entry = fc.tuple(
    pid,
    pid,
    pid,
    fc.integer({ min: 95, max: 110 }),
    fc.constantFrom(undefined, 'marked', 'ended'),
  );
  fc.assert(
    fc.property(fc.uniqueArray(entry, { selector: ([number]) => number, maxLength: 15 }), (entries) => {
      const members = family([process.pid, 995]).members(table(...(entries as unknown as Entry[])));
      const found = new Set(pids(members));
      for (const row of members) {
        assert.equal(row.started >= 100 && !row.ended && row.pid !== 995 && row.pid !== process.pid, true);
      }
      for (const [number, parent, , started, special] of entries) {
        const may = started >= 100 && special !== 'ended' && number !== 995;
        if (may && (found.has(parent) || special === 'marked')) assert.equal(found.has(number), true);
      }
    }),
  );
});
