import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import * as fc from 'fast-check';
import { schemaWidening } from '../../src/catalogs/schema-widening.ts';

const ref = (name: string, beside: JsonObject = {}): JsonObject => ({ $ref: `#/$defs/${name}`, ...beside });
const withDefs = ($defs: JsonObject, schema: JsonObject): JsonObject => ({ ...schema, $defs });
const path = (maxLength: number, beside: JsonObject = {}) =>
  withDefs({ path: { type: 'string', maxLength } }, { properties: { p: ref('path', beside) } });

const cases: readonly (readonly [string, Json, Json, readonly string[]])[] = [
  ['wider behind a reference', path(9), path(99), ['/p: maxLength 9 is 99 now']],
  ['narrower behind a reference', path(99), path(9), []],
  [
    'wider behind a reference that a narrower bound stands beside',
    path(9, { maxLength: 500 }),
    path(99, { maxLength: 400 }),
    ['/p: maxLength 9 is 99 now'],
  ],
  [
    'another reference, to something wider',
    withDefs({ a: { type: 'string' }, b: {} }, { items: ref('a') }),
    withDefs({ a: { type: 'string' }, b: {} }, { items: ref('b') }),
    ['/items: takes values of every type'],
  ],
  [
    'wider behind a reference of a reference, in the old place of definitions',
    {
      definitions: { a: { $ref: '#/definitions/b' }, b: { enum: ['x'] } },
      items: { $ref: '#/definitions/a' },
    },
    {
      definitions: { a: { $ref: '#/definitions/b' }, b: { enum: ['x', 'y'] } },
      items: { $ref: '#/definitions/a' },
    },
    ['/items: takes "y" too'],
  ],
  [
    'a reference that leads nowhere now takes anything',
    path(9),
    { properties: { p: ref('path') } },
    ['/p: refers to what is not followed, and may take more'],
  ],
  [
    'an anchor is not followed, so whatever differs may be behind it',
    { properties: { p: { $ref: '#p' } }, $defs: { p: { $anchor: 'p', type: 'string' } } },
    { properties: { p: { $ref: '#p' } }, $defs: { p: { $anchor: 'p' } } },
    ['/p: refers to what is not followed, and may take more'],
  ],
  [
    'a part with a name of its own, wider behind a reference to that name',
    { properties: { a: { $ref: 'item' } }, $defs: { item: { $id: 'item', type: 'string' } } },
    { properties: { a: { $ref: 'item' } }, $defs: { item: { $id: 'item' } } },
    ['/a: refers to what is not followed, and may take more'],
  ],
  [
    'the same where the part is new, and the other document was meant before',
    { properties: { a: { $ref: 'item' } } },
    { properties: { a: { $ref: 'item' } }, $defs: { item: { $id: 'item' } } },
    ['/a: refers to what is not followed, and may take more'],
  ],
  [
    'a place in a part with a name of its own, which counts from there',
    withDefs(
      { t: { type: 'string' } },
      { properties: { a: withDefs({ t: { type: 'string' } }, { $id: 'x', ...ref('t') }) } },
    ),
    withDefs(
      { t: { type: 'string' } },
      { properties: { a: withDefs({ t: {} }, { $id: 'x', ...ref('t') }) } },
    ),
    ['/a: refers to what is not followed, and may take more'],
  ],
  [
    'a reference to the own name of the whole schema',
    withDefs(
      { p: { type: 'string' } },
      { $id: 'https://a.example/x', properties: { a: { $ref: 'x#/$defs/p' } } },
    ),
    withDefs({ p: {} }, { $id: 'https://a.example/x', properties: { a: { $ref: 'x#/$defs/p' } } }),
    ['/a: refers to what is not followed, and may take more'],
  ],
  [
    'an empty reference, which is the whole document',
    { properties: { a: { properties: { b: { $ref: '' } } } }, required: ['a'] },
    { properties: { a: { properties: { b: { $ref: '' } } } } },
    ['/a/b: refers to what is not followed, and may take more', 'a need not be given any more'],
  ],
  [
    'another document is what it was, as long as its name is',
    { properties: { p: { $ref: 'https://a.example/s' }, n: { maximum: 5 } } },
    { properties: { p: { $ref: 'https://a.example/s' }, n: { maximum: 4 } } },
    [],
  ],
  [
    'another document under another name',
    { properties: { p: { $ref: 'https://a.example/s' } } },
    { properties: { p: { $ref: 'https://b.example/s' } } },
    ['/p: refers to what is not followed, and may take more'],
  ],
  [
    'a schema that refers to itself, wider in its middle',
    withDefs(
      { node: { properties: { n: { maximum: 1 }, next: ref('node') } } },
      { properties: { a: ref('node') } },
    ),
    withDefs(
      { node: { properties: { n: { maximum: 2 }, next: ref('node') } } },
      { properties: { a: ref('node') } },
    ),
    ['/a/n: maximum 1 is 2 now'],
  ],
  [
    'alternatives whose references mean something else',
    withDefs({ a: { const: 1 } }, { oneOf: [ref('a'), { type: 'null' }] }),
    withDefs({ a: { const: 2 } }, { oneOf: [ref('a'), { type: 'null' }] }),
    ['oneOf is another one'],
  ],
  [
    'members that nobody named, behind a reference',
    withDefs({ a: { type: 'string' } }, { additionalProperties: ref('a') }),
    withDefs({ a: { type: ['string', 'object'] } }, { additionalProperties: ref('a') }),
    ['/*: takes object too'],
  ],
  [
    'written out where a reference stood',
    path(9),
    { properties: { p: { type: 'string', maxLength: 9 } } },
    [],
  ],
  [
    'written out, and wider',
    path(9),
    { properties: { p: { type: 'string' } } },
    ['/p: maxLength 9 is dropped'],
  ],
  [
    'written out without what stood beside',
    path(99, { maxLength: 9 }),
    { properties: { p: { type: 'string', maxLength: 99 } } },
    ['/p: is written otherwise'],
  ],
  [
    'a description in the definitions is nothing that is taken',
    withDefs({ a: { type: 'string', description: 'One.' } }, { items: ref('a') }),
    withDefs({ a: { type: 'string', description: 'Two.' } }, { items: ref('a') }),
    [],
  ],
  [
    'what is no schema takes anything',
    path(9),
    { ...path(9), $defs: { path: 'x' } },
    ['/p: takes anything now'],
  ],
];

