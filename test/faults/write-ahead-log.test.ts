import assert from 'node:assert/strict';
import { copyFileSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { temporaryFolder } from '@fairlead/testing';
import { cutLog, type LogEnd, logEnd } from './write-ahead-log.ts';

/** A database whose rows were each committed alone, and the end of its log behind each; copied as a killed process leaves it. */
function killed(folder: string, rows: number): { path: string; ends: LogEnd[] } {
  const live = join(folder, 'live.db');
  const database = new DatabaseSync(live);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (n INTEGER)');
  const ends: LogEnd[] = [];
  for (let row = 0; row < rows; row += 1) {
    database.exec(`INSERT INTO t VALUES (${row})`);
    ends.push(logEnd(live, ends.at(-1)));
  }
  const path = join(folder, 'killed.db');
  for (const tail of ['', '-wal']) copyFileSync(`${live}${tail}`, `${path}${tail}`);
  database.close();
  return { path, ends };
}

function rowsOf(path: string): number {
  const database = new DatabaseSync(path);
  try {
    assert.equal(database.prepare('PRAGMA integrity_check').get()?.['integrity_check'], 'ok');
    return Number(database.prepare('SELECT count(*) AS rows FROM t').get()?.['rows']);
  } finally {
    database.close();
  }
}

test('what was durable survives every cut, and of the rest so much as the cut leaves', (t) => {
  for (const [share, torn, expected] of [
    [0, false, 2],
    [0, true, 2],
    [0.5, false, 3],
    [0.49, true, 2],
    [1, false, 4],
    [1, true, 4],
  ] as const) {
    const { path, ends } = killed(temporaryFolder(t), 4);
    const lost = cutLog(path, ends[1] as LogEnd, { share, torn });
    assert.deepEqual([lost.bytes > 0, lost.isTorn], [share < 1, torn]);
    assert.equal(rowsOf(path), expected, `share ${share}, torn ${torn}`);
  }
});

test('where the log was begun anew since, all of it may go: what was durable stands in the database', (t) => {
  const folder = temporaryFolder(t);
  const { ends } = killed(folder, 2);
  const live = join(folder, 'live.db');
  const database = new DatabaseSync(live);
  database.exec('INSERT INTO t VALUES (9)');
  const anew = join(folder, 'anew.db');
  for (const tail of ['', '-wal']) copyFileSync(`${live}${tail}`, `${anew}${tail}`);
  database.close();
  cutLog(anew, ends[1] as LogEnd, { share: 0, torn: false });
  assert.equal(statSync(`${anew}-wal`).size, 0);
  assert.equal(rowsOf(anew), 2);
});

test('a database without a log has nothing to cut', (t) => {
  const path = join(temporaryFolder(t), 'none.db');
  assert.deepEqual(logEnd(path), { salt: '', end: 0 });
  assert.deepEqual(cutLog(path, { salt: '', end: 0 }, { share: 0, torn: true }), {
    bytes: 0,
    isTorn: false,
  });
  assert.equal(existsSync(`${path}-wal`), false);
});
