import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * The content of an ordinary file; `too_large` above `maxBytes`. Never waits for a FIFO. Rejects with the system's own error.
 */
export async function readOrdinary(
  path: string,
  maxBytes: number,
): Promise<Buffer | 'too_large' | 'not_ordinary'> {
  await using file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const stat = await file.stat();
  if (!stat.isFile()) return 'not_ordinary';
  if (stat.size > maxBytes) return 'too_large';
  const chunks: Buffer[] = [];
  let length = 0;
  // Not by its size: it may grow meanwhile.
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(maxBytes + 1, 65_536)), 0);
    if (bytesRead === 0) return Buffer.concat(chunks);
    length += bytesRead;
    if (length > maxBytes) return 'too_large';
    chunks.push(buffer.subarray(0, bytesRead));
  }
}
