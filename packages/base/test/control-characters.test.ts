import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hasControlCharacter, singleLine } from '../src/index.ts';

describe('hasControlCharacter', () => {
  it('knows exactly U+0000-001F but TAB, LF and CR, and U+007F-009F', () => {
    const found: number[] = [];
    for (let unit = 0; unit <= 0xffff; unit += 1)
      if (hasControlCharacter(String.fromCharCode(unit))) found.push(unit);
    const wanted: number[] = [];
    for (let unit = 0; unit <= 0x1f; unit += 1) if (![0x09, 0x0a, 0x0d].includes(unit)) wanted.push(unit);
    for (let unit = 0x7f; unit <= 0x9f; unit += 1) wanted.push(unit);
    assert.deepEqual(found, wanted);
  });

  it('finds one anywhere in a text', () => {
    assert.equal(hasControlCharacter('plain\ttext\r\n'), false);
    assert.equal(hasControlCharacter('red: \u001b[31m'), true);
  });
});

describe('singleLine', () => {
  it('turns controls, line breaks and direction marks into spaces', () => {
    assert.equal(singleLine('a\nb\tc\u001b[31md\u2028e\u202ef\u009bg'), 'a b c [31md e f g');
    assert.equal(singleLine('ordinary ü 😀'), 'ordinary ü 😀');
  });
});
