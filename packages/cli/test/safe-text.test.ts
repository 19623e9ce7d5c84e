import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { jsonLine, labelled, objectsIn, safeLine, safeText, schemaText } from '../src/output/safe-text.ts';
import { table } from '../src/output/table.ts';

const drives = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

test('control, colour and direction characters become spaces', () => {
  assert.equal(safeLine('a\u001b[31mred\u001b[0m'), 'a [31mred [0m');
  assert.equal(safeLine('bell\u0007 null\u0000 del\u007f csi\u009b2J'), 'bell  null  del  csi 2J');
  assert.equal(safeLine('user\u202egpj.exe'), 'user gpj.exe');
  assert.equal(safeLine('one\ntwo\r\nthree\tfour'), 'one two  three four');
  assert.equal(safeLine('\u2066isolated\u2069'), ' isolated ');
});

test('text of a provider keeps its lines and loses everything else that drives a terminal', () => {
  assert.equal(safeText('one\r\ntwo\u001b]0;title\u0007\n\nfour'), 'one \ntwo ]0;title \n\nfour');
});

test('whatever a text holds, nothing of it drives a terminal', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.doesNotMatch(safeText(text), drives);
      assert.doesNotMatch(safeLine(text), drives);
      assert.doesNotMatch(schemaText({ [text]: text }), drives);
      assert.equal(safeLine(text).includes('\n'), false);
    }),
  );
});

test('a line is cut at 4,096 characters and never inside one of them', () => {
  assert.equal(safeLine('x'.repeat(4_096)).length, 4_096);
  assert.equal(safeLine('x'.repeat(4_097)), `${'x'.repeat(4_096)}…`);
  assert.equal(safeLine(`${'x'.repeat(4_095)}😀 and more`), `${'x'.repeat(4_095)}…`);
});

test('a schema is cut at 16,384 characters', () => {
  const text = schemaText({ description: 'y'.repeat(20_000) });
  assert.equal(text.length, 16_385);
  assert.match(text, /^\{\n {2}"description": "y+…$/);
  assert.equal(schemaText({ type: 'object' }), '{\n  "type": "object"\n}');
  assert.equal(schemaText({ const: '\u009b2J\u202e' }), '{\n  "const": " 2J "\n}');
});

test('what is no text is shown as JSON', () => {
  assert.equal(safeLine(true), 'true');
  assert.equal(safeLine({ a: [1, null] }), '{"a":[1,null]}');
  assert.equal(safeLine(undefined), '');
  assert.equal(labelled('runner', 'local'), 'runner:      local\n');
});

test('JSON for machines is the same value, without characters that drive a terminal', () => {
  const value = { text: '\u001b[2J\u007f\u009b\u202e\u2028é😀', list: [1, 'a\nb'] };
  const line = jsonLine(value);
  assert.equal(line, '{"text":"\\u001b[2J\\u007f\\u009b\\u202e\\u2028é😀","list":[1,"a\\nb"]}\n');
  assert.deepEqual(JSON.parse(line), value);
  fc.assert(
    fc.property(fc.json(), (text) => {
      const parsed = JSON.parse(text);
      assert.deepEqual(JSON.parse(jsonLine(parsed)), JSON.parse(JSON.stringify(parsed)));
      assert.doesNotMatch(jsonLine(parsed).slice(0, -1), drives);
    }),
  );
});

test('JSON for machines hides nothing from who reads it', () => {
  const value = { text: 'done.\u{e0041}\u200d\u00a0\u2800', key: 'a b' };
  const line = jsonLine(value);
  assert.equal(line, '{"text":"done.\\udb40\\udc41\\u200d\\u00a0\\u2800","key":"a b"}\n');
  assert.deepEqual(JSON.parse(line), value);
});

test('objects in a list, and nothing else', () => {
  assert.deepEqual(objectsIn([{ a: 1 }, null, 'x', [], { b: 2 }]), [{ a: 1 }, { b: 2 }]);
  assert.deepEqual(objectsIn('x'), []);
  assert.deepEqual(objectsIn(undefined), []);
});

test('a table is as wide as its widest value; what is absent or blank is a dash', () => {
  assert.equal(
    table(
      ['RUNNER', 'NAME'],
      [
        ['laptop-of-ada', 'Ada'],
        ['b', undefined],
        ['c', null],
        ['d', ' \u001b '],
      ],
    ),
    'RUNNER         NAME\nlaptop-of-ada  Ada\nb              -\nc              -\nd              -\n',
  );
});

test('a table shows numbers, truths and lists', () => {
  assert.equal(
    table(
      ['A', 'B'],
      [
        [7, false],
        [['x'], 0],
      ],
    ),
    'A      B\n7      false\n["x"]  0\n',
  );
});
