import type { SealedCommit } from '../log/commit.ts';
import type { DatabaseState } from '../log/database-state.ts';
import { decodePath, pathAndAbove, pathRange } from '../log/names.ts';
import type { PreparedOp } from '../log/op.ts';
import type { Position } from '../log/position.ts';
import type { PreparedStatements } from './prepared.ts';
import { ensureStore, findStore, type UndoList } from './row-ids.ts';

const ADD_RECORD =
  'INSERT INTO records (store, hlc, author, seq, op, n, key, at, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)';
const TAKE_RECORD = 'DELETE FROM records WHERE store = ? AND hlc = ? AND author = ? AND seq = ? AND op = ?';
const PUT_LATEST = `INSERT INTO latest (store, key, hlc, author, seq, op, value) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (store, key) DO UPDATE
  SET hlc = excluded.hlc, author = excluded.author, seq = excluded.seq, op = excluded.op, value = excluded.value
  WHERE (excluded.hlc, excluded.author, excluded.seq, excluded.op) > (latest.hlc, latest.author, latest.seq, latest.op)`;
const TAKE_LATEST = 'DELETE FROM latest WHERE store = ? AND key = ?';
const NEWEST_OF_KEY = `SELECT r.hlc, r.author, r.seq, r.op, CAST(substr(CAST(c.ops AS BLOB), r.at + 1, r.bytes) AS TEXT) AS value
  FROM records AS r JOIN commits AS c ON c.n = r.n
  WHERE r.store = ? AND r.key = ? ORDER BY r.hlc DESC, r.author DESC, r.seq DESC, r.op DESC LIMIT 1`;
const CLOCK_OF_LATEST = 'SELECT hlc, author, seq FROM latest WHERE store = ? AND key = ?';
const HIDDEN = `SELECT 1 FROM registers
  WHERE store = ? AND path IN (SELECT value FROM json_each(?)) AND (hlc, author, seq, op) > (?, ?, ?, ?) LIMIT 1`;
const TAKE_OLDER = `DELETE FROM registers
  WHERE store = ? AND path >= ? AND (? IS NULL OR path < ?) AND (hlc, author, seq, op) < (?, ?, ?, ?)`;
const PUT_REGISTER =
  'INSERT INTO registers (store, path, hlc, author, seq, op, value) VALUES (?, ?, ?, ?, ?, ?, ?)';
const TAKE_REGISTERS = 'DELETE FROM registers WHERE store = ?';
const REGISTERS_OVERWRITTEN = `SELECT hlc, author, seq FROM registers
  WHERE store = ? AND hlc > ? AND (path IN (SELECT value FROM json_each(?)) OR (path >= ? AND (? IS NULL OR path < ?)))`;
const HISTORY = `SELECT r.hlc, r.author, r.seq, r.op, r.key,
    CASE r.bytes WHEN 0 THEN NULL ELSE CAST(substr(CAST(c.ops AS BLOB), r.at + 1, r.bytes) AS TEXT) END AS value
  FROM records AS r JOIN commits AS c ON c.n = r.n
  WHERE r.store = ? AND (r.hlc, r.author, r.seq, r.op) > (?, ?, ?, ?)
  ORDER BY r.hlc, r.author, r.seq, r.op LIMIT 500`;

/** The stamp that orders what was written: (hlc, author, seq, op). */
type Stamp = readonly [hlc: number, author: string, seq: number, op: number];

/** A row or document whose newest value went away, so that the one before it must be found again. */
export type Stale = { readonly store: number; readonly key: string | null };

/** Turns applied commits into the rows that are read, and takes them out again. Every step may come in any order. */
export class Projection {
  readonly #prepared: PreparedStatements;
  readonly #undo: UndoList;

  constructor(prepared: PreparedStatements, undo: UndoList) {
    this.#prepared = prepared;
    this.#undo = undo;
  }

  /** Adds the rows of a commit that stands in the log under `n`. */
  apply(state: DatabaseState, commit: SealedCommit, n: number): void {
    const { hlc, author, seq } = commit.header;
    let at = 1;
    for (let index = 0; index < commit.ops.length; index += 1) {
      const op = commit.ops[index] as PreparedOp;
      if (op.store !== '') this.#applyOp(state, op, [hlc, author, seq, index], n, at);
      at += op.bytes + 1;
    }
  }

