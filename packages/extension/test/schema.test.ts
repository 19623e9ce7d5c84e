import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import type { Json } from '../src/json/json.ts';
import { jsonOf } from '../src/schema/any-schema.ts';
import { s } from '../src/schema/builder.ts';
import { compileSchema } from '../src/schema/compile-schema.ts';
import { faultText } from '../src/schema/schema-fault.ts';

function fault(schema: unknown): string {
  const compiled = compileSchema(schema);
  return compiled.ok ? 'accepted' : faultText(compiled.fault);
}

function parsed(schema: unknown, value: unknown): unknown {
  const compiled = compileSchema(schema);
  assert.ok(compiled.ok, compiled.ok ? '' : faultText(compiled.fault));
  const result = compiled.schema.parse(value);
  return result.ok ? result.value : faultText(result.fault);
}

test('the builder writes the dialect', () => {
  assert.deepEqual(
    jsonOf({
      city: s.string('City name'),
      days: s.integer({ default: 3, minimum: 1, maximum: 14, title: 'Days' }),
      ratio: s.number(),
      loud: s.optional(s.boolean({ description: 'Loud?' })),
      unit: s.enum(['C', 'F'], { default: 'C' }),
      tags: s.array(s.string({ minLength: 1, maxLength: 9 }), { minItems: 1, maxItems: 2 }),
      home: s.object({ street: s.string() }, 'Where'),
    }),
    {
      type: 'object',
      properties: {
        city: { type: 'string', description: 'City name' },
        days: { type: 'integer', default: 3, minimum: 1, maximum: 14, title: 'Days' },
        ratio: { type: 'number' },
        loud: { type: 'boolean', description: 'Loud?' },
        unit: { type: 'string', default: 'C', enum: ['C', 'F'] },
        tags: {
          type: 'array',
          minItems: 1,
          maxItems: 2,
          items: { type: 'string', minLength: 1, maxLength: 9 },
        },
        home: {
          type: 'object',
          description: 'Where',
          properties: { street: { type: 'string' } },
          required: ['street'],
          additionalProperties: false,
        },
      },
      required: ['city', 'ratio', 'tags', 'home'],
      additionalProperties: false,
    },
  );
  assert.deepEqual(jsonOf(undefined), {
    type: 'object',
    properties: {},
    required: [],
    additionalProperties: false,
  });
});

test('schemas are frozen copies', () => {
  const fallback = ['a'];
  const schema = s.array(s.string(), { default: fallback });
  fallback.push('b');
  assert.deepEqual(schema.json.default, ['a']);
  assert.throws(() => {
    (schema.json as { type: string }).type = 'string';
  }, TypeError);
});

test('a keyword that the dialect does not have is named with its place', () => {
  assert.equal(
    fault({ type: 'object', properties: { a: { type: 'string', pattern: 'x' } } }),
    '/properties/a/pattern is a keyword that this dialect does not have',
  );
  assert.equal(fault({ type: ['string'] }), '/type must be one type of the dialect');
  assert.equal(fault({ type: 'date' }), '/type must be one type of the dialect');
  assert.equal(fault({}), '/type must be one type of the dialect');
  assert.equal(fault('string'), 'is not a schema object');
  assert.equal(fault({ type: 'string', minimum: 1 }), '/minimum does not belong to the type string');
  assert.equal(fault({ type: 'string', title: 1 }), '/title must be a string');
  assert.equal(
    fault({ type: 'array', items: { type: 'string', $ref: '#' } }),
    '/items/$ref is a keyword that this dialect does not have',
  );
});

test('numbers of a schema are in range, and do not cross', () => {
  assert.equal(fault({ type: 'string', maxLength: 65_537 }), '/maxLength must be an integer from 0 to 65536');
  assert.equal(fault({ type: 'string', minLength: -1 }), '/minLength must be an integer from 0 to 65536');
  assert.equal(
    fault({ type: 'string', minLength: 2, maxLength: 1 }),
    '/minLength must not be above maxLength',
  );
  assert.equal(fault({ type: 'array', maxItems: 4097 }), '/maxItems must be an integer from 0 to 4096');
  assert.equal(fault({ type: 'number', minimum: 2, maximum: 1 }), '/minimum must not be above maximum');
  assert.equal(fault({ type: 'number', minimum: 'x' }), '/minimum must be a number');
  assert.equal(fault({ type: 'number', maximum: 'x' }), '/maximum must be a number');
  assert.equal(fault({ type: 'string', enum: [] }), '/enum must be a list of 1 to 128 values');
});

