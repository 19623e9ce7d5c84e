import { mkdir, stat } from 'node:fs/promises';
import { FairleadError } from '@fairlead/base';
import { type FolderLock, lockFolder } from '@fairlead/store';

/** Makes the state directory (0700) when absent. Throws `state_directory_unwritable`. */
export async function makeStateDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    if (!(await stat(path)).isDirectory()) throw new Error('not a folder');
  } catch (cause) {
    throw new FairleadError('state_directory_unwritable', `the state directory ${path} cannot be made`, {
      cause,
    });
  }
}

/** Takes the state directory for this process, or null where another process owns it. */
export async function takeStateDirectory(path: string): Promise<FolderLock | null> {
  await makeStateDirectory(path);
  try {
    return await lockFolder(path);
  } catch (cause) {
    if (cause instanceof FairleadError && cause.code === 'store_not_a_database') throw cause;
    throw new FairleadError('state_directory_unwritable', `the state directory ${path} cannot be written`, {
      cause,
    });
  }
}
