import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { escapeHidden, replaceHidden } from '../src/index.ts';

test('what drives a terminal, turns a line around, is drawn as nothing or as a blank is written as its escape of JSON', () => {
  for (const [text, shown] of [
    ['a\u001b[2J\u0000\t\r\n\u007f\u009b', 'a\\u001b[2J\\u0000\\u0009\\u000d\\u000a\\u007f\\u009b'],
    ['user\u202egnp\u2066\u200f\u061c', 'user\\u202egnp\\u2066\\u200f\\u061c'],
    ['\u200b\u200c\u200d\ufeff\u00ad\ufe0f\u3164', '\\u200b\\u200c\\u200d\\ufeff\\u00ad\\ufe0f\\u3164'],
    ['\u00a0\u2003\u202f\u3000\u2800', '\\u00a0\\u2003\\u202f\\u3000\\u2800'],
    ['\u2028\u2029\u{e0041}\ud800', '\\u2028\\u2029\\udb40\\udc41\\ud800'],
    ['\ue000\u0378\uffff', '\\ue000\\u0378\\uffff'],
    ['two words, e\u0301 日本 नमस्ते שלום 😀', 'two words, e\u0301 日本 नमस्ते שלום 😀'],
  ] as const)
    assert.equal(escapeHidden(text), shown);
});

test('whatever JSON holds, its text with escapes hides nothing and says the same', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      const shown = escapeHidden(JSON.stringify({ [value]: value }));
      assert.doesNotMatch(shown, /[\p{C}\p{Zl}\p{Zp}\p{DI}\u2800]|[^\P{Zs} ]/u);
      assert.deepEqual(JSON.parse(shown), { [value]: value });
    }),
  );
});

test('another escape than that of JSON is given a whole character', () => {
  const points = (text: string) =>
    replaceHidden(text, (character) => `<${(character.codePointAt(0) ?? 0).toString(16)}>`);
  assert.equal(points('a\u00a0b\u{e0041}'), 'a<a0>b<e0041>');
});
