import type { DatabaseKind, Statement, Store } from '@fairlead/store';
import { routineLimits } from '../limits.ts';
import { RoutineEntry } from './routine-entry.ts';
import { type RoutinePlace, readRow, routineOf, tablesOf } from './routine-rows.ts';
import { keepState, storedStates } from './slot-rows.ts';
import { nextDue } from './trigger.ts';

/** Some of what a database holds, ready to fire; the statements keep what had to be computed. */
export interface LoadedRoutines {
  readonly entries: readonly RoutineEntry[];
  readonly statements: readonly Statement[];
  /** There are more than one database may have. */
  readonly isCut?: true;
}

export interface LoadedBy {
  readonly store: Store;
  readonly place: RoutinePlace;
  /** IANA name: where a pattern without one is meant. */
  readonly zone: string;
  readonly nowMs: number;
}

/** Rows read at once. */
const PAGE = 1000;

const PLACES = `SELECT DISTINCT routine_state.database AS root, databases.kind AS kind
  FROM routine_state JOIN databases ON databases.root = routine_state.database LIMIT ?`;

/** The databases that are known to have routines. */
export async function routinePlaces(
  store: Store,
): Promise<readonly { readonly root: string; readonly kind: DatabaseKind }[]> {
  return await store.read(PLACES, [routineLimits.places]);
}

/**
 * Reads the routines of a database, a page at a time. What was computed for the version of a row that still stands is not computed again.
 */
export async function* loadRoutines(
  by: LoadedBy,
  most: number = routineLimits.routines,
): AsyncGenerator<LoadedRoutines, void> {
  let read = 0;
  for (const table of tablesOf(by.place)) {
    const rows = by.place.database.latest(table);
    for (let after = ''; ; ) {
      const heads = await rows.heads(after, Math.min(PAGE, most - read + 1));
      const last = heads.at(-1);
      if (last === undefined) break;
      if (read + heads.length > most) {
        yield { ...(await loadPage(by, table, heads.slice(0, most - read))), isCut: true };
        return;
      }
      yield await loadPage(by, table, heads);
      read += heads.length;
      after = last.key;
    }
  }
}

async function loadPage(
  by: LoadedBy,
  table: string,
  rows: readonly { readonly key: string; readonly id: string }[],
): Promise<LoadedRoutines> {
  const { store, place, zone, nowMs } = by;
  const { root } = place.database;
  const names = rows.map(({ key }) => routineOf(table, key) ?? '');
  const states = await storedStates(store, root, [names[0] ?? '', names.at(-1) ?? '']);
  const entries: RoutineEntry[] = [];
  const statements: Statement[] = [];
  for (const [index, { key, id }] of rows.entries()) {
    const routine = names[index] ?? '';
    if (routine === '') continue;
    const entry = new RoutineEntry(place, routine);
    const state = states.get(routine);
    entry.record = id;
    if (state?.record === id) {
      entry.next = state.next;
      entry.failures = state.failures;
      entry.lastCode = state.last_code;
    } else {
      const value = (await place.database.latest(table).get(key))?.value ?? null;
      if (value === null) continue;
      const reading = readRow(place, routine, value, zone);
      if (reading?.ok !== true) entry.lastCode = 'routine_invalid';
      else if (reading.routine.enabled) entry.next = nextDue(reading.routine.trigger, nowMs);
      const { record, next, failures, lastCode } = entry;
      statements.push(keepState(root, { routine, record, next, failures, last_code: lastCode }));
    }
    entries.push(entry);
  }
  return { entries, statements };
}