for (const [title, before, after, expected] of cases)
  test(`${title}: ${expected.length === 0 ? 'not wider' : 'wider'}`, () => {
    assert.deepEqual(schemaWidening(before, after), expected);
  });

test('what differs deeper than is looked at counts as wider', () => {
  const nested = (depth: number, inner: JsonObject): JsonObject =>
    depth === 0 ? inner : { properties: { a: nested(depth - 1, inner) } };
  const found = schemaWidening(nested(40, { maximum: 1 }), nested(40, { maximum: 2 }));
  assert.equal(found.length, 1);
  assert.match(found[0] ?? '', /: differs in more than is looked at$/);
});

test('references that branch without end are compared in bounded time, and what differs behind them is said', () => {
  const branching = (maximum: number): JsonObject => ({
    ...ref('x0'),
    $defs: Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [
        `x${at}`,
        {
          properties: Object.fromEntries(
            Array.from({ length: 60 }, (__, to) => [`p${to}`, to === at ? { maximum } : ref(`x${to}`)]),
          ),
        },
      ]),
    ),
  });
  assert.ok(schemaWidening(branching(1), branching(2)).length > 0);
  assert.deepEqual(schemaWidening(branching(1), branching(1)), []);
});

/** Schemas of a few keywords, each as deep as three. */
const schemas = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.record({ type: fc.constantFrom('string', 'number', 'object') }),
    fc.record({ maximum: fc.integer({ min: 0, max: 3 }) }),
    fc.record({ enum: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }) }),
    fc.record({ items: tie('schema') }),
    fc.record({
      properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema'), { maxKeys: 2 }),
      additionalProperties: fc.boolean(),
    }),
  ) as fc.Arbitrary<JsonObject>,
})).schema;

/** The same with each schema below the top put among the definitions, named by its place. */
function referred(schema: JsonObject): JsonObject {
  const $defs: Record<string, Json> = {};
  const put = (name: string, part: JsonObject): JsonObject => {
    $defs[name] = moved(part, name);
    return { $ref: `#/$defs/${name}` };
  };
  const moved = (part: JsonObject, at: string): JsonObject => {
    const { items, properties, ...rest } = part as {
      readonly items?: JsonObject;
      readonly properties?: Readonly<Record<string, JsonObject>>;
    } & JsonObject;
    const members = Object.entries(properties ?? {}).map(([name, one]) => [name, put(`${at}.${name}`, one)]);
    return {
      ...rest,
      ...(items === undefined ? {} : { items: put(`${at}.i`, items) }),
      ...(properties === undefined ? {} : { properties: Object.fromEntries(members) as JsonObject }),
    };
  };
  return { ...moved(schema, 'x'), $defs };
}

test('what is wider written out is as wider behind references, on either side or both', () => {
  fc.assert(
    fc.property(schemas, schemas, (before, after) => {
      const plain = schemaWidening(before, after);
      assert.deepEqual(schemaWidening(referred(before), referred(after)), plain);
      assert.deepEqual(schemaWidening(before, referred(after)), plain);
      assert.deepEqual(schemaWidening(referred(before), after), plain);
      assert.deepEqual(schemaWidening(before, referred(before)), []);
    }),
    { numRuns: 300 },
  );
});
