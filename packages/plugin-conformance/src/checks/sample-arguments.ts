import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { argumentsBounds } from '@fairlead/protocol';

// Arguments that satisfy a schema of profile v1, made from the schema alone. Who uses one holds it against the compiled schema:
// enum and const are not bound to type, so a schema can be one that nothing satisfies.

/** Two characters of two and four bytes. */
export const BEYOND_ASCII = 'é😀';

/** Only what is required, each as small as it may be. */
export function smallestArguments(schema: JsonObject): JsonObject {
  return sample(schema, 'required') as JsonObject;
}

/** Every declared member. */
export function fullArguments(schema: JsonObject): JsonObject {
  return sample(schema, 'declared') as JsonObject;
}

/** The same with a text beyond ASCII in it; null where the schema has no room for one. */
export function unicodeArguments(schema: JsonObject): JsonObject | null {
  const room = freeText(schema);
  if (room === null) return null;
  const { name, min, max } = room;
  if (max < 2) return null;
  return { ...fullArguments(schema), [name]: `${BEYOND_ASCII}${'x'.repeat(Math.max(0, min - 2))}` };
}

/** Arguments that fill what the schema and the bound of 64 KiB allow; null where that is no more than usual. */
export function largestArguments(schema: JsonObject): JsonObject | null {
  const full = fullArguments(schema);
  const room = freeText(schema);
  if (room === null) return null;
  const { name, max } = room;
  const empty = Buffer.byteLength(JSON.stringify({ ...full, [name]: '' }));
  const length = Math.min(max, argumentsBounds.maxBytes - empty);
  if (length < 1024) return null;
  return { ...full, [name]: 'x'.repeat(length) };
}

/** Arguments that break the schema; null where every object satisfies it. */
export function badArguments(schema: JsonObject): JsonObject | null {
  const { required, properties, additionalProperties } = schema;
  if (Array.isArray(required) && required.length > 0) return {};
  if (additionalProperties === false) return { ...smallestArguments(schema), undeclared_member: true };
  if (properties === undefined || !isJsonObject(properties)) return null;
  const [name] = Object.keys(properties);
  if (name === undefined) return null;
  const node = properties[name];
  // No type has both as members.
  const value = node !== undefined && isJsonObject(node) && node['type'] === 'boolean' ? 'text' : true;
  return { ...smallestArguments(schema), [name]: value };
}

type Extent = 'required' | 'declared';

function sample(node: JsonObject, extent: Extent): Json {
  const { type, const: constant, enum: allowed } = node;
  if (constant !== undefined) return constant;
  if (Array.isArray(allowed)) return allowedOf(allowed, type);
  switch (type) {
    case 'object':
      return sampleObject(node, extent);
    case 'array':
      return sampleArray(node, extent);
    case 'string':
      return 'a'.repeat(numberOf(node['minLength']) ?? 0);
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return 1;
  }
}

function allowedOf(allowed: readonly Json[], type: Json | undefined): Json {
  const fits = (value: Json): boolean => {
    if (type === 'null') return value === null;
    if (type === 'array') return Array.isArray(value);
    if (type === 'object') return isJsonObject(value);
    if (type === 'integer') return Number.isInteger(value);
    return typeof value === type;
  };
  return allowed.find(fits) ?? null;
}

function sampleObject({ properties, required }: JsonObject, extent: Extent): JsonObject {
  const nodes = properties !== undefined && isJsonObject(properties) ? properties : {};
  const names = Array.isArray(required) ? (required as readonly string[]) : [];
  const wanted = extent === 'declared' ? [...new Set([...names, ...Object.keys(nodes)])] : names;
  // Defines members, where an assignment to `__proto__` would set the prototype.
  return Object.fromEntries(
    wanted.map((name) => {
      const node = Object.hasOwn(nodes, name) ? nodes[name] : undefined;
      return [name, node !== undefined && isJsonObject(node) ? sample(node, extent) : null];
    }),
  );
}

function sampleArray(node: JsonObject, extent: Extent): Json {
  const { items } = node;
  const min = numberOf(node['minItems']) ?? 0;
  const max = numberOf(node['maxItems']) ?? Number.POSITIVE_INFINITY;
  const count = extent === 'declared' ? Math.min(Math.max(min, 1), max) : min;
  const item = items !== undefined && isJsonObject(items) ? sample(items, extent) : null;
  return Array.from({ length: count }, () => item);
}

/** A member of the root that takes any text: a declared one, else a new one where the object is open. */
function freeText(
  schema: JsonObject,
): { readonly name: string; readonly min: number; readonly max: number } | null {
  const { properties, additionalProperties } = schema;
  const nodes = properties !== undefined && isJsonObject(properties) ? properties : {};
  let found: { readonly name: string; readonly min: number; readonly max: number } | null = null;
  for (const [name, node] of Object.entries(nodes)) {
    if (!isJsonObject(node) || node['type'] !== 'string') continue;
    if (node['enum'] !== undefined || node['const'] !== undefined) continue;
    const max = numberOf(node['maxLength']) ?? Number.POSITIVE_INFINITY;
    if (found === null || max > found.max) found = { name, min: numberOf(node['minLength']) ?? 0, max };
  }
  if (found !== null || additionalProperties === false) return found;
  return { name: 'filler_of_the_kit', min: 0, max: Number.POSITIVE_INFINITY };
}

function numberOf(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
