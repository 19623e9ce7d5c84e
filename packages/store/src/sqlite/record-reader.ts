import type { DatabaseState } from '../log/database-state.ts';
import type { Head, RecordPage, StoredRecord, StoredRegister } from '../log/log-engine.ts';
import type { RecordPlace } from '../log/record-ref.ts';
import type { PreparedStatements } from './prepared.ts';
import { findStore, rowsOf } from './row-ids.ts';
import { recordOf } from './word-index.ts';

const COLUMNS =
  'r.hlc, r.author, r.seq, r.op, r.key, CAST(substr(CAST(c.ops AS BLOB), r.at + 1, r.bytes) AS TEXT) AS value';
// The cross join keeps the order: records first, in their index, then the commit that holds each value.
const FROM = 'FROM records AS r CROSS JOIN commits AS c ON c.n = r.n';
const DESCENDING = 'ORDER BY r.hlc DESC, r.author DESC, r.seq DESC, r.op DESC';
const ASCENDING = 'ORDER BY r.hlc, r.author, r.seq, r.op';

const NEWEST = `SELECT ${COLUMNS} ${FROM} WHERE r.store = ? ${DESCENDING} LIMIT ?`;
const OLDER = `SELECT ${COLUMNS} ${FROM}
  WHERE r.store = ? AND (r.hlc, r.author, r.seq, r.op) < (?, ?, ?, ?) ${DESCENDING} LIMIT ?`;
const NEWER = `SELECT ${COLUMNS} ${FROM}
  WHERE r.store = ? AND (r.hlc, r.author, r.seq, r.op) > (?, ?, ?, ?) ${ASCENDING} LIMIT ?`;
const CLOCK = 'SELECT c.hlc FROM places AS l JOIN commits AS c ON c.n = l.n WHERE l.chain = ? AND l.seq = ?';
const AT = `SELECT ${COLUMNS} ${FROM} WHERE r.store = ? AND r.hlc = ? AND r.author = ? AND r.seq = ? AND r.op = ?`;
const COUNT = 'SELECT count(*) AS records FROM records WHERE store = ?';
const LATEST = 'SELECT hlc, author, seq, op, key, value FROM latest WHERE store = ? ORDER BY key';
const HEADS_AFTER =
  "SELECT key, author || ':' || seq || ':' || op AS id FROM latest WHERE store = ? AND key > ? AND value <> 'null' ORDER BY key LIMIT ?";
const LATEST_OF = 'SELECT hlc, author, seq, op, key, value FROM latest WHERE store = ? AND key = ?';
const KEYS = 'SELECT key FROM latest WHERE store = ? ORDER BY key';
const KEY_UP_TO = `SELECT ${COLUMNS} ${FROM} WHERE r.store = ? AND r.key = ? AND r.hlc <= ? ${DESCENDING} LIMIT 1`;
const KEY_BY = `SELECT ${COLUMNS} ${FROM} WHERE r.store = ? AND r.key = ?
  AND r.author IN (SELECT value FROM json_each(?)) ${DESCENDING} LIMIT 1`;
const REGISTERS = 'SELECT path, value FROM registers WHERE store = ? ORDER BY hlc, author, seq, op';
const REGISTERS_UP_TO = `SELECT r.key AS path,
    CASE r.bytes WHEN 0 THEN NULL ELSE CAST(substr(CAST(c.ops AS BLOB), r.at + 1, r.bytes) AS TEXT) END AS value
  ${FROM} WHERE r.store = ? AND r.hlc <= ? ${ASCENDING}`;

/** Reads what is projected: rows of tables, the newest of each key, registers of documents. */
export class RecordReader {
  readonly #prepared: PreparedStatements;

  constructor(prepared: PreparedStatements) {
    this.#prepared = prepared;
  }

  records(state: DatabaseState, { table, from, direction, limit }: RecordPage): StoredRecord[] {
    const store = findStore(this.#prepared, state, table, false);
    if (store === undefined) return [];
    if (from === null && direction === 'older')
      return this.#prepared.get(NEWEST).all(store, limit).map(recordOf);
    const { hlc, author, seq, op } = from ?? { hlc: 0, author: '', seq: 0, op: 0 };
    const sql = direction === 'older' ? OLDER : NEWER;
    return this.#prepared.get(sql).all(store, hlc, author, seq, op, limit).map(recordOf);
  }

  record(state: DatabaseState, table: string, place: RecordPlace): StoredRecord | undefined {
    const store = findStore(this.#prepared, state, table, false);
    const chain = rowsOf(state).chains.get(place.author);
    if (store === undefined || chain === undefined) return undefined;
    const clock = this.#prepared.get(CLOCK).get(chain, place.seq);
    if (clock === undefined) return undefined;
    const row = this.#prepared.get(AT).get(store, Number(clock['hlc']), place.author, place.seq, place.op);
    return row === undefined ? undefined : recordOf(row);
  }

  count(state: DatabaseState, table: string): number {
    const store = findStore(this.#prepared, state, table, false);
    return store === undefined ? 0 : Number(this.#prepared.get(COUNT).get(store)?.['records']);
  }

  latest(
    state: DatabaseState,
    table: string,
    { key, upTo }: { readonly key?: string; readonly upTo?: number },
  ): StoredRecord[] {
    const store = findStore(this.#prepared, state, table, false);
    if (store === undefined) return [];
    if (upTo === undefined) {
      const rows =
        key === undefined
          ? this.#prepared.get(LATEST).all(store)
          : this.#prepared.get(LATEST_OF).all(store, key);
      return rows.map(recordOf);
    }
    const keys =
      key === undefined
        ? this.#prepared
            .get(KEYS)
            .all(store)
            .map((row) => String(row['key']))
        : [key];
    return keys.flatMap((one) => {
      const row = this.#prepared.get(KEY_UP_TO).get(store, one, upTo);
      return row === undefined ? [] : [recordOf(row)];
    });
  }

  heads(state: DatabaseState, table: string, after: string, limit: number): Head[] {
    const store = findStore(this.#prepared, state, table, false);
    if (store === undefined) return [];
    return this.#prepared.get(HEADS_AFTER).all(store, after, limit) as Head[];
  }

  latestBy(
    state: DatabaseState,
    table: string,
    key: string,
    authors: readonly string[],
  ): StoredRecord | undefined {
    const store = findStore(this.#prepared, state, table, false);
    const row =
      store === undefined ? undefined : this.#prepared.get(KEY_BY).get(store, key, JSON.stringify(authors));
    return row === undefined ? undefined : recordOf(row);
  }

  registers(state: DatabaseState, doc: string, upTo?: number): StoredRegister[] {
    const store = findStore(this.#prepared, state, doc, true);
    if (store === undefined) return [];
    const rows =
      upTo === undefined
        ? this.#prepared.get(REGISTERS).all(store)
        : this.#prepared.get(REGISTERS_UP_TO).all(store, upTo);
    return rows.map((row) => ({
      path: String(row['path']),
      value: row['value'] === null ? null : String(row['value']),
    }));
  }
}
