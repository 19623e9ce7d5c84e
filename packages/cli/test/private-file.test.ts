import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '@fairlead/testing';
import { createPrivateFile, replacePrivateFile } from '../src/state/private-file.ts';
import { readBounded } from '../src/state/read-bounded.ts';

test('a replaced file has mode 0600 and leaves nothing beside it', async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'file');
  writeFileSync(path, 'old', { mode: 0o644 });
  await replacePrivateFile(path, 'new');
  assert.equal(readFileSync(path, 'utf8'), 'new');
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(folder), ['file']);
});

test('a link in its place is replaced, not followed', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'elsewhere'), 'kept');
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'file'));
  await replacePrivateFile(join(folder, 'file'), 'new');
  assert.equal(readFileSync(join(folder, 'elsewhere'), 'utf8'), 'kept');
  assert.equal(readFileSync(join(folder, 'file'), 'utf8'), 'new');
});

test('a created file is never written over', async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'file');
  assert.equal(await createPrivateFile(path, 'first'), true);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(await createPrivateFile(path, 'second'), false);
  assert.equal(readFileSync(path, 'utf8'), 'first');
  assert.deepEqual(readdirSync(folder), ['file']);
});

test('what a killed start left aside is in nobody’s way', async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'file');
  writeFileSync(`${path}.${process.pid}`, 'half');
  await replacePrivateFile(path, 'whole');
  assert.deepEqual(readdirSync(folder), ['file']);
  assert.equal(readFileSync(path, 'utf8'), 'whole');
});

test('what cannot be written is a code with the file and the reason', async (t) => {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'taken'));
  const path = join(folder, 'absent', 'file');
  await assert.rejects(replacePrivateFile(path, 'x'), {
    code: 'state_directory_unwritable',
    message: `${path} cannot be written.`,
    detail: { file: 'file', reason: 'ENOENT' },
  });
  await assert.rejects(replacePrivateFile(join(folder, 'taken'), 'x'), {
    code: 'state_directory_unwritable',
    detail: { file: 'taken', reason: 'EISDIR' },
  });
  assert.deepEqual(readdirSync(folder), ['taken']);
});

test('a bounded read takes one byte more than the bound, so that too many can be told', async (t) => {
  const path = join(temporaryFolder(t), 'file');
  writeFileSync(path, '12345678');
  assert.equal((await readBounded(path, 8)).toString(), '12345678');
  assert.equal((await readBounded(path, 7)).toString(), '12345678');
  assert.equal((await readBounded(path, 3)).toString(), '1234');
  await assert.rejects(readBounded(`${path}-absent`, 3), { code: 'ENOENT' });
});
