import { access, constants, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FairleadError } from '@fairlead/base';
import { type FolderLock, lockFolder } from '@fairlead/store';
import { cliError } from '../cli-error.ts';
import { nameFile } from './name-file.ts';

/** Makes the state directory (0700) when absent. Throws `state_directory_unwritable`. */
export async function makeStateDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    if (!(await stat(path)).isDirectory()) throw new Error('not a folder');
  } catch (cause) {
    throw unwritable(path, 'made', cause);
  }
}

/** Throws `state_directory_unreadable` for one that is there and that this user may not look into. */
export async function requireReadable(path: string): Promise<void> {
  try {
    await access(path, constants.R_OK | constants.X_OK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EPERM') {
      throw cliError('state_directory_unreadable', {
        message: `${path} belongs to another user and cannot be read.`,
        cause,
      });
    }
  }
}

/** Takes the state directory for this process, or null where another process owns it. Throws `state_directory_unwritable`. */
export async function takeStateDirectory(path: string): Promise<FolderLock | null> {
  await makeStateDirectory(path);
  try {
    return await nameFile(join(path, 'lock'), () => lockFolder(path));
  } catch (cause) {
    if (cause instanceof FairleadError && cause.code === 'store_not_a_database') throw cause;
    throw unwritable(path, 'written', cause);
  }
}

function unwritable(path: string, what: 'made' | 'written', cause: unknown): FairleadError {
  const { code } = cause as { readonly code?: unknown };
  const detail = typeof code === 'string' ? { reason: code } : {};
  const message = `The state directory ${path} cannot be ${what}.`;
  return cliError('state_directory_unwritable', { message, detail, cause });
}
