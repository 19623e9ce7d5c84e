import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LOCK_TIMEOUT_MS } from './limits.ts';
import { ensurePrivateFile } from './private-file.ts';
import { sqliteFault } from './sqlite/sqlite-fault.ts';

/** A folder held by this process until it is released or the process ends, however it ends. */
export interface FolderLock extends AsyncDisposable {
  release(): Promise<void>;
}

/**
 * Takes the folder for this process: an exclusive lock on its file `lock`, held by an open transaction that the operating
 * system drops with the process, so no lock is ever stale. Null where another holder lives, in this process or any other.
 * No other code may open that file: closing a handle on it would drop the lock.
 * Rejects with `store_folder_missing`, `store_permission_denied`, `store_read_only`, `store_not_a_database`, `store_disk_full` or `store_io_failed`.
 */
export async function lockFolder(folder: string): Promise<FolderLock | null> {
  const path = join(folder, 'lock');
  ensurePrivateFile(path);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: LOCK_TIMEOUT_MS });
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    const fault = sqliteFault(error);
    if (fault.code === 'store_busy') return null;
    throw fault;
  }
  return new HeldLock(database);
}

/**
 * True while a process holds the folder. Looks only, and lets go at once what it finds free; false for a folder that this user may
 * not lock, since a holder of this user's would have left a file that it may.
 */
export async function isFolderHeld(folder: string): Promise<boolean> {
  const path = join(folder, 'lock');
  if (!existsSync(path)) return false;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: LOCK_TIMEOUT_MS });
    database.exec('BEGIN EXCLUSIVE; ROLLBACK');
    return false;
  } catch (error) {
    return sqliteFault(error).code === 'store_busy';
  } finally {
    database?.close();
  }
}

class HeldLock implements FolderLock {
  #database: DatabaseSync | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  async release(): Promise<void> {
    const database = this.#database;
    this.#database = undefined;
    database?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }
}
