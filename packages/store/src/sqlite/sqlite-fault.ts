import { FairleadError } from '@fairlead/base';
import { type StoreErrorCode, storeError } from '../errors.ts';

const PRIMARY_CODES: ReadonlyMap<number, StoreErrorCode> = new Map<number, StoreErrorCode>([
  [3, 'store_permission_denied'], // SQLITE_PERM
  [0, 'store_busy'], // what Node says of a copy whose first step found a transaction open
  [5, 'store_busy'], // SQLITE_BUSY
  [6, 'store_busy'], // SQLITE_LOCKED
  [8, 'store_read_only'], // SQLITE_READONLY
  [10, 'store_io_failed'], // SQLITE_IOERR
  [11, 'store_corrupt'], // SQLITE_CORRUPT
  [13, 'store_disk_full'], // SQLITE_FULL
  [14, 'store_permission_denied'], // SQLITE_CANTOPEN
  [19, 'store_constraint_failed'], // SQLITE_CONSTRAINT
  [23, 'store_permission_denied'], // SQLITE_AUTH
  [26, 'store_not_a_database'], // SQLITE_NOTADB
]);

const CONSTRAINTS: ReadonlyMap<number, string> = new Map([
  [275, 'check'],
  [787, 'foreign_key'],
  [1299, 'not_null'],
  [1555, 'unique'], // primary key
  [2067, 'unique'],
  [2579, 'unique'], // row id
  [3091, 'type'],
]);

/** The engine's own number for an error, extended where it has one; undefined for anything that is not the engine's. */
export function resultCode(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode : undefined;
}

/** True where the disk itself failed: after it, nothing is known about what a second try would mean. */
export function isDiskFault(error: unknown): boolean {
  return ((resultCode(error) ?? 0) & 0xff) === 10;
}

/** Gives an engine's error its code. Its text stays in `cause`: it may hold names and values. */
export function sqliteFault(error: unknown): FairleadError {
  if (error instanceof FairleadError) return error;
  const code = resultCode(error);
  if (code === undefined) return storeError('store_statement_invalid', error);
  const named = PRIMARY_CODES.get(code & 0xff) ?? 'store_statement_invalid';
  if (named !== 'store_constraint_failed') return storeError(named, error);
  return storeError(named, error, { rule: CONSTRAINTS.get(code) ?? 'other' });
}
