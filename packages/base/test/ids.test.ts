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

  it('gives as many bytes as were asked for, each once, whatever is drawn ahead', () => {
    const random = systemRandom();
    const ids = new Set<string>();
    for (let count = 0; count < 2_000; count += 1) {
      const length = 8 + (count % 40);
      const bytes = random(length);
      assert.equal(bytes.length, length);
      ids.add(Buffer.from(bytes).subarray(0, 8).toString('hex'));
    }
    assert.equal(ids.size, 2_000);
    const first = random(16);
    const before = first.slice();
    for (let count = 0; count < 200; count += 1) random(16);
    assert.deepEqual(first, before, 'what was given stays as it was');
    assert.deepEqual(random(0), new Uint8Array(0));
  });

  it('does not repeat itself', () => {
    const random = systemRandom();
    const ids = new Set(Array.from({ length: 1000 }, () => randomId('', random)));
    assert.equal(ids.size, 1000);
  });
});
