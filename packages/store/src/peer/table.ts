import type { Json } from '@fairlead/base';
import { storeError } from '../errors.ts';
import { MAX_PAGE_ROWS } from '../limits.ts';
import type { StoredRecord } from '../log/log-engine.ts';
import { type RecordId, readRecordId } from '../log/record-ref.ts';
import type { OpenDatabase } from './open-database.ts';
import { type Row, rowOf } from './row.ts';

/** One page, newest first. `before` continues it; null when nothing older is left. */
export type TablePage<T extends Json> = {
  readonly rows: readonly Row<T>[];
  readonly before: RecordId | null;
};

/** Records that are never edited, in the order that all peers share. Records put under a key are among them. */
export class Table<T extends Json = Json> {
  readonly #database: OpenDatabase;
  readonly #name: string;

  constructor(database: OpenDatabase, name: string) {
    this.#database = database;
    this.#name = name;
  }

  /** Adds a record; resolves with its id once it is on disk. Neighbours share a commit. */
  append(value: T): Promise<RecordId> {
    return this.#database.writeRecord((draft) => draft.append(this.#name, value));
  }

  /**
   * The newest records, or the newest before one, at most 1,000. Rejects with `record_not_found` where `before` is no record of
   * this table.
   */
  async tail(count: number, before?: RecordId): Promise<TablePage<T>> {
    const limit = pageSize(count);
    const from = before === undefined ? null : await this.#place(before);
    const { engine, state } = this.#database;
    const records = await engine.records(state, {
      table: this.#name,
      from,
      direction: 'older',
      limit: limit + 1,
    });
    const rows = records.slice(0, limit).map((record) => this.#row(record));
    return { rows, before: records.length > limit ? (rows.at(-1)?.id ?? null) : null };
  }

  /** All records, oldest first, or those after one. Reads page by page: what arrives meanwhile may or may not be seen. */
  async *scan(after?: RecordId): AsyncGenerator<Row<T>, void, void> {
    const { engine, state } = this.#database;
    let from = after === undefined ? null : await this.#place(after);
    for (;;) {
      const page = { table: this.#name, from, direction: 'newer', limit: SCAN_ROWS } as const;
      const records = await engine.records(state, page);
      for (const record of records) yield this.#row(record);
      const last = records.at(-1);
      if (last === undefined || records.length < SCAN_ROWS) return;
      from = last;
    }
  }

  /** One record; undefined where this table has none of that id. */
  async at(id: RecordId): Promise<Row<T> | undefined> {
    const record = await this.#find(id);
    return record === undefined ? undefined : this.#row(record);
  }

  /** How many records there are. Counts them: a millisecond for some ten thousand. */
  count(): Promise<number> {
    return this.#database.engine.countRecords(this.#database.state, this.#name);
  }

  /**
   * Records whose texts or key hold all of the words, best first, at most `limit`. Words are compared without case and accents;
   * one that ends in `*` stands for all that begin so. The first search of a table indexes it, which takes a while.
   */
  async search(words: string, limit = 20): Promise<Row<T>[]> {
    const { engine, state } = this.#database;
    const found = await engine.search(state, this.#name, { all: wordsIn(words) }, pageSize(limit));
    return found.map((record) => this.#row(record));
  }

  async #place(id: RecordId): Promise<StoredRecord> {
    const record = await this.#find(id);
    if (record === undefined) throw storeError('record_not_found');
    return record;
  }

  async #find(id: RecordId): Promise<StoredRecord | undefined> {
    const place = readRecordId(id);
    return place === null
      ? undefined
      : await this.#database.engine.record(this.#database.state, this.#name, place);
  }

  #row(record: StoredRecord): Row<T> {
    return rowOf(record, this.#database.peerOf(record.author));
  }
}

const SCAN_ROWS = 200;
const MAX_WORDS = 32;

/** The words of a line, as many as one search takes. */
export function wordsIn(line: string): readonly string[] {
  return line
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, MAX_WORDS);
}

export function pageSize(count: number): number {
  return Math.max(0, Math.min(Math.floor(count), MAX_PAGE_ROWS));
}
