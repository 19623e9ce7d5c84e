import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { deepFreeze } from '../src/json/deep-freeze.ts';
import { jsonEqual } from '../src/json/json.ts';
import { plainJson, utf8Length } from '../src/json/plain-json.ts';

const BOUNDS = { maxBytes: 100, maxDepth: 3, maxNodes: 10, maxKeyBytes: 8 };

function refusal(value: unknown, bounds = BOUNDS): string {
  const plain = plainJson(value, bounds);
  return plain.ok ? 'accepted' : `${plain.path} ${plain.message}`;
}

test('a copy is equal as JSON, frozen, and shares nothing with what it was made of', () => {
  const value = { a: [1, 'two', null, true], b: { c: undefined, d: -0 } };
  const plain = plainJson(value);
  assert.ok(plain.ok);
  assert.deepEqual(plain.value, { a: [1, 'two', null, true], b: { d: 0 } });
  value.a[0] = 9;
  assert.deepEqual((plain.value as { a: unknown }).a, [1, 'two', null, true]);
  assert.throws(() => {
    (plain.value as { b: { d: number } }).b.d = 1;
  }, TypeError);
});

test('what JSON cannot hold is refused with its place, and never the value', () => {
  assert.equal(refusal({ a: [new Date(0)] }), '/a/0 is a Date, which JSON cannot hold');
  assert.equal(refusal(new Map()), ' is a Map, which JSON cannot hold');
  assert.equal(refusal(Object.create(Object.create({}))), ' is a Object, which JSON cannot hold');
  assert.equal(refusal([() => 1]), '/0 is a function, which JSON cannot hold');
  assert.equal(refusal(10n), ' is a bigint, which JSON cannot hold');
  assert.equal(refusal([undefined]), '/0 is undefined, which JSON cannot hold');
  assert.equal(refusal({ 'a/b~': Number.NaN }), '/a~1b~0 is not a finite number');
  assert.equal(refusal(Symbol('secret')), ' is a symbol, which JSON cannot hold');
  assert.equal(
    refusal({
      get a() {
        throw new Error('secret');
      },
    }),
    '/a cannot be read',
  );
});

test('a value passes no bound', () => {
  const cycle: unknown[] = [];
  cycle.push(cycle);
  assert.equal(refusal(cycle), '/0/0/0/0 is nested more than 3 deep');
  assert.equal(refusal(Array(10).fill(1)), '/9 holds more than 10 values');
  assert.equal(refusal({ toolongkey: 1 }), '/toolongkey has a name of more than 8 bytes');
  assert.equal(refusal('x'.repeat(98)), ' is 100 bytes of JSON or more');
  assert.equal(refusal('x'.repeat(97)), 'accepted');
  assert.equal(refusal('é'.repeat(49)), ' is 100 bytes of JSON or more');
  assert.equal(refusal(['"'.repeat(47)]), 'accepted');
  assert.equal(refusal(['"'.repeat(48)]), ' is 100 bytes of JSON or more');
});

test('a member called __proto__ is data, objects of other realms and without a prototype are plain', () => {
  const plain = plainJson(JSON.parse('{"__proto__":{"a":1}}'));
  assert.ok(plain.ok);
  assert.equal(JSON.stringify(plain.value), '{"__proto__":{"a":1}}');
  assert.equal(Object.getPrototypeOf(plain.value), Object.prototype);
  assert.equal(plainJson(runInNewContext('({a: [1]})')).ok, true);
  assert.equal(plainJson(Object.assign(Object.create(null), { a: 1 })).ok, true);
});

test('half a surrogate pair becomes its replacement', () => {
  const plain = plainJson(['a\ud800', 'b😀']);
  assert.ok(plain.ok);
  assert.deepEqual(plain.value, ['a\ufffd', 'b😀']);
});

test('property: whatever JSON holds is copied to what JSON makes of it', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const plain = plainJson(value);
      assert.ok(plain.ok);
      assert.equal(JSON.stringify(plain.value), JSON.stringify(JSON.parse(JSON.stringify(value))));
    }),
  );
});

test('property: bytes are counted as UTF-8 counts them', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.equal(utf8Length(text), Buffer.byteLength(text));
    }),
  );
});

test('equality is that of JSON', () => {
  assert.equal(jsonEqual({ a: 1, b: [2] }, { b: [2], a: 1 }), true);
  assert.equal(jsonEqual([1, 2], [2, 1]), false);
  assert.equal(jsonEqual({ a: 1 }, { a: 1, b: 2 }), false);
  assert.equal(jsonEqual({ a: 1 }, [1]), false);
  assert.equal(jsonEqual({ a: 1 }, { b: 1 }), false);
  assert.equal(jsonEqual(null, {}), false);
});

test('freezing goes through plain data, and leaves what a library made', () => {
  const when = new Date(0);
  const value = deepFreeze({ list: [{ when }] });
  assert.equal(Object.isFrozen(value.list[0]), true);
  assert.equal(Object.isFrozen(when), false);
  assert.equal(deepFreeze(5), 5);
  assert.equal(deepFreeze(when), when);
});
