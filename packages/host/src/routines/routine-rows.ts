import type { Json } from '@fairlead/base';
import type { Latest } from '@fairlead/store';
import { type RoutineReading, readRoutine } from './routine.ts';
import { readSchedule } from './schedule.ts';

export const ROUTINES_TABLE = 'routines';
export const SCHEDULES_TABLE = 'schedules';
/** Schedules stand in a table of their own; among the routines of their database they have this in front. */
export const SCHEDULE_PREFIX = 'schedule:';

/** What is read of a database for its routines. */
export interface RoutineDatabase {
  readonly root: string;
  latest(table: string): Pick<Latest, 'get' | 'heads'>;
}

/** A database whose routines fire here. */
export interface RoutinePlace {
  readonly kind: 'global' | 'agent' | 'session';
  readonly database: RoutineDatabase;
}

/** A routine's row as it stands: `record` is its version; undefined `reading` is one that was taken out. */
export interface RoutineRow {
  readonly routine: string;
  readonly record: string;
  readonly reading: RoutineReading | undefined;
}

/** Table and key of a routine's row. */
export function rowOf(routine: string): { readonly table: string; readonly key: string } {
  return routine.startsWith(SCHEDULE_PREFIX)
    ? { table: SCHEDULES_TABLE, key: routine.slice(SCHEDULE_PREFIX.length) }
    : { table: ROUTINES_TABLE, key: routine };
}

/** The name of the routine that a row of a table is; undefined for other tables. */
export function routineOf(table: string, key: string): string | undefined {
  if (table === ROUTINES_TABLE && !key.startsWith(SCHEDULE_PREFIX)) return key;
  return table === SCHEDULES_TABLE ? `${SCHEDULE_PREFIX}${key}` : undefined;
}

/** The tables that a place has. */
export function tablesOf(place: RoutinePlace): readonly string[] {
  return place.kind === 'agent' ? [ROUTINES_TABLE, SCHEDULES_TABLE] : [ROUTINES_TABLE];
}

/** Reads one row; a null is one that was taken out. */
export function readRow(
  place: RoutinePlace,
  routine: string,
  value: Json,
  zone: string,
): RoutineReading | undefined {
  if (value === null) return undefined;
  const { table, key } = rowOf(routine);
  return table === SCHEDULES_TABLE
    ? readSchedule(place.database.root, key, value, zone)
    : readRoutine(value, zone);
}

/** One row as it stands now; undefined where there never was one. */
export async function currentRow(
  place: RoutinePlace,
  routine: string,
  zone: string,
): Promise<RoutineRow | undefined> {
  const { table, key } = rowOf(routine);
  const row = await place.database.latest(table).get(key);
  if (row === undefined) return undefined;
  return { routine, record: row.id, reading: readRow(place, routine, row.value, zone) };
}
