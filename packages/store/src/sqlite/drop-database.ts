import { DROP_SLICE_ROWS } from '../limits.ts';
import type { PreparedStatements } from './prepared.ts';

const HIDE = `UPDATE databases SET dropped = 1, root = 'dropped:' || id WHERE root = ? AND dropped = 0`;
const WROTE = `SELECT 1 FROM chains AS h JOIN databases AS d ON d.id = h.db WHERE d.root = ? AND h.author = ?`;
const REMEMBER = 'INSERT OR REPLACE INTO dropped_roots (root, author) VALUES (?, ?)';
const KEEP_FLOOR = `INSERT INTO arrival_floor (id, n) VALUES (1, ?)
  ON CONFLICT (id) DO UPDATE SET n = max(n, excluded.n)`;
const HIDDEN = 'SELECT id FROM databases WHERE dropped = 1 ORDER BY id LIMIT 1';
const STORE = 'SELECT id FROM stores WHERE db = ? LIMIT 1';
const SEARCHED = 'SELECT 1 FROM searched WHERE store = ? LIMIT 1';
const WORDS = 'SELECT n, op FROM records WHERE store = ? LIMIT ?';
const TAKE_WORDS = 'DELETE FROM words WHERE rowid = ?';
const TAKE_RECORDS = `DELETE FROM records WHERE (store, hlc, author, seq, op) IN
  (SELECT store, hlc, author, seq, op FROM records WHERE store = ? LIMIT ?)`;
const CHAIN = 'SELECT id FROM chains WHERE db = ? LIMIT 1';
const FIRST_PLACES = 'SELECT n FROM places WHERE chain = ? ORDER BY seq LIMIT ?';
const TAKE_ARRIVALS = `DELETE FROM arrivals WHERE commit_n IN (${FIRST_PLACES})`;
const TAKE_COMMITS = `DELETE FROM commits WHERE n IN (${FIRST_PLACES})`;
const TAKE_PLACES = `DELETE FROM places WHERE chain = ? AND seq IN
  (SELECT seq FROM places WHERE chain = ? ORDER BY seq LIMIT ?)`;

/** First step: from here on the database is gone for everybody, and its arrival numbers stay used. */
export function hideDatabase(
  prepared: PreparedStatements,
  root: string,
  author: string,
  lastArrival: number,
): void {
  if (prepared.get(WROTE).get(root, author) !== undefined) prepared.get(REMEMBER).run(root, author);
  prepared.get(KEEP_FLOOR).run(lastArrival);
  prepared.get(HIDE).run(root);
}

/** One more step of what is left of hidden databases. False when there is none. */
export function dropSlice(prepared: PreparedStatements): boolean {
  const database = prepared.get(HIDDEN).get()?.['id'];
  if (database === undefined) return false;
  const id = Number(database);
  const store = prepared.get(STORE).get(id)?.['id'];
  if (store !== undefined) {
    dropStoreSlice(prepared, Number(store));
    return true;
  }
  const chain = prepared.get(CHAIN).get(id)?.['id'];
  if (chain !== undefined) {
    dropChainSlice(prepared, Number(chain));
    return true;
  }
  prepared.get('DELETE FROM quarantine WHERE db = ?').run(id);
  prepared.get('DELETE FROM databases WHERE id = ?').run(id);
  return true;
}

function dropStoreSlice(prepared: PreparedStatements, store: number): void {
  if (prepared.get(SEARCHED).get(store) !== undefined)
    for (const row of prepared.get(WORDS).all(store, DROP_SLICE_ROWS))
      prepared.get(TAKE_WORDS).run(Number(row['n']) * 512 + Number(row['op']));
  const taken = Number(prepared.get(TAKE_RECORDS).run(store, DROP_SLICE_ROWS).changes);
  if (taken > 0) return;
  for (const table of ['latest', 'registers', 'searched'])
    prepared.get(`DELETE FROM ${table} WHERE store = ?`).run(store);
  prepared.get('DELETE FROM stores WHERE id = ?').run(store);
}

function dropChainSlice(prepared: PreparedStatements, chain: number): void {
  prepared.get(TAKE_ARRIVALS).run(chain, DROP_SLICE_ROWS);
  prepared.get(TAKE_COMMITS).run(chain, DROP_SLICE_ROWS);
  const taken = Number(prepared.get(TAKE_PLACES).run(chain, chain, DROP_SLICE_ROWS).changes);
  if (taken === 0) prepared.get('DELETE FROM chains WHERE id = ?').run(chain);
}
