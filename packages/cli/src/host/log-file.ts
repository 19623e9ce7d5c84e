import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { cliError } from '../cli-error.ts';
import { hostLimits } from '../limits.ts';

/** A file that lines are appended to. Synchronous, so that the last line before a crash is there. */
export type LogFile = {
  readonly path: string;
  /** Never throws: neither a full disk nor a line that comes after the end may end the host. */
  write(line: string): void;
  close(): void;
};

/**
 * Opens a log (0600). Past `maxBytes` the file becomes `<path>.1`, in place of an older one, and a new one begins.
 * Throws `state_directory_unwritable`.
 */
export function openLogFile(path: string, maxBytes: number = hostLimits.logBytes): LogFile {
  let file: number | null = open(path);
  let size = fstatSync(file).size;
  const begin = () => {
    if (file !== null) closeSync(file);
    file = null;
    renameSync(path, `${path}.1`);
    file = openSync(path, 'a', 0o600);
    size = 0;
  };
  return {
    path,
    write(line) {
      if (file === null) return;
      try {
        if (size > 0 && size + Buffer.byteLength(line) > maxBytes) begin();
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
