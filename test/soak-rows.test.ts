import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { temporaryFolder } from '@fairlead/testing';
import { Gate } from './soak/gate.ts';
import { CALL, sessionRows, times, together } from './soak/kept-rows.ts';
import { RowCensus, rowFaults } from './soak/row-census.ts';

/** A database with some tables of a host, and what adds to them. */
function database(t: TestContext) {
  const path = join(temporaryFolder(t), 'fairlead.db');
  const db = new DatabaseSync(path);
  t.after(() => db.close());
  db.exec(`CREATE TABLE commits (n INTEGER PRIMARY KEY, ops TEXT NOT NULL);
    CREATE TABLE records (n INTEGER); CREATE TABLE journal (seq INTEGER PRIMARY KEY); CREATE TABLE turns (seq INTEGER PRIMARY KEY);
    CREATE TABLE bindings (seq INTEGER PRIMARY KEY); CREATE TABLE wishes (seq INTEGER PRIMARY KEY);
    CREATE VIRTUAL TABLE words USING fts5 (body);`);
  const commit = (...ops: readonly object[]) =>
    void db.prepare('INSERT INTO commits (ops) VALUES (?)').run(JSON.stringify(ops));
  const add = (table: string, count = 1) => {
    for (let left = count; left > 0; left -= 1) db.exec(`INSERT INTO ${table} DEFAULT VALUES`);
  };
  return { path, commit, add };
}

const entry = { op: 'append', table: 'entries', value: {} };
const switched = (key: string) => ({ op: 'put', table: 'extensions', key, value: {} });

test('what an action is to leave is no difference, however its operations lie in commits', (t) => {
  const { path, commit, add } = database(t);
  commit(entry, entry, entry);
  add('journal', 2);
  const census = new RowCensus(path);
  commit(entry);
  commit(entry, entry, entry);
  add('journal', 2);
  // Each of them is a record. Handles have a limit of their own.
  add('records', 4);
  add('bindings', 100);
  assert.deepEqual(census.compare(census.count(), times(2, CALL)), {
    unexplained: 0,
    missing: 0,
    tables: {},
  });
});

test('a row that no action accounts for is unexplained, also in a table that no action writes to', (t) => {
  const { path, commit, add } = database(t);
  const census = new RowCensus(path);
  commit(entry, entry, entry);
  add('records', 5);
  add('journal');
  add('wishes', 2);
  assert.deepEqual(census.compare(census.count(), CALL), {
    unexplained: 5,
    missing: 0,
    tables: { operations: 1, records: 2, wishes: 2 },
  });
});

test('a row that is missing in one table hides none that is too many in another', (t) => {
  const { path, commit, add } = database(t);
  const census = new RowCensus(path);
  commit(entry, entry);
  add('records', 2);
  add('turns', 3);
  const { unexplained, missing } = census.compare(census.count(), times(4, CALL));
  assert.deepEqual([unexplained, missing], [3, 10]);
});

test('once nothing is under way, over 16 rows too many or missing are a fault that names their tables', (t) => {
  const { path, add } = database(t);
  const census = new RowCensus(path);
  add('turns', 16);
  assert.deepEqual(rowFaults(census.compare(census.count(), { journal: 16 })), []);
  add('turns');
  assert.deepEqual(rowFaults(census.compare(census.count(), { journal: 17 })), [
    '17 rows are of no action: {"journal":-17,"turns":17}',
    '17 rows are missing: {"journal":-17,"turns":17}',
  ]);
});

test('the journal is pruned from 100,000 rows on: then none is missing, and more than that is too many', (t) => {
  const { path } = database(t);
  const census = new RowCensus(path);
  const found = (journal: number) => {
    const { unexplained, missing } = census.compare(
      { ...census.count(), tables: { journal } },
      { journal: 250_000 },
    );
    return [unexplained, missing];
  };
  assert.deepEqual(found(98_000), [0, 0]);
  assert.deepEqual(found(100_007), [7, 0]);
});

test('extensions that are on in a new session are counted, those that come and go are not', (t) => {
  const { path, commit, add } = database(t);
  const census = new RowCensus(path);
  commit({ op: 'author' }, { op: 'genesis' }, ...Array.from({ length: 5 }, () => entry));
  commit(switched('fs'), switched('core'), switched('noticeboard'), switched('three-scopes'));
  // Who writes, and the first commit, are no records.
  add('records', 9);
  const { databases: _d, chains: _c, stores: _s, session_local: _l, ...session } = sessionRows(2);
  assert.deepEqual(census.compare(census.count(), session).tables, {});
  commit(switched('fs'));
  add('records');
  assert.deepEqual(census.compare(census.count(), session).tables, { activations: 1 });
});

test('rows of several things are added up by table', () => {
  assert.deepEqual(together(CALL, { turns: 1 }, CALL), { operations: 4, journal: 2, turns: 1 });
});

test('what is done alone waits for what goes on, and holds back what comes', async () => {
  const gate = new Gate();
  const said: string[] = [];
  const { promise: first, resolve: end } = Promise.withResolvers<void>();
  const { promise: second, resolve: endAlone } = Promise.withResolvers<void>();
  const all = [
    gate.beside(async () => {
      await first;
      said.push('first');
    }),
    gate.alone(async () => {
      said.push('alone');
      await second;
      said.push('alone ends');
    }),
    gate.beside(async () => void said.push('late')),
  ];
  await turn();
  assert.deepEqual(said, []);
  end();
  await turn();
  assert.deepEqual(said, ['first', 'alone']);
  endAlone();
  await Promise.all(all);
  assert.deepEqual(said, ['first', 'alone', 'alone ends', 'late']);
});
