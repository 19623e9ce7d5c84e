import { isJsonObject, type Json, type JsonObject, setMember } from '../json/json.ts';
import { plainJson } from '../json/plain-json.ts';
import { SCHEMA_BOUNDS, schemaLimits } from '../limits.ts';
import { parseNode } from './parse-node.ts';
import { below, type SchemaFault } from './schema-fault.ts';
import type { Range, SchemaNode, SchemaType } from './schema-node.ts';

/** A schema that was read, or the first thing in it that the dialect does not know or allow. */
export type SchemaReading =
  | { readonly ok: true; readonly node: SchemaNode; readonly json: JsonObject }
  | { readonly ok: false; readonly fault: SchemaFault };

/**
 * Reads a schema of the dialect (profile v1 plus `default`, `minimum`, `maximum`). `json` is a frozen copy, with every object
 * closed that does not say otherwise. Refused: bounds (64 KiB, 16 deep, 4,096 values), an unknown keyword, a keyword of
 * another type, a length out of range, a default that does not satisfy its own schema.
 */
export function readSchema(schema: unknown): SchemaReading {
  const plain = plainJson(schema, SCHEMA_BOUNDS);
  if (!plain.ok) return { ok: false, fault: { path: plain.path, message: plain.message } };
  try {
    const node = read(plain.value, '');
    return { ok: true, node, json: closed(plain.value as JsonObject) };
  } catch (thrown) {
    if (thrown instanceof Invalid) return { ok: false, fault: thrown.fault };
    throw thrown;
  }
}

/** The schema with every object closed in so many words: to any other reader of JSON Schema silence means open. */
function closed(schema: JsonObject): JsonObject {
  const { properties, items } = schema;
  const copy: { [key: string]: Json } = { ...schema };
  if (schema['type'] === 'object') copy['additionalProperties'] ??= false;
  if (isJsonObject(properties)) {
    const members: { [name: string]: Json } = {};
    for (const [name, member] of Object.entries(properties))
      setMember(members, name, closed(member as JsonObject));
    copy['properties'] = Object.freeze(members);
  }
  if (isJsonObject(items)) copy['items'] = closed(items);
  return Object.freeze(copy);
}

class Invalid extends Error {
  readonly fault: SchemaFault;

