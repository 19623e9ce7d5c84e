import { type FileHandle, open, stat } from 'node:fs/promises';
import { type Clock, delay } from '@fairlead/base';
import { logLimits } from '../limits.ts';
import { logFileNames } from './log-file.ts';
import { LogLines } from './log-lines.ts';

/** What is told of a log. */
export type LogReading = {
  /** The file that is written to; the older ones stand beside it. */
  readonly path: string;
  /** How many of the lines that are there; the newest ones. */
  readonly lines: number;
  readonly onLine: (line: string) => void;
  /** Goes on with what is written from here on, until `signal` aborts. */
  readonly follow?: { readonly clock: Clock; readonly signal: AbortSignal };
};

/** Tells the newest lines of a log over all its files, oldest first, then follows it where asked to. False: there is no log. */
export async function readLog(reading: LogReading): Promise<boolean> {
  await using stack = new AsyncDisposableStack();
  const files: OpenFile[] = [];
  for (const name of logFileNames(reading.path)) {
    const file = await openFile(name);
    if (file === null || files.some(({ inode }) => inode === file.inode)) await file?.handle.close();
    else files.push(stack.adopt(file, ({ handle }) => handle.close()));
  }
  const last = files.at(-1);
  if (last === undefined) return false;
  await tellNewest(files, reading, reading.follow === undefined);
  if (reading.follow !== undefined) await followFrom(last, reading, reading.follow);
  return true;
}

type OpenFile = { readonly handle: FileHandle; readonly inode: number; readonly lines: LogLines };

async function openFile(path: string): Promise<OpenFile | null> {
  try {
    const handle = await open(path, 'r');
    const { ino: inode } = await handle.stat();
    return { handle, inode, lines: new LogLines(handle) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** The last line of the last file may not be whole yet: it is told at once only where nobody waits for its rest. */
async function tellNewest(
  files: readonly OpenFile[],
  { lines: wanted, onLine }: LogReading,
  isWhole: boolean,
): Promise<void> {
  let newest: string[] = [];
  const keep = (line: string) => {
    newest.push(line);
    if (newest.length >= 2 * wanted + 1_000) newest = lastOf(newest, wanted);
  };
  for (const [index, file] of files.entries()) {
    await file.lines.read(keep);
    if (isWhole || index < files.length - 1) file.lines.end(keep);
  }
  for (const line of lastOf(newest, wanted)) onLine(line);
}

function lastOf(lines: string[], count: number): string[] {
  return count === 0 ? [] : lines.slice(-count);
}

async function followFrom(
  start: OpenFile,
  { path, onLine }: LogReading,
  { clock, signal }: NonNullable<LogReading['follow']>,
): Promise<void> {
  let file = start;
  try {
    while (!signal.aborted) {
      const newer = await writtenSince(path, file.inode);
      await file.lines.read(onLine);
      const next = newer === null ? null : await openFile(newer);
      if (next === null) {
        await delay(clock, logLimits.followPollMs, signal);
        continue;
      }
      file.lines.end(onLine);
      if (file !== start) await file.handle.close();
      file = next;
    }
  } finally {
    if (file !== start) await file.handle.close();
  }
}

/** The file that came after the one of this number, or null while it is still the one that is written to. */
async function writtenSince(path: string, inode: number): Promise<string | null> {
  const names = logFileNames(path);
  const inodes = await Promise.all(
    names.map((name) =>
      stat(name).then(
        ({ ino }) => ino,
        () => null,
      ),
    ),
  );
  const index = inodes.indexOf(inode);
  if (index === names.length - 1) return null;
  // Gone already, over five files: the oldest that is there comes next.
  const next = inodes.findIndex((found, place) => place > index && found !== null);
  return next < 0 ? null : (names[next] ?? null);
}
