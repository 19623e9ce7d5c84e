import { MAX_UNPLACED_COMMITS } from '../limits.ts';
import type { PreparedStatements } from './prepared.ts';
import type { UndoList } from './row-ids.ts';

const ADD = 'INSERT INTO places (chain, seq, n) VALUES (?, ?, ?)';
const SET_FLOOR = `INSERT INTO places_floor (id, n) VALUES (1, ?)
  ON CONFLICT (id) DO UPDATE SET n = max(n, excluded.n)`;
const BEHIND = `SELECT n, chain, seq FROM commits
  WHERE n > (SELECT coalesce(max(n), 0) FROM places_floor) ORDER BY n`;

type Place = { readonly chain: number; readonly seq: number; readonly n: number };

/**
 * The index from an author's number to a commit. It is written for many commits at once, so that a lone writer pays two
 * pages for each and not three. What is not written yet is known here, and found again at the next start.
 */
export class Places {
  readonly #prepared: PreparedStatements;
  readonly #undo: UndoList;
  #unplaced: Place[];
  readonly #takeBack = () => this.#unplaced.pop();

  constructor(prepared: PreparedStatements, undo: UndoList) {
    this.#prepared = prepared;
    this.#undo = undo;
    this.#unplaced = this.#prepared
      .get(BEHIND)
      .all()
      .map((row) => ({ n: Number(row['n']), chain: Number(row['chain']), seq: Number(row['seq']) }));
  }

  get areWritten(): boolean {
    return this.#unplaced.length === 0;
  }

  /** Notes a commit of the transaction that is open. */
  add(place: Place): void {
    this.#unplaced.push(place);
    this.#undo.add(this.#takeBack);
    if (this.#unplaced.length >= MAX_UNPLACED_COMMITS) this.write();
  }

  /** Writes what is noted, in the transaction that is open: needed before anything is looked up by its number. */
  write(): void {
    const unplaced = this.#unplaced;
    const last = unplaced.at(-1);
    if (last === undefined) return;
    for (const { chain, seq, n } of unplaced) this.#prepared.get(ADD).run(chain, seq, n);
    this.#prepared.get(SET_FLOOR).run(last.n);
    this.#unplaced = [];
    this.#undo.add(() => {
      this.#unplaced = unplaced;
    });
  }
}
