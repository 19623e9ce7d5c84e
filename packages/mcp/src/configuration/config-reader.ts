import { nearestKey } from '@fairlead/base';
import { configLimits } from '../limits.ts';

/** A path into a file, such as `['mcp', 'servers', 0, 'name']`. */
export type ConfigurationPath = readonly (string | number)[];

/** A value that cannot be used: with its place, and never with the value, which may be a secret. */
export class ConfigRefusal extends Error {
  readonly at: ConfigurationPath;

  constructor(at: ConfigurationPath, problem: string) {
    super(problem);
    this.at = at;
  }
}

/** One table or object of a file, whose keys are asked for one by one. Every method throws a `ConfigRefusal`. */
export class ConfigReader {
  readonly at: ConfigurationPath;
  readonly #table: Readonly<Record<string, unknown>>;

  constructor(value: unknown, at: ConfigurationPath) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Date)
      throw new ConfigRefusal(at, 'must be a table');
    this.at = at;
    this.#table = value as Readonly<Record<string, unknown>>;
  }

  refuse(key: string, problem: string): never {
    throw new ConfigRefusal([...this.at, key], problem);
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#table, key) && this.#table[key] !== undefined;
  }

  value(key: string): unknown {
    return this.has(key) ? this.#table[key] : undefined;
  }

  table(key: string): ConfigReader {
    return new ConfigReader(this.value(key), [...this.at, key]);
  }

  entries(): readonly (readonly [string, unknown])[] {
    return Object.entries(this.#table);
  }

  /** One line of text, or undefined. */
  text(key: string, problem: string, pattern = /^[^\p{Cc}]+$/u): string | undefined {
    const value = this.value(key);
    if (value === undefined) return undefined;
    return isText(value) && pattern.test(value) ? value : this.refuse(key, problem);
  }

  texts(key: string, max: number, pattern: RegExp = /^[^\0]*$/u): readonly string[] | undefined {
    const value = this.value(key);
    if (value === undefined) return undefined;
    const fits = (item: unknown): item is string => isText(item) && pattern.test(item);
    if (!Array.isArray(value) || value.length > max || !value.every(fits))
      return this.refuse(key, `must be a list of at most ${max} texts`);
    return value;
  }

  /** Names and their texts. */
  textTable(key: string, max: number, name: RegExp, text: RegExp): Readonly<Record<string, string>> {
    if (!this.has(key)) return {};
    const entries = this.table(key).entries();
    if (entries.length > max) return this.refuse(key, `must not have more than ${max} entries`);
    for (const [member, value] of entries)
      if (!name.test(member) || !isText(value) || !text.test(value))
        throw new ConfigRefusal([...this.at, key, member], 'must be a name and its text');
    return Object.fromEntries(entries) as Record<string, string>;
  }

  whole(key: string, { fallback, min, max }: { fallback: number; min: number; max: number }): number {
    const value = this.value(key);
    if (value === undefined) return fallback;
    if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max)
      return this.refuse(key, `must be a whole number, ${min} to ${max}`);
    return value;
  }

  word<const Word extends string>(key: string, words: readonly Word[], fallback: Word): Word {
    const value = this.value(key);
    if (value === undefined) return fallback;
    return words.find((word) => word === value) ?? this.refuse(key, `must be ${words.join(' or ')}`);
  }

  /** An address that requests may be sent to: without a name or password in it. */
  url(key: string): string | undefined {
    const text = this.text(key, 'must be an address that begins with https:// or http://');
    if (text === undefined) return undefined;
    const url = URL.parse(text);
    if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
      return this.refuse(
        key,
        'must be an address that begins with https:// or http://, without a user in it',
      );
    return url.href;
  }

  /** The keys that nothing reads, each with the one that was probably meant. */
  unknown(known: readonly string[]): readonly { readonly at: ConfigurationPath; readonly message: string }[] {
    return Object.keys(this.#table)
      .filter((key) => !known.includes(key))
      .map((key) => {
        const nearest = nearestKey(key, known);
        const fact = 'is not known to this version; it is kept and has no effect';
        const message = nearest === undefined ? fact : `${fact} (did you mean ${nearest}?)`;
        return { at: [...this.at, key], message };
      });
  }
}

function isText(value: unknown): value is string {
  return (
    typeof value === 'string' && !value.includes('\0') && Buffer.byteLength(value) <= configLimits.textBytes
  );
}
