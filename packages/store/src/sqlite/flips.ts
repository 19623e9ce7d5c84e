import type { Plan } from '../log/unit.ts';
import { COMMIT_COLUMNS, commitOf } from './commit-rows.ts';
import type { PreparedStatements } from './prepared.ts';
import type { Projection, Stale } from './projection.ts';
import { rowsOf } from './row-ids.ts';
import type { WordIndex } from './word-index.ts';

const FIND_COMMIT = `SELECT ${COMMIT_COLUMNS} FROM places AS l JOIN commits AS c ON c.n = l.n
  LEFT JOIN chains AS s ON s.id = c.settings_chain WHERE l.chain = ? AND l.seq = ?`;
const SET_STATE = 'UPDATE commits SET state = ? WHERE n = ?';
const ADD_ARRIVAL = 'INSERT INTO arrivals (n, commit_n, origin) VALUES (?, ?, ?)';

const ORIGIN_REMOTE = 2;
const ORIGIN_RETRACTED = 3;

/** Turns kept commits whose judgement changed: rows out, rows in, and a line each for whoever follows. */
export function applyFlips(
  plan: Plan,
  by: {
    readonly prepared: PreparedStatements;
    readonly projection: Projection;
    readonly words: WordIndex;
    readonly arrival: () => number;
  },
): { readonly stale: readonly Stale[]; readonly stores: ReadonlySet<string> } {
  const { state } = plan;
  const { prepared, projection, words } = by;
  const stale: Stale[] = [];
  const stores = new Set<string>();
  // What goes comes out first, so that what comes back is held only against what stays.
  for (const flip of [...plan.flips].sort((left, right) => Number(left.applied) - Number(right.applied))) {
    const chain = rowsOf(state).chains.get(flip.author) ?? 0;
    const row = prepared.get(FIND_COMMIT).get(chain, flip.seq);
    if (row === undefined) continue;
    const n = Number(row['n']);
    const commit = commitOf(state, flip.author, row);
    prepared.get(SET_STATE).run(flip.applied ? 1 : 0, n);
    prepared.get(ADD_ARRIVAL).run(by.arrival(), n, flip.applied ? ORIGIN_REMOTE : ORIGIN_RETRACTED);
    if (flip.applied) projection.apply(state, commit, n);
    else stale.push(...projection.retract(state, commit));
    words.turn(state, chain, commit, n, flip.applied);
    for (const op of commit.ops) if (op.store !== '') stores.add(op.store);
  }
  return { stale, stores };
}
