import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkJsonBounds, type JsonObject } from '@fairlead/base';
import { argumentsBounds, compileSchema } from '@fairlead/protocol';
import fc from 'fast-check';
import {
  badArguments,
  fullArguments,
  largestArguments,
  smallestArguments,
  unicodeArguments,
} from '../src/checks/sample-arguments.ts';

const CLOSED = { additionalProperties: false } as const;
const everything: JsonObject = {
  type: 'object',
  properties: {
    text: { type: 'string', minLength: 3 },
    count: { type: 'integer' },
    ratio: { type: 'number' },
    flag: { type: 'boolean' },
    nothing: { type: 'null' },
    list: { type: 'array', items: { type: 'string' }, minItems: 2 },
    free: { type: 'array' },
    none: { type: 'array', maxItems: 0 },
    part: { type: 'object', properties: { inner: { type: 'string' } }, required: ['inner'], ...CLOSED },
    fixed: { type: 'string', const: 'k' },
    chosen: { type: 'integer', enum: ['x', 2] },
  },
  required: ['text', 'list', 'part'],
  ...CLOSED,
};

test('the smallest arguments hold what is required, each as small as it may be', () => {
  assert.deepEqual(smallestArguments(everything), { text: 'aaa', list: ['', ''], part: { inner: '' } });
  assert.deepEqual(smallestArguments({ type: 'object' }), {});
  assert.deepEqual(smallestArguments({ type: 'object', required: ['undeclared'] }), { undeclared: null });
});

test('the full arguments hold every declared member', () => {
  assert.deepEqual(fullArguments(everything), {
    text: 'aaa',
    count: 1,
    ratio: 1,
    flag: false,
    nothing: null,
    list: ['', ''],
    free: [null],
    none: [],
    part: { inner: '' },
    fixed: 'k',
    chosen: 2,
  });
});

test('a value that a type allows is chosen from an enum', () => {
  const of = (type: string, allowed: readonly (null | boolean | string | number | object)[]) =>
    fullArguments({ type: 'object', properties: { p: { type, enum: allowed as never } } })['p'];
  assert.equal(of('null', ['x', null]), null);
  assert.deepEqual(of('array', ['x', [1]]), [1]);
  assert.deepEqual(of('object', ['x', { a: 1 }]), { a: 1 });
  assert.equal(of('boolean', ['x', true]), true);
  // Nothing satisfies such a schema: whoever uses the sample compares it.
  assert.equal(of('string', [1]), null);
});

test('a member named __proto__ is a member', () => {
  const schema: JsonObject = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}',
  );
  assert.deepEqual(Object.keys(smallestArguments(schema)), ['__proto__']);
});

test('text beyond ASCII goes where the schema has the most room', () => {
  const schema: JsonObject = {
    type: 'object',
    properties: {
      code: { type: 'string', enum: ['a'] },
      short: { type: 'string', maxLength: 1 },
      note: { type: 'string', minLength: 5, maxLength: 9 },
    },
    ...CLOSED,
  };
  assert.deepEqual(unicodeArguments(schema), { code: 'a', short: '', note: 'é😀xxx' });
  assert.deepEqual(unicodeArguments({ type: 'object' }), { filler_of_the_kit: 'é😀' });
  assert.equal(unicodeArguments({ type: 'object', ...CLOSED }), null);
  assert.equal(
    unicodeArguments({ type: 'object', properties: { s: { type: 'string', maxLength: 1 } }, ...CLOSED }),
    null,
  );
});

test('the largest arguments fill 64 KiB to the byte, or what the schema allows', () => {
  const open = largestArguments({ type: 'object' });
  assert.equal(Buffer.byteLength(JSON.stringify(open)), 65_536);
  const bounded = {
    type: 'object',
    properties: { s: { type: 'string', maxLength: 4096 } },
    ...CLOSED,
  } as const;
  assert.equal(String(largestArguments(bounded)?.['s']).length, 4096);
  const small = { type: 'object', properties: { s: { type: 'string', maxLength: 64 } }, ...CLOSED } as const;
  assert.equal(largestArguments(small), null);
  assert.equal(largestArguments({ type: 'object', ...CLOSED }), null);
});

test('bad arguments break what the schema asks for, and there are none where it asks for nothing', () => {
  assert.deepEqual(badArguments(everything), {});
  assert.deepEqual(badArguments({ type: 'object', ...CLOSED }), { undeclared_member: true });
  const optional = (type: string): JsonObject => ({ type: 'object', properties: { p: { type } } });
  assert.deepEqual(badArguments(optional('string')), { p: true });
  assert.deepEqual(badArguments(optional('boolean')), { p: 'text' });
  assert.equal(badArguments({ type: 'object' }), null);
  assert.equal(badArguments({ type: 'object', properties: {} }), null);
});

const leaf = fc.oneof(
  fc.record({ type: fc.constant('string'), minLength: fc.nat(20) }),
  fc.constantFrom({ type: 'integer' }, { type: 'number' }, { type: 'boolean' }, { type: 'null' }),
);
const { node } = fc.letrec<{ node: JsonObject }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.record({ type: fc.constant('array'), items: tie('node'), minItems: fc.nat(3) }),
    objectOf(tie('node')),
  ),
}));

function objectOf(member: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  return fc
    .tuple(fc.dictionary(fc.string({ maxLength: 8 }), member, { maxKeys: 4 }), fc.boolean(), fc.nat(4))
    .map(([properties, open, count]) => ({
      type: 'object',
      properties,
      required: Object.keys(properties).slice(0, count),
      additionalProperties: open,
    }));
}

test('samples satisfy their schema, and bad arguments do not', () => {
  fc.assert(
    fc.property(objectOf(node), (schema) => {
      const compiled = compileSchema(schema, 'input');
      fc.pre(compiled.ok);
      if (!compiled.ok) return;
      for (const make of [smallestArguments, fullArguments, unicodeArguments, largestArguments]) {
        const args = make(schema);
        if (args === null) continue;
        assert.equal(compiled.schema.fault(args), null, make.name);
        assert.equal(checkJsonBounds(args, argumentsBounds), null, make.name);
      }
      const bad = badArguments(schema);
      if (bad !== null) assert.equal(compiled.schema.matches(bad), false);
    }),
    { numRuns: 300 },
  );
});
