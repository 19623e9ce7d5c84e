import type { Json } from '@fairlead/base';
import type { StoredRecord } from '../log/log-engine.ts';
import type { RecordId } from '../log/record-ref.ts';
import type { OpenDatabase } from './open-database.ts';
import { type AsOf, clockOf, type Row, rowOf } from './row.ts';

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

  /** The newest record of a key that a peer wrote. */
  async by(peer: string, key: string): Promise<KeyedRow<T> | undefined> {
    const { engine, state } = this.#database;
    const authors = [...state.chains.values()]
      .filter((chain) => chain.peer === peer)
      .map(({ author }) => author);
    const found = await engine.latestBy(state, this.#name, key, authors);
    return found === undefined ? undefined : this.#row(found);
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
