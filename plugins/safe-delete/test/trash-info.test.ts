import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trashInfo, trashName } from '../src/trash-info.ts';

test('an info file holds the path, percent-encoded, and the local time', () => {
  assert.equal(
    trashInfo('/home/a b/ü%\n.txt', new Date(2024, 0, 2, 3, 4, 5, 678)),
    '[Trash Info]\nPath=/home/a%20b/%C3%BC%25%0A.txt\nDeletionDate=2024-01-02T03:04:05\n',
  );
  assert.equal(
    trashInfo('/-_.!~*\'()&=+$,;:@?#[]"<>', new Date(2024, 10, 12, 13, 14, 15)),
    "[Trash Info]\nPath=/-_.!~*'()%26%3D%2B%24%2C%3B%3A%40%3F%23%5B%5D%22%3C%3E\nDeletionDate=2024-11-12T13:14:15\n",
  );
});

test('a mark stands before the extension', () => {
  for (const [name, mark, expected] of [
    ['a.txt', '', 'a.txt'],
    ['a.txt', '2', 'a.2.txt'],
    ['a.tar.gz', '2', 'a.tar.2.gz'],
    ['folder', '3', 'folder.3'],
    ['.bashrc', '2', '.bashrc.2'],
  ] as const) {
    assert.equal(trashName(name, mark), expected);
  }
});

test('a name is cut to whole characters so that its info file has one, too', () => {
  assert.equal(trashName('a'.repeat(255), ''), 'a'.repeat(245));
  assert.equal(trashName('a'.repeat(255), '2'), `${'a'.repeat(243)}.2`);
  assert.equal(trashName(`${'a'.repeat(251)}.txt`, '64'), `${'a'.repeat(238)}.64.txt`);
  assert.equal(trashName('ü'.repeat(127), ''), 'ü'.repeat(122));
  assert.equal(trashName(`a.${'b'.repeat(253)}`, ''), `a.${'b'.repeat(243)}`);
});
