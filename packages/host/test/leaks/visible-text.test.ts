import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import fc from 'fast-check';
import { LeakDetector } from '../../src/leaks/leak-detector.ts';
import { maskSensitive } from '../../src/leaks/mask-sensitive.ts';
import { visibleArguments, visibleName, visibleText } from '../../src/leaks/visible-text.ts';

const detector = new LeakDetector();

test('sensitive arguments become their length in bytes, and nothing else of them is told', () => {
  const args = { code: 'äb', pin: 1234, list: ['a'], open: 'x' };
  assert.deepEqual(maskSensitive(args, ['code', 'pin', 'list', 'absent']), {
    code: { $masked: 3 },
    pin: { $masked: 4 },
    list: { $masked: 5 },
    open: 'x',
  });
  assert.equal(maskSensitive(args, ['toString']), args);
});

test('a name shows what cannot be seen, in one line', () => {
  assert.equal(visibleName('a\u001b[31mb'), 'a\\u001b[31mb');
  assert.equal(visibleName('pay\u202egnp.exe'), 'pay\\u202egnp.exe');
  assert.equal(visibleName('a\nb\tc\u0085\u009bd'), 'a\\u000ab\\u0009c\\u0085\\u009bd');
  assert.equal(visibleName('a\u200bb\u00a0c\ufeff\u3164\u2028'), 'a\\u200bb\\u00a0c\\ufeff\\u3164\\u2028');
  assert.equal(visibleName('\u{e0041}\ud800'), '\\udb40\\udc41\\ud800');
  assert.equal(visibleName('e\u0301 日本 ü'), 'é 日本 ü');
});

test('a name is cut at 48 characters, between characters', () => {
  assert.equal(visibleName('x'.repeat(48)), 'x'.repeat(48));
  assert.equal(visibleName('x'.repeat(49)), `${'x'.repeat(48)}…`);
  assert.equal(visibleName('😀'.repeat(48)), '😀'.repeat(48));
  assert.equal(visibleName('😀'.repeat(1000)), `${'😀'.repeat(48)}…`);
  assert.equal(visibleName(`${'x'.repeat(47)}😀y`), `${'x'.repeat(47)}😀…`);
});

test('arguments are shown whole, in lines of their own, as JSON that says the same', () => {
  const args = { path: 'a\\nb\nc', text: 'x\u202ey\u001b\u009b', 'ke\u200by': [1, true, null] };
  const shown = visibleArguments(args, [], detector);
  assert.equal(
    shown,
    `{
  "path": "a\\\\nb\\nc",
  "text": "x\\u202ey\\u001b\\u009b",
  "ke\\u200by": [
    1,
    true,
    null
  ]
}`,
  );
});

test('whatever the arguments are, what is shown has nothing hidden in it and means them', () => {
  const text = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(fc.dictionary(text, fc.oneof(text, fc.jsonValue())), (args) => {
      const plain = JSON.parse(JSON.stringify(args)) as JsonObject;
      const shown = visibleArguments(plain, [], detector) ?? '';
      assert.doesNotMatch(shown.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}\p{DI}]/u);
      assert.deepEqual(JSON.parse(shown), plain);
    }),
  );
});

test('sensitive arguments and secrets are not shown', () => {
  const shown = visibleArguments({ pin: '1234', note: `sk-${'a'.repeat(20)}` }, ['pin'], detector);
  assert.equal(shown, '{\n  "pin": {\n    "$masked": 4\n  },\n  "note": "[REDACTED:openai_key]"\n}');
});

test('arguments over 64 KiB are refused, not cut', () => {
  const fits = { a: 'x'.repeat(65_536 - 8) };
  assert.equal(visibleArguments(fits, [], detector)?.includes('x'.repeat(65_528)), true);
  assert.equal(visibleArguments({ a: 'x'.repeat(65_536 - 7) }, [], detector), null);
  assert.equal(visibleArguments({ a: 'x'.repeat(65_536 - 7) }, ['a'], detector), null);
});

test('words of several lines keep their lines and tabs, and nothing else that moves a terminal', () => {
  assert.equal(
    visibleText('one\n\ttwo\u001b[2J\r\u202e\nthree'),
    'one\n\ttwo\\u001b[2J\\u000d\\u202e\nthree',
  );
  assert.equal(visibleText(''), '');
});
