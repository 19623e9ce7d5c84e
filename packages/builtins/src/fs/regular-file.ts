import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import { systemCode, toolFault } from '../errors.ts';

/** Made as they are read: the environment of this very process is one of them. */
const OF_THE_KERNEL = /^\/(?:proc|sys)\//;

/**
 * Opens exactly the file of a real path for reading. A link at its end is not followed, nothing but a regular file is opened (a pipe would
 * wait for a writer), and what was opened must still stand at that path, so that no folder on the way was put in place of another.
 *
 * Faults, all `not_started`: `file_not_found`, `file_not_regular`, `file_unavailable`.
 */
export async function openRegularFile(path: string): Promise<{ file: FileHandle; stats: Stats }> {
  if (OF_THE_KERNEL.test(path))
    throw toolFault('not_started', 'file_not_regular', 'it is a file of the kernel');
  const before = await statOf(path);
  if (before === undefined) throw toolFault('not_started', 'file_not_found');
  requireRegular(before);
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (thrown) {
    throw fileFault(thrown);
  }
  try {
    const stats = await file.stat();
    requireRegular(stats);
    if (!(await standsAt(path, stats))) throw toolFault('not_started', 'file_not_regular', 'it was moved');
    return { file, stats };
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
}

/** What stands at a path, links not followed; undefined where nothing does. */
export async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (thrown) {
    if (systemCode(thrown) === 'ENOENT') return undefined;
    throw fileFault(thrown);
  }
}

/** Refuses what is no regular file, and says what it is. */
export function requireRegular(stats: Stats): void {
  if (!stats.isFile()) throw toolFault('not_started', 'file_not_regular', kindOf(stats));
}

/** Whether a path leads, through no link at all, to the file that was opened. */
export async function standsAt(path: string, opened: Stats): Promise<boolean> {
  try {
    const [real, found] = await Promise.all([realpath(path), lstat(path)]);
    return real === path && found.ino === opened.ino && found.dev === opened.dev;
  } catch {
    return false;
  }
}

/** What the system answered, as a fault from before anything was changed. */
export function fileFault(thrown: unknown): Error {
  const code = systemCode(thrown);
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return toolFault('not_started', 'file_not_found', '', { cause: thrown });
  if (code === 'ELOOP')
    return toolFault('not_started', 'file_not_regular', 'it is a link', { cause: thrown });
  return toolFault('not_started', 'file_unavailable', code, { cause: thrown });
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'it is a folder';
  if (stats.isSymbolicLink()) return 'it is a link';
  if (stats.isFIFO()) return 'it is a pipe';
  if (stats.isSocket()) return 'it is a socket';
  return 'it is a device';
}
