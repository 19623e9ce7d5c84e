import { defineErrors, FairleadError, type Json } from '@fairlead/base';

/** The store's codes: what happened and what to do next. */
export const storeErrors = defineErrors({
  schema_newer: {
    message: 'The database was written by a newer Fairlead than this one.',
    next: 'Start the newer Fairlead again, or restore a backup that was made before the upgrade.',
  },
  store_busy: {
    message: 'Another program holds the database, or too many writes are waiting.',
    next: 'Close any other program that has the database file open, then try again.',
  },
  store_closed: {
    message: 'The database is closed.',
    next: 'Nothing was written. Start Fairlead again.',
  },
  store_constraint_failed: {
    message: 'A write broke a rule of its table, so its whole batch was undone.',
    next: 'This is a fault in Fairlead unless the row was taken by someone else first; report it with the log.',
  },
  store_corrupt: {
    message: 'The database file is damaged.',
    next: 'Stop Fairlead, keep a copy of the file and its -wal, and restore the newest backup.',
  },
  store_disk_full: {
    message: 'There is no room left to write the database.',
    next: 'Free some space on the disk of the state directory, then try again.',
  },
  store_folder_missing: {
    message: 'The folder of the database does not exist.',
    next: 'Create the folder, or name another state directory.',
  },
  store_foreign_database: {
    message: 'The file is a database of another program.',
    next: 'Name another state directory, or move the file away.',
  },
  store_io_failed: {
    message: 'The disk failed while the database was read or written.',
    next: 'Check the disk and its mount; the state directory must lie on a local disk.',
  },
  store_migration_failed: {
    message: 'The database could not be brought to the current version; it was left as it was.',
    next: 'Keep the file, start the earlier Fairlead, and report the failure with the log.',
  },
  store_not_a_database: {
    message: 'The file is not a database.',
    next: 'Move the file away, or restore a backup in its place.',
  },
  store_permission_denied: {
    message: 'The database file may not be opened or made private by this user.',
    next: 'Give this user the state directory and its files, or name another state directory.',
  },
  store_read_only: {
    message: 'The database can be read but not written.',
    next: 'Make the state directory and its files writable, or name another state directory.',
  },
  store_statement_invalid: {
    message: 'The database refused a statement.',
    next: 'This is a fault in Fairlead; report it with the log.',
  },
});

export type StoreErrorCode = keyof typeof storeErrors;

/** A store error with its table's message. `cause` stays inside the process; `detail` is safe to show. */
export function storeError(code: StoreErrorCode, cause?: unknown, detail?: Json): FairleadError {
  return new FairleadError(code, storeErrors[code].message, {
    ...(cause === undefined ? {} : { cause }),
    ...(detail === undefined ? {} : { detail }),
  });
}
