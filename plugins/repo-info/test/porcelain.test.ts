import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPorcelain } from '../src/porcelain.ts';

const HEAD = '# branch.oid 0123456789abcdef0123456789abcdef01234567\n# branch.head main\n';
const ZERO = '0'.repeat(40);

test('every kind of line becomes a short one', () => {
  assert.deepEqual(
    readPorcelain(
      `${HEAD}# branch.upstream origin/main\n` +
        `1 .M N... 100644 100644 100644 ${ZERO} ${ZERO} changed with spaces.txt\n` +
        `1 A. N... 000000 100644 100644 ${ZERO} ${ZERO} added.txt\n` +
        `1 .M S..U 160000 160000 160000 ${ZERO} ${ZERO} submodule\n` +
        `2 R. N... 100644 100644 100644 ${ZERO} ${ZERO} R100 new name.txt\told name.txt\n` +
        `u UU N... 100644 100644 100644 100644 ${ZERO} ${ZERO} ${ZERO} both sides.txt\n` +
        '? untracked one.txt\n',
    ),
    {
      branch: 'main',
      head: '0123456789abcdef0123456789abcdef01234567',
      detached: false,
      status:
        ' M changed with spaces.txt\nA  added.txt\n M submodule\nR  old name.txt -> new name.txt\nUU both sides.txt\n?? untracked one.txt',
    },
  );
});

test('a detached head has no branch, an unborn branch no head', () => {
  assert.deepEqual(readPorcelain('# branch.oid abc\n# branch.head (detached)\n'), {
    branch: '',
    head: 'abc',
    detached: true,
    status: '',
  });
  assert.deepEqual(readPorcelain('# branch.oid (initial)\n# branch.head main\n'), {
    branch: 'main',
    head: '',
    detached: false,
    status: '',
  });
});

test('what is not that format is refused whole', () => {
  for (const output of [
    '',
    '# branch.oid abc\n',
    '# branch.head main\n',
    `${HEAD}hint: something\n`,
    `${HEAD}1 .M N... 100644\n`,
    `${HEAD}! ignored.txt\n`,
    `${HEAD}1\n`,
  ]) {
    assert.equal(readPorcelain(output), null, output);
  }
});
