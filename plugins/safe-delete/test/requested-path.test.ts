import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRequestedPath } from '../src/requested-path.ts';

test('a relative path is read into its names', () => {
  for (const [path, names] of [
    ['a.txt', ['a.txt']],
    ['./a//b/./c/', ['a', 'b', 'c']],
    ['...', ['...']],
    ['-rf', ['-rf']],
    ['a:b', ['a:b']],
    ['a\\..\\b', ['a\\..\\b']],
    ['ü ☃\n', ['ü ☃\n']],
    ['~', ['~']],
    ['C:', ['C:']],
  ] as const) {
    assert.deepEqual(readRequestedPath(path, 'posix'), { ok: true, names }, path);
  }
});

test('on Windows both slashes divide', () => {
  assert.deepEqual(readRequestedPath('a\\b/c.txt', 'windows'), { ok: true, names: ['a', 'b', 'c.txt'] });
});

test('a path that cannot be meant is refused before anything is looked at', () => {
  for (const [path, code] of [
    ['', 'invalid_path'],
    ['a\0b', 'invalid_path'],
    ['a\ud800', 'invalid_path'],
    ['/', 'absolute_path_forbidden'],
    ['/etc/passwd', 'absolute_path_forbidden'],
    ['//a', 'absolute_path_forbidden'],
    ['C:\\a', 'absolute_path_forbidden'],
    ['c:/a', 'absolute_path_forbidden'],
    ['\\\\host\\share', 'absolute_path_forbidden'],
    ['..', 'parent_traversal_forbidden'],
    ['a/../b', 'parent_traversal_forbidden'],
    ['a/..', 'parent_traversal_forbidden'],
    ['.', 'root_delete_forbidden'],
    ['./', 'root_delete_forbidden'],
    ['.//./', 'root_delete_forbidden'],
  ] as const) {
    for (const style of ['posix', 'windows'] as const) {
      assert.deepEqual(readRequestedPath(path, style), { ok: false, code }, `${style} ${path}`);
    }
  }
});

test('4,096 characters are a path and 4,097 are none', () => {
  assert.equal(readRequestedPath('☃'.repeat(4_096), 'posix').ok, true);
  assert.deepEqual(readRequestedPath('☃'.repeat(4_097), 'posix'), { ok: false, code: 'invalid_path' });
});

test('a name that Windows would read as something else is refused there', () => {
  for (const [path, code] of [
    ['C:a', 'absolute_path_forbidden'],
    ['a..\\..\\b', 'parent_traversal_forbidden'],
    ['a.txt:stream', 'invalid_path'],
    ['*.txt', 'invalid_path'],
    ['a?', 'invalid_path'],
    ['a"b', 'invalid_path'],
    ['a<b', 'invalid_path'],
    ['a\tb', 'invalid_path'],
    ['a.', 'invalid_path'],
    ['...', 'invalid_path'],
    ['a ', 'invalid_path'],
    ['a /b', 'invalid_path'],
    ['nul', 'invalid_path'],
    ['a\\CON', 'invalid_path'],
    ['Com1.txt', 'invalid_path'],
    ['lpt¹', 'invalid_path'],
    ['aux .txt', 'invalid_path'],
    ['CONOUT$', 'invalid_path'],
  ] as const) {
    assert.deepEqual(readRequestedPath(path, 'windows'), { ok: false, code }, path);
  }
  for (const path of ['console.log', 'com10', 'null', 'a.b', 'lpt', '.git', 'a..b']) {
    assert.deepEqual(readRequestedPath(path, 'windows'), { ok: true, names: [path] });
  }
});
