import { isJsonObject, type Json, type JsonObject, jsonEqual } from '@fairlead/base';
import { localSchema } from '@fairlead/hub';
import { schemaBounds } from '../limits.ts';
import { visibleJson } from './seen-text.ts';

/** Where a value does not fit, and how. `path` is a JSON Pointer, "" for the whole. */
export interface SchemaMismatch {
  readonly path: string;
  readonly message: string;
}

/**
 * Holds a value against a JSON Schema (2020-12, and what of draft-07 is common), in bounded time and without compiling anything: patterns, formats
 * and keywords that it does not know count as fitting, and so does what would take more than 50,000 steps. The server has the last word. Both
 * values are plain JSON of a bounded depth.
 */
export function schemaMismatch(schema: Json, value: Json): SchemaMismatch | undefined {
  return new Check(schema).run(value);
}

class Check {
  readonly #root: Json;
  #steps: number = schemaBounds.steps;

  constructor(root: Json) {
    this.#root = root;
  }

  run(value: Json): SchemaMismatch | undefined {
    const found = this.#at(this.#root, value, '', 0);
    return this.#steps < 0 ? undefined : found;
  }

  #at(schema: Json, value: Json, path: string, depth: number): SchemaMismatch | undefined {
    this.#steps -= 1;
    if (this.#steps < 0 || depth > schemaBounds.depth) return undefined;
    if (schema === false) return { path, message: 'is not allowed' };
    if (!isJsonObject(schema)) return undefined;
    return (
      this.#reference(schema, value, path, depth) ??
      typeMismatch(schema, value, path) ??
      choiceMismatch(schema, value, path) ??
      sizeMismatch(schema, value, path) ??
      this.#members(schema, value, path, depth) ??
      this.#items(schema, value, path, depth) ??
      this.#combined(schema, value, path, depth)
    );
  }

  #reference(schema: JsonObject, value: Json, path: string, depth: number): SchemaMismatch | undefined {
    const reference = schema['$ref'];
    if (typeof reference !== 'string') return undefined;
    const target = localSchema(this.#root, reference);
    return target === undefined ? undefined : this.#at(target, value, path, depth + 1);
  }

  #members(schema: JsonObject, value: Json, path: string, depth: number): SchemaMismatch | undefined {
    if (!isJsonObject(value)) return undefined;
    const { properties = null, required, additionalProperties } = schema;
    const known = isJsonObject(properties) ? properties : {};
    if (Array.isArray(required))
      for (const name of required as readonly Json[])
        if (typeof name === 'string' && !Object.hasOwn(value, name))
          return { path: below(path, name), message: 'must be present' };
    const hasPatterns = isJsonObject(schema['patternProperties'] ?? null);
    for (const [name, member] of Object.entries(value)) {
      const own = Object.hasOwn(known, name) ? known[name] : undefined;
      const rest = hasPatterns ? undefined : additionalProperties;
      if (own === undefined && rest === false)
        return { path, message: `must have no members but ${listed(Object.keys(known))}` };
      const found = this.#at(own ?? rest ?? true, member, below(path, name), depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #items(schema: JsonObject, value: Json, path: string, depth: number): SchemaMismatch | undefined {
    if (!Array.isArray(value)) return undefined;
    const items = schema['items'];
    const first = Array.isArray(items) ? items : schema['prefixItems'];
    const head: readonly Json[] = Array.isArray(first) ? first : [];
    const rest = Array.isArray(items) ? schema['additionalItems'] : items;
    for (const [index, item] of (value as readonly Json[]).entries()) {
      const found = this.#at(head[index] ?? rest ?? true, item, below(path, index), depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #combined(schema: JsonObject, value: Json, path: string, depth: number): SchemaMismatch | undefined {
    const { allOf, anyOf, oneOf } = schema;
    if (Array.isArray(allOf))
      for (const part of allOf as readonly Json[]) {
        const found = this.#at(part, value, path, depth + 1);
        if (found !== undefined) return found;
      }
    for (const list of [anyOf, oneOf]) {
      if (!Array.isArray(list) || list.length === 0) continue;
      const found = (list as readonly Json[]).map((part) => this.#at(part, value, path, depth + 1));
      if (found.every((one) => one !== undefined))
        return found.length === 1 ? found[0] : { path, message: 'fits none of its alternatives' };
    }
    return undefined;
  }
}

const NOUNS: Readonly<Record<string, string>> = Object.freeze({
  object: 'an object',
  array: 'an array',
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  null: 'null',
});

function typeMismatch(schema: JsonObject, value: Json, path: string): SchemaMismatch | undefined {
  const given = schema['type'];
  const types = (Array.isArray(given) ? (given as readonly Json[]) : [given]).filter(
    (type): type is string => typeof type === 'string' && Object.hasOwn(NOUNS, type),
  );
  if (types.length === 0 || (schema['nullable'] === true && value === null)) return undefined;
  if (types.some((type) => isOfType(type, value))) return undefined;
  return { path, message: `must be ${types.map((type) => NOUNS[type]).join(' or ')}` };
}

function isOfType(type: string, value: Json): boolean {
  switch (type) {
    case 'object':
      return isJsonObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}

function choiceMismatch(schema: JsonObject, value: Json, path: string): SchemaMismatch | undefined {
  const { enum: choices, const: constant } = schema;
  if (constant !== undefined && !jsonEqual(constant, value))
    return { path, message: `must be ${shownValue(constant, 200)}` };
  if (!Array.isArray(choices) || choices.some((choice: Json) => jsonEqual(choice, value))) return undefined;
  return { path, message: `must be one of ${listed(choices as readonly Json[])}` };
}

function sizeMismatch(schema: JsonObject, value: Json, path: string): SchemaMismatch | undefined {
  if (typeof value === 'number')
    return (
      outside(schema, 'minimum', 'maximum', value, '', path) ??
      (typeof schema['exclusiveMinimum'] === 'number' && value <= schema['exclusiveMinimum']
        ? { path, message: `must be more than ${schema['exclusiveMinimum']}` }
        : typeof schema['exclusiveMaximum'] === 'number' && value >= schema['exclusiveMaximum']
          ? { path, message: `must be less than ${schema['exclusiveMaximum']}` }
          : undefined)
    );
  if (typeof value === 'string') {
    if (schema['minLength'] === undefined && schema['maxLength'] === undefined) return undefined;
    return outside(schema, 'minLength', 'maxLength', [...value].length, ' characters', path);
  }
  if (Array.isArray(value)) return outside(schema, 'minItems', 'maxItems', value.length, ' items', path);
  if (isJsonObject(value))
    return outside(schema, 'minProperties', 'maxProperties', Object.keys(value).length, ' members', path);
  return undefined;
}

function outside(
  schema: JsonObject,
  low: string,
  high: string,
  size: number,
  unit: string,
  path: string,
): SchemaMismatch | undefined {
  const { [low]: min, [high]: max } = schema;
  if (typeof min === 'number' && size < min) return { path, message: `must be at least ${min}${unit}` };
  if (typeof max === 'number' && size > max) return { path, message: `must be at most ${max}${unit}` };
  return undefined;
}

function below(path: string, step: string | number): string {
  return `${path}/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function listed(values: readonly Json[]): string {
  if (values.length === 0) return 'none';
  const shown = values.slice(0, 12).map((value) => shownValue(value, 100));
  return values.length > shown.length ? `${shown.join(', ')} …` : shown.join(', ');
}

function shownValue(value: Json, length: number): string {
  return visibleJson(JSON.stringify(value).slice(0, length));
}
