import { isJsonObject, type Json, type JsonObject, jsonEqual, setMember } from '../json/json.ts';
import { below, type SchemaFault } from './schema-fault.ts';
import type { Range, SchemaNode, SchemaType } from './schema-node.ts';

/** A parsed value, boxed because it may be `null`, or the first fault. */
export type Parsed = { readonly value: Json } | SchemaFault;

const NOUNS: Readonly<Record<SchemaType, string>> = Object.freeze({
  object: 'an object',
  array: 'an array',
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  null: 'null',
});

/**
 * The value with defaults, frozen, or the first fault. The order of faults: the type, the choice of values, the length or
 * range, then for an object what is missing, the members as the schema orders them, what is undeclared. `value` is plain,
 * frozen JSON of a bounded depth; parts that need no default are shared with it. The protocol's schema profile is walked in a
 * like way by a package of its own, which this one, published without dependencies, does not import.
 */
export function parseNode(node: SchemaNode, value: Json, path: string): Parsed {
  if (!isOfType(node.type, value)) return { path, message: `must be ${NOUNS[node.type]}` };
  if (node.constant !== undefined && !jsonEqual(value, node.constant.value))
    return { path, message: `must be ${JSON.stringify(node.constant.value)}` };
  if (node.allowed !== undefined && !node.allowed.some((allowed) => jsonEqual(allowed, value)))
    return { path, message: `must be one of ${list(node.allowed)}` };
  switch (node.type) {
    case 'object':
      return parseObject(node, value as JsonObject, path);
    case 'array':
      return parseArray(node, value as readonly Json[], path);
    case 'string':
      return lengthFits(value as string, node.length)
        ? { value }
        : { path, message: `must be a string of ${count(node.length, 'character')}` };
    case 'number':
    case 'integer':
      return (value as number) >= node.range.min && (value as number) <= node.range.max
        ? { value }
        : { path, message: `must be ${NOUNS[node.type]} ${between(node.range)}` };
    default:
      return { value };
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

function parseObject(node: Extract<SchemaNode, { type: 'object' }>, value: JsonObject, path: string): Parsed {
  for (const name of node.required) {
    if (!Object.hasOwn(value, name) && node.properties.get(name)?.fallback === undefined)
      return { path: below(path, name), message: 'must be present' };
  }
  const members: { [name: string]: Json } = {};
  for (const [name, member] of node.properties) {
    if (Object.hasOwn(value, name)) {
      const parsed = parseNode(member, value[name] as Json, below(path, name));
      if ('message' in parsed) return parsed;
      setMember(members, name, parsed.value);
    } else if (member.fallback !== undefined) setMember(members, name, member.fallback.value);
  }
  for (const name of Object.keys(value)) {
    if (node.properties.has(name)) continue;
    if (!node.open) return { path, message: `must have no members but ${list([...node.properties.keys()])}` };
    setMember(members, name, value[name] as Json);
  }
  return { value: Object.freeze(members) };
}

function parseArray(
  node: Extract<SchemaNode, { type: 'array' }>,
  value: readonly Json[],
  path: string,
): Parsed {
  if (value.length < node.count.min || value.length > node.count.max)
    return { path, message: `must be an array of ${count(node.count, 'item')}` };
  if (node.items === undefined) return { value };
  const items: Json[] = [];
  for (const [index, item] of value.entries()) {
    const parsed = parseNode(node.items, item, below(path, index));
    if ('message' in parsed) return parsed;
    items.push(parsed.value);
  }
  return { value: Object.freeze(items) };
}

/** Code points, counted only where UTF-16 units leave it open. */
function lengthFits(text: string, { min, max }: Range): boolean {
  if (text.length < min) return false;
  if (text.length <= max && text.length >= min * 2) return true;
  let points = 0;
  for (const _point of text) points += 1;
  return points >= min && points <= max;
}

function between({ min, max }: Range): string {
  if (max === Number.POSITIVE_INFINITY) return `of ${min} or more`;
  return min === Number.NEGATIVE_INFINITY ? `of ${max} or less` : `from ${min} to ${max}`;
}

function count({ min, max }: Range, what: string): string {
  const plural = (number: number) => `${number} ${what}${number === 1 ? '' : 's'}`;
  if (max === Number.POSITIVE_INFINITY) return `at least ${plural(min)}`;
  if (min === max) return `exactly ${plural(min)}`;
  return min === 0 ? `at most ${plural(max)}` : `${min} to ${plural(max)}`;
}

/** What a schema allows, for a sentence; a long list is cut. */
function list(values: readonly Json[]): string {
  if (values.length === 0) return 'none';
  const shown = values.slice(0, 12).map((value) => JSON.stringify(value));
  return values.length > shown.length ? `${shown.join(', ')} …` : shown.join(', ');
}
