import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { cliError } from '../cli-error.ts';
import { logLimits } from '../limits.ts';

/** A file that lines are appended to. Synchronous, so that the last line before a crash is there. */
export type LogFile = {
  readonly path: string;
  /** Never throws: neither a full disk nor a line that comes after the end may end the host. */
  write(line: string): void;
  close(): void;
};

/** How large a log grows, and how many of its files are kept, the one that is written to included. */
export type LogBounds = { readonly bytes: number; readonly files: number };

/** The names of a log's files, oldest first; the last one is written to. */
export function logFileNames(path: string, files: number = logLimits.files): readonly string[] {
  const older = Array.from({ length: files - 1 }, (_, index) => `${path}.${files - 1 - index}`);
  return [...older, path];
}

/**
 * Opens a log (0600). A file that would pass its bound becomes `<path>.1`, what was `.1` becomes `.2` and so on, the oldest
 * goes, and a new one begins. Throws `state_directory_unwritable`.
 */
export function openLogFile(path: string, bounds: LogBounds = logLimits): LogFile {
  let file: number | null = open(path);
  let size = fstatSync(file).size;
  const begin = () => {
    if (file !== null) closeSync(file);
    file = null;
    const names = logFileNames(path, bounds.files);
    for (const [index, name] of names.slice(1).entries()) moveAside(name, names[index] ?? name);
    file = openSync(path, 'a', 0o600);
    size = 0;
  };
  return {
    path,
    write(line) {
      if (file === null) return;
      try {
        if (size > 0 && size + Buffer.byteLength(line) > bounds.bytes) begin();
        size += writeSync(file, line);
      } catch {
        // The journal has its own answer to a full disk; the log is lost from here on at worst.
      }
    },
    close() {
      if (file !== null) closeSync(file);
      file = null;
    },
  };
}

/** A gap in the row of old files is no fault; the one that is written to must be there. */
function moveAside(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function open(path: string): number {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return openSync(path, 'a', 0o600);
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown';
    throw cliError('state_directory_unwritable', {
      message: `The log ${path} cannot be opened.`,
      detail: { reason },
      cause,
    });
  }
}