test('members of an object are schemas, and required ones are declared', () => {
  assert.equal(fault({ type: 'object', properties: [] }), '/properties must be an object');
  assert.equal(fault({ type: 'object', required: ['a'] }), '/required/0 must be declared in properties');
  assert.equal(fault({ type: 'object', required: ['a'], additionalProperties: true }), 'accepted');
  assert.equal(fault({ type: 'object', required: 'a' }), '/required must be a list of at most 128 names');
  assert.equal(
    fault({ type: 'object', properties: { a: { type: 'null' } }, required: ['a', 'a'] }),
    '/required/1 must be a name, once',
  );
  assert.equal(
    fault({ type: 'object', additionalProperties: {} }),
    '/additionalProperties must be true or false',
  );
  const many = Object.fromEntries(Array.from({ length: 129 }, (_, index) => [`k${index}`, { type: 'null' }]));
  assert.equal(
    fault({ type: 'object', properties: many }),
    '/properties must not have more than 128 members',
  );
});

test('a default satisfies its own schema', () => {
  assert.equal(
    fault({ type: 'object', properties: { n: { type: 'integer', minimum: 1, default: 0 } } }),
    '/properties/n/default must be an integer of 1 or more, as its own schema says',
  );
});

test('a schema is bounded as a whole', () => {
  let deep: object = { type: 'string' };
  for (let depth = 0; depth < 20; depth += 1) deep = { type: 'array', items: deep };
  assert.match(fault(deep), /nested more than 16 deep/);
  assert.match(fault({ type: 'string', description: 'x'.repeat(65_536) }), /65536 bytes of JSON or more/);
});

const forecast = jsonOf({
  city: s.string({ minLength: 2 }),
  days: s.integer({ default: 3, minimum: 1, maximum: 14 }),
  unit: s.enum(['C', 'F'], { default: 'C' }),
  home: s.optional(s.object({ street: s.string({ default: 'Main' }) })),
  tags: s.optional(s.array(s.object({ n: s.integer({ default: 1 }) }), { maxItems: 2 })),
});

test('defaults are applied, below too, and the value is frozen', () => {
  const value = parsed(forecast, { city: 'Oslo', home: {}, tags: [{}, { n: 2 }] });
  assert.deepEqual(value, {
    city: 'Oslo',
    days: 3,
    unit: 'C',
    home: { street: 'Main' },
    tags: [{ n: 1 }, { n: 2 }],
  });
  assert.equal(Object.isFrozen((value as { tags: object[] }).tags[0]), true);
});

test('the first fault is named, in words that hold nothing of the value', () => {
  assert.equal(parsed(forecast, 5), 'must be an object');
  assert.equal(parsed(forecast, {}), '/city must be present');
  assert.equal(parsed(forecast, { city: 5 }), '/city must be a string');
  assert.equal(parsed(forecast, { city: 'x' }), '/city must be a string of at least 2 characters');
  assert.equal(parsed(forecast, { city: 'Oslo', days: 15 }), '/days must be an integer from 1 to 14');
  assert.equal(parsed(forecast, { city: 'Oslo', days: 1.5 }), '/days must be an integer');
  assert.equal(parsed(forecast, { city: 'Oslo', days: 2.0 }) instanceof Object, true);
  assert.equal(parsed(forecast, { city: 'Oslo', unit: 'K' }), '/unit must be one of "C", "F"');
  assert.equal(
    parsed(forecast, { city: 'Oslo', tags: [{}, {}, {}] }),
    '/tags must be an array of at most 2 items',
  );
  assert.equal(parsed(forecast, { city: 'Oslo', tags: [{ n: 'x' }] }), '/tags/0/n must be an integer');
  assert.equal(
    parsed(forecast, { city: 'Oslo', secret: 1 }),
    'must have no members but "city", "days", "unit", "home", "tags"',
  );
  assert.equal(parsed(jsonOf({}), { a: 1 }), 'must have no members but none');
  assert.equal(parsed({ type: 'null' }, 1), 'must be null');
  assert.equal(parsed({ type: 'boolean' }, 1), 'must be true or false');
  assert.equal(parsed({ type: 'string', const: 'x' }, 'y'), 'must be "x"');
  assert.equal(parsed({ type: 'number', maximum: 1 }, 2), 'must be a number of 1 or less');
  assert.equal(
    parsed({ type: 'string', minLength: 2, maxLength: 2 }, 'x'),
    'must be a string of exactly 2 characters',
  );
  assert.equal(
    parsed({ type: 'string', minLength: 1, maxLength: 2 }, 'xyz'),
    'must be a string of 1 to 2 characters',
  );
  assert.equal(parsed({ type: 'array', minItems: 1 }, []), 'must be an array of at least 1 item');
});

