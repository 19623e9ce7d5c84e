import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type Editor,
  edit,
  editorRows,
  editorWith,
  emptyEditor,
  insert,
  lineAway,
} from '../../src/chat/model/editor.ts';
import { emptyHistory, lookBack, remember, searchBack } from '../../src/chat/model/input-history.ts';
import { cellsOf } from '../../src/chat/text/cells.ts';
import { clustersOf } from '../../src/chat/text/visible-text.ts';

/** The text with `|` where the cursor stands. */
const shown = ({ text, cursor }: Editor) => `${text.slice(0, cursor)}|${text.slice(cursor)}`;
const typed = (text: string, ...keys: string[]) =>
  shown(keys.reduce((editor, key) => edit(editor, key) ?? editor, insert(emptyEditor, text)));

test('keys move and delete by characters as people count them', () => {
  assert.equal(typed('ae\u0301漢👍🏽', 'left'), 'ae\u0301漢|👍🏽');
  assert.equal(typed('ae\u0301漢👍🏽', 'backspace', 'backspace'), 'ae\u0301|');
  assert.equal(typed('ae\u0301漢', 'home', 'right', 'delete'), 'a|漢');
  assert.equal(typed('one two', 'alt-b', 'ctrl-w'), '|two');
  assert.equal(typed('one two', 'ctrl-a', 'alt-f', 'ctrl-k'), 'one|');
  assert.equal(typed('one two', 'ctrl-w', 'ctrl-y', 'ctrl-y'), 'one twotwo|');
  assert.equal(typed('one two', 'ctrl-u', 'x'), '|');
  assert.equal(typed('one', 'home', 'alt-d', 'left', 'backspace', 'right', 'delete'), '|');
});

test('a text has lines of its own', () => {
  assert.equal(typed('one', 'alt-enter'), 'one\n|');
  assert.equal(typed('one\ntwo', 'home', 'ctrl-k'), 'one\n|');
  assert.equal(typed('one\ntwo', 'home', 'backspace'), 'one|two');
  assert.equal(typed('one', 'end', 'ctrl-k'), 'one|');
  const two = insert(emptyEditor, 'long line\nab');
  assert.equal(shown(lineAway(two, -1) ?? two), 'lo|ng line\nab');
  assert.equal(lineAway(two, 1), null);
  assert.equal(shown(lineAway(editorWith('ab\nlong', ''), -1) ?? two), 'ab|\nlong');
  assert.equal(lineAway(emptyEditor, -1), null);
});

test('what nobody typed does not come in, and what is too long is left out', () => {
  assert.equal(shown(insert(emptyEditor, 'a\u0000\u001bb\r\nc\td')), 'ab\nc\td|');
  const full = insert(emptyEditor, 'x'.repeat(65_535));
  assert.equal(insert(full, '👍').text.length, 65_535);
  assert.equal(editorWith(`${'x'.repeat(65_535)}👍`).text.length, 65_535);
});

test('rows break where the screen ends, and know where the cursor stands', () => {
  const at = (text: string, cursor: number, cells: number) => {
    const { rows, row, cells: place } = editorRows({ text, cursor, cut: '' }, cells);
    return [rows.map((each) => each.join('|')), row, place];
  };
  assert.deepEqual(at('abc', 1, 10), [['a|bc'], 0, 1]);
  assert.deepEqual(at('漢字漢字', 8, 6), [['漢字|', '漢字|'], 1, 4]);
  assert.deepEqual(at('ab\ncd', 3, 10), [['ab|', '|cd'], 1, 0]);
  assert.deepEqual(at('ab\n', 3, 10), [['ab|', '|'], 1, 0]);
  assert.deepEqual(at('ab\ncd', 2, 10), [['ab|', 'cd|'], 0, 2]);
  assert.deepEqual(at('a\tb', 3, 20), [['a    b|'], 0, 6]);
  assert.deepEqual(at('x\u202ey', 3, 20), [['x\\u202ey|'], 0, 8]);
});

test('whatever is typed, the cursor stands between characters and every row fits', () => {
  const key = fc.constantFrom(
    ...[
      'left',
      'right',
      'home',
      'end',
      'backspace',
      'delete',
      'ctrl-w',
      'ctrl-k',
      'ctrl-u',
      'ctrl-y',
      'alt-enter',
    ],
    ...['alt-b', 'alt-f', 'alt-d', 'ctrl-d', 'up', 'down', 'nothing'],
  );
  const step = fc.oneof(
    key.map((name) => ({ key: name })),
    fc.string({ unit: 'binary', maxLength: 8 }).map((text) => ({ text })),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.integer({ min: 10, max: 60 }), (steps, cells) => {
      let editor = emptyEditor;
      for (const each of steps) {
        if ('text' in each) editor = insert(editor, each.text);
        else if (each.key === 'up' || each.key === 'down')
          editor = lineAway(editor, each.key === 'up' ? -1 : 1) ?? editor;
        else editor = edit(editor, each.key) ?? editor;
        const places = new Set([0]);
        let place = 0;
        for (const cluster of clustersOf(editor.text)) {
          place += cluster.length;
          places.add(place);
        }
        assert.ok(places.has(editor.cursor), JSON.stringify(editor));
        const { rows, row, cells: at } = editorRows(editor, cells);
        assert.ok(row < rows.length && at < cells);
        for (const [before, after] of rows) assert.ok(cellsOf(before + after) <= cells);
      }
    }),
  );
});

test('what was said is found again, the newest first, each once', () => {
  const history = ['one', 'two', 'one', ' ', 'Three of them'].reduce(remember, emptyHistory);
  assert.deepEqual(history.texts, ['two', 'one', 'Three of them']);
  const first = lookBack(history, -1, 'draft');
  assert.equal(first?.text, 'Three of them');
  const second = first === null ? null : lookBack(first.history, -1, 'Three of them');
  assert.equal(second?.text, 'one');
  const back = first === null ? null : lookBack(first.history, 1, 'x');
  assert.equal(back?.text, 'draft');
  assert.equal(lookBack(history, 1, ''), null);
  assert.equal(lookBack(emptyHistory, -1, ''), null);
  assert.deepEqual(searchBack(history, 'O'), { place: 2, text: 'Three of them' });
  assert.deepEqual(searchBack(history, 'o', 2), { place: 1, text: 'one' });
  assert.equal(searchBack(history, 'nowhere'), null);
  assert.equal(searchBack(history, ''), null);
});
