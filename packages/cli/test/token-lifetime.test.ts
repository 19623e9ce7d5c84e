import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLifetime } from '../src/commands/token/token-lifetime.ts';

test('days, hours and minutes', () => {
  assert.equal(parseLifetime('90d'), 7_776_000_000);
  assert.equal(parseLifetime('12h'), 43_200_000);
  assert.equal(parseLifetime('30m'), 1_800_000);
  assert.equal(parseLifetime('0m'), 0);
});

test('anything else is a usage error', () => {
  for (const text of ['', '90', 'd', '1s', '1.5h', '-1d', '1 d', '1D', '1000000d', '1d2h', 'constructor']) {
    assert.throws(() => parseLifetime(text), {
      code: 'usage',
      message: '--expires is a number with m, h or d, such as 90d, 12h or 30m.',
    });
  }
});
