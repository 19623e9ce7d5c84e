import type { DatabaseKind, Statement, Store } from '@fairlead/store';
import { routineLimits } from '../limits.ts';
import { RoutineEntry } from './routine-entry.ts';
import { type RoutinePlace, readRow, routineOf, tablesOf } from './routine-rows.ts';
import { keepState, storedStates } from './slot-rows.ts';
import { nextDue } from './trigger.ts';

/** What a database holds, ready to fire; the statements keep what had to be computed. */
export interface LoadedRoutines {
  readonly entries: readonly RoutineEntry[];
  readonly statements: readonly Statement[];
}

const PLACES = `SELECT DISTINCT routine_state.database AS root, databases.kind AS kind
  FROM routine_state JOIN databases ON databases.root = routine_state.database LIMIT ?`;

/** The databases that are known to have routines. */
export async function routinePlaces(
  store: Store,
): Promise<readonly { readonly root: string; readonly kind: DatabaseKind }[]> {
  return await store.read(PLACES, [routineLimits.places]);
}

/** Reads the routines of a database. What was computed for the version of a row that still stands is not computed again. */
export async function loadRoutines(
  store: Store,
  place: RoutinePlace,
  zone: string,
  nowMs: number,
): Promise<LoadedRoutines> {
  const { database } = place;
  const states = await storedStates(store, database.root);
  const entries: RoutineEntry[] = [];
  const statements: Statement[] = [];
  for (const table of tablesOf(place)) {
    for (const { key, id, value } of await database.latest(table).all()) {
      const routine = routineOf(table, key);
      if (routine === undefined || value === null || entries.length >= routineLimits.routines) continue;
      const entry = new RoutineEntry(place, routine);
      const state = states.get(routine);
      entry.record = id;
      if (state?.record === id) {
        entry.next = state.next;
        entry.failures = state.failures;
        entry.lastCode = state.last_code;
      } else {
        const reading = readRow(place, routine, value, zone);
        if (reading?.ok !== true) entry.lastCode = 'routine_invalid';
        else if (reading.routine.enabled) entry.next = nextDue(reading.routine.trigger, nowMs);
        const { record, next, failures, lastCode } = entry;
        statements.push(keepState(database.root, { routine, record, next, failures, last_code: lastCode }));
      }
      entries.push(entry);
    }
  }
  return { entries, statements };
}
