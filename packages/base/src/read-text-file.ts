import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** A text file's content, or why there is none. `systemCode` is the machine's own, such as `EACCES`, where it gave one. */
export type TextFile =
  | { readonly ok: true; readonly text: string }
  | {
      readonly ok: false;
      readonly fault: 'absent' | 'not_ordinary' | 'too_large' | 'not_utf8' | 'unreadable';
      readonly systemCode?: string;
    };

/** Reads an ordinary file of UTF-8 that a person wrote. Never waits for a FIFO, and never reads more than `maxBytes` and one. */
export async function readTextFile(path: string, maxBytes: number): Promise<TextFile> {
  let file: FileHandle;
  try {
    // Non-blocking: opening a FIFO would wait for somebody to write. Windows has neither.
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    return unreadable(error);
  }
  try {
    const stat = await file.stat();
    if (!stat.isFile()) return { ok: false, fault: 'not_ordinary' };
    if (stat.size > maxBytes) return { ok: false, fault: 'too_large' };
    // Not by its size: it may grow meanwhile, and files of /proc have none.
    const buffer = Buffer.alloc(maxBytes + 1);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    if (length > maxBytes) return { ok: false, fault: 'too_large' };
    const content = buffer.subarray(0, length);
    return isUtf8(content) ? { ok: true, text: content.toString('utf8') } : { ok: false, fault: 'not_utf8' };
  } catch (error) {
    return unreadable(error);
  } finally {
    await file.close();
  }
}

function unreadable(error: unknown): TextFile {
  const code = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  if (typeof code !== 'string') return { ok: false, fault: 'unreadable' };
  return { ok: false, fault: code === 'ENOENT' ? 'absent' : 'unreadable', systemCode: code };
}
