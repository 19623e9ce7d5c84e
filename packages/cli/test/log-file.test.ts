import assert from 'node:assert/strict';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '@fairlead/testing';
import { logLimits } from '../src/limits.ts';
import { openLogFile } from '../src/log/log-file.ts';

test('lines are appended to a file of mode 0600 in a folder of mode 0700', (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'log/fairlead.log');
  const first = openLogFile(path);
  first.write('one\n');
  first.close();
  const second = openLogFile(path);
  second.write('two\n');
  assert.equal(readFileSync(path, 'utf8'), 'one\ntwo\n');
  second.close();
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(statSync(join(folder, 'log')).mode & 0o777, 0o700);
});

test('a file that would pass its bound becomes the older one, in place of the one before', (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'fairlead.log');
  writeFileSync(`${path}.1`, 'ancient\n');
  const log = openLogFile(path, { bytes: 10, files: 2 });
  log.write('12345678\n');
  log.write('next\n');
  assert.equal(readFileSync(`${path}.1`, 'utf8'), '12345678\n');
  assert.equal(readFileSync(path, 'utf8'), 'next\n');
  log.write('more\n');
  assert.equal(readFileSync(path, 'utf8'), 'next\nmore\n');
  log.write('x\n');
  assert.equal(readFileSync(`${path}.1`, 'utf8'), 'next\nmore\n');
  log.close();
  assert.deepEqual(readdirSync(folder).sort(), ['fairlead.log', 'fairlead.log.1']);
});

test('older files move up, and the oldest of five goes', (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'fairlead.log');
  const log = openLogFile(path, { bytes: 4, files: 5 });
  for (const word of ['one', 'two', 'three', 'four', 'five', 'six', 'seven']) log.write(`${word}\n`);
  log.close();
  assert.deepEqual(
    readdirSync(folder)
      .sort()
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
    [
      ['fairlead.log', 'seven\n'],
      ['fairlead.log.1', 'six\n'],
      ['fairlead.log.2', 'five\n'],
      ['fairlead.log.3', 'four\n'],
      ['fairlead.log.4', 'three\n'],
    ],
  );
});

test('a log grows to 10 MB and keeps five files', () => {
  assert.equal(logLimits.bytes, 10_000_000);
  assert.equal(logLimits.files, 5);
});

test('a line longer than the bound is written whole', (t) => {
  const path = join(temporaryFolder(t), 'fairlead.log');
  const log = openLogFile(path, { bytes: 4, files: 2 });
  log.write('a long line\n');
  assert.equal(readFileSync(path, 'utf8'), 'a long line\n');
  log.close();
});

test('what an earlier process wrote counts', (t) => {
  const path = join(temporaryFolder(t), 'fairlead.log');
  writeFileSync(path, '123456789\n');
  const log = openLogFile(path, { bytes: 10, files: 2 });
  log.write('next\n');
  assert.equal(readFileSync(path, 'utf8'), 'next\n');
  log.close();
});

test('a line after the end goes nowhere, least of all into another file of the same number', (t) => {
  const folder = temporaryFolder(t);
  const log = openLogFile(join(folder, 'fairlead.log'));
  log.close();
  log.close();
  const other = openSync(join(folder, 'other'), 'w');
  log.write('late\n');
  closeSync(other);
  assert.equal(readFileSync(join(folder, 'other'), 'utf8'), '');
});

test('a rotation that fails loses lines, never the host', (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'fairlead.log');
  const log = openLogFile(path, { bytes: 4, files: 2 });
  mkdirSync(`${path}.1/full`, { recursive: true });
  log.write('1234\n');
  log.write('lost\n');
  log.write('lost too\n');
  log.close();
  assert.equal(readFileSync(path, 'utf8'), '1234\n');
});

test('a file that somebody took away is made anew when it would have been rotated', (t) => {
  const path = join(temporaryFolder(t), 'fairlead.log');
  const log = openLogFile(path, { bytes: 4, files: 2 });
  log.write('1234\n');
  rmSync(path);
  log.write('next\n');
  log.close();
  assert.equal(readFileSync(path, 'utf8'), 'next\n');
});

test('a log that cannot be opened is told with its reason', (t) => {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'fairlead.log'));
  assert.throws(() => openLogFile(join(folder, 'fairlead.log')), {
    code: 'state_directory_unwritable',
    message: `The log ${folder}/fairlead.log cannot be opened.`,
    detail: { reason: 'EISDIR' },
  });
});
