import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schema } from '../src/index.ts';

test('an object says its properties, what is required and that it is closed, even when empty', () => {
  assert.deepEqual(schema.object({}), {
    type: 'object',
    properties: {},
    required: [],
    additionalProperties: false,
  });
  assert.deepEqual(schema.object({ b: schema.string(), a: schema.optional(schema.null()) }), {
    type: 'object',
    properties: { b: { type: 'string' }, a: { type: 'null' } },
    required: ['b'],
    additionalProperties: false,
  });
});

test('an object may be left open, and carry enum and const', () => {
  assert.deepEqual(
    schema.object(
      { a: schema.integer() },
      { additionalProperties: true, title: 'T', description: 'D', enum: [{ a: 1 }], const: { a: 1 } },
    ),
    {
      type: 'object',
      title: 'T',
      description: 'D',
      enum: [{ a: 1 }],
      const: { a: 1 },
      properties: { a: { type: 'integer' } },
      required: ['a'],
      additionalProperties: true,
    },
  );
});

test('every other kind emits its type and the keywords it was given, and no more', () => {
  assert.deepEqual(schema.string(), { type: 'string' });
  assert.deepEqual(schema.string({ minLength: 0, maxLength: 4, title: 't', enum: ['a', 'b'], const: 'a' }), {
    type: 'string',
    title: 't',
    enum: ['a', 'b'],
    const: 'a',
    minLength: 0,
    maxLength: 4,
  });
  assert.deepEqual(schema.array(schema.boolean(), { minItems: 1, maxItems: 2, description: 'd' }), {
    type: 'array',
    description: 'd',
    items: { type: 'boolean' },
    minItems: 1,
    maxItems: 2,
  });
  assert.deepEqual(schema.array(schema.number()), { type: 'array', items: { type: 'number' } });
  assert.deepEqual(schema.number({ enum: [0.5] }), { type: 'number', enum: [0.5] });
  assert.deepEqual(schema.integer({ const: 3 }), { type: 'integer', const: 3 });
  assert.deepEqual(schema.boolean({ const: false }), { type: 'boolean', const: false });
  assert.deepEqual(schema.null({ const: null }), { type: 'null', const: null });
});

test('the numeric bounds of the profile are not repeated here', () => {
  assert.deepEqual(schema.string({ minLength: 9, maxLength: 1_000_000_000 }), {
    type: 'string',
    minLength: 9,
    maxLength: 1_000_000_000,
  });
});

test('a schema is frozen to its depth and no longer depends on what it was made of', () => {
  const members = ['a'];
  const properties = { kind: schema.string({ enum: members }) };
  const made = schema.object(properties);
  members.push('b');
  Object.assign(properties, { more: schema.null() });
  assert.deepEqual(made.properties, { kind: { type: 'string', enum: ['a'] } });
  for (const part of [
    made,
    made.properties,
    made.required,
    made.properties['kind'],
    made.properties['kind']?.enum,
  ]) {
    assert.ok(Object.isFrozen(part));
  }
  assert.ok(Object.isFrozen(schema));
});

test('properties with odd names survive as plain data', () => {
  const made = schema.object({
    ['__proto__']: schema.string(),
    constructor: schema.optional(schema.null()),
    type: schema.boolean(),
    optional: schema.integer(),
    '': schema.number(),
  });
  assert.equal(
    JSON.stringify(made),
    '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"null"},"type":{"type":"boolean"},' +
      '"optional":{"type":"integer"},"":{"type":"number"}},"required":["__proto__","type","optional",""],"additionalProperties":false}',
  );
  assert.equal(Object.getPrototypeOf(made.properties), Object.prototype);
});

test('what JSON cannot hold is refused where it is written', () => {
  for (const [value, message] of [
    [Number.NaN, /^JSON cannot hold a number such as NaN$/],
    [1n, /^JSON cannot hold a bigint such as 1$/],
    [Symbol('s'), /^JSON cannot hold a symbol such as Symbol\(s\)$/],
  ] as const) {
    assert.throws(() => schema.integer({ const: value as never }), { name: 'TypeError', message });
  }
});
