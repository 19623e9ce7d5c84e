// native-plugin-protocol §7
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { compileSchema } from '../src/index.ts';

/** Few names and few values, so that schemas and values meet. The reference skips `__proto__` and calls `toString` of what it compares; those names have tests of their own. */
const name = fc.constantFrom('a', 'b', 'c', 'isPrototypeOf', 'a/b', '');
/** The reference never misses a required member whose name is empty; that too has its own test. */
const requiredName = name.filter((key) => key !== '');
const text = fc.constantFrom('', 'a', 'ab', '😀', '😀a', 'é́', 'abc');
const scalar = fc.oneof(fc.constantFrom<Json>(null, true, false, 0, 1, -1, 1.5, 2 ** 53, 1e300, -0), text);
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ) as fc.Arbitrary<Json>,
}));

function range(low: string, high: string) {
  const bound = fc.option(fc.nat(3), { nil: undefined });
  return fc.tuple(bound, bound).map(([left, right]) => {
    const crossed = left !== undefined && right !== undefined && left > right;
    return withoutAbsent({ [low]: crossed ? right : left, [high]: crossed ? left : right });
  });
}

function withoutAbsent(object: { readonly [key: string]: Json | undefined }): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter((entry): entry is [string, Json] => entry[1] !== undefined),
  );
}

const choice = fc
  .record(
    { enum: fc.array(value, { minLength: 1, maxLength: 3 }), const: value, title: text, description: text },
    { requiredKeys: [] },
  )
  // Most nodes should leave the value free, or nothing would ever match.
  .chain((keywords) => fc.constantFrom<JsonObject>({}, {}, {}, keywords as JsonObject));

const { node } = fc.letrec<{ node: JsonObject }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc
      .tuple(fc.constantFrom('number', 'integer', 'boolean', 'null'), choice)
      .map(([type, keywords]) => ({ type, ...keywords })),
    fc
      .tuple(range('minLength', 'maxLength'), choice)
      .map((keywords) => Object.assign({ type: 'string' }, ...keywords)),
    fc
      .tuple(range('minItems', 'maxItems'), fc.option(tie('node'), { nil: undefined }), choice)
      .map(([length, items, keywords]) => withoutAbsent({ type: 'array', items, ...length, ...keywords })),
    objectNode(tie('node')),
  ) as fc.Arbitrary<JsonObject>,
}));

function objectNode(member: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  return fc
    .tuple(
      fc.option(fc.dictionary(name, member, { maxKeys: 4, noNullPrototype: true }), { nil: undefined }),
      fc.option(fc.uniqueArray(requiredName, { maxLength: 2 }), { nil: undefined }),
      fc.option(fc.boolean(), { nil: undefined }),
      choice,
    )
    .map(([properties, required, additionalProperties, keywords]) => {
      const declared = (key: string) =>
        additionalProperties !== false || Object.hasOwn(properties ?? {}, key);
      return withoutAbsent({
        type: 'object',
        properties,
        required: required?.filter(declared),
        additionalProperties,
        ...keywords,
      });
    });
}

/** A value near a schema: most random values fail at once, which shows little. */
function near(schema: JsonObject): fc.Arbitrary<Json> {
  const free = value;
  if (schema['const'] !== undefined) return fc.oneof(fc.constant(schema['const']), free);
  if (Array.isArray(schema['enum'])) return fc.oneof(fc.constantFrom(...(schema['enum'] as Json[])), free);
  switch (schema['type']) {
    case 'object': {
      const properties = (schema['properties'] ?? {}) as { readonly [key: string]: JsonObject };
      const members = fc.record(
        Object.fromEntries(Object.entries(properties).map(([key, member]) => [key, near(member)])),
        { requiredKeys: [], noNullPrototype: true },
      );
      const others = fc.oneof(
        { weight: 3, arbitrary: fc.constant({}) },
        { weight: 1, arbitrary: fc.dictionary(name, free, { maxKeys: 2, noNullPrototype: true }) },
      );
      const required = fc.oneof(
        fc.constant({}),
        fc.constant(
          Object.fromEntries(
            ((schema['required'] ?? []) as string[])
              .filter((key) => !Object.hasOwn(properties, key))
              .map((key) => [key, 1]),
          ),
        ),
      );
      return fc.tuple(others, required, members).map((parts) => Object.assign({}, ...parts) as Json);
    }
    case 'array':
      return fc.array(schema['items'] === undefined ? free : near(schema['items'] as JsonObject), {
        maxLength: 4,
      });
    case 'string':
      return fc.oneof(text, free);
    default:
      return free;
  }
}

describe('profile v1 against a validator of JSON Schema 2020-12', () => {
  // ownProperties: otherwise the reference takes isPrototypeOf for a member of every object.
  const reference = () => new Ajv2020({ strict: false, ownProperties: true, validateSchema: false });

  it('agrees on every value, and its fault agrees with its match', () => {
    let matched = 0;
    let refused = 0;
    const pair = objectNode(node).chain((schema) =>
      fc.tuple(fc.constant(schema), fc.array(near(schema), { minLength: 5, maxLength: 8 })),
    );
    fc.assert(
      fc.property(pair, ([schema, values]) => {
        const compiled = compileSchema(schema, 'input');
        assert.ok(compiled.ok, JSON.stringify(compiled));
        const validate = reference().compile(schema);
        for (const candidate of values) {
          const wanted = validate(candidate);
          assert.equal(compiled.schema.matches(candidate), wanted, JSON.stringify(candidate));
          assert.equal(compiled.schema.fault(candidate) === null, wanted, JSON.stringify(candidate));
          if (wanted) matched += 1;
          else refused += 1;
        }
      }),
      { numRuns: 300 },
    );
    assert.ok(matched > 100 && refused > 100, `${matched} matched, ${refused} refused`);
  });

  it('never puts a part of the value into a fault', () => {
    const marker = 'planted-marker';
    const schema = compileSchema(
      {
        type: 'object',
        properties: { a: { type: 'array', items: { type: 'integer' } } },
        additionalProperties: false,
      },
      'input',
    );
    assert.ok(schema.ok);
    const planted = fc.dictionary(
      fc.constantFrom('a', marker),
      fc.oneof(
        fc.constant(marker),
        fc.constant([marker]),
        fc.constant({ [marker]: marker }),
        fc.constant([1]),
      ),
    );
    fc.assert(
      fc.property(planted, (candidate) => {
        assert.equal(JSON.stringify(schema.schema.fault(candidate as Json)).includes(marker), false);
      }),
    );
  });
});
