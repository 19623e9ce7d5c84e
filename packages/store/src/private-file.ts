import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { FairleadError } from '@fairlead/base';
import { type StoreErrorCode, storeError } from './errors.ts';

const PRIVATE_MODE = 0o600;
const OTHERS = 0o077;

const BY_ERRNO: ReadonlyMap<string, StoreErrorCode> = new Map<string, StoreErrorCode>([
  ['EACCES', 'store_permission_denied'],
  ['EPERM', 'store_permission_denied'],
  ['EROFS', 'store_read_only'],
  ['ENOSPC', 'store_disk_full'],
  ['EDQUOT', 'store_disk_full'],
  ['ENOENT', 'store_folder_missing'],
  ['ENOTDIR', 'store_folder_missing'],
]);

/**
 * Makes sure that a database file exists and that only its owner may open it (mode 0600), and likewise the files that
 * the engine keeps beside it. An existing file is never opened here: closing any handle on it would drop the locks that
 * this process holds on it (POSIX record locks).
 */
export function ensurePrivateFile(path: string): void {
  try {
    if (!create(path)) {
      narrow(path);
      accessSync(path, constants.R_OK);
      requireWritable(path);
    }
    for (const beside of [`${path}-wal`, `${path}-shm`, `${path}-journal`]) narrow(beside);
  } catch (error) {
    if (error instanceof FairleadError) throw error;
    throw storeError(BY_ERRNO.get(errno(error)) ?? 'store_io_failed', error);
  }
}

function create(path: string): boolean {
  let handle: number;
  try {
    handle = openSync(path, 'wx', PRIVATE_MODE);
  } catch (error) {
    if (errno(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    fchmodSync(handle, PRIVATE_MODE);
  } finally {
    closeSync(handle);
  }
  syncFolder(dirname(path));
  return true;
}

/** The name of a new file survives a loss of power only once its folder is synced. */
function syncFolder(folder: string): void {
  let handle: number;
  try {
    handle = openSync(folder, 'r');
  } catch {
    return; // A platform without handles on folders keeps their names by itself.
  }
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function narrow(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  const file = statSync(path);
  if (!file.isFile()) throw storeError('store_not_a_database');
  if ((file.mode & OTHERS) !== 0) chmodSync(path, PRIVATE_MODE);
}

/** The engine would open such a file for reading and only fail at the first write. */
function requireWritable(path: string): void {
  try {
    accessSync(path, constants.W_OK);
  } catch (error) {
    throw storeError('store_read_only', error);
  }
}

function errno(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
