import type { Clock } from '@fairlead/base';
import { migrations as productMigrations } from './migrations/index.ts';
import type { Migration } from './migrations/migration.ts';
import { openDatabase } from './sqlite/open-database.ts';
import { SqliteStore } from './sqlite/sqlite-store.ts';
import type { Store } from './store.ts';

/**
 * Opens the database at `path` (an absolute path in an existing folder), makes it when absent, and brings it to the newest
 * migration. The file and those beside it are readable by their owner alone (mode 0600). `migrations` is the product's
 * list unless a test brings its own. The caller holds the folder's lock.
 *
 * Rejects with `schema_newer`, `store_migration_failed`, `store_foreign_database`, `store_not_a_database`,
 * `store_corrupt`, `store_read_only`, `store_permission_denied`, `store_folder_missing`, `store_disk_full`,
 * `store_io_failed` or `store_busy`; the file is then as it was.
 */
export async function openStore(options: {
  readonly path: string;
  readonly clock: Clock;
  readonly migrations?: readonly Migration[];
}): Promise<Store> {
  const { path, clock, migrations = productMigrations } = options;
  return new SqliteStore(openDatabase(path, migrations), clock);
}
