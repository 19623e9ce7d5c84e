import { readTextFile } from '@fairlead/base';

/** The file of a script; null where there is none, or none that can be read. */
export async function readModelFile(path: string, maxBytes: number): Promise<Uint8Array | null> {
  const file = await readTextFile(path, maxBytes);
  return file.ok ? Buffer.from(file.text) : null;
}
