import { shellLimits } from '../../limits.ts';

/** What a program writes: its beginning and its end are kept, however much it is. */
export class BoundedOutput {
  readonly #mostBytes: number;
  #head: Buffer = Buffer.alloc(0);
  /** Chunks whose last `#mostBytes` bytes are the newest. */
  #tail: Buffer[] = [];
  #tailBytes = 0;
  bytes = 0;

  constructor(mostBytes: number = shellLimits.outputMaxBytes) {
    this.#mostBytes = mostBytes;
  }

  push(chunk: Buffer): void {
    this.bytes += chunk.length;
    const room = this.#mostBytes - this.#head.length;
    if (room > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, room)]);
    this.#tail.push(chunk);
    this.#tailBytes += chunk.length;
    for (let first = this.#tail[0]; first !== undefined; first = this.#tail[0]) {
      if (this.#tailBytes - first.length < this.#mostBytes) break;
      this.#tail.shift();
      this.#tailBytes -= first.length;
    }
  }

  /** At most so many bytes of it as text, never half a character. Where it is more, the middle is left out, and how much that was is said. */
  text(mostBytes: number): string {
    if (this.bytes <= mostBytes) {
      const whole = this.#head.toString('utf8');
      if (Buffer.byteLength(whole) <= mostBytes) return whole;
    }
    const tailBytes = Math.floor(Math.min(mostBytes, this.bytes) * shellLimits.tailShare);
    const headBytes = Math.min(mostBytes, this.bytes) - tailBytes;
    const head = beginningOf(withoutHalfAtEnd(this.#head.subarray(0, headBytes)).toString('utf8'), headBytes);
    const all = Buffer.concat(this.#tail);
    const tail = endOf(withoutHalfAtStart(all.subarray(all.length - tailBytes)).toString('utf8'), tailBytes);
    return `${head}\n[truncated: ${this.bytes - headBytes - tailBytes} bytes left out]\n${tail}`;
  }
}

/** Bytes without the character that is not whole at their end. */
function withoutHalfAtEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

function withoutHalfAtStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start] ?? 0)) start += 1;
  return bytes.subarray(start);
}

function isContinuation(byte: number): boolean {
  return byte >= 0x80 && byte < 0xc0;
}

/** What was no UTF-8 has grown: each byte of it is three now. */
function beginningOf(text: string, mostBytes: number): string {
  if (Buffer.byteLength(text) <= mostBytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(mostBytes));
  return text.slice(0, read);
}

function endOf(text: string, mostBytes: number): string {
  let excess = Buffer.byteLength(text) - mostBytes;
  let start = 0;
  for (const character of text) {
    if (excess <= 0) break;
    excess -= Buffer.byteLength(character);
    start += character.length;
  }
  return text.slice(start);
}
