import { defineErrors, FairleadError, type Json } from '@fairlead/base';

/** The store's codes: what happened and what to do next. */
export const storeErrors = defineErrors({
  access_denied: {
    message: "This peer's role in the database does not allow that.",
    next: 'Ask an admin of the database for the role that the detail names.',
  },
  backup_invalid: {
    message: 'The folder is no backup, or a damaged one.',
    next: 'Name the folder that fairlead backup wrote; it holds backup.json, fairlead.db and peer.key.',
  },
  backup_target_exists: {
    message: 'There is something already where the backup should be written.',
    next: 'Name a folder that does not exist yet.',
  },
  backup_unwritable: {
    message: 'The backup could not be written; nothing of it is left.',
    next: 'Name a new folder inside one that exists, that you may write to, and whose disk has room.',
  },
  backup_taken_back: {
    message:
      'Commits that this peer had written before its backup was restored came back from another peer before the first new one.',
    next: 'Nothing needs to be done: they are in the database again.',
  },
  commit_clock_invalid: {
    message: "A commit's clock is not above the one that it follows, or beyond what a clock may be.",
    next: 'Check the clock of the machine that wrote it. Where a far-future value stands in the way, an admin cuts its author off below it.',
  },
  commit_denied: {
    message: 'The peer that wrote a commit had no right to do so; the commit is kept aside.',
    next: 'Nothing needs to be done; it is judged again when rights change.',
  },
  commit_foreign: {
    message: 'A commit belongs to another database.',
    next: 'Nothing was changed. The peer that sent it is faulty or hostile.',
  },
  commit_fork: {
    message: 'An author has written two different commits under one number: its key is in use twice.',
    next: "Stop the copy of the data folder, then have an admin revoke that peer's author and grant its role anew.",
  },
  commit_gap: {
    message: 'A commit came before the ones that it follows.',
    next: 'Nothing was changed; replication asks for the missing ones.',
  },
  commit_hash_mismatch: {
    message: 'A commit does not fit its own hash or the commit before it.',
    next: 'Nothing was changed. The peer that sent it is faulty or hostile.',
  },
  commit_malformed: {
    message: 'A commit or a value in it does not have the form that the store keeps.',
    next: 'Nothing was changed. docs/reference/store.md says what a commit may hold.',
  },
  commit_signature_invalid: {
    message: 'A commit is not signed by its author, or the author is not certified by its peer.',
    next: 'Nothing was changed. The peer that sent it is faulty or hostile.',
  },
  commit_too_large: {
    message: 'A commit has more than 500 operations or 1 MiB.',
    next: 'Write less at once, or in several commits.',
  },
  commit_waiting: {
    message: 'A commit names a change of the settings that has not arrived yet.',
    next: 'Nothing was changed; it is taken once that change is here.',
  },
  consumer_taken: {
    message: 'A consumer of writes with this name is running already.',
    next: 'This is a fault in Fairlead; report it with the log.',
  },
  database_newer: {
    message:
      'The database holds something that only a newer Fairlead can read, so this one does not write to it.',
    next: 'Update Fairlead; reading goes on.',
  },
  database_not_found: {
    message: 'There is no such database on this peer.',
    next: 'List the databases; one of another peer is fetched first.',
  },
  database_released: {
    message: 'This handle of a database was released.',
    next: 'Open the database again; this is a fault of Fairlead, please report it.',
  },
  doc_path_invalid: {
    message: 'A path in a document must be at most 16 names of 1 to 256 bytes without control characters.',
    next: 'Correct the path.',
  },
  key_file_invalid: {
    message: 'A key file of the state directory cannot be read.',
    next: 'Put the file back from a backup. Removing peer.key makes a new peer, without the rights of the old one.',
  },
  record_not_found: {
    message: 'There is no such record in this table.',
    next: 'Read the table from its newest record again.',
  },
  transaction_open: {
    message: "A record's id was read before its transaction was committed.",
    next: 'This is a fault in Fairlead; report it with the log.',
  },
  transaction_refused: {
    message: 'A row was not as a transaction expected, so all of the transaction was undone.',
    next: 'Read the row again and decide anew.',
  },
  replication_closed: {
    message: 'The session with the other peer has ended.',
    next: 'Connect again; what is missing is fetched from where it stopped.',
  },
  replication_frame_invalid: {
    message: 'The other peer sent something that is no message of a replication session.',
    next: 'The session was ended and nothing was changed. Update the older of the two, if their versions differ.',
  },
  replication_peer_refused: {
    message:
      'The other side did not prove that it is the peer that it says, or is not the one that was expected.',
    next: 'Compare the peer id with the one that its operator reads out.',
  },
  replication_timeout: {
    message: 'The other peer did not answer in time.',
    next: 'Connect again; what is missing is fetched from where it stopped.',
  },
  restore_place_taken: {
    message: 'Something stands in the state directory where a restore lays its copies; nothing was changed.',
    next: 'Look at what the message names and move it away, then restore again.',
  },
  restore_target_in_use: {
    message: 'The state directory holds a database already.',
    next: 'Restore into another state directory, or give --replace: what is there is put aside, not removed.',
  },
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
  author_minted: {
    message: 'This data folder writes under a new author from here on.',
    next: 'Nothing where the folder is new, was moved or was restored; else see that no second copy of it is running.',
  },
  clock_skew: {
    message: 'The other peer’s clock and this one’s differ by more than a minute.',
    next: 'Let both take their time from the network: what the slower one writes last may sort first.',
  },
  consumer_failed: {
    message: 'A part of Fairlead that follows what is written threw, and will be tried again.',
    next: 'Nothing is lost; report it with the log where it goes on.',
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
