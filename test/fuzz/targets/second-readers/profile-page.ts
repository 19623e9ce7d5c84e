import type { Json } from '@fairlead/base';
import type { SchemaRole } from '@fairlead/protocol';
import { Ajv } from 'ajv';
import { readStrictly } from './strict-json.ts';

/**
 * Whether a value is a schema of profile v1 as the page of the protocol says (§6 and §7): a schema of such schemas, which ajv
 * reads, and the few rules that no schema can say. Not to be asked where ajv is no judge.
 */
export class ProfilePage {
  readonly #valid: Readonly<Record<SchemaRole, (schema: Json) => boolean>>;

  constructor() {
    const ajv = new Ajv({ strict: false, logger: false, ownProperties: true });
    const [input, output] = [ajv.compile(schemaOfSchemas(65_536)), ajv.compile(schemaOfSchemas(524_288))];
    this.#valid = { input: (schema) => input(schema), output: (schema) => output(schema) };
  }

  admits(schema: Json, role: SchemaRole): boolean {
    return isWithinBounds(schema) && this.#valid[role](schema) && isConsistent(schema as SchemaOnPage);
  }
}

function schemaOfSchemas(mostLength: number): object {
  const common = {
    title: { type: 'string' },
    description: { type: 'string' },
    enum: { type: 'array', minItems: 1, maxItems: 128 },
    const: true,
  };
  const length = { type: 'integer', minimum: 0, maximum: mostLength };
  const count = { type: 'integer', minimum: 0, maximum: 4_096 };
  const own = {
    object: {
      properties: { type: 'object', maxProperties: 128, additionalProperties: { $ref: '#/$defs/node' } },
      required: { type: 'array', items: { type: 'string' }, uniqueItems: true, maxItems: 128 },
      additionalProperties: { type: 'boolean' },
    },
    string: { minLength: length, maxLength: length },
    array: { items: { $ref: '#/$defs/node' }, minItems: count, maxItems: count },
    number: {},
    integer: {},
    boolean: {},
    null: {},
  };
  const forms = Object.entries(own).map(([type, keywords]) => ({
    type: 'object',
    properties: { type: { const: type }, ...common, ...keywords },
    required: ['type'],
    additionalProperties: false,
  }));
  return {
    $defs: { node: { anyOf: forms } },
    allOf: [{ $ref: '#/$defs/node' }, { type: 'object', properties: { type: { const: 'object' } } }],
  };
}

/** The bounds of a part. */
function isWithinBounds(schema: Json): boolean {
  const bytes = Buffer.from(JSON.stringify(schema));
  const size = readStrictly(bytes);
  if (size === undefined || bytes.length > 65_536 || size.depth > 16 || size.nodes > 4_096) return false;
  return size.keyBytes <= 1_024 && size.stringBytes <= 524_288 && !hasControlCharacterInName(schema);
}

function hasControlCharacterInName(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasControlCharacterInName);
  return Object.entries(value).some(
    ([name, below]) =>
      /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/.test(name) || hasControlCharacterInName(below),
  );
}

/** What a schema of schemas has let pass. */
type SchemaOnPage = {
  readonly properties?: Readonly<Record<string, SchemaOnPage>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: SchemaOnPage;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
};

/** No minimum is above its maximum, and a closed object declares what it requires. */
function isConsistent(node: SchemaOnPage): boolean {
  const { properties = {}, required = [], items } = node;
  if ((node.minLength ?? 0) > (node.maxLength ?? Number.POSITIVE_INFINITY)) return false;
  if ((node.minItems ?? 0) > (node.maxItems ?? Number.POSITIVE_INFINITY)) return false;
  if (node.additionalProperties === false && required.some((name) => !Object.hasOwn(properties, name)))
    return false;
  return Object.values(properties).every(isConsistent) && (items === undefined || isConsistent(items));
}
