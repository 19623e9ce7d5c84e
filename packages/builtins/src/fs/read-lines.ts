import type { FileHandle } from 'node:fs/promises';
import { toolFault } from '../errors.ts';
import { fsLimits } from '../limits.ts';

/** Which lines of a file are wanted, the first one being 1. */
export interface LineRange {
  readonly offset: number;
  readonly limit?: number;
}

/** Some lines of a file. */
export interface FileLines {
  readonly text: string;
  /** The line to read on with, or undefined where the file has ended. */
  readonly next?: number;
  /** Set where that line's own end did not fit: no call shows it. */
  readonly cutLine?: number;
  /** Lines that the file has, where it was read to its end. */
  readonly total?: number;
  /** True where bytes that are not UTF-8 were replaced. */
  readonly isLossy: boolean;
}

const CHUNK_BYTES = 256 * 1024;

/**
 * Reads a range of lines, at most 50,000 UTF-16 units and never half a character. It reads no further than it must, and stops between two chunks when
 * `signal` aborts. `file_too_large` where the range lies more than 256 MiB into the file.
 */
export async function readLines(
  file: Pick<FileHandle, 'read'>,
  { offset, limit }: LineRange,
  signal: AbortSignal,
): Promise<FileLines> {
  const decoder = new Decoder();
  const range = new Range(offset, limit);
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let scanned = 0; !range.isFull; ) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, scanned);
    scanned += bytesRead;
    if (bytesRead === 0) {
      range.take(decoder.end());
      return range.ended(decoder.isLossy);
    }
    const wanted = range.skip(chunk.subarray(0, bytesRead));
    if (wanted.length > 0) range.take(decoder.decode(wanted));
    if (scanned >= fsLimits.scannedMaxBytes && !range.isFull)
      throw toolFault('completed', 'file_too_large', 'the range lies more than 256 MiB into it');
  }
  return range.full(decoder.isLossy);
}

class Range {
  readonly #last: number;
  readonly #offset: number;
  /** The line that the next character belongs to. */
  #line = 1;
  #isInLine = false;
  #text = '';
  #cutLine: number | undefined;
  isFull = false;

  constructor(offset: number, limit: number | undefined) {
    this.#offset = offset;
    this.#last = limit === undefined ? Number.MAX_SAFE_INTEGER : offset + limit - 1;
  }

  /** What of these bytes lies in the range or behind it; what lies before is counted without being decoded. */
  skip(bytes: Buffer): Buffer {
    let at = 0;
    while (this.#line < this.#offset) {
      const newline = bytes.indexOf(0x0a, at);
      this.#isInLine = newline < 0 && (at < bytes.length || this.#isInLine);
      if (newline < 0) return bytes.subarray(bytes.length);
      this.#line += 1;
      at = newline + 1;
    }
    return bytes.subarray(at);
  }

  take(text: string): void {
    for (let at = 0; at < text.length && !this.isFull; ) {
      if (this.#line > this.#last) {
        this.isFull = true;
        return;
      }
      const newline = text.indexOf('\n', at);
      const end = newline < 0 ? text.length : newline + 1;
      this.#show(text.slice(at, end));
      if (this.isFull) return;
      this.#isInLine = newline < 0;
      if (newline >= 0) this.#line += 1;
      at = end;
    }
  }

  #show(piece: string): void {
    const room = fsLimits.shownMax - this.#text.length;
    if (piece.length <= room) {
      this.#text += piece;
      return;
    }
    this.isFull = true;
    const lineStart = this.#text.lastIndexOf('\n') + 1;
    // A line that does not fit is left for the next call, unless it is the only one.
    if (lineStart > 0) this.#text = this.#text.slice(0, lineStart);
    else {
      this.#text = wholeCharacters(this.#text + piece.slice(0, room));
      this.#cutLine = this.#line;
      this.#line += 1;
    }
  }

  full(isLossy: boolean): FileLines {
    return {
      text: this.#text,
      next: this.#line,
      isLossy,
      ...(this.#cutLine === undefined ? {} : { cutLine: this.#cutLine }),
    };
  }

  ended(isLossy: boolean): FileLines {
    if (this.isFull) return this.full(isLossy);
    return { text: this.#text, total: this.#isInLine ? this.#line : this.#line - 1, isLossy };
  }
}

/** A text without the half of a pair at its end. */
function wholeCharacters(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last < 0xdc00 ? text.slice(0, -1) : text;
}

/** UTF-8 in pieces, and whether all of it was. */
class Decoder {
  readonly #lossy = new TextDecoder();
  readonly #strict = new TextDecoder('utf-8', { fatal: true });
  isLossy = false;

  decode(bytes: Uint8Array): string {
    this.#check(() => this.#strict.decode(bytes, { stream: true }));
    return this.#lossy.decode(bytes, { stream: true });
  }

  end(): string {
    this.#check(() => this.#strict.decode());
    return this.#lossy.decode();
  }

  #check(decode: () => string): void {
    if (this.isLossy) return;
    try {
      decode();
    } catch {
      this.isLossy = true;
    }
  }
}
