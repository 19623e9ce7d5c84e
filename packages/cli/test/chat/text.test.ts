import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cellsOf, clip, clusterCells, wrapExactly, wrapWords } from '../../src/chat/text/cells.ts';
import { clipRow, row, rowCells, rowText, span } from '../../src/chat/text/styled-line.ts';
import {
  clustersOf,
  visibleExactLine,
  visibleExactly,
  visibleLine,
  visibleText,
} from '../../src/chat/text/visible-text.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 200 });

test('what drives a terminal, turns a line around or is not seen is written as its escape', () => {
  assert.equal(visibleText('a\u001b[31mb\u0007'), 'a\\u001b[31mb\\u0007');
  assert.equal(visibleText('user\u202egnp.exe'), 'user\\u202egnp.exe');
  assert.equal(
    visibleText('\u2066x\u2069 \u200b\ufeff\u00ad\u061c'),
    '\\u2066x\\u2069 \\u200b\\ufeff\\u00ad\\u061c',
  );
  assert.equal(visibleText('\u009b2J\u0085'), '\\u009b2J\\u0085');
  assert.equal(visibleText('tag\u{e0041}'), 'tag\\u{e0041}');
  assert.equal(visibleText('\u3164\u115f'), '\\u3164\\u115f');
  assert.equal(visibleText('half \ud800 of it'), 'half \\ud800 of it');
  assert.equal(visibleText('a\u2028b'), 'a\\u2028b');
});

test('lines, tabs, scripts and emoji stay as they are', () => {
  assert.equal(visibleText('one\r\ntwo\rthree\tfour'), 'one\ntwo\nthree    four');
  assert.equal(visibleText('漢字 é e\u0301 नमस्ते שלום'), '漢字 é e\u0301 नमस्ते שלום');
  assert.equal(visibleText('👨‍👩‍👧 🇳🇴 👍🏽 ❤️'), '👨‍👩‍👧 🇳🇴 👍🏽 ❤️');
});

test('a name has one line, and no joiner hides in it', () => {
  assert.equal(visibleLine('rm\n-rf\t\u200dx'), 'rm\\u000a-rf\\u0009\\u200dx');
  assert.equal(visibleLine('plain_name'), 'plain_name');
});

test('what somebody decides about has no blank that is none, and nothing else that is not seen', () => {
  assert.equal(visibleExactly('rm\u200c\n👨\u200d👩 ❤\ufe0f'), 'rm\\u200c\n👨\\u200d👩 ❤\\ufe0f');
  assert.equal(visibleExactly('{\n}'), '{\n}');
  assert.equal(
    visibleExactly('rm\u00a0-rf\u2800~\u3000x\u2003y\r\n\tz'),
    'rm\\u00a0-rf\\u2800~\\u3000x\\u2003y\\u000d\n\\u0009z',
  );
  assert.equal(visibleExactly('\ue000\u0378\u{e0041}\ud800'), '\\ue000\\u0378\\udb40\\udc41\\ud800');
  assert.equal(visibleExactLine('rm\n\u00a0x'), 'rm\\u000a\\u00a0x');
  fc.assert(
    fc.property(anyText, (text) => {
      const shown = visibleExactly(text).replaceAll('\n', '');
      assert.doesNotMatch(shown, /[\p{C}\p{Zl}\p{Zp}\p{DI}\u2800]|[^\P{Zs} ]/u);
    }),
  );
});

test('prose keeps its blanks, the icons of its font, and what is newer than this program', () => {
  const prose = '1\u00a0000\u202fkm 東京\u3000\u2800\ue0b0 \u{1faff}';
  assert.deepEqual([visibleText(prose), visibleLine(prose)], [prose, prose]);
  assert.equal(visibleText('a\u2065b\u{e0fff}'), 'a\\u2065b\\u{e0fff}');
});

test('a pile of marks on one letter does not cover the lines above', () => {
  const shown = visibleText(`z${'\u0336'.repeat(12)}!`);
  assert.equal(shown, `z${'\u0336'.repeat(7)}${'\\u0336'.repeat(5)}!`);
});

test('cells are counted as terminals at most draw them', () => {
  assert.deepEqual(['a', '漢', 'é', 'e\u0301', '👍🏽', '🇳🇴', ''].map(cellsOf), [1, 2, 1, 1, 4, 4, 0]);
  assert.equal(clusterCells('👨‍👩‍👧'), 6);
  assert.equal(cellsOf('漢字ab'), 6);
});

test('what does not fit is left out behind whole characters', () => {
  assert.equal(clip('hello', 5), 'hello');
  assert.equal(clip('hello!', 5), 'hell…');
  assert.equal(clip('漢字漢字', 5), '漢字…');
  assert.equal(clip('x', 0), '');
});

test('prose breaks between words, and what belongs to a point of a list stands below it', () => {
  assert.deepEqual(wrapWords('one two three', 8), ['one two', 'three']);
  assert.deepEqual(wrapWords('- one two three', 9), ['- one two', '  three']);
  assert.deepEqual(wrapWords('  12. a bb ccc', 9), ['  12. a', '    bb', '    ccc']);
  assert.deepEqual(wrapWords('abcdefghij kl', 4), ['abcd', 'efgh', 'ij', 'kl']);
  assert.deepEqual(wrapWords('漢字漢字', 5), ['漢字', '漢字']);
  assert.deepEqual(wrapWords('a\n\nb', 10), ['a', '', 'b']);
});

test('exact lines keep every blank', () => {
  assert.deepEqual(wrapExactly('ab  cd', 3), ['ab ', ' cd']);
  assert.deepEqual(wrapExactly('', 3), ['']);
});

test('whatever comes, nothing that drives a terminal passes, and no line is wider than it may be', () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 8, max: 120 }), (text, cells) => {
      const shown = visibleText(text);
      assert.doesNotMatch(shown, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      assert.equal(visibleText(shown), shown);
      for (const line of [...wrapWords(shown, cells), ...wrapExactly(shown, cells)])
        assert.ok(cellsOf(line) <= cells || clustersOf(line).length === 1, JSON.stringify(line));
      assert.equal(wrapExactly(shown, cells).join(''), shown.replaceAll('\n', ''));
      assert.equal(wrapWords(shown, cells).join('').replace(/\s/g, ''), shown.replace(/\s/g, ''));
      assert.ok(cellsOf(clip(shown, cells)) <= cells);
      assert.doesNotMatch(visibleLine(text), /\n/);
    }),
  );
});

test('a row is cut where it is wider than the screen, and says so', () => {
  const line = [span('ab', 'bold'), span('漢字', 'dim'), span('xyz')];
  assert.equal(rowCells(line), 9);
  assert.equal(rowText(clipRow(line, 9)), 'ab漢字xyz');
  assert.equal(rowText(clipRow(line, 5)), 'ab漢…');
  assert.equal(rowText(clipRow(line, 2)), 'a…');
  assert.equal(rowText(clipRow([span('ab'), span('cd')], 2)), 'a…');
  assert.equal(rowText(row('two\nlines')), 'two lines');
});
