import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { committedTransactions } from './log-frames.ts';
import { addNote, noteIds, openNotes } from './notes-store.ts';

test('a batch is committed whole and says how many rows each statement changed', async (t) => {
  hygiene(t);
  const { store } = await openNotes(temporaryFolder(t));
  const { changes } = await store.write([
    addNote('a'),
    addNote('b'),
    { sql: "UPDATE notes SET body = 'new'" },
    { sql: "DELETE FROM notes WHERE id = 'none'" },
  ]);
  assert.deepEqual(changes, [1, 1, 2, 0]);
  assert.deepEqual(await store.read('SELECT id, body FROM notes WHERE id > ?', ['a']), [
    Object.assign(Object.create(null), { id: 'b', body: 'new' }),
  ]);
  assert.deepEqual((await store.write([])).changes, []);
  await store.close();
});

test('every kind of value comes back as it went in', async (t) => {
  hygiene(t);
  const { store } = await openNotes(temporaryFolder(t), [
    { name: '0001-kinds', statements: ['CREATE TABLE kinds (value ANY) STRICT'] },
  ]);
  const values = [null, 1.5, 9007199254740991, 'text \u0000 and more', new Uint8Array([0, 255])];
  await store.write(values.map((value) => ({ sql: 'INSERT INTO kinds VALUES (?)', parameters: [value] })));
  const rows = await store.read<{ value: unknown }>('SELECT value FROM kinds ORDER BY rowid');
  assert.deepEqual(
    rows.map((row) => row.value),
    values,
  );
  await store.close();
});

