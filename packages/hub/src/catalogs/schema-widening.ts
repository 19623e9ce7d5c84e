import { encodeJson, isJsonObject, type Json, type JsonObject, jsonEqual } from '@fairlead/base';

/** Where the bound of a keyword lies: a wider one takes more. */
const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
/** What takes less by being there. */
const NARROWING = ['pattern', 'format', 'const', 'multipleOf', 'not', 'contains', 'propertyNames'];

/**
 * Where a schema takes what it did not take before, in words, each with its place. It looks at one keyword after the other: what is not listed here
 * may still be wider through several together, so it helps a reader and proves nothing.
 */
export function schemaWidening(before: Json | undefined, after: Json | undefined): readonly string[] {
  const found: string[] = [];
  compare(before, after, '', found, 0);
  return found;
}

const MAX_DEPTH = 32;

function compare(
  before: Json | undefined,
  after: Json | undefined,
  at: string,
  found: string[],
  depth: number,
): void {
  if (jsonEqual(before ?? null, after ?? null) || depth > MAX_DEPTH) return;
  const say = (what: string) => found.push(at === '' ? what : `${at}: ${what}`);
  if (after === undefined || after === true) {
    if (before !== undefined && before !== true) say('takes anything now');
    return;
  }
  if (before === undefined || before === true || !isJsonObject(after)) return;
  if (!isJsonObject(before)) {
    say('is allowed now');
    return;
  }
  types(before, after, say);
  choices(before, after, say);
  for (const key of UPPER) bound(before, after, key, (old, now) => now > old, say);
  for (const key of LOWER) bound(before, after, key, (old, now) => now < old, say);
  for (const key of NARROWING)
    if (before[key] !== undefined && !jsonEqual(before[key], after[key] ?? null))
      say(`${key} ${after[key] === undefined ? 'is dropped' : 'is another one'}`);
  members(before, after, at, found, depth, say);
}

function types(before: JsonObject, after: JsonObject, say: (what: string) => void): void {
  if (before['type'] === undefined) return;
  const old = wordsOf(before['type']);
  if (after['type'] === undefined) say('takes values of every type');
  for (const type of wordsOf(after['type']))
    if (!old.includes(type) && !(type === 'integer' && old.includes('number'))) say(`takes ${type} too`);
}

function wordsOf(type: Json | undefined): readonly string[] {
  const list = Array.isArray(type) ? (type as readonly Json[]) : [type ?? null];
  return list.filter((word) => typeof word === 'string');
}

function choices(before: JsonObject, after: JsonObject, say: (what: string) => void): void {
  if (!Array.isArray(before['enum'])) return;
  const old = before['enum'] as readonly Json[];
  if (!Array.isArray(after['enum'])) {
    say('the list of values is dropped');
    return;
  }
  for (const value of after['enum'] as readonly Json[])
    if (!old.some((one) => jsonEqual(one, value))) say(`takes ${encodeJson(value)} too`);
}

function bound(
  before: JsonObject,
  after: JsonObject,
  key: string,
  wider: (old: number, now: number) => boolean,
  say: (what: string) => void,
): void {
  const old = before[key];
  const now = after[key];
  if (typeof old !== 'number') return;
  if (typeof now !== 'number') say(`${key} ${old} is dropped`);
  else if (wider(old, now)) say(`${key} ${old} is ${now} now`);
}

function members(
  before: JsonObject,
  after: JsonObject,
  at: string,
  found: string[],
  depth: number,
  say: (what: string) => void,
): void {
  const old = objectOf(before['properties']);
  const now = objectOf(after['properties']);
  for (const [name, schema] of Object.entries(now)) {
    if (Object.hasOwn(old, name)) compare(old[name], schema, `${at}/${name}`, found, depth + 1);
    else say(`takes a new argument ${name}`);
  }
  const required = new Set(wordsOf(after['required']));
  for (const name of wordsOf(before['required']))
    if (!required.has(name)) say(`${name} need not be given any more`);
  if (before['additionalProperties'] === false && after['additionalProperties'] !== false)
    say('takes arguments that it does not name');
  if (before['items'] !== undefined)
    compare(before['items'], after['items'], `${at}/items`, found, depth + 1);
  for (const key of ['anyOf', 'oneOf', 'allOf'] as const) {
    const was = before[key];
    if (!Array.isArray(was)) continue;
    const list = Array.isArray(after[key]) ? (after[key] as readonly Json[]) : undefined;
    if (list === undefined) say(`${key} is dropped`);
    else if (key !== 'allOf' && list.length > was.length) say(`${key} has ${list.length - was.length} more`);
    else if (!jsonEqual(was as Json, list as Json)) say(`${key} is another one`);
  }
}

function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value ?? null) ? (value as JsonObject) : {};
}
