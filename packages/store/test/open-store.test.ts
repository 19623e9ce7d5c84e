import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { hygiene, manualClock, temporaryFolder, waitFor } from '@fairlead/testing';
import { openStore, storeErrors } from '../src/index.ts';
import { startProgram } from './child-program.ts';
import { addNote, noteIds, notesMigration, openNotes } from './notes-store.ts';

const second = { name: '0002-tags', statements: ['CREATE TABLE tags (name TEXT PRIMARY KEY) STRICT'] };

function open(path: string) {
  return openStore({ path, clock: manualClock(), migrations: [notesMigration] });
}

test('the product database has the peer-local tables and those of the log, and opens again', async (t) => {
  hygiene(t);
  const path = join(temporaryFolder(t), 'fairlead.db');
  for (let round = 0; round < 2; round += 1) {
    const store = await openStore({ path, clock: manualClock() });
    const tables = await store.read<{ name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'words_*' ORDER BY name",
    );
    assert.deepEqual(
      tables.map((row) => row.name),
      [
        'agent_seed',
        'approvals',
        'arrival_floor',
        'arrivals',
        'bindings',
        'catalogs',
        'chains',
        'commits',
        'cursors',
        'databases',
        'dropped_roots',
        'embeddings',
        'extension_failures',
        'extension_outputs',
        'folder_manifests',
        'host_state',
        'journal',
        'latest',
        'places',
        'places_floor',
        'posted',
        'quarantine',
        'records',
        'registers',
        'removed_banks',
        'routine_state',
        'searched',
        'secrets',
        'session_local',
        'skill_installs',
        'skill_pins',
        'slots',
        'stores',
        'tokens',
        'turns',
        'usage',
        'wakes',
        'words',
      ],
    );
    await store.close();
  }
});

test('the settings of the connection are those that durability and safety need', async (t) => {
  hygiene(t);
  const { store } = await openNotes(temporaryFolder(t));
  const setting = async (name: string) => (await store.read<object>(`PRAGMA ${name}`)).flatMap(Object.values);
  assert.deepEqual(await setting('journal_mode'), ['wal']);
  assert.deepEqual(await setting('synchronous'), [2]);
  assert.deepEqual(await setting('foreign_keys'), [1]);
  assert.deepEqual(await setting('fullfsync'), [1]);
  assert.deepEqual(await setting('busy_timeout'), [2000]);
  assert.deepEqual(await setting('trusted_schema'), [0]);
  assert.deepEqual(await setting('application_id'), [0x464c4442]);
  assert.deepEqual(await setting('user_version'), [1]);
  await store.close();
});

test('only the owner can open the database and the files beside it', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const modes = () =>
    ['notes.db', 'notes.db-wal', 'notes.db-shm'].map((name) => statSync(join(folder, name)).mode & 0o777);
  const { store, path } = await openNotes(folder);
  await store.write([addNote('a')]);
  assert.deepEqual(modes(), [0o600, 0o600, 0o600]);
  for (const name of [path, `${path}-wal`, `${path}-shm`]) chmodSync(name, 0o644);
  const again = await openNotes(folder);
  await again.store.write([addNote('b')]);
  assert.deepEqual(modes(), [0o600, 0o600, 0o600]);
  await again.store.close();
  await store.close();
});

test('migrations are applied once, in order, to a database that lacks them', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const first = await openNotes(folder);
  await first.store.write([addNote('kept')]);
  await first.store.close();
  const { store } = await openNotes(folder, [notesMigration, second]);
  await store.write([{ sql: "INSERT INTO tags VALUES ('red')" }]);
  assert.deepEqual(await noteIds(store), ['kept']);
  await store.close();
});

test('a database with a newer schema is refused, untouched, with the next step', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const newer = await openNotes(folder, [notesMigration, second]);
  await newer.store.close();
  const before = readFileSync(newer.path);
  await assert.rejects(openNotes(folder), {
    code: 'schema_newer',
    message: 'The database was written by a newer Fairlead than this one.',
    detail: { found: 2, supported: 1 },
  });
  assert.deepEqual(readFileSync(newer.path), before);
  assert.equal(
    storeErrors.schema_newer.next,
    'Start the newer Fairlead again, or restore a backup that was made before the upgrade.',
  );
});