test('batches that wait at the same time share one commit', async (t) => {
  hygiene(t);
  const { store, path } = await openNotes(temporaryFolder(t));
  const before = committedTransactions(path);
  await Promise.all(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((id) => store.write([addNote(id)])));
  assert.equal(committedTransactions(path) - before, 1);
  await store.write([addNote('h')]);
  assert.equal(committedTransactions(path) - before, 2);
  assert.deepEqual(await noteIds(store), ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
  await store.close();
});

test('a writer alone does not wait for the end of the turn, eight times in a row', async (t) => {
  hygiene(t);
  const { store, path } = await openNotes(temporaryFolder(t));
  const before = committedTransactions(path);
  for (const round of ['first', 'second']) {
    const turn = turnOf();
    for (let index = 0; index < 8; index += 1) {
      await store.write([addNote(`${round} ${index}`)]);
      assert.equal(turn.ended, false);
    }
    await store.write([addNote(`${round} 8`)]);
    assert.equal(turn.ended, true);
  }
  assert.equal(committedTransactions(path) - before, 18);
  await store.close();
});

test('writers that ask at different moments of one turn share its end, but for the first', async (t) => {
  hygiene(t);
  const { store, path } = await openNotes(temporaryFolder(t));
  const before = committedTransactions(path);
  const moments = ['a', 'b', 'c', 'd'].map(
    (id) => new Promise((resolve) => setImmediate(() => resolve(store.write([addNote(id)])))),
  );
  await Promise.all(moments);
  assert.equal(committedTransactions(path) - before, 2);
  await store.close();
});

test('a writer that has met company waits for the end of the turn until it is alone again', async (t) => {
  hygiene(t);
  const { store, path } = await openNotes(temporaryFolder(t));
  const before = committedTransactions(path);
  const busy = turnOf();
  await Promise.all([store.write([addNote('a')]), store.write([addNote('b')])]);
  assert.equal(busy.ended, false);
  const c = store.write([addNote('c')]);
  await Promise.resolve();
  const d = store.write([addNote('d')]);
  await Promise.all([c, d]);
  assert.equal(busy.ended, true);
  assert.equal(committedTransactions(path) - before, 2);
  // Alone, it waits for the last time.
  await new Promise((resolve) => setImmediate(resolve));
  const last = turnOf();
  await store.write([addNote('e')]);
  assert.equal(last.ended, true);
  const quiet = turnOf();
  await store.write([addNote('f')]);
  assert.equal(quiet.ended, false);
  assert.equal(committedTransactions(path) - before, 4);
  await store.close();
});

test('more batches than one commit takes go in the next ones, in order', async (t) => {
  hygiene(t);
  const { store, path } = await openNotes(temporaryFolder(t));
  const before = committedTransactions(path);
  const order: number[] = [];
  await Promise.all(
    Array.from({ length: 600 }, async (_, index) => {
      await store.write([addNote(`n${index}`)], 'normal');
      order.push(index);
    }),
  );
  assert.equal(committedTransactions(path) - before, 3);
  assert.deepEqual(
    order,
    Array.from({ length: 600 }, (_, index) => index),
  );
  await store.close();
});

test('a batch that fails is undone alone; its neighbours in the same commit stand', async (t) => {
  hygiene(t);
  const { store } = await openNotes(temporaryFolder(t));
  const answers = await Promise.allSettled([
    store.write([addNote('a')]),
    store.write([addNote('undone'), addNote('a')]),
    store.write([addNote('b'), { sql: 'INSERT INTO nowhere VALUES (1)' }]),
    store.write([{ sql: 'INSERT INTO notes (id, body) VALUES (?, ?)', parameters: ['c', null] }]),
    store.write([addNote('d')]),
  ]);
  assert.deepEqual(
    answers.map((answer) =>
      answer.status === 'fulfilled' ? 'done' : [answer.reason.code, answer.reason.detail],
    ),
    [
      'done',
      ['store_constraint_failed', { rule: 'unique' }],
      ['store_statement_invalid', undefined],
      ['store_constraint_failed', { rule: 'not_null' }],
      'done',
    ],
  );
  assert.deepEqual(await noteIds(store), ['a', 'd']);
  await store.close();
});

test('a batch alone in its commit is undone when its last statement fails', async (t) => {
  hygiene(t);
  const { store } = await openNotes(temporaryFolder(t));
  await assert.rejects(store.write([addNote('a'), addNote('a')]), { code: 'store_constraint_failed' });
  assert.deepEqual(await noteIds(store), []);
  await store.close();
});

test('a batch that takes the whole transaction down does not take its neighbours with it', async (t) => {
  hygiene(t);
  const { store } = await openNotes(temporaryFolder(t));
  await store.write([addNote('a')]);
  const answers = await Promise.allSettled([
    store.write([addNote('b')]),
    store.write([addNote('b')]),
    store.write([
      { sql: 'INSERT OR ROLLBACK INTO notes (id, body) VALUES (?, ?)', parameters: ['a', 'again'] },
    ]),
    store.write([addNote('c')]),
  ]);
  assert.deepEqual(
    answers.map((answer) => answer.status),
    ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
  );
  assert.deepEqual(await noteIds(store), ['a', 'b', 'c']);
  await store.close();
});

test('a batch whose fault shows only at the commit does not take its neighbours with it', async (t) => {
  hygiene(t);
  const { store } = await openNotes(temporaryFolder(t));
  const answers = await Promise.allSettled([
    store.write([addNote('a')]),
    store.write([{ sql: "INSERT INTO pages (id, note) VALUES ('p', 'missing')" }]),
    store.write([addNote('b')]),
  ]);
  assert.deepEqual(
    answers.map((answer) => (answer.status === 'fulfilled' ? 'done' : answer.reason.detail)),
    ['done', { rule: 'foreign_key' }, 'done'],
  );
  assert.deepEqual(await noteIds(store), ['a', 'b']);
  assert.deepEqual(await store.read('SELECT * FROM pages'), []);
  await store.close();
});

test('a full batch is synced and a normal one is not, whatever came before it', async (t) => {
  hygiene(t);
  const { store } = await openNotes(temporaryFolder(t));
  const synchronous = async () => (await store.read<object>('PRAGMA synchronous')).map(Object.values);
  await store.write([addNote('a')], 'normal');
  assert.deepEqual(await synchronous(), [[1]]);
  await store.write([addNote('b')]);
  assert.deepEqual(await synchronous(), [[2]]);
  await store.write([addNote('c')], 'normal');
  assert.deepEqual(await synchronous(), [[1]]);
  await Promise.all([store.write([addNote('d')], 'normal'), store.write([addNote('e')], 'full')]);
  assert.deepEqual(await synchronous(), [[2]]);
  await store.close();
});

test('a read sees what is committed, never a batch that waits', async (t) => {
  hygiene(t);
  const { store } = await openNotes(temporaryFolder(t));
  const write = store.write([addNote('a')]);
  assert.deepEqual(await noteIds(store), []);
  await write;
  assert.deepEqual(await noteIds(store), ['a']);
  await assert.rejects(store.read('SELECT * FROM nowhere'), { code: 'store_statement_invalid' });
  await store.close();
});

test('too many waiting batches and too long batches are refused', async (t) => {
  hygiene(t);
  const { store } = await openNotes(temporaryFolder(t));
  const long = Array.from({ length: 1001 }, (_, index) => addNote(`long${index}`));
  await assert.rejects(store.write(long), { code: 'store_statement_invalid' });
  const waiting = Array.from({ length: 4096 }, (_, index) => store.write([addNote(`n${index}`)], 'normal'));
  await assert.rejects(store.write([addNote('one more')]), { code: 'store_busy' });
  await Promise.all(waiting);
  assert.equal((await noteIds(store)).length, 4096);
  await store.close();
});

test('closing commits what waits, leaves no log behind and refuses what comes later', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const { store, path, clock } = await openNotes(folder);
  const writes = Array.from({ length: 300 }, (_, index) => store.write([addNote(`n${index}`)]));
  await store.close();
  await Promise.all(writes);
  assert.equal(clock.pendingTimers, 0);
  await assert.rejects(async () => committedTransactions(path), { code: 'ENOENT' });
  await assert.rejects(store.write([addNote('late')]), { code: 'store_closed' });
  await assert.rejects(store.read('SELECT 1'), { code: 'store_closed' });
  await store.close();
  {
    await using again = (await openNotes(folder)).store;
    assert.equal((await noteIds(again)).length, 300);
  }
});

test('the log is copied into the database once writing has been quiet', async (t) => {
  hygiene(t);
  const { store, path, clock } = await openNotes(temporaryFolder(t));
  const inDatabase = () => readFileSync(path).includes('a marker');
  await store.write([addNote('a', 'a marker')]);
  await clock.advance(1000);
  assert.equal(inDatabase(), false);
  await clock.advance(1000);
  assert.equal(inDatabase(), true);
  assert.equal(clock.pendingTimers, 0);
  await store.write([addNote('b', 'more')]);
  await clock.advance(999);
  await store.write([addNote('c', 'a second marker')]);
  await clock.advance(2001);
  assert.equal(readFileSync(path).includes('a second marker'), true);
  await store.close();
});

test('more different statements than are kept prepared still work', async (t) => {
  hygiene(t);
  const { store } = await openNotes(temporaryFolder(t));
  for (let index = 0; index < 300; index += 1)
    assert.deepEqual(Object.values((await store.read<object>(`SELECT ${index} AS n`))[0] ?? {}), [index]);
  await store.write([addNote('a')]);
  assert.deepEqual(await noteIds(store), ['a']);
  await store.close();
});

/** Tells whether the turn of the event loop in which it was called has ended. */
function turnOf(): { readonly ended: boolean } {
  const turn = { ended: false };
  setImmediate(() => {
    turn.ended = true;
  });
  return turn;
}
