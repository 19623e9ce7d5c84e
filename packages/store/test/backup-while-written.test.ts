import assert from 'node:assert/strict';
import { join } from 'node:path';
import { backup as copyDatabase, DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { copyWhileWritten } from '../src/sqlite/copy-while-written.ts';
import { sqliteFault } from '../src/sqlite/sqlite-fault.ts';

const refused = (errcode: number) =>
  Object.assign(new Error('refused'), { code: 'ERR_SQLITE_ERROR', errcode });

describe('a backup that begins while a transaction is open', () => {
  test('succeeds, each of many, beside somebody who writes all the time', async (t) => {
    hygiene(t);
    const folder = temporaryFolder(t);
    using database = new DatabaseSync(join(folder, 'written.db'));
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE rows (text TEXT)');
    const insert = database.prepare('INSERT INTO rows VALUES (?)');
    let isOver = false;
    const writing = (async () => {
      while (!isOver) {
        database.exec('BEGIN IMMEDIATE');
        for (let row = 0; row < 100; row += 1) insert.run('a row');
        database.exec('COMMIT');
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    let begun = 0;
    // Begun as often as it takes: how often it is refused depends on the machine.
    for (let nth = 0; nth < 10; nth += 1)
      await copyWhileWritten(() => {
        begun += 1;
        return copyDatabase(database, join(folder, `copy-${nth}.db`));
      }, 100_000);
    isOver = true;
    await writing;
    t.diagnostic(`${begun - 10} of ${begun} were refused at their first step`);
    using copy = new DatabaseSync(join(folder, 'copy-9.db'), { readOnly: true });
    const { rows } = copy.prepare('SELECT count(*) AS rows FROM rows').get() as { readonly rows: number };
    assert.equal(rows % 100, 0, 'no half of a transaction');
  });

  for (const errcode of [0, 5, 6])
    test(`is begun again where it was refused as ${errcode}`, async () => {
      const answers = [refused(errcode), refused(errcode), null];
      await copyWhileWritten(async () => {
        const answer = answers.shift();
        if (answer !== null) throw answer;
      });
      assert.deepEqual(answers, []);
    });

  test('any other fault is told at once', async () => {
    let begun = 0;
    const full = refused(13);
    const copy = async () => {
      begun += 1;
      throw full;
    };
    await assert.rejects(copyWhileWritten(copy), full);
    assert.equal(begun, 1);
  });

  test('one that is refused for ever ends as store_busy', async () => {
    let begun = 0;
    const copy = async () => {
      begun += 1;
      throw refused(0);
    };
    await assert.rejects(copyWhileWritten(copy, 3), (error) => sqliteFault(error).code === 'store_busy');
    assert.equal(begun, 3);
  });
});
