import type { Json, JsonObject } from '@fairlead/base';
import { type LeakCategory, leakPatterns } from './leak-patterns.ts';
import { privateKeysIn, type Span } from './private-keys.ts';

/** A text or value without the secrets that were found in it. `categories` is sorted and empty where nothing was found. */
export interface Redacted<T> {
  readonly value: T;
  readonly categories: readonly LeakCategory[];
}

/** Secrets shorter than this would be found in ordinary words. */
const SHORTEST = 8;

/**
 * Finds what looks like a secret and puts `[REDACTED:category]` in its place: in results and errors alike, and in everything that is stored or
 * shown. Beside the shapes that everybody knows it looks for the values in `secrets`, such as the keys of the configured back ends.
 * What has no known shape and was not configured is not found.
 */
export class LeakDetector {
  readonly #secrets: readonly string[];

  constructor(secrets: Iterable<string> = []) {
    const known = new Set([...secrets].filter((secret) => secret.length >= SHORTEST));
    // A secret that holds another one is looked for first.
    this.#secrets = [...known].sort((left, right) => right.length - left.length);
  }

  text(text: string): Redacted<string> {
    const found = new Set<LeakCategory>();
    const { value } = this.#text(text, false, found);
    return { value, categories: [...found].sort() };
  }

  /** Without the configured values alone: what else has the shape of a secret stands as somebody meant to say it. */
  configured(text: string): string {
    return this.#withoutConfigured(text, new Set());
  }

  /** Every text and every key in a JSON value; a private key may go on in the next text of a list. */
  json<T extends Json>(json: T): Redacted<T> {
    const found = new Set<LeakCategory>();
    const value = this.#json(json, found) as T;
    return { value, categories: [...found].sort() };
  }

  #json(json: Json, found: Set<LeakCategory>): Json {
    if (typeof json === 'string') return this.#text(json, false, found).value;
    if (typeof json !== 'object' || json === null) return json;
    if (Array.isArray(json)) return this.#list(json, found);
    const members = new Map<string, Json>();
    for (const [key, member] of Object.entries(json as JsonObject)) {
      const { value } = this.#text(key, false, found);
      members.set(freeKey(value, members), this.#json(member, found));
    }
    return Object.fromEntries(members);
  }

  #list(list: readonly Json[], found: Set<LeakCategory>): Json {
    let isOpen = false;
    return list.map((item) => {
      if (typeof item !== 'string') return this.#json(item, found);
      const redacted = this.#text(item, isOpen, found);
      isOpen = redacted.isOpen;
      return redacted.value;
    });
  }

  #text(
    text: string,
    wasOpen: boolean,
    found: Set<LeakCategory>,
  ): { readonly value: string; readonly isOpen: boolean } {
    const { spans, isOpen } = privateKeysIn(text, wasOpen);
    if (spans.length > 0) found.add('private_key');
    let value = this.#withoutConfigured(without(text, spans, markerOf('private_key')), found);
    for (const { category, hints, pattern } of leakPatterns) {
      if (!hints.some((hint) => value.includes(hint))) continue;
      value = value.replace(pattern, () => {
        found.add(category);
        return markerOf(category);
      });
    }
    return { value, isOpen };
  }

  #withoutConfigured(text: string, found: Set<LeakCategory>): string {
    let value = text;
    for (const secret of this.#secrets) {
      if (!value.includes(secret)) continue;
      found.add('configured_secret');
      value = value.replaceAll(secret, () => markerOf('configured_secret'));
    }
    return value;
  }
}

/** Two keys that were secrets stay two members. */
function freeKey(key: string, members: ReadonlyMap<string, unknown>): string {
  if (!members.has(key)) return key;
  return freeKey(`${key} (${members.size + 1})`, members);
}

function markerOf(category: LeakCategory): string {
  return `[REDACTED:${category}]`;
}

function without(text: string, spans: readonly Span[], marker: string): string {
  if (spans.length === 0) return text;
  let kept = '';
  let from = 0;
  for (const [start, end] of spans) {
    kept += text.slice(from, start) + marker;
    from = end;
  }
  return kept + text.slice(from);
}
