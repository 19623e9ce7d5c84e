import { constants, type Stats } from 'node:fs';
import { access, type FileHandle, mkdir, open, realpath, rename, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Random, randomId } from '@fairlead/base';
import { ToolFault } from '@fairlead/extension';
import { systemCode, toolFault } from '../errors.ts';
import { fileFault, requireRegular, standsAt, statOf } from './regular-file.ts';

export interface NewContent {
  /** A real path, as grants have judged it. */
  readonly path: string;
  readonly content: string | Uint8Array;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** Asked last, before the new content takes the old one's place; its throw leaves everything as it was. */
  readonly check?: (there: Stats | undefined) => void;
}

/**
 * Puts a whole file in place by one rename, so that a reader sees the old content or the new one, also after a crash. An existing file
 * keeps its mode and, where the system lets it, its owner; folders on the way are made. Every fault is `not_started`: nothing was renamed into place, and
 * what was made on the way is taken away again. `file_not_regular`, `file_unavailable`, `file_not_found` (a name on the way is a file).
 */
export async function putInPlace(content: NewContent): Promise<void> {
  const { path, random } = content;
  const there = await writable(path);
  const folder = dirname(path);
  const made = await makeFolder(folder);
  const aside = join(folder, randomId('.fairlead-', random));
  try {
    await writeAside(aside, there, content);
    await rename(aside, path);
  } catch (thrown) {
    await unlink(aside).catch(() => undefined);
    await takeAway(folder, made);
    throw thrown instanceof ToolFault ? thrown : fileFault(thrown);
  }
  // It is in place: that its folder is not on disk yet changes nothing about that.
  await syncFolder(folder).catch(() => undefined);
}

/** What stands there, where it may be replaced: a rename would not ask whether the file itself may be written. */
async function writable(path: string): Promise<Stats | undefined> {
  const there = await statOf(path);
  if (there === undefined) return undefined;
  requireRegular(there);
  try {
    await access(path, constants.W_OK);
  } catch (thrown) {
    throw fileFault(thrown);
  }
  return there;
}

async function writeAside(aside: string, there: Stats | undefined, content: NewContent): Promise<void> {
  const { path, signal, check } = content;
  const file = await open(
    aside,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    // What replaces a private file is private from its first byte on.
    there === undefined ? 0o666 : 0o600,
  );
  try {
    if (!(await standsAt(aside, await file.stat())))
      throw toolFault('not_started', 'file_not_regular', 'its folder was moved');
    await file.writeFile(content.content);
    if (there !== undefined) await keepAttributes(file, there);
    await file.sync();
  } finally {
    await file.close();
  }
  if (signal.aborted)
    throw new ToolFault('not_started', 'it was cancelled before anything was written', {
      code: 'call_cancelled',
    });
  const now = await statOf(path);
  if (now !== undefined) requireRegular(now);
  check?.(now);
}

async function keepAttributes(file: FileHandle, there: Stats): Promise<void> {
  const { uid, gid } = await file.stat();
  // Only root may give a file away; another one's owner becomes the writer, as when it is written by an editor.
  if (uid !== there.uid || gid !== there.gid) await file.chown(there.uid, there.gid).catch(() => undefined);
  await file.chmod(there.mode & 0o7777);
}

/** Makes a folder with those above it. The first one that was missing, where one was. */
async function makeFolder(folder: string): Promise<string | undefined> {
  const missing = await firstMissing(folder);
  try {
    if (missing !== undefined) await mkdir(folder, { recursive: true });
    if ((await realpath(folder)) === folder) return missing;
  } catch (thrown) {
    await takeAway(folder, missing);
    throw fileFault(thrown);
  }
  await takeAway(folder, missing);
  throw toolFault('not_started', 'file_not_regular', 'its folder was moved');
}

async function firstMissing(folder: string): Promise<string | undefined> {
  let missing: string | undefined;
  for (let at = folder; (await statOf(at)) === undefined; at = dirname(at)) missing = at;
  return missing;
}

/** Takes empty folders away, from `folder` up to the first one that was made. */
async function takeAway(folder: string, made: string | undefined): Promise<void> {
  if (made === undefined) return;
  for (let at = folder; at.startsWith(made); at = dirname(at)) {
    try {
      await rmdir(at);
    } catch (thrown) {
      // Not made at all, or used by somebody else by now.
      if (systemCode(thrown) !== 'ENOENT') return;
    }
  }
}

async function syncFolder(folder: string): Promise<void> {
  const opened = await open(folder, constants.O_RDONLY);
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}