test('a migration that fails leaves the version before it', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const broken = { name: '0002-broken', statements: [...second.statements, 'CREATE TABLE tags (x)'] };
  await assert.rejects(openNotes(folder, [notesMigration, broken]), {
    code: 'store_migration_failed',
    detail: { migration: '0002-broken' },
  });
  const { store } = await openNotes(folder);
  assert.deepEqual(await noteIds(store), []);
  await assert.rejects(store.read('SELECT * FROM tags'), { code: 'store_statement_invalid' });
  await store.close();
  const mended = await openNotes(folder, [notesMigration, second]);
  assert.deepEqual(await mended.store.read('SELECT * FROM tags'), []);
  await mended.store.close();
});

test('a process killed in the middle of a migration leaves the version before it', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const { store, path } = await openNotes(folder);
  await store.write([addNote('kept')]);
  await store.close();
  const migrating = startProgram('migrate-slowly.ts', [path]);
  await waitFor(() => existsSync(`${path}-wal`) && statSync(`${path}-wal`).size > 1_000_000, {
    what: 'a migration that has written a megabyte',
    timeoutMs: 30_000,
  });
  await migrating.kill();
  const again = await openNotes(folder, [notesMigration, second]);
  assert.deepEqual(await noteIds(again.store), ['kept']);
  assert.deepEqual(await again.store.read('SELECT * FROM tags'), []);
  await assert.rejects(again.store.read('SELECT * FROM slow'), { code: 'store_statement_invalid' });
  await again.store.close();
});

test('a file that is no database, or another program’s, is refused and left as it is', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const text = join(folder, 'text.db');
  writeFileSync(text, 'a letter to somebody, and not a database at all\n'.repeat(40));
  const before = readFileSync(text);
  await assert.rejects(open(text), { code: 'store_not_a_database' });
  assert.deepEqual(readFileSync(text), before);

  const foreign = join(folder, 'foreign.db');
  const other = new DatabaseSync(foreign);
  other.exec('CREATE TABLE theirs (x)');
  other.close();
  const theirs = readFileSync(foreign);
  await assert.rejects(open(foreign), { code: 'store_foreign_database' });
  assert.deepEqual(readFileSync(foreign), theirs);

  mkdirSync(join(folder, 'folder.db'));
  await assert.rejects(open(join(folder, 'folder.db')), { code: 'store_not_a_database' });
  await assert.rejects(open(join(folder, 'missing', 'notes.db')), { code: 'store_folder_missing' });
  await assert.rejects(open(join(text, 'notes.db')), { code: 'store_folder_missing' });
  symlinkSync(join(folder, 'nowhere'), join(folder, 'dangling.db'));
  await assert.rejects(open(join(folder, 'dangling.db')), { code: 'store_folder_missing' });
});

test('an empty file is made a database', async (t) => {
  hygiene(t);
  const path = join(temporaryFolder(t), 'empty.db');
  writeFileSync(path, '');
  const store = await open(path);
  assert.deepEqual(await noteIds(store), []);
  await store.close();
});

test('a damaged page is store_corrupt when it is met', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const first = await openNotes(folder);
  for (let index = 0; index < 20; index += 1)
    await first.store.write([addNote(`n${index}`, 'x'.repeat(3000))], 'normal');
  await first.store.close();
  const bytes = readFileSync(first.path);
  for (let page = 2; page * 4096 < bytes.length; page += 1) bytes.fill(0xee, page * 4096, page * 4096 + 64);
  writeFileSync(first.path, bytes);
  const { store } = await openNotes(folder);
  await assert.rejects(store.read('SELECT sum(length(body)) FROM notes'), { code: 'store_corrupt' });
  await assert.rejects(store.write([addNote('n1')]), { code: 'store_corrupt' });
  await store.close();

  bytes.fill(0xee, 100, 4096);
  writeFileSync(first.path, bytes);
  await assert.rejects(openNotes(folder), { code: 'store_corrupt' });
});

test('another program that holds the database makes a write store_busy, and nothing is lost', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const { store, path } = await openNotes(folder);
  await store.read('PRAGMA busy_timeout = 1');
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  const refused = await Promise.allSettled([store.write([addNote('a')]), store.write([addNote('b')])]);
  assert.deepEqual(
    refused.map((answer) => (answer.status === 'rejected' ? answer.reason.code : 'done')),
    ['store_busy', 'store_busy'],
  );
  other.exec('COMMIT');
  other.close();
  await store.write([addNote('a')]);
  assert.deepEqual(await noteIds(store), ['a']);
  await store.close();
});
