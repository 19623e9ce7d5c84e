import { realpath } from 'node:fs/promises';

/**
 * The one path of a folder or file: absolute, every symbolic link followed, `.`, `..` and doubled separators taken out,
 * in the spelling of the file system where that folds case. Null where it names nothing that can be reached.
 */
export async function canonicalPath(path: string): Promise<string | null> {
  return await realpath(path).catch(() => null);
}
