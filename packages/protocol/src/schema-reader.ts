import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { schemaLimits } from './limits.ts';
import type { Choice, Range, SchemaNode, SchemaType } from './schema-node.ts';

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
 * the first fault, in the order of docs/reference/native-plugin-protocol.md §7: unknown keywords, the type and what
 * stands on it, enum, the keywords of the type, then the children.
 */
export function readSchema(schema: Json, role: SchemaRole): SchemaNode | SchemaCode {
  const invalid: SchemaCode = `${role}_schema_invalid`;
  if (!isJsonObject(schema)) return invalid;
  let form: Form = 'any';
  let sound = true;
  for (const key of Object.keys(schema)) {
    const keyword = formOf(key);
    if (keyword === undefined) return 'schema_keyword_unsupported';
    if (keyword === 'text') sound &&= typeof schema[key] === 'string';
    else if (keyword !== 'any') {
      sound &&= form === 'any' || form === keyword;
      form = keyword;
    }
  }
  const type = schema['type'];
  // A list of types is a keyword form that the profile leaves out, not a slip of the pen.
  if (Array.isArray(type)) return 'schema_keyword_unsupported';
  if (!sound || !isSchemaType(type) || (form !== 'any' && form !== type)) return invalid;
  const allowed = schema['enum'];
  if (allowed !== undefined) {
    if (!Array.isArray(allowed)) return invalid;
    if (allowed.length === 0 || allowed.length > schemaLimits.maxEnum) return 'schema_bounds_exceeded';
  }
  const constant = schema['const'];
  const choice: Choice = {
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
      return length === null ? invalid : { type, length, choice };
    }
    default:
      return { type, choice };
  }
}

/** The type that a keyword belongs to, `any` for all of them, `text` for the two that hold prose. */
type Form = 'any' | 'text' | 'object' | 'array' | 'string';

/** Every keyword of the profile; undefined for any other. */
function formOf(key: string): Form | undefined {
  switch (key) {
    case 'type':
    case 'enum':
    case 'const':
      return 'any';
    case 'title':
    case 'description':
      return 'text';
    case 'properties':
    case 'required':
    case 'additionalProperties':
      return 'object';
    case 'items':
    case 'minItems':
    case 'maxItems':
      return 'array';
    case 'minLength':
    case 'maxLength':
      return 'string';
    default:
      return undefined;
  }
}

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
  for (const [index, name] of (required as readonly Json[]).entries()) {
    if (typeof name !== 'string' || required.indexOf(name) !== index) return invalid;
    if (!additionalProperties && !Object.hasOwn(properties, name)) return invalid;
  }
  const nodes = new Map<string, SchemaNode>();
  for (const name of names) {
    const node = readSchema(properties[name] as Json, role);
    if (typeof node === 'string') return node;
    nodes.set(name, node);
  }
  return {
    type: 'object',
    properties: nodes,
    required: required as readonly string[],
    open: additionalProperties,
    choice,
  };
}

function readArray(schema: JsonObject, role: SchemaRole, choice: Choice): SchemaNode | SchemaCode {
  const length = readRange(schema['minItems'], schema['maxItems'], schemaLimits.maxItems);
  if (length === null) return `${role}_schema_invalid`;
  if (schema['items'] === undefined) return { type: 'array', items: undefined, length, choice };
  const items = readSchema(schema['items'], role);
  return typeof items === 'string' ? items : { type: 'array', items, length, choice };
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
