import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { storeError } from '../errors.ts';
import { BUSY_TIMEOUT_MS, CHECKPOINT_PAGES, LOG_FILE_MAX_BYTES, PAGE_CACHE_KIB } from '../limits.ts';
import type { Migration } from '../migrations/migration.ts';
import { ensurePrivateFile } from '../private-file.ts';
import { migrate } from './migrate.ts';
import { sqliteFault } from './sqlite-fault.ts';

/** Marks a database as Fairlead's: the letters FLDB in the header of the file. */
const APPLICATION_ID = 0x464c4442;

/** Opens the file at `path` (made when absent) as this program's database at its newest migration. Throws coded errors. */
export function openDatabase(path: string, migrations: readonly Migration[]): DatabaseSync {
  ensurePrivateFile(path);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
    // Nothing may be changed in a file that is not ours or is newer than we are, so this comes before any setting.
    recognise(database, migrations);
    configure(database);
    migrate(database, migrations, APPLICATION_ID);
    return database;
  } catch (error) {
    database?.close();
    throw sqliteFault(error);
  }
}

/**
 * Looks whether a file that nobody writes to is this program's database of a known version, and whole as far as its pages tell.
 * Looks at that file alone, as a copy of it would be: a log beside it is not read, and none is made. Throws coded errors.
 */
export function inspectDatabase(path: string, migrations: readonly Migration[]): void {
  let database: DatabaseSync | undefined;
  try {
    const url = pathToFileURL(path);
    url.searchParams.set('immutable', '1');
    database = new DatabaseSync(url, { readOnly: true });
    recognise(database, migrations);
    const check = database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
    if (check !== 'ok') throw storeError('store_corrupt');
  } catch (error) {
    throw sqliteFault(error);
  } finally {
    database?.close();
  }
}

function recognise(database: DatabaseSync, migrations: readonly Migration[]): void {
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  const application = Number(database.prepare('PRAGMA application_id').get()?.['application_id']);
  const tables = Number(database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get()?.['tables']);
  const empty = version === 0 && application === 0 && tables === 0;
  if (application !== APPLICATION_ID && !empty) throw storeError('store_foreign_database');
  if (version > migrations.length)
    throw storeError('schema_newer', undefined, { found: version, supported: migrations.length });
}

function configure(database: DatabaseSync): void {
  const mode = database.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode'];
  if (mode !== 'wal') throw storeError('store_io_failed', new Error(`journal mode ${String(mode)}`));
  database.exec(`
    PRAGMA synchronous = FULL;
    PRAGMA fullfsync = ON;
    PRAGMA temp_store = MEMORY;
    PRAGMA trusted_schema = OFF;
    PRAGMA cache_size = -${PAGE_CACHE_KIB};
    PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
    PRAGMA journal_size_limit = ${LOG_FILE_MAX_BYTES};
  `);
}