  #applyOp(state: DatabaseState, op: PreparedOp, stamp: Stamp, n: number, at: number): void {
    const isDoc = op.verb === 'set' || op.verb === 'clear';
    const store = ensureStore(this.#prepared, this.#undo, state, op.store, isDoc);
    this.#prepared.get(ADD_RECORD).run(store, ...stamp, n, op.key, at + op.valueAt, op.valueBytes);
    if (op.key === null) return;
    if (isDoc) this.#setRegister(store, op.key, stamp, op.valueText);
    else this.#prepared.get(PUT_LATEST).run(store, op.key, ...stamp, op.valueText);
  }

  /** Writes a register unless a newer one stands at its path or above; older ones at and below it are hidden for good. */
  #setRegister(store: number, path: string, stamp: Stamp, value: string | null): void {
    const above = JSON.stringify(pathAndAbove(decodePath(path)));
    if (this.#prepared.get(HIDDEN).get(store, above, ...stamp) !== undefined) return;
    const { from, to } = pathRange(path);
    this.#prepared.get(TAKE_OLDER).run(store, from, to, to, ...stamp);
    this.#prepared.get(PUT_REGISTER).run(store, path, ...stamp, value);
  }

  /** Takes a commit's records out. What they had hidden is found again by `renew`, which the answer is for. */
  retract(state: DatabaseState, commit: SealedCommit): Stale[] {
    const { hlc, author, seq } = commit.header;
    return commit.ops.flatMap((op, index) => {
      if (op.store === '') return [];
      const isDoc = op.verb === 'set' || op.verb === 'clear';
      const store = findStore(this.#prepared, state, op.store, isDoc);
      if (store === undefined) return [];
      this.#prepared.get(TAKE_RECORD).run(store, hlc, author, seq, index);
      return op.key === null ? [] : [{ store, key: isDoc ? null : op.key }];
    });
  }

  /** Finds the newest value again, from the records that are left. */
  renew(stale: readonly Stale[]): void {
    const seen = new Set<string>();
    for (const { store, key } of stale) {
      const name = JSON.stringify([store, key]);
      if (seen.has(name)) continue;
      seen.add(name);
      if (key === null) this.#renewDocument(store);
      else this.#renewKey(store, key);
    }
  }

  #renewKey(store: number, key: string): void {
    this.#prepared.get(TAKE_LATEST).run(store, key);
    const newest = this.#prepared.get(NEWEST_OF_KEY).get(store, key);
    if (newest !== undefined)
      this.#prepared.get(PUT_LATEST).run(store, key, ...stampOf(newest), String(newest['value']));
  }

  #renewDocument(store: number): void {
    this.#prepared.get(TAKE_REGISTERS).run(store);
    let last: Stamp = [-1, '', 0, 0];
    for (;;) {
      const rows = this.#prepared.get(HISTORY).all(store, ...last);
      for (const row of rows) {
        last = stampOf(row);
        const value = row['value'];
        this.#setRegister(store, String(row['key']), last, value === null ? null : String(value));
      }
      if (rows.length < 500) return;
    }
  }

  /** What stands above `reach` in the registers that the operations overwrite. */
  overwritten(state: DatabaseState, ops: readonly PreparedOp[], reach: number): Position[] {
    return ops.flatMap((op) => {
      if (op.key === null) return [];
      const isDoc = op.verb === 'set' || op.verb === 'clear';
      const store = findStore(this.#prepared, state, op.store, isDoc);
      if (store === undefined) return [];
      const rows = isDoc
        ? this.#registersUnder(store, op.key, reach)
        : this.#prepared.get(CLOCK_OF_LATEST).all(store, op.key);
      return rows
        .map((row) => ({ hlc: Number(row['hlc']), author: String(row['author']), seq: Number(row['seq']) }))
        .filter(({ hlc }) => hlc > reach);
    });
  }

  #registersUnder(store: number, path: string, reach: number) {
    const above = JSON.stringify(pathAndAbove(decodePath(path)));
    const { from, to } = pathRange(path);
    return this.#prepared.get(REGISTERS_OVERWRITTEN).all(store, reach, above, from, to, to);
  }
}

function stampOf(row: Record<string, unknown>): Stamp {
  return [Number(row['hlc']), String(row['author']), Number(row['seq']), Number(row['op'])];
}
