import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nearestKey } from '../src/index.ts';

const KNOWN = ['id', 'name', 'command', 'args', 'cwd', 'profile', 'timeout_secs', 'max_queued'];

describe('nearestKey', () => {
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['comand', 'command'],
    ['commmand', 'command'],
    ['cmomand', 'command'],
    ['COMMAND', 'command'],
    ['timeout', undefined],
    ['timeout_sec', 'timeout_secs'],
    ['timeout-secs', 'timeout_secs'],
    ['max_queue', 'max_queued'],
    ['arg', 'args'],
    ['dw', undefined],
    ['ids', 'id'],
    ['', undefined],
    ['something_else', undefined],
    ['x'.repeat(10_000), undefined],
  ];
  for (const [written, wanted] of rows) {
    it(`${written.slice(0, 20) || 'nothing'} meant ${wanted ?? 'none of them'}`, () => {
      assert.equal(nearestKey(written, KNOWN), wanted);
    });
  }

  it('takes the first of two that are equally near', () => {
    assert.equal(nearestKey('cat', ['bat', 'rat']), 'bat');
    assert.equal(nearestKey('cat', []), undefined);
  });
});