  constructor(path: string, message: string) {
    super(message);
    this.fault = { path, message };
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

const ANY_TYPE: ReadonlySet<string> = new Set(['type', 'title', 'description', 'enum', 'const', 'default']);

/** The keywords that belong to some types alone. */
const TYPES_OF: Readonly<Record<string, readonly SchemaType[]>> = Object.freeze({
  properties: ['object'],
  required: ['object'],
  additionalProperties: ['object'],
  items: ['array'],
  minItems: ['array'],
  maxItems: ['array'],
  minLength: ['string'],
  maxLength: ['string'],
  minimum: ['number', 'integer'],
  maximum: ['number', 'integer'],
});

function read(schema: Json, path: string): SchemaNode {
  if (!isJsonObject(schema)) throw new Invalid(path, 'is not a schema object');
  const type = schema['type'];
  for (const key of Object.keys(schema)) {
    if (!ANY_TYPE.has(key) && !Object.hasOwn(TYPES_OF, key))
      throw new Invalid(below(path, key), 'is a keyword that this dialect does not have');
  }
  if (!TYPES.has(type)) throw new Invalid(below(path, 'type'), 'must be one type of the dialect');
  for (const key of Object.keys(schema)) {
    if (!ANY_TYPE.has(key) && TYPES_OF[key]?.includes(type as SchemaType) !== true)
      throw new Invalid(below(path, key), `does not belong to the type ${String(type)}`);
  }
  for (const key of ['title', 'description']) {
    if (schema[key] !== undefined && typeof schema[key] !== 'string')
      throw new Invalid(below(path, key), 'must be a string');
  }
  const bare = readOfType(type as SchemaType, schema, path);
  if (schema['default'] === undefined) return bare;
  const parsed = parseNode(bare, schema['default'], below(path, 'default'));
  if ('message' in parsed) throw new Invalid(parsed.path, `${parsed.message}, as its own schema says`);
  return { ...bare, fallback: parsed };
}

function readOfType(type: SchemaType, schema: JsonObject, path: string): SchemaNode {
  const choice = { allowed: readEnum(schema, path), constant: readConst(schema), fallback: undefined };
  switch (type) {
    case 'object':
      return { ...choice, type, ...readMembers(schema, path) };
    case 'array':
      return {
        ...choice,
        type,
        items: schema['items'] === undefined ? undefined : read(schema['items'], below(path, 'items')),
        count: readCounts(schema, path, 'minItems', 'maxItems', schemaLimits.maxItems),
      };
    case 'string':
      return {
        ...choice,
        type,
        length: readCounts(schema, path, 'minLength', 'maxLength', schemaLimits.maxLength),
      };
    case 'number':
    case 'integer':
      return { ...choice, type, range: readRange(schema, path) };
    default:
      return { ...choice, type };
  }
}

function readEnum(schema: JsonObject, path: string): readonly Json[] | undefined {
  const allowed = schema['enum'];
  if (allowed === undefined) return undefined;
  if (!Array.isArray(allowed) || allowed.length === 0 || allowed.length > schemaLimits.maxEnum)
    throw new Invalid(below(path, 'enum'), `must be a list of 1 to ${schemaLimits.maxEnum} values`);
  return allowed;
}

function readConst(schema: JsonObject): { readonly value: Json } | undefined {
  return schema['const'] === undefined ? undefined : { value: schema['const'] };
}

function readMembers(
  schema: JsonObject,
  path: string,
): Pick<Extract<SchemaNode, { type: 'object' }>, 'properties' | 'required' | 'open'> {
  const { properties = {}, required = [], additionalProperties = false } = schema;
  if (!isJsonObject(properties)) throw new Invalid(below(path, 'properties'), 'must be an object');
  if (typeof additionalProperties !== 'boolean')
    throw new Invalid(below(path, 'additionalProperties'), 'must be true or false');
  const names = Object.keys(properties);
  if (names.length > schemaLimits.maxProperties)
    throw new Invalid(
      below(path, 'properties'),
      `must not have more than ${schemaLimits.maxProperties} members`,
    );
  const nodes = new Map<string, SchemaNode>();
  for (const name of names)
    nodes.set(name, read(properties[name] as Json, below(below(path, 'properties'), name)));
  if (!Array.isArray(required) || required.length > schemaLimits.maxRequired)
    throw new Invalid(below(path, 'required'), `must be a list of at most ${schemaLimits.maxRequired} names`);
  const needed = new Set<string>();
  for (const [index, name] of (required as readonly Json[]).entries()) {
    const place = below(below(path, 'required'), index);
    if (typeof name !== 'string' || needed.has(name)) throw new Invalid(place, 'must be a name, once');
    if (!additionalProperties && !nodes.has(name)) throw new Invalid(place, 'must be declared in properties');
    needed.add(name);
  }
  return { properties: nodes, required: needed, open: additionalProperties };
}

function readCounts(schema: JsonObject, path: string, low: string, high: string, most: number): Range {
  const { [low]: min = 0, [high]: max = most } = schema;
  for (const [key, value] of [
    [low, min],
    [high, max],
  ] as const) {
    if (!Number.isInteger(value) || (value as number) < 0 || (value as number) > most)
      throw new Invalid(below(path, key), `must be an integer from 0 to ${most}`);
  }
  if ((min as number) > (max as number)) throw new Invalid(below(path, low), `must not be above ${high}`);
  return { min: min as number, max: schema[high] === undefined ? Number.POSITIVE_INFINITY : (max as number) };
}

function readRange(schema: JsonObject, path: string): Range {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
  if (typeof minimum !== 'number') throw new Invalid(below(path, 'minimum'), 'must be a number');
  if (typeof maximum !== 'number') throw new Invalid(below(path, 'maximum'), 'must be a number');
  if (minimum > maximum) throw new Invalid(below(path, 'minimum'), 'must not be above maximum');
  return { min: minimum, max: maximum };
}
