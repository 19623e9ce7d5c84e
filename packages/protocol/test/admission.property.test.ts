// native-plugin-protocol §4, §7
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import fc from 'fast-check';
import { admitCatalog, isDiagnostic } from '../src/index.ts';

const KEYWORDS = new Set([
  'type',
  'title',
  'description',
  'enum',
  'const',
  'properties',
  'required',
  'additionalProperties',
  'minLength',
  'maxLength',
  'items',
  'minItems',
  'maxItems',
]);
const KNOWN_ELSEWHERE = [
  '$schema',
  '$id',
  '$ref',
  '$defs',
  '$anchor',
  '$dynamicRef',
  '$vocabulary',
  '$comment',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'prefixItems',
  'contains',
  'patternProperties',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
  'multipleOf',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'pattern',
  'uniqueItems',
  'maxContains',
  'minContains',
  'maxProperties',
  'minProperties',
  'dependentRequired',
  'format',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
  'default',
  'deprecated',
  'readOnly',
  'writeOnly',
  'examples',
  'definitions',
  'dependencies',
  'nullable',
  'discriminator',
];
const keyword = fc
  .oneof(fc.constantFrom(...KNOWN_ELSEWHERE, '__proto__', 'constructor', 'TYPE', ' type'), fc.string())
  .filter((key) => !KEYWORDS.has(key) && !/[\u0000-\u001f\u007f-\u009f]/.test(key));
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
  fc.constant<Json>({ type: 'string' }),
);

/** Where a node may stand in a schema: at the root, in a property, in items, or in both. */
const place = fc.array(fc.constantFrom('property', 'items'), { maxLength: 4 });

function schemaWith(key: string, member: Json, places: readonly string[]): JsonObject {
  // defineProperty, because assigning to __proto__ would set no member at all.
  let node: JsonObject = Object.defineProperty({ type: 'object' }, key, { value: member, enumerable: true });
  for (const where of places) {
    node = where === 'items' ? { type: 'array', items: node } : { type: 'object', properties: { p: node } };
  }
  return places.at(-1) === 'items' ? { type: 'object', properties: { list: node } } : node;
}

describe('admission', () => {
  it('rejects every keyword outside the profile, wherever it stands', () => {
    fc.assert(
      fc.property(
        keyword,
        value,
        place,
        fc.constantFrom('inputSchema', 'outputSchema'),
        (key, member, places, field) => {
          const tool = {
            name: 'echo',
            inputSchema: { type: 'object' },
            [field]: schemaWith(key, member, places),
          };
          assert.deepEqual(admitCatalog({ tools: [tool] }), {
            ok: false,
            diagnostic: { code: 'schema_keyword_unsupported', tool: 'echo', field },
          });
        },
      ),
      { numRuns: 500 },
    );
  });

  it('answers any JSON value with a catalog or with a diagnostic of good form, and never throws', () => {
    const anything = fc.jsonValue() as fc.Arbitrary<Json>;
    const member = fc.oneof(anything, fc.constantFrom<Json>('echo', { type: 'object' }, {}));
    const tool = fc.dictionary(
      fc.constantFrom('name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations', 'other'),
      member,
    );
    const result = fc.oneof(
      anything,
      fc.record({ tools: fc.array(fc.oneof(anything, tool), { maxLength: 4 }) }),
    );
    fc.assert(
      fc.property(result as fc.Arbitrary<Json>, (candidate) => {
        const admission = admitCatalog(candidate);
        if (!admission.ok) assert.equal(isDiagnostic(admission.diagnostic), true);
      }),
      { numRuns: 1000 },
    );
  });
});
