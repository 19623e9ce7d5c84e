import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { startProgram } from './child-program.ts';
import { addNote, noteIds, openNotes } from './notes-store.ts';

test('a write that finds no room is store_disk_full, and a smaller one beside it is kept', async (t) => {
  hygiene(t);
  const { store } = await openNotes(temporaryFolder(t));
  await store.read('PRAGMA max_page_count = 20');
  const answers = await Promise.allSettled([
    store.write([addNote('a')]),
    store.write([addNote('big', 'x'.repeat(200_000))]),
    store.write([addNote('b')]),
  ]);
  assert.deepEqual(
    answers.map((answer) => (answer.status === 'fulfilled' ? 'done' : answer.reason.code)),
    ['done', 'store_disk_full', 'done'],
  );
  assert.deepEqual(await noteIds(store), ['a', 'b']);
  await store.close();
});

test('a disk that fails under a write is store_io_failed, and what was acknowledged before is there', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  // The system refuses to let any file of this process pass 300 × 512 bytes, in the middle of a commit.
  const writer = startProgram('write-notes.ts', [join(folder, 'notes.db'), '5000'], { maxFileBlocks: 300 });
  const ids: string[] = [];
  let line = await writer.line();
  while (/^[abcd]-/.test(line)) {
    ids.push(line);
    line = await writer.line();
  }
  assert.equal(line, 'store_io_failed');
  await writer.kill();
  const { store } = await openNotes(folder);
  const kept = await noteIds(store);
  assert.ok(ids.length > 0);
  assert.deepEqual(
    ids.filter((id) => !kept.includes(id)),
    [],
  );
  await store.close();
});

test('a folder, a file or a mode that this user may not use is a code, not a crash', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t, { mode: 0o755 });
  const answerOf = async (path: string) => {
    const program = startProgram('open-as.ts', ['open', path], { nobody: true });
    const line = await program.line();
    await program.ended();
    return line;
  };
  const open = join(folder, 'open');
  mkdirSync(open);
  chmodSync(open, 0o777);
  assert.equal(await answerOf(join(open, 'own.db')), 'opened');

  const closed = join(folder, 'closed');
  mkdirSync(closed, { mode: 0o555 });
  if (process.getuid?.() === 0) {
    const { store, path } = await openNotes(open);
    await store.close();
    assert.equal(await answerOf(path), 'store_permission_denied');
    chmodSync(path, 0o666);
    assert.equal(await answerOf(path), 'store_permission_denied');
  }
  assert.equal(await answerOf(join(closed, 'notes.db')), 'store_permission_denied');
  chmodSync(closed, 0o755);
});

test('a database that may be read but not written is store_read_only; without room for its log it is refused too', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t, { mode: 0o777 });
  const path = join(folder, 'own.db');
  const open = async () => {
    const program = startProgram('open-as.ts', ['open', path], { nobody: true });
    const line = await program.line();
    await program.ended();
    return line;
  };
  assert.equal(await open(), 'opened');
  chmodSync(path, 0o400);
  assert.equal(await open(), 'store_read_only');
  chmodSync(path, 0o200);
  assert.equal(await open(), 'store_permission_denied');
  chmodSync(path, 0o600);
  for (const beside of ['-wal', '-shm']) rmSync(path + beside, { force: true });
  chmodSync(folder, 0o555);
  assert.equal(await open(), 'store_read_only');
  chmodSync(folder, 0o777);
});
