import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';

/** How far SQLite's write-ahead log is whole: the end of its last committed frame, and the salt that tells one filling of the file from the next. */
export type LogEnd = { readonly salt: string; readonly end: number };

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const NOTHING: LogEnd = { salt: '', end: 0 };

/** Reads where the log of a database ends; `since`: an end that was read before, to go on from. */
export function logEnd(databasePath: string, since: LogEnd = NOTHING): LogEnd {
  const path = `${databasePath}-wal`;
  if (!existsSync(path)) return NOTHING;
  const file = openSync(path, 'r');
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    if (readSync(file, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return NOTHING;
    const salt = header.toString('hex', 16, 24);
    const frameBytes = FRAME_HEADER_BYTES + header.readUInt32BE(8);
    const { size } = fstatSync(file);
    const frame = Buffer.alloc(FRAME_HEADER_BYTES);
    let end = since.salt === salt ? since.end : HEADER_BYTES;
    for (let at = end; at + frameBytes <= size; at += frameBytes) {
      readSync(file, frame, 0, FRAME_HEADER_BYTES, at);
      // What an earlier filling left behind has another salt.
      if (frame.toString('hex', 8, 16) !== salt) break;
      if (frame.readUInt32BE(4) !== 0) end = at + frameBytes;
    }
    return { salt, end };
  } finally {
    closeSync(file);
  }
}

/**
 * Does to the log of a dead process's database what a loss of power may do: everything behind what was durable may be there, or not, or
 * half. `share`: how much of it is left, 0 to 1; `torn`: behind it stand bytes that never became a frame. Answers how many bytes went, and whether
 * such bytes stand there now.
 */
export function cutLog(
  databasePath: string,
  durable: LogEnd,
  how: { readonly share: number; readonly torn: boolean },
): { readonly bytes: number; readonly isTorn: boolean } {
  const now = logEnd(databasePath);
  // Nobody remembers memory that was shared.
  rmSync(`${databasePath}-shm`, { force: true });
  if (now.end === 0) return { bytes: 0, isTorn: false };
  // A log that was begun anew since: what was durable then has been copied into the database, and synced.
  const from = now.salt === durable.salt ? durable.end : 0;
  const at = from + Math.round((now.end - from) * how.share);
  const file = openSync(`${databasePath}-wal`, 'r+');
  try {
    ftruncateSync(file, at);
    if (how.torn) writeSync(file, Buffer.alloc(1777, 0x5a), 0, 1777, at);
  } finally {
    closeSync(file);
  }
  return { bytes: now.end - at, isTorn: how.torn };
}