test('lengths are code points', () => {
  assert.equal(parsed({ type: 'string', maxLength: 2 }, '😀😀'), '😀😀');
  assert.equal(parsed({ type: 'string', minLength: 3 }, '😀😀'), 'must be a string of at least 3 characters');
});

test('an open object keeps what it does not declare', () => {
  const open = { type: 'object', properties: { a: { type: 'null' } }, additionalProperties: true };
  assert.deepEqual(parsed(open, { b: [1], a: null }), { a: null, b: [1] });
  const hostile = parsed(open, JSON.parse('{"__proto__":1}'));
  assert.equal(JSON.stringify(hostile), '{"__proto__":1}');
});

test('arguments are bounded: 64 KiB, 16 deep, 4,096 values', () => {
  const open = { type: 'object', additionalProperties: true };
  assert.equal(parsed(open, { text: 'x'.repeat(65_536) }), 'is 65536 bytes of JSON or more');
  assert.match(String(parsed(open, { list: Array(4096).fill(1) })), /holds more than 4096 values/);
});

test('a schema says so where an object is closed, and drops nothing else', () => {
  const compiled = compileSchema({
    type: 'object',
    properties: {
      a: { type: 'array', items: { type: 'object', additionalProperties: true } },
      b: { type: 'object' },
    },
  });
  assert.ok(compiled.ok);
  assert.deepEqual(compiled.schema.json, {
    type: 'object',
    properties: {
      a: { type: 'array', items: { type: 'object', additionalProperties: true } },
      b: { type: 'object', additionalProperties: false },
    },
    additionalProperties: false,
  });
});

/** Schemas of the dialect and values that often fit them. */
const leaf = fc.oneof(
  fc.record({ type: fc.constant('string'), minLength: fc.nat(3), maxLength: fc.integer({ min: 3, max: 6 }) }),
  fc.record({ type: fc.constant('integer'), minimum: fc.integer({ min: -5, max: 0 }), maximum: fc.nat(5) }),
  fc.record({ type: fc.constant('number') }),
  fc.record({ type: fc.constant('boolean') }),
  fc.record({ type: fc.constant('null') }),
  fc.record({
    type: fc.constant('string'),
    enum: fc.uniqueArray(fc.string({ maxLength: 2 }), { minLength: 1, maxLength: 3 }),
  }),
);
const { node: anySchema } = fc.letrec<{ node: object }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.record({ type: fc.constant('array'), items: tie('node'), maxItems: fc.nat(3) }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('node'), { maxKeys: 3 }).chain((properties) =>
      fc.record({
        type: fc.constant('object'),
        properties: fc.constant(properties),
        required: fc.subarray(Object.keys(properties)),
        additionalProperties: fc.boolean(),
      }),
    ),
  ),
}));
const anyValue = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string({ maxLength: 6 }),
    fc.integer({ min: -6, max: 6 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('value'), { maxKeys: 3 }),
  ),
})).value;

test('property: what the parser accepts is what JSON Schema accepts', () => {
  const ajv = new Ajv({ strict: false });
  fc.assert(
    fc.property(anySchema, fc.array(anyValue, { minLength: 5, maxLength: 5 }), (schema, values) => {
      const compiled = compileSchema(schema);
      assert.ok(compiled.ok);
      const valid = ajv.compile(schema);
      for (const value of values)
        assert.equal(compiled.schema.parse(value).ok, valid(value), JSON.stringify({ schema, value }));
    }),
    { numRuns: 200 },
  );
});

test('property: parsing twice changes nothing more', () => {
  fc.assert(
    fc.property(anySchema, anyValue, (schema, value) => {
      const compiled = compileSchema(schema);
      assert.ok(compiled.ok);
      const once = compiled.schema.parse(value);
      if (once.ok) assert.deepEqual(compiled.schema.parse(once.value), once);
    }),
  );
});
