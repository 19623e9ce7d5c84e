import type { Statement, Store } from '@fairlead/store';
import { memoryLimits } from '../../limits.ts';

/** A memory whose vector is still to be made. */
export interface VectorToMake {
  readonly seq: number;
  readonly database: string;
  readonly key: string;
  readonly record: string;
  readonly tries: number;
}

const FIND = 'SELECT seq FROM embeddings WHERE model = ? AND database = ? AND key = ? LIMIT 1';
const WANT = `INSERT INTO embeddings (model, database, key, record) VALUES (?, ?, ?, ?)
  ON CONFLICT (model, database, key) DO UPDATE SET record = excluded.record, vector = NULL, tries = 0
  WHERE record <> excluded.record`;
const UNWANT = 'DELETE FROM embeddings WHERE model = ? AND database = ? AND key = ?';
const TO_MAKE = `SELECT seq, database, key, record, tries FROM embeddings
  WHERE model = ? AND vector IS NULL AND seq > ? AND tries < ? ORDER BY seq LIMIT ?`;
const MADE = 'UPDATE embeddings SET vector = ?, tries = 0 WHERE seq = ? AND record = ?';
const REFUSED = 'UPDATE embeddings SET tries = tries + 1 WHERE seq = ? AND record = ?';
const READ = `SELECT seq, vector FROM embeddings
  WHERE model = ? AND database = ? AND seq > ? AND vector IS NOT NULL ORDER BY seq LIMIT ?`;
// One whose text was replaced has no vector, whatever a shelf still holds of it.
const KEY = 'SELECT key, record FROM embeddings WHERE seq = ? AND vector IS NOT NULL LIMIT 1';
const WAITING = 'SELECT count(*) AS waiting FROM embeddings WHERE model = ? AND vector IS NULL LIMIT 1';
const DATABASES = 'SELECT DISTINCT database FROM embeddings WHERE model = ? LIMIT 10000';
const DROP = 'DELETE FROM embeddings WHERE database = ?';
const COUNT = 'SELECT count(*) AS count FROM embeddings WHERE model = ? AND database = ? LIMIT 1';

/** The rows of one model's vectors. */
export class VectorRows {
  readonly #store: Store;
  readonly model: string;

  constructor(store: Store, model: string) {
    this.#store = store;
    this.model = model;
  }

  async seqOf(database: string, key: string): Promise<number | undefined> {
    const [row] = await this.#store.read<{ seq: number }>(FIND, [this.model, database, key]);
    return row?.seq;
  }

  /** A vector of this record is wanted under this key. Does nothing where it is there or wanted already. */
  want(database: string, key: string, record: string): Statement {
    return { sql: WANT, parameters: [this.model, database, key, record] };
  }

  /** Nothing is remembered under this key any more. */
  unwant(database: string, key: string): Statement {
    return { sql: UNWANT, parameters: [this.model, database, key] };
  }

  made({ seq, record }: VectorToMake, vector: Int8Array): Statement {
    const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
    return { sql: MADE, parameters: [bytes, seq, record] };
  }

  refused({ seq, record }: VectorToMake): Statement {
    return { sql: REFUSED, parameters: [seq, record] };
  }

  /** A lost vector is made again: these rows need not wait for the disk. Answers how many rows each statement changed. */
  async write(statements: readonly Statement[]): Promise<readonly number[]> {
    return statements.length === 0 ? [] : (await this.#store.write(statements, 'normal')).changes;
  }

  async toMake(after: number, limit: number): Promise<readonly VectorToMake[]> {
    return await this.#store.read<VectorToMake>(TO_MAKE, [this.model, after, memoryLimits.embedTries, limit]);
  }

  async read(
    database: string,
    after: number,
  ): Promise<readonly { readonly seq: number; readonly vector: Uint8Array }[]> {
    return await this.#store.read(READ, [this.model, database, after, memoryLimits.vectorsRead]);
  }

  async keyOf(seq: number): Promise<{ readonly key: string; readonly record: string } | undefined> {
    const [row] = await this.#store.read<{ key: string; record: string }>(KEY, [seq]);
    return row;
  }

  async waiting(): Promise<number> {
    const [row] = await this.#store.read<{ waiting: number }>(WAITING, [this.model]);
    return row?.waiting ?? 0;
  }

  /** Databases that have rows. */
  async databases(): Promise<readonly string[]> {
    const rows = await this.#store.read<{ database: string }>(DATABASES, [this.model]);
    return rows.map(({ database }) => database);
  }

  /** Every row of a database, of all models. */
  dropped(database: string): Statement {
    return { sql: DROP, parameters: [database] };
  }

  async count(database: string): Promise<number> {
    const [row] = await this.#store.read<{ count: number }>(COUNT, [this.model, database]);
    return row?.count ?? 0;
  }
}
