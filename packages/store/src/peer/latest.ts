import type { Json } from '@fairlead/base';
import type { Head, StoredRecord } from '../log/log-engine.ts';
import type { RecordId } from '../log/record-ref.ts';
import type { OpenDatabase } from './open-database.ts';
import { type AsOf, clockOf, type Row, rowOf } from './row.ts';
import { pageSize, wordsIn } from './table.ts';

/** A row that was put under a key. */
export type KeyedRow<T extends Json = Json> = Row<T> & { readonly key: string };

/** The newest record of each key of a table. Kept with each write, so it costs the same however long the history is. */
export class Latest<T extends Json = Json> {
  readonly #database: OpenDatabase;
  readonly #name: string;

  constructor(database: OpenDatabase, name: string) {
    this.#database = database;
    this.#name = name;
  }

  /** Adds a record under a key; resolves with its id once it is on disk. */
  put(key: string, value: T): Promise<RecordId> {
    return this.#database.writeRecord((draft) => draft.put(this.#name, key, value));
  }

  /** The newest record of a key, or the newest as of a point in history. */
  async get(key: string, asOf?: AsOf): Promise<KeyedRow<T> | undefined> {
    const [found] = await this.#select({ key, ...upTo(asOf) });
    return found;
  }

  /** The newest record of every key, by key. */
  all(asOf?: AsOf): Promise<KeyedRow<T>[]> {
    return this.#select(upTo(asOf));
  }

  /**
   * Which record is the newest of each of the next keys after one, by key, at most 1,000: for whoever knows the values and asks what has
   * changed. Keys under which a null stands, as what was taken out, are left out.
   */
  heads(after = '', limit = 1000): Promise<readonly Head[]> {
    const { engine, state } = this.#database;
    return engine.heads(state, this.#name, after, Math.min(limit, 1000));
  }

  /** The newest record of a key that a peer wrote. */
  async by(peer: string, key: string): Promise<KeyedRow<T> | undefined> {
    const { engine, state } = this.#database;
    const authors = [...state.chains.values()]
      .filter((chain) => chain.peer === peer)
      .map(({ author }) => author);
    const found = await engine.latestBy(state, this.#name, key, authors);
    return found === undefined ? undefined : this.#row(found);
  }

  /**
   * Records that are the newest of their key and hold every word of `all` and, where it names some, one at least of `any`; best first, at
   * most 1,000. Words are compared as `Table.search` does; of `all` alone the newest are the best. Of a word that stands in thousands of
   * records the newest few thousand count. Never holds the thread for more than a few milliseconds, but for the first search of a table,
   * which indexes it.
   */
  async search(words: { readonly all?: string; readonly any?: string }, limit = 20): Promise<KeyedRow<T>[]> {
    const { engine, state } = this.#database;
    const query = { all: wordsIn(words.all ?? ''), any: wordsIn(words.any ?? ''), isNewest: true };
    const found = await engine.search(state, this.#name, query, pageSize(limit));
    return found.map((record) => this.#row(record));
  }

  async #select(select: { readonly key?: string; readonly upTo?: number }): Promise<KeyedRow<T>[]> {
    const { engine, state } = this.#database;
    return (await engine.latest(state, this.#name, select)).map((record) => this.#row(record));
  }

  #row(record: StoredRecord): KeyedRow<T> {
    return { ...rowOf<T>(record, this.#database.peerOf(record.author)), key: record.key ?? '' };
  }
}

function upTo(asOf: AsOf | undefined): { readonly upTo?: number } {
  return asOf === undefined ? {} : { upTo: clockOf(asOf) };
}
