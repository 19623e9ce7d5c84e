import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { FairleadError, isJsonObject } from '@fairlead/base';
import { storeError } from '../errors.ts';
import { BACKUP_NOTE_MAX_BYTES, KEY_FILE_MAX_BYTES, SECRET_KEY_BYTES } from '../limits.ts';
import { migrations } from '../migrations/index.ts';
import { parseKeyFile } from '../peer/key-file.ts';
import { peerKeyOf } from '../peer/open-identity.ts';
import { inspectDatabase } from '../sqlite/open-database.ts';
import { BACKUP_FORMAT } from './backup.ts';
import { isOrdinaryFile, readOrdinaryFile } from './ordinary-file.ts';

/** A backup in which every file is what a start would take: the keys in memory, the database where it lies. */
export type ReadBackup = {
  readonly databasePath: string;
  /** `peer.key`, and `secret.key` where the backup has one. */
  readonly keys: ReadonlyMap<string, Buffer>;
};

/** Reads a backup and changes nothing. Rejects with `backup_invalid`, which names the file, or a code of its database. */
export async function readBackup(from: string): Promise<ReadBackup> {
  const about = await read(from, 'backup.json', BACKUP_NOTE_MAX_BYTES);
  if (about === undefined || !isNote(about)) throw invalid('backup.json');
  const peer = await read(from, 'peer.key', KEY_FILE_MAX_BYTES);
  if (peer === undefined || !isPeerKey(peer)) throw invalid('peer.key');
  const secret = await read(from, 'secret.key', SECRET_KEY_BYTES);
  if (secret !== undefined && secret.length !== SECRET_KEY_BYTES) throw invalid('secret.key');
  const databasePath = join(from, 'fairlead.db');
  // The engine takes an empty file for a new database: in a backup it is one that was cut off.
  if (!(await isOrdinaryFile(databasePath)) || (await lstat(databasePath)).size === 0)
    throw invalid('fairlead.db');
  inspectDatabase(databasePath, migrations);
  const keys = new Map([['peer.key', peer]]);
  if (secret !== undefined) keys.set('secret.key', secret);
  return { databasePath, keys };
}

async function read(from: string, name: string, maxBytes: number): Promise<Buffer | undefined> {
  let bytes: Buffer | null | undefined;
  try {
    bytes = await readOrdinaryFile(join(from, name), maxBytes);
  } catch (error) {
    throw invalid(name, error);
  }
  if (bytes === null) throw invalid(name);
  return bytes;
}

function isNote(bytes: Buffer): boolean {
  try {
    const about: unknown = JSON.parse(bytes.toString('utf8'));
    return isJsonObject(about) && about['format'] === BACKUP_FORMAT;
  } catch {
    return false;
  }
}

function isPeerKey(bytes: Buffer): boolean {
  try {
    return peerKeyOf(parseKeyFile(bytes.toString('utf8'))) !== null;
  } catch {
    return false;
  }
}

/** The message names the file: the detail is not on every screen. */
function invalid(file: string, cause?: unknown): FairleadError {
  const { code, message } = storeError('backup_invalid');
  return new FairleadError(code, `${message.slice(0, -1)}: see its ${file}.`, { detail: { file }, cause });
}
