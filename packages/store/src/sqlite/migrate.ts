import type { DatabaseSync } from 'node:sqlite';
import { storeError } from '../errors.ts';
import type { Migration } from '../migrations/migration.ts';
import { sqliteFault } from './sqlite-fault.ts';

/**
 * Applies what is missing, each migration in one transaction together with the number that says it is done: a process
 * that dies in the middle leaves the version before it. Throws `store_migration_failed`, or the disk's own code.
 */
export function migrate(
  database: DatabaseSync,
  migrations: readonly Migration[],
  applicationId: number,
): void {
  for (const [index, migration] of migrations.entries()) {
    database.exec('BEGIN IMMEDIATE');
    try {
      const done = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
      if (done <= index) {
        for (const statement of migration.statements) database.exec(statement);
        database.exec(`PRAGMA application_id = ${applicationId}`);
        database.exec(`PRAGMA user_version = ${index + 1}`);
      }
      database.exec('COMMIT');
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      const fault = sqliteFault(error);
      if (fault.code === 'store_statement_invalid' || fault.code === 'store_constraint_failed')
        throw storeError('store_migration_failed', error, { migration: migration.name });
      throw fault;
    }
  }
}
