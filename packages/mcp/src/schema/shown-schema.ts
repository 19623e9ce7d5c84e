import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { localSchema } from '@fairlead/hub';
import { schemaBounds } from '../limits.ts';
import { hidesSomething, seenText } from './seen-text.ts';

/** The schema of a tool as models can be given it, or why they cannot. */
export type ShownSchema =
  | { readonly ok: true; readonly schema: JsonObject }
  | { readonly ok: false; readonly problem: string };

/** What every back end takes. */
const KEPT: ReadonlySet<string> = new Set([
  ...['type', 'title', 'description', 'enum', 'const', 'default', 'format', 'pattern'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength'],
  ...['minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties'],
]);

/** Names that every back end takes: one other in a request makes it refuse all tools. */
const ARGUMENT_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/**
 * The schema that a model is shown: of what the server says, the keywords that all back ends take, references written out, an object at the top.
 * It takes at least what the server's does; the call is held against the server's own. Titles and descriptions lose what nobody sees; a value that
 * hides something is never altered, and its keyword is not shown.
 */
export function shownSchema(schema: Json | undefined): ShownSchema {
  if (!isJsonObject(schema ?? null)) return { ok: false, problem: 'its input schema is no object' };
  const shower = new Shower(schema as JsonObject);
  const shown = shower.top();
  if (shower.unnameable !== undefined)
    return {
      ok: false,
      problem: `it needs an argument whose name models cannot be given (${shower.unnameable})`,
    };
  if (shower.isSpent)
    return { ok: false, problem: 'its input schema refers to itself in more ways than are followed' };
  return { ok: true, schema: shown };
}

class Shower {
  readonly #root: JsonObject;
  #nodes: number = schemaBounds.shownNodes;
  #steps: number = schemaBounds.steps;
  unnameable: string | undefined;
  /** By what stands in the schema: references show one place many times. */
  readonly #texts = new Map<string, string>();
  readonly #hiding = new Map<Json, boolean>();

  constructor(root: JsonObject) {
    this.#root = root;
  }

  /** Whether what was shown is not all that could be merged. */
  get isSpent(): boolean {
    return this.#steps < 0;
  }

  /** An object, whatever stands there: alternatives at the top are refused by some, so their members are shown side by side. */
  top(): JsonObject {
    const merged = this.#merged(this.#root, 0, []);
    const { properties, required } = merged;
    return {
      ...this.#plain(this.#root, ['title', 'description']),
      type: 'object',
      properties: this.#properties(properties, new Set(required), 0, []),
      ...(required.length === 0 ? {} : { required: [...required] }),
      ...(merged.closed ? { additionalProperties: false } : {}),
    };
  }

  #merged(
    schema: Json,
    depth: number,
    path: readonly string[],
  ): { properties: JsonObject; required: readonly string[]; closed: boolean } {
    const above: string[] = [...path];
    const resolved = this.#resolved(schema, above);
    if (!isJsonObject(resolved) || depth > 8 || !this.#spend(1))
      return { properties: {}, required: [], closed: false };
    const own = isJsonObject(resolved['properties'] ?? null) ? (resolved['properties'] as JsonObject) : {};
    const properties: Record<string, Json> = { ...own };
    const required = new Set(names(resolved['required']));
    // Each part is copied into what is above it: large ones cost what they copy.
    this.#spend(Object.keys(own).length + required.size);
    let combined = false;
    for (const key of ['allOf', 'anyOf', 'oneOf']) {
      const parts = resolved[key];
      if (!Array.isArray(parts)) continue;
      combined = true;
      for (const part of parts as readonly Json[]) {
        const inner = this.#merged(part, depth + 1, above);
        if (!this.#spend(Object.keys(inner.properties).length)) break;
        for (const [name, member] of Object.entries(inner.properties)) properties[name] ??= member;
        if (key === 'allOf') for (const name of inner.required) required.add(name);
      }
    }
    const known = [...required].filter((name) => Object.hasOwn(properties, name));
    return { properties, required: known, closed: !combined && resolved['additionalProperties'] === false };
  }

  /** False once more has been done than one tool is worth. */
  #spend(steps: number): boolean {
    this.#steps -= steps;
    return this.#steps >= 0;
  }

  #node(schema: Json, depth: number, path: readonly string[]): JsonObject {
    this.#nodes -= 1;
    if (this.#nodes < 0 || depth > schemaBounds.shownDepth) return {};
    const above: string[] = [...path];
    const resolved = this.#resolved(schema, above);
    if (!isJsonObject(resolved)) return {};
    const shown: Record<string, Json> = { ...this.#plain(resolved, KEPT) };
    // Before it was a number of its own, it was a flag beside the bound.
    for (const key of ['exclusiveMinimum', 'exclusiveMaximum'])
      if (typeof shown[key] === 'boolean') delete shown[key];
    if (resolved['nullable'] === true && typeof shown['type'] === 'string')
      shown['type'] = [shown['type'], 'null'];
    this.#addMembers(resolved, shown, depth, above);
    const items = itemsOf(resolved);
    if (items !== undefined) shown['items'] = this.#node(items, depth + 1, above);
    for (const key of ['anyOf', 'oneOf', 'allOf']) {
      const parts = resolved[key];
      if (!Array.isArray(parts) || parts.length === 0) continue;
      shown[key === 'oneOf' ? 'anyOf' : key] = (parts as readonly Json[]).map((part) =>
        this.#node(part, depth + 1, above),
      );
    }
    return shown;
  }

  #addMembers(
    resolved: JsonObject,
    shown: Record<string, Json>,
    depth: number,
    path: readonly string[],
  ): void {
    const { properties = null, additionalProperties } = resolved;
    if (isJsonObject(properties)) {
      const required = names(resolved['required']).filter((name) => Object.hasOwn(properties, name));
      shown['properties'] = this.#properties(properties, new Set(required), depth, path);
      if (required.length > 0) shown['required'] = required;
    }
    if (typeof additionalProperties === 'boolean') shown['additionalProperties'] = additionalProperties;
    else if (isJsonObject(additionalProperties ?? null))
      shown['additionalProperties'] = this.#node(additionalProperties as Json, depth + 1, path);
  }

  #properties(
    properties: JsonObject,
    required: ReadonlySet<string>,
    depth: number,
    path: readonly string[],
  ): JsonObject {
    const shown: [string, Json][] = [];
    for (const [name, member] of Object.entries(properties)) {
      if (ARGUMENT_NAME.test(name)) shown.push([name, this.#node(member, depth + 1, path)]);
      else if (required.has(name)) this.unnameable ??= name.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 64);
    }
    return Object.fromEntries(shown);
  }

  #plain(schema: JsonObject, keys: Iterable<string>): JsonObject {
    const shown: Record<string, Json> = {};
    for (const key of keys) {
      const value = schema[key];
      if (value === undefined) continue;
      if (key !== 'title' && key !== 'description') {
        if (!this.#hides(value)) shown[key] = value;
      } else if (typeof value === 'string') shown[key] = this.#seen(value);
    }
    return shown;
  }

  #seen(text: string): string {
    const seen = this.#texts.get(text) ?? seenText(text);
    this.#texts.set(text, seen);
    return seen;
  }

  #hides(value: Json): boolean {
    const hides = this.#hiding.get(value) ?? hidesSomething(value);
    this.#hiding.set(value, hides);
    return hides;
  }

  /** Follows references; one that comes back to itself is anything. What stands beside a reference stays. */
  #resolved(schema: Json, path: string[]): Json {
    let at: Json = schema;
    let beside: JsonObject = {};
    while (isJsonObject(at) && typeof at['$ref'] === 'string') {
      const { $ref, ...rest } = at as JsonObject & { readonly $ref: string };
      if (path.includes($ref)) return rest;
      if (!this.#spend(1 + Object.keys(at).length)) return {};
      path.push($ref);
      beside = { ...rest, ...beside };
      at = localSchema(this.#root, $ref) ?? {};
    }
    return isJsonObject(at) ? { ...at, ...beside } : at;
  }
}

function itemsOf(schema: JsonObject): Json | undefined {
  const { items, prefixItems } = schema;
  const list = Array.isArray(items) ? items : Array.isArray(prefixItems) ? prefixItems : undefined;
  if (list === undefined) return isJsonObject(items ?? null) ? items : undefined;
  return list.length === 0 ? undefined : { anyOf: [...(list as readonly Json[])] };
}

function names(value: Json | undefined): readonly string[] {
  return Array.isArray(value)
    ? (value as readonly Json[]).filter((name): name is string => typeof name === 'string')
    : [];
}
