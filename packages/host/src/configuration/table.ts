import { nearestKey } from '@fairlead/base';

/** A path into `fairlead.toml`, such as `['backends', 0, 'name']`. */
export type ConfigurationPath = readonly (string | number)[];

/** Something in the file that is kept and has no effect, or is allowed and unwise. */
export interface ConfigurationNotice {
  readonly at: ConfigurationPath;
  readonly message: string;
}

/** What a part of the file says, or why the file is refused: never with the value, which may be a secret. */
export type ConfigurationReading<T> =
  | { readonly ok: true; readonly value: T; readonly notices: readonly ConfigurationNotice[] }
  | { readonly ok: false; readonly at: ConfigurationPath; readonly problem: string };

/** Thrown inside a reader, caught by `readConfiguration`. */
class Refused extends Error {
  readonly at: ConfigurationPath;

  constructor(at: ConfigurationPath, problem: string) {
    super(problem);
    this.at = at;
  }
}

/** Runs a reader over a parsed document. What it refuses, and what it notices, comes back with its place. */
export function readConfiguration<T>(
  document: Readonly<Record<string, unknown>>,
  read: (root: TableReader) => T,
): ConfigurationReading<T> {
  const notices: ConfigurationNotice[] = [];
  try {
    return { ok: true, value: read(new TableReader(document, [], notices)), notices };
  } catch (thrown) {
    if (thrown instanceof Refused) return { ok: false, at: thrown.at, problem: thrown.message };
    throw thrown;
  }
}

/** One table of the file, whose keys are asked for one by one. Every method refuses the file where the value is no such thing. */
export class TableReader {
  readonly at: ConfigurationPath;
  readonly #table: Readonly<Record<string, unknown>>;
  readonly #notices: ConfigurationNotice[];

  constructor(value: unknown, at: ConfigurationPath, notices: ConfigurationNotice[]) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Date)
      throw new Refused(at, 'must be a table');
    this.at = at;
    this.#table = value as Readonly<Record<string, unknown>>;
    this.#notices = notices;
  }

  has(key: string): boolean {
    return this.#table[key] !== undefined;
  }

  isTable(key: string): boolean {
    const value = this.#table[key];
    return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
  }

  /** Refuses the file for what stands under `key`. */
  refuse(key: string, problem: string): never {
    throw new Refused([...this.at, key], problem);
  }

  notice(key: string, message: string): void {
    this.#notices.push({ at: [...this.at, key], message });
  }

  /** A table; an absent one is empty. */
  table(key: string): TableReader {
    return new TableReader(this.#table[key] ?? {}, [...this.at, key], this.#notices);
  }

  /** An array of tables; an absent one is empty. `example` is how it is written. */
  tables(key: string, max: number, example: string): readonly TableReader[] {
    const value = this.#table[key] ?? [];
    if (!Array.isArray(value)) this.refuse(key, `must be written as ${example}, once for each`);
    if (value.length > max) this.refuse(key, `must not have more than ${max}`);
    return value.map(
      (entry: unknown, index) => new TableReader(entry, [...this.at, key, index], this.#notices),
    );
  }

  /** The keys that stand in it, in the order of the file. */
  keys(): readonly string[] {
    return Object.keys(this.#table).filter((key) => this.has(key));
  }

  /** A list of at most `max` values, each as it stands, or undefined; an empty list is one. */
  list(key: string, max: number): readonly unknown[] | undefined {
    const value = this.#table[key];
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) this.refuse(key, 'must be a list');
    if (value.length > max) this.refuse(key, `must not have more than ${max}`);
    return value;
  }

  /** Text of 1 to `maxBytes` UTF-8 bytes on one line that `pattern` accepts, or undefined; `problem` says what it must be. */
  text(key: string, maxBytes: number, problem: string, pattern = /^[^\p{Cc}]+$/u): string | undefined {
    const value = this.#table[key];
    if (value === undefined) return undefined;
    if (typeof value !== 'string' || !pattern.test(value) || Buffer.byteLength(value) > maxBytes)
      this.refuse(key, problem);
    return value;
  }

  /** One of the words; undefined where it is absent. */
  word<const Word extends string>(key: string, words: readonly Word[]): Word | undefined {
    const value = this.#table[key];
    if (value === undefined) return undefined;
    const found = words.find((word) => word === value);
    if (found !== undefined) return found;
    const nearest = typeof value === 'string' ? nearestKey(value, words) : undefined;
    const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
    return this.refuse(key, `must be one of ${words.join(', ')}${hint}`);
  }

  /** A whole number, or undefined. */
  whole(key: string, min: number, max: number): number | undefined {
    const value = this.#table[key];
    if (value === undefined) return undefined;
    if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max)
      this.refuse(key, `must be a whole number, ${min} to ${max}`);
    return value;
  }

  /** A number, or undefined. */
  number(key: string, min: number, max: number): number | undefined {
    const value = this.#table[key];
    if (value === undefined) return undefined;
    if (typeof value !== 'number' || !(value >= min && value <= max))
      this.refuse(key, `must be a number, ${min} to ${max}`);
    return value;
  }

  flag(key: string): boolean | undefined {
    const value = this.#table[key];
    if (value === undefined || typeof value === 'boolean') return value;
    return this.refuse(key, 'must be true or false');
  }

  /** Refuses the file for a key that is not known: where the table limits something, a typing error would widen it. */
  refuseUnknown(known: readonly string[]): void {
    for (const key of this.keys()) {
      if (known.includes(key)) continue;
      const nearest = nearestKey(key, known);
      this.refuse(key, `is not known here${nearest === undefined ? '' : ` (did you mean ${nearest}?)`}`);
    }
  }

  /** Notices every key that is not among those that are known. */
  onlyKnown(known: readonly string[]): void {
    for (const key of Object.keys(this.#table)) {
      if (known.includes(key)) continue;
      const nearest = nearestKey(key, known);
      const fact = 'is not known to this version; it is kept and has no effect';
      this.notice(key, nearest === undefined ? fact : `${fact} (did you mean ${nearest}?)`);
    }
  }
}
