import { extensionError } from '../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';

/** Reads the members of one object that came over a port. Each method throws `instantiate_failed` with the place. */
export class ContributionReader {
  readonly #members: JsonObject;
  readonly #place: string;

  constructor(value: Json | undefined, place: string) {
    this.#place = place;
    this.#members = isJsonObject(value) ? value : this.refuse('is no object');
  }

  refuse(reason: string, member = ''): never {
    const place = member === '' ? this.#place : `${this.#place}/${member}`;
    throw extensionError('instantiate_failed', `its contributions${place} ${reason}`);
  }

  has(member: string): boolean {
    return this.#members[member] !== undefined;
  }

  value(member: string): Json | undefined {
    return this.#members[member];
  }

  /** A text that `fits`. */
  text(member: string, fits: (text: string) => boolean = () => true): string {
    const value = this.#members[member];
    return typeof value === 'string' && fits(value)
      ? value
      : this.refuse('is no text that may stand there', member);
  }

  /** One of `words`. */
  word<Word extends string>(member: string, words: readonly Word[]): Word {
    return (
      words.find((word) => word === this.#members[member]) ??
      this.refuse(`is none of ${words.join(', ')}`, member)
    );
  }

  /** A list of some of `words`. */
  words<Word extends string>(member: string, words: readonly Word[]): readonly Word[] {
    return this.#list(member, words.length).map(
      (value, index) =>
        words.find((word) => word === value) ??
        this.refuse(`is none of ${words.join(', ')}`, `${member}/${index}`),
    );
  }

  flag(member: string): boolean {
    const value = this.#members[member];
    return typeof value === 'boolean' ? value : this.refuse('is neither true nor false', member);
  }

  /** A number within bounds. */
  number(member: string, least: number, most: number): number {
    const value = this.#members[member];
    if (typeof value === 'number' && value >= least && value <= most) return value;
    return this.refuse(`is no number of ${least} to ${most}`, member);
  }

  texts(
    member: string,
    fits: (text: string) => boolean = () => true,
    most = Number.POSITIVE_INFINITY,
  ): readonly string[] {
    return this.#list(member, most).map((value, index) =>
      typeof value === 'string' && fits(value)
        ? value
        : this.refuse('is no text that may stand there', `${member}/${index}`),
    );
  }

  objects<T>(
    member: string,
    read: (item: ContributionReader) => T,
    most = Number.POSITIVE_INFINITY,
  ): readonly T[] {
    return this.#list(member, most).map((value, index) =>
      read(new ContributionReader(value, `${this.#place}/${member}/${index}`)),
    );
  }

  #list(member: string, most: number): readonly Json[] {
    const value = this.#members[member];
    if (!Array.isArray(value)) return this.refuse('is no list', member);
    return value.length <= most ? value : this.refuse(`has more than ${most} entries`, member);
  }
}
