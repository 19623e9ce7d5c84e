import { copyFile, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, FairleadError, isJsonObject } from '@fairlead/base';
import { storeError } from '../errors.ts';
import { migrations } from '../migrations/index.ts';
import { inspectDatabase } from '../sqlite/open-database.ts';
import { BACKUP_FORMAT, exists, syncFile } from './backup.ts';

/** The files of a state directory that a database consists of, and the author that may only go with it. */
const DATABASE_FILES = ['fairlead.db', 'fairlead.db-wal', 'fairlead.db-shm', 'author.key'];

/**
 * Puts a backup in place of the database of a state directory, whose lock the caller holds and whose store is closed. The peer
 * keeps its rights everywhere; it writes under a new author, and takes back what it had written since from whoever has it.
 * What stood there before is moved to `putAside`, a folder in the state directory; without `replace` it is refused.
 * Rejects with `backup_invalid`, `restore_target_in_use`, `schema_newer` or `store_corrupt`; then nothing was changed.
 */
export async function restore(options: {
  readonly from: string;
  readonly stateDirectory: string;
  readonly clock: Clock;
  readonly replace?: boolean;
}): Promise<{ readonly putAside: string | null }> {
  const { from, stateDirectory, clock, replace = false } = options;
  await checkBackup(from);
  const target = (name: string) => join(stateDirectory, name);
  const isInUse = await exists(target('fairlead.db'));
  if (isInUse && !replace) throw storeError('restore_target_in_use');
  const coming = ['fairlead.db', 'peer.key', 'secret.key'];
  const names: string[] = [];
  for (const name of coming) if (await exists(join(from, name))) names.push(name);
  for (const name of names) {
    await rm(target(`${name}.restored`), { force: true });
    await copyFile(join(from, name), target(`${name}.restored`));
    await syncFile(target(`${name}.restored`));
  }
  // A key may stand there without a database, after a reset: another one than the backup's is somebody's rights.
  const isReplaced = isInUse || (await holdsOtherKeys(names.slice(1), { from, stateDirectory }));
  const putAside = isReplaced ? target(`before-restore-${clock.wallMs()}`) : null;
  if (putAside !== null) await mkdir(putAside, { mode: 0o700 });
  // The author goes first: whatever state a crash leaves, it cannot go on in another database.
  for (const name of [...DATABASE_FILES.toReversed(), ...names.slice(1)])
    if (await exists(target(name))) {
      if (putAside === null) await rm(target(name));
      else await rename(target(name), join(putAside, name));
    }
  for (const name of names) await rename(target(`${name}.restored`), target(name));
  await syncFile(stateDirectory);
  return { putAside };
}

async function holdsOtherKeys(
  names: readonly string[],
  { from, stateDirectory }: { readonly from: string; readonly stateDirectory: string },
): Promise<boolean> {
  for (const name of names) {
    const there = join(stateDirectory, name);
    if ((await exists(there)) && !(await readFile(there)).equals(await readFile(join(from, name))))
      return true;
  }
  return false;
}

async function checkBackup(from: string): Promise<void> {
  try {
    const about: unknown = JSON.parse(await readFile(join(from, 'backup.json'), 'utf8'));
    if (!isJsonObject(about) || about['format'] !== BACKUP_FORMAT) throw storeError('backup_invalid');
    await readFile(join(from, 'peer.key'));
    if (!(await exists(join(from, 'fairlead.db')))) throw storeError('backup_invalid');
  } catch (error) {
    throw error instanceof FairleadError ? error : storeError('backup_invalid', error);
  }
  inspectDatabase(join(from, 'fairlead.db'), migrations);
}

/**
 * Removes the database of a state directory, whose lock the caller holds and whose store is closed. The peer keeps its key, and
 * with it its rights in databases that others have, unless `forgetPeer` is set. Returns the names of what was removed.
 */
export async function reset(options: {
  readonly stateDirectory: string;
  readonly forgetPeer?: boolean;
}): Promise<readonly string[]> {
  const names = options.forgetPeer === true ? [...DATABASE_FILES, 'peer.key', 'secret.key'] : DATABASE_FILES;
  const removed: string[] = [];
  for (const name of names.toReversed()) {
    const path = join(options.stateDirectory, name);
    if (!(await exists(path))) continue;
    await rm(path);
    removed.push(name);
  }
  return removed.toReversed();
}
