import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { randomId, randomSecret, systemRandom } from '../src/index.ts';

describe('ids', () => {
  it('an id is its prefix and 22 base64url characters of the randomness given', () => {
    assert.equal(
      randomId('call_', (count) => new Uint8Array(count).fill(0xff)),
      'call______________________w',
    );
    assert.match(randomId('x_', systemRandom()), /^x_[A-Za-z0-9_-]{22}$/);
  });

  it('a secret is its prefix and 43 base64url characters of the randomness given', () => {
    assert.equal(
      randomSecret('s_', (count) => new Uint8Array(count)),
      `s_${'A'.repeat(43)}`,
    );
    assert.match(randomSecret('s_', systemRandom()), /^s_[A-Za-z0-9_-]{43}$/);
  });

  it('does not repeat itself', () => {
    const random = systemRandom();
    const ids = new Set(Array.from({ length: 1000 }, () => randomId('', random)));
    assert.equal(ids.size, 1000);
  });
});
