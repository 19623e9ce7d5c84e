import { VALUE_BOUNDS } from '../limits.ts';
import { isPlain } from './deep-freeze.ts';
import { type Json, setMember } from './json.ts';

/** What one value may cost. Depth counts the root as 0; nodes count values, not keys; bytes are those of its JSON text. */
export interface JsonBounds {
  readonly maxBytes: number;
  readonly maxDepth: number;
  readonly maxNodes: number;
  readonly maxKeyBytes: number;
}

/** A frozen copy, or where and why there is none: `path` is a JSON Pointer, `message` goes on after "it". */
export type PlainJson =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly path: string; readonly message: string };

/**
 * A deep-frozen copy of `value`, so that nothing that its maker changes later crosses the border. Members that are
 * `undefined` are left out and half a surrogate pair is replaced; anything else that JSON cannot hold (a function, a Date, a
 * class instance, NaN, a hole, a cycle) is refused, because JSON would drop or change it without a word.
 */
export function plainJson(value: unknown, bounds: JsonBounds = VALUE_BOUNDS): PlainJson {
  const copy = new Copy(bounds);
  try {
    const plain = copy.of(value, 0);
    // A UTF-16 unit takes six bytes at most: most values are known to fit without being serialized.
    if (copy.mostBytes >= bounds.maxBytes && utf8Length(JSON.stringify(plain)) >= bounds.maxBytes)
      return { ok: false, path: '', message: `is ${bounds.maxBytes} bytes of JSON or more` };
    return { ok: true, value: plain };
  } catch (fault) {
    if (fault instanceof Refusal) return { ok: false, path: copy.path(), message: fault.message };
    // A getter of the author's, or a proxy, has thrown.
    return { ok: false, path: copy.path(), message: 'cannot be read' };
  }
}

class Refusal extends Error {}

class Copy {
  readonly #bounds: JsonBounds;
  readonly #trail: (string | number)[] = [];
  #nodes = 0;
  mostBytes = 0;

  constructor(bounds: JsonBounds) {
    this.#bounds = bounds;
  }

  of(value: unknown, depth: number): Json {
    this.#nodes += 1;
    if (this.#nodes > this.#bounds.maxNodes)
      throw new Refusal(`holds more than ${this.#bounds.maxNodes} values`);
    switch (typeof value) {
      case 'string':
        return this.#text(value);
      case 'number':
        this.mostBytes += 25;
        if (!Number.isFinite(value)) throw new Refusal('is not a finite number');
        // JSON has one zero.
        return value === 0 ? 0 : value;
      case 'boolean':
        this.mostBytes += 6;
        return value;
      case 'object':
        if (value === null) {
          this.mostBytes += 5;
          return null;
        }
        if (depth > this.#bounds.maxDepth)
          throw new Refusal(`is nested more than ${this.#bounds.maxDepth} deep`);
        if (Array.isArray(value)) return this.#array(value, depth);
        if (!isPlain(value)) throw new Refusal(`is a ${nameOf(value)}, which JSON cannot hold`);
        return this.#object(value, depth);
      default:
        throw new Refusal(`is ${value === undefined ? '' : 'a '}${typeof value}, which JSON cannot hold`);
    }
  }

  path(): string {
    return this.#trail.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  }

  #text(text: string): string {
    this.mostBytes += text.length * 6 + 3;
    return text.toWellFormed();
  }

  #array(items: readonly unknown[], depth: number): Json {
    const copied: Json[] = [];
    this.mostBytes += 3;
    for (let index = 0; index < items.length; index += 1) {
      this.#trail.push(index);
      copied.push(this.of(items[index], depth + 1));
      this.#trail.pop();
    }
    return Object.freeze(copied);
  }

  #object(members: object, depth: number): Json {
    const copied: { [key: string]: Json } = {};
    this.mostBytes += 3;
    for (const key of Object.keys(members)) {
      this.#trail.push(key);
      const member: unknown = Reflect.get(members, key);
      if (member !== undefined) {
        if (key.length * 3 > this.#bounds.maxKeyBytes && utf8Length(key) > this.#bounds.maxKeyBytes)
          throw new Refusal(`has a name of more than ${this.#bounds.maxKeyBytes} bytes`);
        setMember(copied, this.#text(key), this.of(member, depth + 1));
      }
      this.#trail.pop();
    }
    return Object.freeze(copied);
  }
}

function nameOf(value: object): string {
  const name: unknown = value.constructor?.name;
  return typeof name === 'string' && name !== '' ? name : 'class instance';
}

/** Bytes of a text in UTF-8. Written out, because a guest runs where Node's own is not. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    bytes += unit < 0x800 ? 1 : 2;
    // A pair is two units and four bytes.
    if (unit >= 0xd800 && unit < 0xdc00 && isLow(text.charCodeAt(index + 1))) index += 1;
  }
  return bytes;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
