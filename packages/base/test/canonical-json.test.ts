import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { canonicalJson, type Json, sha256Base64url } from '../src/index.ts';

describe('canonicalJson (RFC 8785)', () => {
  const rows: readonly (readonly [Json, string])[] = [
    [null, 'null'],
    [-0, '0'],
    [1e21, '1e+21'],
    [0.1, '0.1'],
    ['a"\\\n\u0007é', '"a\\"\\\\\\n\\u0007é"'],
    [[3, 1, [2]], '[3,1,[2]]'],
    [{ b: 1, a: { d: 1, c: [] } }, '{"a":{"c":[],"d":1},"b":1}'],
    [{ 10: 'x', 9: 'y', '': 0 }, '{"":0,"10":"x","9":"y"}'],
    // Code unit order: U+1F600 starts with 0xD83D, below U+FB33.
    [{ '\ufb33': 1, '\u{1f600}': 2, ö: 3, '\r': 4 }, '{"\\r":4,"ö":3,"\u{1f600}":2,"\ufb33":1}'],
  ];
  for (const [value, text] of rows) {
    it(`writes ${text}`, () => {
      assert.equal(canonicalJson(value), text);
    });
  }

  it('treats __proto__ as any other key', () => {
    assert.equal(
      canonicalJson(JSON.parse('{"b":1,"__proto__":{"x":1}}') as Json),
      '{"__proto__":{"x":1},"b":1}',
    );
  });
});

describe('sha256Base64url', () => {
  it('is SHA-256 of the UTF-8 text in 43 characters', () => {
    assert.equal(sha256Base64url(''), '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU');
    assert.equal(sha256Base64url('é').length, 43);
    assert.notEqual(sha256Base64url('é'), sha256Base64url('e'));
  });
});
