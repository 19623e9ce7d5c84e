import { encodeJson, isJsonObject, type Json, type JsonObject, jsonEqual } from '@fairlead/base';
import { catalogLimits } from '../limits.ts';
import { LocalReferences } from './local-references.ts';

/** Where the bound of a keyword lies: a wider one takes more. */
const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
/** What takes less by being there; another one may take more, and nobody looks into it. */
const NARROWING = [
  ...['pattern', 'format', 'const', 'multipleOf', 'not', 'contains', 'propertyNames', 'patternProperties'],
  ...['dependentSchemas', 'dependentRequired', 'dependencies', 'prefixItems', 'additionalItems'],
  ...['if', 'then', 'else', 'unevaluatedProperties', 'unevaluatedItems', '$dynamicRef', '$recursiveRef'],
];

/** What takes nothing away. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...['title', 'description', 'default', 'examples', '$comment', 'deprecated', 'readOnly', 'writeOnly'],
]);

/**
 * Where a schema takes what it did not take before, in words, each with its place. It looks at one keyword after the other, through references to
 * places of the same document: what is not listed here may still be wider through several together, so it helps a reader and proves nothing. What
 * differs behind a reference that is not followed, or beyond the bounds, counts as wider.
 */
export function schemaWidening(before: Json | undefined, after: Json | undefined): readonly string[] {
  if (jsonEqual(before ?? null, after ?? null)) return [];
  return new Comparison(before, after).run();
}

type Say = (what: string) => void;

class Comparison {
  readonly #before: Json | undefined;
  readonly #after: Json | undefined;
  readonly #references: LocalReferences;
  readonly #found: string[] = [];
  /** Pairs of references that are compared once: what follows from them is said where they first stand. */
  readonly #pairs = new Set<string>();
  #steps: number = catalogLimits.schemaSteps;

  constructor(before: Json | undefined, after: Json | undefined) {
    this.#before = before;
    this.#after = after;
    this.#references = new LocalReferences(before, after);
  }

  run(): readonly string[] {
    this.#compare(this.#before, this.#after, '', 0);
    return this.#found;
  }

