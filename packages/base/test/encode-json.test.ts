import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeJson, type Json, parseJson } from '@fairlead/base';
import fc from 'fast-check';

const bounds = {
  maxBytes: 1_000_000,
  maxDepth: 1_000,
  maxNodes: 100_000,
  maxStringBytes: 1_000_000,
  maxKeyBytes: 1_000_000,
};

test('a large number without fraction keeps its exponent', () => {
  assert.equal(encodeJson({ a: 1e18 }), '{"a":1e+18}');
  assert.equal(
    encodeJson([-9007199254740992, 9007199254740991]),
    '[-9.007199254740992e+15,9007199254740991]',
  );
  assert.equal(encodeJson([1e21, 1.5, 0, -7]), '[1e+21,1.5,0,-7]');
});

test('digits in a text change nothing', () => {
  const value = { '12345678901234567890': '12345678901234567890', a: null, b: [true] };
  assert.equal(encodeJson(value), JSON.stringify(value));
});

test('a member without a value is left out, as JSON.stringify does', () => {
  assert.equal(encodeJson({ a: undefined, b: 1e20 }), '{"b":1e+20}');
});

test('what is written is read back as the same value', () => {
  const number = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }).map(Number),
  );
  const json = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      number,
      fc.string(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.string(), tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  fc.assert(
    fc.property(json.value, (value) => {
      const parsed = parseJson(Buffer.from(encodeJson(value)), bounds);
      assert.equal(parsed.ok, true);
      if (parsed.ok) assert.deepEqual(parsed.value, JSON.parse(JSON.stringify(value)));
    }),
  );
});
