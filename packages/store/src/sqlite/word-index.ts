import { isJsonObject, type Json } from '@fairlead/base';
import { SEARCH_SLICE_COMMITS, SEARCHED_TEXT_UNITS } from '../limits.ts';
import type { SealedCommit } from '../log/commit.ts';
import type { DatabaseState } from '../log/database-state.ts';
import type { StoredRecord, WordQuery } from '../log/log-engine.ts';
import type { PreparedOp } from '../log/op.ts';
import { opsOf } from './commit-rows.ts';
import { NewestSearch } from './newest-search.ts';
import type { PreparedStatements } from './prepared.ts';
import { findStore, rowsOf } from './row-ids.ts';

const PROGRESS = 'SELECT seq FROM searched WHERE store = ? AND chain = ?';
const SET_PROGRESS = `INSERT INTO searched (store, chain, seq) VALUES (?, ?, ?)
  ON CONFLICT (store, chain) DO UPDATE SET seq = excluded.seq`;
const BEHIND = `SELECT c.n, c.seq, c.state, c.ops FROM places AS l CROSS JOIN commits AS c ON c.n = l.n
  WHERE l.chain = ? AND l.seq > ? ORDER BY l.seq LIMIT ?`;
const ADD_WORDS = 'INSERT INTO words (rowid, place, body) VALUES (?, ?, ?)';
const TAKE_WORDS = 'DELETE FROM words WHERE rowid = ?';
const SEARCH = `SELECT words.rowid AS place FROM words WHERE words MATCH ? ORDER BY bm25(words, 0.0, 1.0), words.rowid DESC LIMIT ?`;
const RECORD_AT = `SELECT r.hlc, r.author, r.seq, r.op, r.key, CAST(substr(CAST(c.ops AS BLOB), r.at + 1, r.bytes) AS TEXT) AS value
  FROM commits AS c JOIN chains AS h ON h.id = c.chain
  JOIN records AS r ON r.store = ? AND r.hlc = c.hlc AND r.author = h.author AND r.seq = c.seq AND r.op = ?
  WHERE c.n = ?`;
/** A row of the word index is a record: its commit's arrival number and its place in the commit. */
export const OPS_A_NUMBER = 512;

/**
 * The words of searched tables. A table is indexed from its first search on and caught up before each: appending costs
 * nothing, and who never searches has no index.
 */
export class WordIndex {
  readonly #prepared: PreparedStatements;

  constructor(prepared: PreparedStatements) {
    this.#prepared = prepared;
  }

  /** Indexes some of what is behind, in the transaction that is open. True when nothing is left. */
  catchUp(state: DatabaseState, table: string): boolean {
    const store = findStore(this.#prepared, state, table, false);
    if (store === undefined) return true;
    let left = SEARCH_SLICE_COMMITS;
    for (const chain of rowsOf(state).chains.values()) {
      const from = Number(this.#prepared.get(PROGRESS).get(store, chain)?.['seq'] ?? 0);
      const rows = this.#prepared.get(BEHIND).all(chain, from, left);
      for (const row of rows)
        if (Number(row['state']) === 1) this.#add(store, table, opsOf(row['ops']), Number(row['n']));
      const last = rows.at(-1);
      if (last !== undefined) this.#prepared.get(SET_PROGRESS).run(store, chain, Number(last['seq']));
      left -= rows.length;
      if (left === 0) return false;
    }
    return true;
  }

  #add(store: number, table: string, ops: readonly PreparedOp[], n: number): void {
    for (const [index, op] of ops.entries())
      if (op.store === table && (op.verb === 'append' || op.verb === 'put'))
        this.#prepared.get(ADD_WORDS).run(n * OPS_A_NUMBER + index, placeOf(store), wordsOf(op));
  }

  /** Follows a commit that was retracted, or applied after all, behind what is already indexed. */
  turn(state: DatabaseState, chain: number, commit: SealedCommit, n: number, applied: boolean): void {
    const tables = new Set(
      commit.ops.flatMap(({ verb, store }) => (verb === 'append' || verb === 'put' ? [store] : [])),
    );
    for (const table of tables) {
      const store = findStore(this.#prepared, state, table, false);
      if (store === undefined) continue;
      const indexed = Number(this.#prepared.get(PROGRESS).get(store, chain)?.['seq'] ?? 0);
      if (commit.header.seq > indexed) continue;
      if (applied) this.#add(store, table, commit.ops, n);
      else
        for (const [index, op] of commit.ops.entries())
          if (op.store === table) this.#prepared.get(TAKE_WORDS).run(n * OPS_A_NUMBER + index);
    }
  }

  /** Records of the table that hold every word, the best first. A word that ends in `*` stands for all that begin so. */
  search(state: DatabaseState, table: string, words: readonly string[], limit: number): StoredRecord[] {
    const store = findStore(this.#prepared, state, table, false);
    if (store === undefined || words.length === 0) return [];
    return this.#prepared
      .get(SEARCH)
      .all(`place:${placeOf(store)} AND body:(${words.map(quoted).join(' AND ')})`, limit)
      .flatMap((found) => {
        const place = Number(found['place']);
        const row = this.#prepared
          .get(RECORD_AT)
          .get(store, place % OPS_A_NUMBER, Math.floor(place / OPS_A_NUMBER));
        return row === undefined ? [] : [recordOf(row)];
      });
  }

  /** A search of the newest of each key, step by step. */
  newest(state: DatabaseState, table: string, query: WordQuery, limit: number): NewestSearch | undefined {
    const store = findStore(this.#prepared, state, table, false);
    return store === undefined ? undefined : new NewestSearch(this.#prepared, store, query, limit);
  }
}

export function placeOf(store: number): string {
  return `s${store}`;
}

/** As a string of the engine's query language: whatever it holds is looked for and never obeyed. */
export function quoted(word: string): string {
  const isPrefix = word.length > 1 && word.endsWith('*');
  return `"${(isPrefix ? word.slice(0, -1) : word).replaceAll('"', '""')}"${isPrefix ? ' *' : ''}`;
}

/** Every text in a value, and its key, up to a bound: more would index a pasted file as one hit. */
function wordsOf(op: PreparedOp): string {
  const parsed: Json = JSON.parse(op.text);
  return textsOf(op.key, isJsonObject(parsed) ? parsed['value'] : undefined);
}

export function textsOf(key: string | null, value: Json | undefined): string {
  const texts = key === null ? [] : [key];
  let left = SEARCHED_TEXT_UNITS;
  const collect = (part: Json | undefined): void => {
    if (left <= 0 || part === undefined) return;
    if (typeof part === 'string') {
      texts.push(part.slice(0, left));
      left -= part.length;
    } else if (Array.isArray(part)) for (const item of part as readonly Json[]) collect(item);
    else if (isJsonObject(part)) for (const member of Object.values(part)) collect(member);
  };
  collect(value);
  return texts.join('\n');
}

export function recordOf(row: Record<string, unknown>): StoredRecord {
  return {
    hlc: Number(row['hlc']),
    author: String(row['author']),
    seq: Number(row['seq']),
    op: Number(row['op']),
    key: row['key'] === null ? null : String(row['key']),
    value: String(row['value']),
  };
}
