import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { limits } from '../limits.ts';

/** A configuration file's text, or why there is none. */
export type ConfigText =
  | { readonly ok: true; readonly text: string }
  | {
      readonly ok: false;
      readonly fault: 'absent' | 'unreadable' | 'not_utf8';
      readonly localDetail: string;
    };

/** Reads one configuration file: an ordinary file of UTF-8, at most `configMaxBytes`. */
export async function readConfigText(path: string): Promise<ConfigText> {
  let file: FileHandle;
  try {
    // Non-blocking, so that a FIFO in its place cannot hold the Runner.
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const absent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return refuse(
      absent ? 'absent' : 'unreadable',
      absent ? 'the file does not exist' : 'the file cannot be opened',
    );
  }
  try {
    if (!(await file.stat()).isFile()) return refuse('unreadable', 'it is not an ordinary file');
    const buffer = Buffer.alloc(limits.configMaxBytes + 1);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    if (length > limits.configMaxBytes) return refuse('unreadable', 'the file is larger than 1 MiB');
    const content = buffer.subarray(0, length);
    if (!isUtf8(content)) return refuse('not_utf8', 'the file is not UTF-8');
    return { ok: true, text: content.toString('utf8') };
  } catch {
    return refuse('unreadable', 'the file cannot be read');
  } finally {
    await file.close();
  }
}

function refuse(fault: 'absent' | 'unreadable' | 'not_utf8', localDetail: string): ConfigText {
  return { ok: false, fault, localDetail };
}
