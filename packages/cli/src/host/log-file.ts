import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** A file that lines are appended to. Synchronous, so that the last line before a crash is there. */
export type LogFile = {
  readonly path: string;
  write(line: string): void;
  close(): void;
};

const defaultMaxBytes = 8 * 1024 * 1024;

/** Opens a log (0600). Past `maxBytes` the file becomes `<path>.1`, in place of an older one, and a new one begins. */
export function openLogFile(path: string, maxBytes: number = defaultMaxBytes): LogFile {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  let file = openSync(path, 'a', 0o600);
  let size = fstatSync(file).size;
  return {
    path,
    write(line) {
      if (size > maxBytes) {
        closeSync(file);
        renameSync(path, `${path}.1`);
        file = openSync(path, 'a', 0o600);
        size = 0;
      }
      try {
        size += writeSync(file, line);
      } catch {
        // A full disk must not end the host; the journal has its own answer to it.
      }
    },
    close: () => closeSync(file),
  };
}
