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
import { openLogFile } from '../src/host/log-file.ts';

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
  const log = openLogFile(path, 10);
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

test('a line longer than the bound is written whole', (t) => {
  const path = join(temporaryFolder(t), 'fairlead.log');
  const log = openLogFile(path, 4);
  log.write('a long line\n');
  assert.equal(readFileSync(path, 'utf8'), 'a long line\n');
  log.close();
});

test('what an earlier process wrote counts', (t) => {
  const path = join(temporaryFolder(t), 'fairlead.log');
  writeFileSync(path, '123456789\n');
  const log = openLogFile(path, 10);
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
  const log = openLogFile(path, 4);
  log.write('1234\n');
  rmSync(path);
  log.write('lost\n');
  log.write('lost too\n');
  log.close();
  assert.deepEqual(readdirSync(folder), []);
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
