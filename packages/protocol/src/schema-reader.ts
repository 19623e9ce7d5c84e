import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { schemaLimits } from './limits.ts';
import type { Range, SchemaNode, SchemaType } from './schema-node.ts';

/** Which of a tool's two schemas is read. */
export type SchemaRole = 'input' | 'output';

/** Why a schema is refused; also the diagnostic code of its tool. */
export type SchemaCode =
  | 'schema_keyword_unsupported'
  | 'schema_bounds_exceeded'
  | 'input_schema_invalid'
  | 'output_schema_invalid';

/**
 * Reads one schema node and everything below it; the depth must be bounded already. Returns the node, or the code of
 * the first fault: within a node unknown keywords come first, then the type, then the keywords, then the children.
 */
export function readSchema(schema: Json, role: SchemaRole): SchemaNode | SchemaCode {
  const invalid: SchemaCode = `${role}_schema_invalid`;
  if (!isJsonObject(schema)) return invalid;
  for (const key of Object.keys(schema)) if (!KEYWORDS.has(key)) return 'schema_keyword_unsupported';
  const type = schema['type'];
  // A list of types is a keyword form that the profile leaves out, not a slip of the pen.
  if (Array.isArray(type)) return 'schema_keyword_unsupported';
  if (!isSchemaType(type)) return invalid;
  for (const key of Object.keys(schema)) {
    const owner = KEYWORDS.get(key);
    if (owner !== undefined && owner !== 'any' && owner !== type) return invalid;
  }
  for (const key of ['title', 'description']) {
    if (schema[key] !== undefined && typeof schema[key] !== 'string') return invalid;
  }
  const allowed = schema['enum'];
  if (allowed !== undefined) {
    if (!Array.isArray(allowed)) return invalid;
    if (allowed.length === 0 || allowed.length > schemaLimits.maxEnum) return 'schema_bounds_exceeded';
  }
  const constant = schema['const'];
  const choice = {
    allowed: allowed as readonly Json[] | undefined,
    constant: constant === undefined ? undefined : { value: constant },
  };
  switch (type) {
    case 'object':
      return readObject(schema, role, choice);
    case 'array':
      return readArray(schema, role, choice);
    case 'string': {
      const most = role === 'input' ? schemaLimits.maxInputLength : schemaLimits.maxOutputLength;
      const length = readRange(schema['minLength'], schema['maxLength'], most);
      return length === null ? invalid : { type, length, ...choice };
    }
    default:
      return { type, ...choice };
  }
}

type Choice = Pick<SchemaNode, 'allowed' | 'constant'>;

/** Every keyword of the profile, with the type that it belongs to. */
const KEYWORDS: ReadonlyMap<string, SchemaType | 'any'> = new Map([
  ['type', 'any'],
  ['title', 'any'],
  ['description', 'any'],
  ['enum', 'any'],
  ['const', 'any'],
  ['properties', 'object'],
  ['required', 'object'],
  ['additionalProperties', 'object'],
  ['items', 'array'],
  ['minItems', 'array'],
  ['maxItems', 'array'],
  ['minLength', 'string'],
  ['maxLength', 'string'],
]);

const TYPES: ReadonlySet<unknown> = new Set<SchemaType>([
  'object',
  'array',
  'string',
  'number',
  'integer',
  'boolean',
  'null',
]);

function isSchemaType(value: unknown): value is SchemaType {
  return TYPES.has(value);
}

function readObject(schema: JsonObject, role: SchemaRole, choice: Choice): SchemaNode | SchemaCode {
  const invalid: SchemaCode = `${role}_schema_invalid`;
  const { properties = {}, required = [], additionalProperties = true } = schema;
  if (!isJsonObject(properties) || !Array.isArray(required)) return invalid;
  if (typeof additionalProperties !== 'boolean') return invalid;
  const names = Object.keys(properties);
  if (names.length > schemaLimits.maxProperties) return 'schema_bounds_exceeded';
  if (required.length > schemaLimits.maxRequired) return 'schema_bounds_exceeded';
  const seen = new Set<string>();
  for (const name of required as readonly Json[]) {
    if (typeof name !== 'string' || seen.has(name)) return invalid;
    if (!additionalProperties && !Object.hasOwn(properties, name)) return invalid;
    seen.add(name);
  }
  const nodes = new Map<string, SchemaNode>();
  for (const name of names) {
    const node = readSchema(properties[name] as Json, role);
    if (typeof node === 'string') return node;
    nodes.set(name, node);
  }
  return { type: 'object', properties: nodes, required: [...seen], open: additionalProperties, ...choice };
}

function readArray(schema: JsonObject, role: SchemaRole, choice: Choice): SchemaNode | SchemaCode {
  const length = readRange(schema['minItems'], schema['maxItems'], schemaLimits.maxItems);
  if (length === null) return `${role}_schema_invalid`;
  if (schema['items'] === undefined) return { type: 'array', items: undefined, length, ...choice };
  const items = readSchema(schema['items'], role);
  return typeof items === 'string' ? items : { type: 'array', items, length, ...choice };
}

/** Both bounds of a length, or null when one is no integer in 0..most or they cross. */
function readRange(min: Json | undefined, max: Json | undefined, most: number): Range | null {
  if (min !== undefined && !isLength(min, most)) return null;
  if (max !== undefined && !isLength(max, most)) return null;
  const range = { min: min ?? 0, max: max ?? Number.POSITIVE_INFINITY };
  return range.min <= range.max ? range : null;
}

function isLength(value: Json, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most;
}
