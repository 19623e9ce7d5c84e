import { link, open, rename, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { cliError } from '../cli-error.ts';

/** Writes a file of mode 0600 in place of an older one. A reader never sees half of it. Throws `state_directory_unwritable`. */
export async function replacePrivateFile(path: string, content: string): Promise<void> {
  await fromAside(path, content, (aside) => rename(aside, path));
}

/**
 * Writes a file of mode 0600 where there is none, and says whether it did; an existing one is never touched. Whoever dies
 * on the way leaves no half of it. Throws `state_directory_unwritable`.
 */
export async function createPrivateFile(path: string, content: string | Buffer): Promise<boolean> {
  let written = true;
  await fromAside(path, content, async (aside) => {
    try {
      await link(aside, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      written = false;
    }
  });
  return written;
}

async function fromAside(
  path: string,
  content: string | Buffer,
  place: (aside: string) => Promise<void>,
): Promise<void> {
  // Only the owner of the state directory writes in it, so the process id is name enough.
  const aside = `${path}.${process.pid}`;
  try {
    await rm(aside, { force: true });
    const file = await open(aside, 'wx', 0o600);
    try {
      await file.writeFile(content);
      // A file that power loss left empty would be found and not made again.
      await file.sync();
    } finally {
      await file.close();
    }
    await place(aside);
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown';
    throw cliError('state_directory_unwritable', {
      message: `${path} cannot be written.`,
      detail: { file: basename(path), reason },
      cause,
    });
  } finally {
    await rm(aside, { force: true }).catch(() => {});
  }
}
