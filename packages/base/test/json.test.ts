import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deepFreeze, isJsonObject, type Json, jsonEqual } from '../src/index.ts';

describe('jsonEqual', () => {
  const equal: readonly (readonly [Json, Json])[] = [
    [null, null],
    [1, 1.0],
    [0, -0],
    ['a', 'a'],
    [
      [1, [2]],
      [1, [2]],
    ],
    [
      { a: 1, b: { c: 2 } },
      { b: { c: 2 }, a: 1 },
    ],
  ];
  for (const [left, right] of equal) {
    it(`${JSON.stringify(left)} is ${JSON.stringify(right)}`, () => {
      assert.equal(jsonEqual(left, right), true);
    });
  }

  const different: readonly (readonly [Json | undefined, Json | undefined])[] = [
    [null, undefined],
    [0, false],
    [0, null],
    [1, '1'],
    [null, {}],
    [[], {}],
    [{}, []],
    [[1], [2]],
    [[1], [1, 2]],
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { b: 1 }],
    [{ a: 1 }, { a: 1, b: 1 }],
    [{ toString: 1 }, { valueOf: 1 }],
  ];
  for (const [left, right] of different) {
    it(`${JSON.stringify(left)} is not ${JSON.stringify(right)}`, () => {
      assert.equal(jsonEqual(left, right), false);
    });
  }
});

describe('isJsonObject', () => {
  it('is true for objects only', () => {
    assert.equal(isJsonObject({}), true);
    assert.equal(isJsonObject([]), false);
    assert.equal(isJsonObject(null), false);
    assert.equal(isJsonObject('{}'), false);
  });
});

describe('deepFreeze', () => {
  it('freezes everything below and returns the same value', () => {
    const value = { a: [{ b: null }], c: 'x' };
    assert.equal(deepFreeze(value), value);
    assert.ok(Object.isFrozen(value) && Object.isFrozen(value.a) && Object.isFrozen(value.a[0]));
  });

  it('freezes what stands below a value that was frozen already', () => {
    const inner = { b: 1 };
    deepFreeze(Object.freeze({ inner }));
    assert.ok(Object.isFrozen(inner));
  });

  it('takes a value of any depth', () => {
    let deep: Json = [];
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    assert.ok(Object.isFrozen(deepFreeze(deep)));
  });
});
