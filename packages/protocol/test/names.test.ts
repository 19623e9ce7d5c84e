// native-plugin-protocol §6
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isCode, isLinkName, isOpaqueId, isProviderId, isProviderName, isText } from '../src/index.ts';

function rows(check: (value: unknown) => boolean, good: readonly unknown[], bad: readonly unknown[]) {
  for (const value of good) assert.equal(check(value), true, JSON.stringify(value));
  for (const value of [...bad, undefined, null, 7, {}, ['a']])
    assert.equal(check(value), false, JSON.stringify(value));
}

describe('names', () => {
  it('a provider id has 1 to 64 lower-case letters, digits, _ . -', () => {
    rows(
      isProviderId,
      ['a', 'repo-tools', 'a.b_c-9', '..', 'x'.repeat(64)],
      ['', 'A', 'a b', 'é', 'a\n', 'a/b', 'x'.repeat(65)],
    );
  });
  it('a provider name has 1 to 128 bytes, is not blank, and has no controls but TAB, LF, CR', () => {
    rows(
      isProviderName,
      ['Repo Tools', 'é'.repeat(64), 'a\tb\r\nc'],
      ['', ' ', '\n\t', 'é'.repeat(65), 'a\u0000', 'a\u007f'],
    );
  });
  it('a Runner name is one line of 1 to 128 bytes, not blank', () => {
    rows(
      isLinkName,
      ['local', 'My laptop', 'é'.repeat(64)],
      ['', '   ', 'a\nb', 'a\tb', 'a\u001b', 'x'.repeat(129)],
    );
  });
  it('a code has 1 to 80 lower-case letters, digits, _', () => {
    rows(isCode, ['a', 'plugin_eof_2', 'x'.repeat(80)], ['', 'A', 'a-b', 'a b', 'x'.repeat(81)]);
  });
  it('an opaque id has 1 to 128 base64url characters', () => {
    rows(isOpaqueId, ['a', 'wc_pbind_A-z', 'x'.repeat(128)], ['', 'a=', 'a+b', 'a b', 'x'.repeat(129)]);
  });
  it('a text is counted in UTF-8 bytes', () => {
    assert.equal(isText('éé', 0, 4), true);
    assert.equal(isText('ééa', 0, 4), false);
    assert.equal(isText('', 1, 4), false);
  });
});
