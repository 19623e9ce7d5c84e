import { constants } from 'node:fs';
import { copyFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, FairleadError } from '@fairlead/base';
import { storeError } from '../errors.ts';
import { exists, isThere, KEY_FILES, syncFile } from './backup.ts';
import { isOrdinaryFile, readOrdinaryFile } from './ordinary-file.ts';
import { type ReadBackup, readBackup } from './read-backup.ts';

/** The files of a state directory that a database consists of, and the author that may only go with it. */
const DATABASE_FILES = ['fairlead.db', 'fairlead.db-wal', 'fairlead.db-shm', 'author.key'];

/** What a restore may have left when it was interrupted. */
const STAGED_FILES = ['fairlead.db', ...KEY_FILES].map(staged);

/**
 * Puts a backup in place of the database of a state directory, whose lock the caller holds and whose store is closed. The peer
 * keeps its rights everywhere; it writes under a new author, and takes back what it had written since from whoever has it.
 * What stood there before is moved to `putAside`, a folder in the state directory; without `replace` it is refused.
 * Rejects with `backup_invalid`, `restore_target_in_use`, `restore_place_taken` or a code of the backup's database; then nothing
 * was changed.
 */
export async function restore(options: {
  readonly from: string;
  readonly stateDirectory: string;
  readonly clock: Clock;
  readonly replace?: boolean;
}): Promise<{ readonly putAside: string | null }> {
  const { from, stateDirectory, clock, replace = false } = options;
  const backup = await readBackup(from);
  const isInUse = await exists(join(stateDirectory, 'fairlead.db'));
  if (isInUse && !replace) throw storeError('restore_target_in_use');
  await requireFreePlaces(stateDirectory);
  try {
    await stage(backup, stateDirectory);
    // A key may stand there without a database, after a reset: another one than the backup's is somebody's rights.
    const isReplaced = isInUse || (await holdsOtherKeys(backup.keys, stateDirectory));
    const putAside = isReplaced ? join(stateDirectory, `before-restore-${clock.wallMs()}`) : null;
    await putInPlace([...backup.keys.keys()], { stateDirectory, putAside });
    return { putAside };
  } catch (error) {
    // A copy of a private key may not stay where nobody looks for one.
    await removeStaged(stateDirectory);
    throw error;
  }
}

function staged(name: string): string {
  return `${name}.restored`;
}

/** Removes what an interrupted restore left; anything but a file is not its own. */
async function requireFreePlaces(stateDirectory: string): Promise<void> {
  for (const name of STAGED_FILES) {
    const path = join(stateDirectory, name);
    if ((await isThere(path)) && !(await isOrdinaryFile(path))) throw placeTaken(path);
  }
  await removeStaged(stateDirectory);
}

async function removeStaged(stateDirectory: string): Promise<void> {
  for (const name of STAGED_FILES) await rm(join(stateDirectory, name), { force: true });
}

function placeTaken(path: string): FairleadError {
  const message = `${path} is in the way: it is no file that an interrupted restore left. Nothing was changed.`;
  return new FairleadError(storeError('restore_place_taken').code, message, { detail: { path } });
}

async function stage({ databasePath, keys }: ReadBackup, stateDirectory: string): Promise<void> {
  const place = (name: string) => join(stateDirectory, staged(name));
  for (const [name, bytes] of keys) await writeFile(place(name), bytes, { mode: 0o600, flag: 'wx' });
  await copyFile(databasePath, place('fairlead.db'), constants.COPYFILE_EXCL);
  for (const name of ['fairlead.db', ...keys.keys()]) await syncFile(place(name));
}

async function putInPlace(
  keyNames: readonly string[],
  { stateDirectory, putAside }: { readonly stateDirectory: string; readonly putAside: string | null },
): Promise<void> {
  const target = (name: string) => join(stateDirectory, name);
  if (putAside !== null) await mkdir(putAside, { mode: 0o700 });
  // The author goes first: whatever state a crash leaves, it cannot go on in another database.
  for (const name of [...DATABASE_FILES.toReversed(), ...keyNames])
    if (await exists(target(name))) {
      if (putAside === null) await rm(target(name));
      else await rename(target(name), join(putAside, name));
    }
  // The database comes last: one without its peer's key would get another.
  for (const name of [...keyNames, 'fairlead.db']) await rename(target(staged(name)), target(name));
  await syncFile(stateDirectory);
}

async function holdsOtherKeys(keys: ReadonlyMap<string, Buffer>, stateDirectory: string): Promise<boolean> {
  for (const [name, bytes] of keys) {
    const there = await readOrdinaryFile(join(stateDirectory, name), bytes.length);
    if (there === null || (there !== undefined && !there.equals(bytes))) return true;
  }
  return false;
}

/**
 * Removes the database of a state directory, whose lock the caller holds and whose store is closed. The peer keeps its key, and
 * with it its rights in databases that others have, unless `forgetPeer` is set. Returns the names of what was removed.
 */
export async function reset(options: {
  readonly stateDirectory: string;
  readonly forgetPeer?: boolean;
}): Promise<readonly string[]> {
  const names = options.forgetPeer === true ? [...DATABASE_FILES, ...KEY_FILES] : DATABASE_FILES;
  const removed: string[] = [];
  for (const name of names.toReversed()) {
    const path = join(options.stateDirectory, name);
    if (!(await exists(path))) continue;
    await rm(path);
    removed.push(name);
  }
  return removed.toReversed();
}
