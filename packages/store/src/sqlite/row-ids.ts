import type { DatabaseState } from '../log/database-state.ts';
import type { PreparedStatements } from './prepared.ts';

/** The integers that stand for a database, its authors and its tables in rows: kept per open database. */
export class RowIds {
  database = 0;
  readonly chains = new Map<string, number>();
  /** By name, documents under `doc:` and the name. */
  readonly stores = new Map<string, number>();
}

export function rowsOf(state: DatabaseState): RowIds {
  return state.rows as RowIds;
}

function storeKey(name: string, isDoc: boolean): string {
  return isDoc ? `doc:${name}` : name;
}

/** Steps that undo in memory what a transaction that is rolled back had noted. */
export class UndoList {
  readonly #steps: (() => void)[] = [];
  #count = 0;

  add(step: () => void): void {
    this.#steps[this.#count] = step;
    this.#count += 1;
  }

  mark(): number {
    return this.#count;
  }

  /** Undoes everything after the mark, the newest first. */
  rewind(mark: number): void {
    while (this.#count > mark) {
      this.#count -= 1;
      this.#steps[this.#count]?.();
    }
  }

  /** Forgets the steps and keeps their room: every transaction needs some. */
  clear(): void {
    this.#steps.fill(NOTHING, 0, this.#count);
    this.#count = 0;
  }
}

const NOTHING = () => undefined;

const FIND_STORE = 'SELECT id FROM stores WHERE db = ? AND name = ? AND doc = ?';
const ADD_STORE = 'INSERT INTO stores (db, name, doc) VALUES (?, ?, ?)';
const ADD_CHAIN = 'INSERT INTO chains (db, author, peer) VALUES (?, ?, ?)';

/** The number of a table or document, undefined where nothing was ever written to it. */
export function findStore(
  prepared: PreparedStatements,
  state: DatabaseState,
  name: string,
  isDoc: boolean,
): number | undefined {
  const rows = rowsOf(state);
  const key = storeKey(name, isDoc);
  const known = rows.stores.get(key);
  if (known !== undefined) return known;
  const found = prepared.get(FIND_STORE).get(rows.database, name, isDoc ? 1 : 0);
  if (found === undefined) return undefined;
  const id = Number(found['id']);
  rows.stores.set(key, id);
  return id;
}

/** The same, made where it is missing. */
export function ensureStore(
  prepared: PreparedStatements,
  undo: UndoList,
  state: DatabaseState,
  name: string,
  isDoc: boolean,
): number {
  const found = findStore(prepared, state, name, isDoc);
  if (found !== undefined) return found;
  const rows = rowsOf(state);
  const id = Number(prepared.get(ADD_STORE).run(rows.database, name, isDoc ? 1 : 0).lastInsertRowid);
  const key = storeKey(name, isDoc);
  rows.stores.set(key, id);
  undo.add(() => rows.stores.delete(key));
  return id;
}

/** The number of an author's chain, made where it is missing. */
export function ensureChain(
  prepared: PreparedStatements,
  undo: UndoList,
  state: DatabaseState,
  author: string,
  peer: string,
): number {
  const rows = rowsOf(state);
  const known = rows.chains.get(author);
  if (known !== undefined) return known;
  const id = Number(prepared.get(ADD_CHAIN).run(rows.database, author, peer).lastInsertRowid);
  rows.chains.set(author, id);
  undo.add(() => rows.chains.delete(author));
  return id;
}
