import { isJsonObject, type Json, type JsonObject, jsonEqual, singleLine } from '@fairlead/base';
import { lengthInRange, type Range, type SchemaNode, type SchemaType } from './schema-node.ts';

/**
 * Where a value does not satisfy its schema, in words that hold nothing of the value. `path` is a JSON Pointer
 * (RFC 6901) made of names that the schema declares and of indexes, "" for the whole value, at most 200 characters;
 * `expected` goes on after "must be".
 */
export type SchemaFault = { readonly path: string; readonly expected: string };

const PATH_MAX_LENGTH = 200;

const NOUNS: Readonly<Record<SchemaType, string>> = {
  object: 'an object',
  array: 'an array',
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  null: 'null',
};

/**
 * The first fault of a value: its type, its choice of values, its length, then its members as the schema orders them.
 * `extension` walks its schemas in a like way (parse-node.ts): it is published without dependencies, knows defaults and ranges, and may
 * name values, which are an author's there. The two dialects are kept apart on purpose.
 */
export function faultOf(node: SchemaNode, value: Json): SchemaFault | null {
  return find(node, value, '');
}

function find(node: SchemaNode, value: Json, path: string): SchemaFault | null {
  if (!isOfType(node.type, value)) return fault(path, NOUNS[node.type]);
  if (node.choice.constant !== undefined && !jsonEqual(value, node.choice.constant.value)) {
    return fault(path, 'the one value that its schema names');
  }
  if (
    node.choice.allowed !== undefined &&
    !node.choice.allowed.some((allowed) => jsonEqual(allowed, value))
  ) {
    return fault(path, 'one of the values that its schema lists');
  }
  switch (node.type) {
    case 'object':
      return findInObject(node, value as JsonObject, path);
    case 'array':
      return findInArray(node, value as readonly Json[], path);
    case 'string':
      if (lengthInRange(value as string, node.length)) return null;
      return fault(path, `a string of ${count(node.length, 'character')}`);
    default:
      return null;
  }
}

function isOfType(type: SchemaType, value: Json): boolean {
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
      // What is left is named as `typeof` names it.
      return typeof value === type;
  }
}

function findInObject(
  node: Extract<SchemaNode, { type: 'object' }>,
  value: JsonObject,
  path: string,
): SchemaFault | null {
  for (const name of node.required) {
    if (!Object.hasOwn(value, name)) return fault(below(path, name), 'present');
  }
  for (const [name, member] of node.properties) {
    if (!Object.hasOwn(value, name)) continue;
    const found = find(member, value[name] as Json, below(path, name));
    if (found !== null) return found;
  }
  if (node.open) return null;
  const undeclared = Object.keys(value).some((name) => !node.properties.has(name));
  return undeclared ? fault(path, 'an object with no members but those that its schema declares') : null;
}

function findInArray(
  node: Extract<SchemaNode, { type: 'array' }>,
  value: readonly Json[],
  path: string,
): SchemaFault | null {
  const { min, max } = node.length;
  if (value.length < min || value.length > max)
    return fault(path, `an array of ${count(node.length, 'item')}`);
  if (node.items === undefined) return null;
  for (const [index, item] of value.entries()) {
    const found = find(node.items, item, below(path, String(index)));
    if (found !== null) return found;
  }
  return null;
}

function below(path: string, name: string): string {
  return `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function count({ min, max }: Range, what: string): string {
  if (max === Number.POSITIVE_INFINITY) return `at least ${plural(min, what)}`;
  return min === 0 ? `at most ${plural(max, what)}` : `${min} to ${plural(max, what)}`;
}

function plural(number: number, what: string): string {
  return number === 1 ? `1 ${what}` : `${number} ${what}s`;
}

function fault(path: string, expected: string): SchemaFault {
  const line = singleLine(path);
  return { path: line.length > PATH_MAX_LENGTH ? `${line.slice(0, PATH_MAX_LENGTH - 1)}…` : line, expected };
}
