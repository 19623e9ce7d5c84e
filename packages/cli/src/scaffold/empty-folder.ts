import { lstat, mkdir, readdir } from 'node:fs/promises';
import { cliError } from '../cli-error.ts';

/**
 * Makes sure of an empty ordinary folder: made when absent, taken when empty. A file, a link or a folder with something in it
 * is refused, so that nothing is ever overwritten. Throws `destination_not_empty`.
 */
export async function takeEmptyFolder(path: string): Promise<void> {
  const present = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw refused(path, 'it cannot be read', error);
  });
  if (present === null) {
    await mkdir(path, { recursive: true }).catch((error: unknown) => {
      throw refused(path, 'it cannot be made', error);
    });
    return;
  }
  if (present.isSymbolicLink()) throw refused(path, 'it is a link');
  if (!present.isDirectory()) throw refused(path, 'it is not a folder');
  const entries = await readdir(path).catch((error: unknown) => {
    throw refused(path, 'it cannot be read', error);
  });
  if (entries.length > 0) throw refused(path, 'there is something in it');
}

function refused(path: string, why: string, cause?: unknown): Error {
  return cliError('destination_not_empty', {
    message: `${path} is not taken: ${why}. Nothing was written.`,
    cause,
  });
}
