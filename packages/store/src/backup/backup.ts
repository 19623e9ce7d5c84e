import { copyFile, lstat, mkdtemp, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Clock, FairleadError } from '@fairlead/base';
import { storeError } from '../errors.ts';
import { logOf } from '../sqlite/log-of.ts';
import type { Store } from '../store.ts';

/** What a backup holds beside the database. Never `author.key`: a restored folder writes under a new author. */
export const KEY_FILES = ['peer.key', 'secret.key'];

export const BACKUP_FORMAT = 'fairlead-backup-v1';

/**
 * Copies an open store and the keys of its state directory to a new folder, mode 0700, while writing goes on. The folder is
 * there whole or not at all. Whoever has it can act as this peer. Rejects with `backup_target_exists`, `backup_unwritable`,
 * `key_file_invalid` where something else stands for a key, or a code of the store.
 */
export async function backup(options: {
  readonly store: Store;
  readonly stateDirectory: string;
  readonly to: string;
  readonly clock: Clock;
}): Promise<void> {
  const { store, stateDirectory, to, clock } = options;
  let partial: string | undefined;
  try {
    // A link that leads nowhere is something too: the rename would take its place.
    if (await isThere(to)) throw storeError('backup_target_exists');
    partial = await mkdtemp(`${to}.partial-`);
    await logOf(store).backup(join(partial, 'fairlead.db'));
    for (const name of KEY_FILES) {
      const from = join(stateDirectory, name);
      // A link may stand for a key; a FIFO would be waited for.
      const found = await stat(from).catch(() => null);
      if (found === null) continue;
      if (!found.isFile()) throw storeError('key_file_invalid', undefined, { file: name });
      await copyFile(from, join(partial, name));
    }
    const about = { format: BACKUP_FORMAT, at_ms: clock.wallMs() };
    await writeFile(join(partial, 'backup.json'), `${JSON.stringify(about)}\n`, { mode: 0o600 });
    for (const name of ['fairlead.db', 'backup.json', ...KEY_FILES]) await syncFile(join(partial, name));
    await rename(partial, to);
    await syncFile(dirname(to));
  } catch (error) {
    if (partial !== undefined) await rm(partial, { recursive: true, force: true });
    throw error instanceof FairleadError ? error : unwritable(error);
  }
}

function unwritable(error: unknown): FairleadError {
  const { code } = error as { readonly code?: unknown };
  return storeError('backup_unwritable', error, { reason: typeof code === 'string' ? code : 'unknown' });
}

/** Throws where it cannot be told, because a folder above may not be looked into. */
export async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

export async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}

/** Files for their owner alone, and on disk. */
export async function syncFile(path: string): Promise<void> {
  if (!(await exists(path))) return;
  const handle = await open(path, 'r');
  try {
    if ((await handle.stat()).isFile()) await handle.chmod(0o600);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
