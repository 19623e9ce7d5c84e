import { isJsonObject, type Json } from '@fairlead/base';
import { MAX_PAGE_ROWS, SEARCH_RANKED, SEARCH_SLICE_COMMITS, SEARCHED_TEXT_UNITS } from '../limits.ts';
import type { SealedCommit } from '../log/commit.ts';
import type { DatabaseState } from '../log/database-state.ts';
import type { StoredRecord, WordQuery } from '../log/log-engine.ts';
import type { PreparedOp } from '../log/op.ts';
import { opsOf } from './commit-rows.ts';
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
const RANK_SINCE = `SELECT words.rowid AS place FROM words WHERE words MATCH ? AND words.rowid >= ?
  ORDER BY bm25(words, 0.0, 1.0), words.rowid DESC LIMIT ?`;
// Streams: it ends at its bound, however many there are.
const COUNT_UP_TO = 'SELECT count(*) AS found FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)';
const NTH_NEWEST =
  'SELECT rowid AS place FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT 1 OFFSET ?';
const RECORD_AT = `SELECT r.hlc, r.author, r.seq, r.op, r.key, CAST(substr(CAST(c.ops AS BLOB), r.at + 1, r.bytes) AS TEXT) AS value
  FROM commits AS c JOIN chains AS h ON h.id = c.chain
  JOIN records AS r ON r.store = ? AND r.hlc = c.hlc AND r.author = h.author AND r.seq = c.seq AND r.op = ?
  WHERE c.n = ?`;
const NEWEST_AT = `SELECT l.hlc, l.author, l.seq, l.op, l.key, l.value
  FROM commits AS c JOIN chains AS h ON h.id = c.chain
  JOIN records AS r ON r.store = ? AND r.hlc = c.hlc AND r.author = h.author AND r.seq = c.seq AND r.op = ?
  JOIN latest AS l ON l.store = r.store AND l.key = r.key
    AND l.hlc = r.hlc AND l.author = r.author AND l.seq = r.seq AND l.op = r.op
  WHERE c.n = ?`;

/** A row of the word index is a record: its commit's arrival number and its place in the commit. */
const OPS_A_NUMBER = 512;

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

  /** The records that a query asks for, the best first. A word that ends in `*` stands for all that begin so. */
  search(state: DatabaseState, table: string, query: WordQuery, limit: number): StoredRecord[] {
    const store = findStore(this.#prepared, state, table, false);
    if (store === undefined || limit <= 0) return [];
    const { isNewest = false } = query;
    const sql = isNewest ? NEWEST_AT : RECORD_AT;
    const found: StoredRecord[] = [];
    for (const place of this.#ranked(store, query, isNewest ? MAX_PAGE_ROWS : limit)) {
      const row = this.#prepared.get(sql).get(store, place % OPS_A_NUMBER, Math.floor(place / OPS_A_NUMBER));
      if (row !== undefined) found.push(recordOf(row));
      if (found.length === limit) break;
    }
    return found;
  }

  #ranked(store: number, { all = [], any = [] }: WordQuery, limit: number): readonly number[] {
    const must = all.map(quoted);
    const place = `place:${placeOf(store)}`;
    const matching = (words: readonly string[]) =>
      `${place}${must.length === 0 ? '' : ` AND body:(${must.join(' AND ')})`}${words.length === 0 ? '' : ` AND body:(${words.join(' OR ')})`}`;
    if (any.length === 0) {
      if (must.length === 0) return [];
      return this.#prepared.get(SEARCH).all(matching([]), limit).map(placeIn);
    }
    const words = this.#selective(any.map(quoted), (word) => matching([word]));
    const match = matching(words.words);
    const since = words.tooMany ? this.#prepared.get(NTH_NEWEST).get(match, SEARCH_RANKED - 1) : undefined;
    const from = since === undefined ? 0 : placeIn(since);
    return this.#prepared.get(RANK_SINCE).all(match, from, limit).map(placeIn);
  }

  /**
   * Of words of which any will do, the rarest, as many as keep what is ranked within a bound: a word that stands nearly everywhere says
   * little about a record and costs the most. Where even the rarest stands in more, the newest records count.
   */
  #selective(
    words: readonly string[],
    matching: (word: string) => string,
  ): { readonly words: readonly string[]; readonly tooMany: boolean } {
    const counted = words.map((word) => {
      const row = this.#prepared.get(COUNT_UP_TO).get(matching(word), SEARCH_RANKED + 1);
      return { word, found: Number(row?.['found'] ?? 0) };
    });
    counted.sort((left, right) => left.found - right.found);
    const chosen: string[] = [];
    let left = SEARCH_RANKED;
    for (const { word, found } of counted) {
      if (chosen.length > 0 && found > left) break;
      chosen.push(word);
      left -= found;
    }
    return { words: chosen, tooMany: left < 0 };
  }
}

function placeIn(row: Record<string, unknown>): number {
  return Number(row['place']);
}

function placeOf(store: number): string {
  return `s${store}`;
}

/** As a string of the engine's query language: whatever it holds is looked for and never obeyed. */
function quoted(word: string): string {
  const isPrefix = word.length > 1 && word.endsWith('*');
  return `"${(isPrefix ? word.slice(0, -1) : word).replaceAll('"', '""')}"${isPrefix ? ' *' : ''}`;
}

/** Every text in a value, and its key, up to a bound: more would index a pasted file as one hit. */
function wordsOf(op: PreparedOp): string {
  const texts = op.key === null ? [] : [op.key];
  let left = SEARCHED_TEXT_UNITS;
  const collect = (value: Json | undefined): void => {
    if (left <= 0 || value === undefined) return;
    if (typeof value === 'string') {
      texts.push(value.slice(0, left));
      left -= value.length;
    } else if (Array.isArray(value)) for (const item of value as readonly Json[]) collect(item);
    else if (isJsonObject(value)) for (const member of Object.values(value)) collect(member);
  };
  const parsed: Json = JSON.parse(op.text);
  if (isJsonObject(parsed)) collect(parsed['value']);
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