  #compare(before: Json | undefined, after: Json | undefined, at: string, depth: number): void {
    if (this.#steps < 0) return;
    this.#steps -= 1;
    const say: Say = (what) => void this.#found.push(at === '' ? what : `${at}: ${what}`);
    if (this.#steps < 0 || depth > catalogLimits.schemaDepth) {
      if (!this.#references.isSame(before, after)) say('differs in more than is looked at');
      return;
    }
    if (this.#references.isSame(before, after)) return;
    if (takesAnything(before) || after === false) return;
    if (takesAnything(after)) say('takes anything now');
    else if (before === false) say('is allowed now');
    else if (typeof before['$ref'] === 'string' || typeof after['$ref'] === 'string')
      this.#behind(before, after, at, depth, say);
    else this.#keywords(before, after, at, depth, say);
  }

  #keywords(before: JsonObject, after: JsonObject, at: string, depth: number, say: Say): void {
    types(before, after, say);
    choices(before, after, say);
    for (const key of UPPER) bound(before, after, key, (old, now) => now > old, say);
    for (const key of LOWER) bound(before, after, key, (old, now) => now < old, say);
    for (const key of NARROWING)
      if (before[key] !== undefined && !this.#references.isSame(before[key], after[key]))
        say(`${key} ${after[key] === undefined ? 'is dropped' : 'is another one'}`);
    this.#members(before, after, at, depth, say);
  }

  /** What stands behind a reference and what stands beside it hold together, so neither may take more. */
  #behind(before: JsonObject, after: JsonObject, at: string, depth: number, say: Say): void {
    const [was, besideBefore] = parted(before);
    const [is, besideAfter] = parted(after);
    const old = was === undefined ? undefined : this.#references.before(was);
    const now = is === undefined ? undefined : this.#references.after(is);
    const compare = (one: Json, other: Json) => this.#compare(one, other, at, depth + 1);
    if (was !== undefined && is !== undefined) {
      this.#pair([was, old], [is, now], { compare, say });
      compare(besideBefore, besideAfter);
    }
    // The same written out, or the other way round.
    else if (old !== undefined && isBare(besideBefore)) compare(old, after);
    else if (now !== undefined) compare(before, isBare(besideAfter) ? now : besideAfter);
    else
      say(was === undefined ? 'refers to what is not followed, and may take more' : 'is written otherwise');
  }

  #pair(
    [was, old]: readonly [string, Json | undefined],
    [is, now]: readonly [string, Json | undefined],
    told: { readonly compare: (one: Json, other: Json) => void; readonly say: Say },
  ): void {
    if (old === undefined || now === undefined) {
      // Another document is what it was, for all that can be known here.
      if (was !== is || this.#references.mayBeLocal(was))
        told.say('refers to what is not followed, and may take more');
      return;
    }
    const pair = `${was}\0${is}`;
    if (this.#pairs.has(pair)) return;
    this.#pairs.add(pair);
    told.compare(old, now);
  }

  #members(before: JsonObject, after: JsonObject, at: string, depth: number, say: Say): void {
    const old = objectOf(before['properties']);
    const now = objectOf(after['properties']);
    for (const [name, schema] of Object.entries(now)) {
      if (Object.hasOwn(old, name)) this.#compare(old[name], schema, `${at}/${name}`, depth + 1);
      else say(`takes a new argument ${name}`);
    }
    const required = new Set(wordsOf(after['required']));
    for (const name of wordsOf(before['required']))
      if (!required.has(name)) say(`${name} need not be given any more`);
    if (before['additionalProperties'] === false && after['additionalProperties'] !== false)
      say('takes arguments that it does not name');
    else if (isJsonObject(before['additionalProperties'] ?? null))
      this.#compare(before['additionalProperties'], after['additionalProperties'], `${at}/*`, depth + 1);
    if (Array.isArray(before['items'])) {
      if (!this.#references.isSame(before['items'], after['items'])) say('items is another one');
    } else if (before['items'] !== undefined)
      this.#compare(before['items'], after['items'], `${at}/items`, depth + 1);
    for (const key of ['anyOf', 'oneOf', 'allOf'] as const) {
      const was = before[key];
      if (!Array.isArray(was)) continue;
      const list = Array.isArray(after[key]) ? (after[key] as readonly Json[]) : undefined;
      if (list === undefined) say(`${key} is dropped`);
      else if (key !== 'allOf' && list.length > was.length)
        say(`${key} has ${list.length - was.length} more`);
      else if (!this.#references.isSame(was as Json, list as Json)) say(`${key} is another one`);
    }
  }
}

/** What is no schema at all takes anything, as it does where values are checked. */
function takesAnything(schema: Json | undefined): schema is Exclude<Json, JsonObject | false> | undefined {
  return schema !== false && !isJsonObject(schema ?? null);
}

/** A schema's reference, and the rest of it. */
function parted(schema: JsonObject): readonly [reference: string | undefined, beside: JsonObject] {
  const { $ref, ...beside } = schema;
  return typeof $ref === 'string' ? [$ref, beside] : [undefined, schema];
}

/** Whether nothing in it takes anything away. Where definitions stand is no matter of what they are. */
function isBare(beside: JsonObject): boolean {
  return Object.keys(beside).every(
    (key) => ANNOTATIONS.has(key) || key === '$defs' || key === 'definitions' || key === '$schema',
  );
}

function types(before: JsonObject, after: JsonObject, say: Say): void {
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

function choices(before: JsonObject, after: JsonObject, say: Say): void {
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
  say: Say,
): void {
  const old = before[key];
  const now = after[key];
  if (typeof old !== 'number') return;
  if (typeof now !== 'number') say(`${key} ${old} is dropped`);
  else if (wider(old, now)) say(`${key} ${old} is ${now} now`);
}

function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value ?? null) ? (value as JsonObject) : {};
}
