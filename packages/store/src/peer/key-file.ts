import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { isJsonObject, type JsonObject } from '@fairlead/base';
import { storeError } from '../errors.ts';
import { KEY_FILE_MAX_BYTES } from '../limits.ts';

/** Reads a key file; undefined where there is none. Throws `key_file_invalid`. Others lose whatever access they had to it. */
export function readKeyFile(path: string): JsonObject | undefined {
  let text: string;
  try {
    // A FIFO would be waited for, and a file without end never be read.
    const found = statSync(path);
    if (!found.isFile() || found.size > KEY_FILE_MAX_BYTES) throw storeError('key_file_invalid');
    chmodSync(path, 0o600);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw storeError('key_file_invalid', error);
  }
  return parseKeyFile(text);
}

/** Reads the text of a key file. Throws `key_file_invalid`. */
export function parseKeyFile(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch (error) {
    throw storeError('key_file_invalid', error);
  }
  throw storeError('key_file_invalid');
}

/** Writes a key file whole or not at all, for its owner alone, on disk before it returns. */
export function writeKeyFile(path: string, content: JsonObject): void {
  const beside = `${path}.new`;
  rmSync(beside, { force: true });
  const file = openSync(beside, 'wx', 0o600);
  try {
    writeSync(file, `${JSON.stringify(content)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(beside, path);
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
