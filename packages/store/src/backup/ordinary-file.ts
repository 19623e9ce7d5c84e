import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';

const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;

/** Whether a file of that name, and no link, folder, FIFO, socket or device, is there. Opens nothing: a FIFO would wait. */
export async function isOrdinaryFile(path: string): Promise<boolean> {
  return await lstat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

/**
 * The bytes of a small file, or null where it is no ordinary one or longer than `maxBytes`; undefined where nothing is there.
 * Follows no link and never waits. Rejects with the file system's own error.
 */
export async function readOrdinaryFile(path: string, maxBytes: number): Promise<Buffer | null | undefined> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (found === undefined) return undefined;
  if (!found.isFile()) return null;
  // Something else may have come to stand there meanwhile.
  const file = await open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  try {
    if (!(await file.stat()).isFile()) return null;
    const bytes = Buffer.alloc(maxBytes + 1);
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return length > maxBytes ? null : bytes.subarray(0, length);
  } finally {
    await file.close();
  }
}
