import { createReadStream } from 'node:fs';

/**
 * A file's bytes, at most one more than `maxBytes`, so that a caller can tell that there are too many. Reads pipes and
 * devices as well. Rejects with the file system's own error.
 */
export async function readBounded(path: string, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream(path, { end: maxBytes })) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
