import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkJsonBounds, type Json, type JsonBounds } from '../src/index.ts';

const BOUNDS: JsonBounds = { maxBytes: 64, maxDepth: 3, maxNodes: 6, maxStringBytes: 8, maxKeyBytes: 4 };

describe('checkJsonBounds', () => {
  const rows: readonly (readonly [string, Json, string | null])[] = [
    ['a scalar', 1, null],
    ['as many levels as allowed', [[['x']]], null],
    ['one level more', [[[['x']]]], 'depth'],
    ['an empty container on the last level', [[[{}]]], null],
    ['as many values as allowed', [1, 2, 3, 4, 5], null],
    ['one value more', [1, 2, 3, 4, 5, 6], 'nodes'],
    ['a string of as many bytes as allowed', 'ééxy12', null],
    ['a string of one byte more', 'éé12345', 'string_bytes'],
    ['a string in an object', { a: '123456789' }, 'string_bytes'],
    ['a key of as many bytes as allowed', { abcd: 1 }, null],
    ['a key of one byte more', { abcde: 1 }, 'key_bytes'],
    ['a key of one byte more in UTF-8', { 'é€': 1 }, 'key_bytes'],
    ['a TAB, LF or CR in a key', { '\t\n\r': 1 }, null],
    ['an escape character in a key', { '\u001b': 1 }, 'key_control_character'],
    ['a C1 control in a key below', { a: [{ '\u009b': 1 }] }, 'key_control_character'],
    [
      'a text of more bytes than allowed',
      ['12345678', '12345678', '12345678', '\n\n\n\n\n\n\n\n', '\n\n\n\n\n\n\n\n'],
      'bytes',
    ],
  ];
  for (const [what, value, fault] of rows) {
    it(`${fault ?? 'accepts'}: ${what}`, () => {
      assert.equal(checkJsonBounds(value, BOUNDS), fault);
    });
  }

  it('counts the bytes of the serialized value, not of its source', () => {
    const grown = [1e20, 1e20, 1e20];
    assert.equal(JSON.stringify(grown).length, 67);
    assert.equal(checkJsonBounds(grown, BOUNDS, 16), 'bytes');
    assert.equal(checkJsonBounds(grown, { ...BOUNDS, maxBytes: 67 }, 16), null);
  });

  it('does not serialize a value whose source is too small to pass the bound', () => {
    const value = { toJSON: 1 };
    assert.equal(checkJsonBounds(value, { ...BOUNDS, maxKeyBytes: 16 }, 10), null);
  });

  it('walks a value of any depth without a stack', () => {
    let deep: Json = 1;
    for (let level = 0; level < 200_000; level += 1) deep = [deep];
    assert.equal(checkJsonBounds(deep, { ...BOUNDS, maxNodes: 1_000_000 }), 'depth');
    assert.equal(checkJsonBounds(deep, { ...BOUNDS, maxNodes: 1_000_000, maxDepth: 1_000_000 }, 0), null);
  });
});
