import { constants } from 'node:fs';
import { access, open, stat } from 'node:fs/promises';
import { IMAGE_HEAD_BYTES } from '../limits.ts';

/** What looking for an executable needs of the file system. */
export type FileView = {
  /** A regular file, links followed. */
  isFile(path: string): Promise<boolean>;
  /** Whether this process may execute it. */
  mayExecute(path: string): Promise<boolean>;
  /** Its first bytes, at most 128; null when it cannot be read. */
  head(path: string): Promise<Uint8Array | null>;
};

/** The machine's own file system. */
export function machineFiles(): FileView {
  return {
    async isFile(path) {
      try {
        return (await stat(path)).isFile();
      } catch {
        return false;
      }
    },
    async mayExecute(path) {
      try {
        await access(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    },
    async head(path) {
      try {
        await using file = await open(path, 'r');
        const { buffer, bytesRead } = await file.read(Buffer.alloc(IMAGE_HEAD_BYTES), 0, IMAGE_HEAD_BYTES, 0);
        return buffer.subarray(0, bytesRead);
      } catch {
        return null;
      }
    },
  };
}
