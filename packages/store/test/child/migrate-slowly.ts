// Opens the database with a second migration that takes longer than anybody waits.
import { systemClock } from '@fairlead/base';
import { openStore } from '../../src/index.ts';
import { notesMigration } from '../notes-store.ts';

const [path = ''] = process.argv.slice(2);
const slow = {
  name: '0002-slow',
  statements: [
    'CREATE TABLE slow (body TEXT NOT NULL) STRICT',
    `INSERT INTO slow WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 20000000)
     SELECT hex(randomblob(500)) FROM numbers`,
  ],
};
await openStore({ path, clock: systemClock(), migrations: [notesMigration, slow] });
