import { stderrLimits } from '../limits.ts';

/** One line of a provider's stderr, printable ASCII only. `truncated`: it was longer than what is kept. */
export type StderrLine = { readonly text: string; readonly truncated: boolean };

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const QUESTION = 0x3f;

/** What becomes of a byte: 0 drops it. */
const SHOWN = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === CR) return 0;
  if (byte === 0x09) return SPACE;
  return byte >= SPACE && byte < 0x7f ? byte : QUESTION;
});

/**
 * The last lines that a program wrote to stderr: 64 lines, 1,024 bytes each, 32 KiB in all. A tab becomes a space, any other
 * byte that is not printable ASCII a question mark, a carriage return nothing. Local to the Runner's machine: it is never
 * sent anywhere.
 */
export class StderrRing {
  readonly #lines: StderrLine[] = [];
  #bytes = 0;
  readonly #line = Buffer.alloc(stderrLimits.lineMaxBytes);
  #length = 0;
  #truncated = false;
  #begun = false;

  /** Takes what was read; costs little however much comes, because only what can still be shown is looked at. */
  push(chunk: Uint8Array): void {
    let at = this.#skipFlood(chunk);
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (byte === LF) {
        this.#endLine();
        continue;
      }
      this.#begun = true;
      const shown = SHOWN[byte] as number;
      if (shown === 0) continue;
      if (this.#length === stderrLimits.lineMaxBytes) {
        this.#truncated = true;
        const next = chunk.indexOf(LF, at);
        at = next < 0 ? chunk.length : next - 1;
        continue;
      }
      this.#line[this.#length] = shown;
      this.#length += 1;
    }
  }

  /** The kept lines, oldest first; one that has no end yet comes last. */
  lines(): StderrLine[] {
    if (!this.#begun) return [...this.#lines];
    const lines = [...this.#lines, this.#current()];
    trim(lines, this.#bytes + this.#length);
    return lines;
  }

  /** Where the lines begin that can still be shown once the chunk has been taken. */
  #skipFlood(chunk: Uint8Array): number {
    if (chunk.length <= stderrLimits.maxLines) return 0;
    let at = chunk.length;
    for (let lines = 0; lines <= stderrLimits.maxLines; lines += 1) {
      at = chunk.lastIndexOf(LF, at - 1);
      if (at <= 0) return 0;
    }
    this.#length = 0;
    this.#truncated = false;
    this.#begun = false;
    this.#lines.length = 0;
    this.#bytes = 0;
    return at + 1;
  }

  #current(): StderrLine {
    return { text: this.#line.toString('latin1', 0, this.#length), truncated: this.#truncated };
  }

  #endLine(): void {
    const line = this.#current();
    this.#lines.push(line);
    this.#bytes = trim(this.#lines, this.#bytes + line.text.length);
    this.#length = 0;
    this.#truncated = false;
    this.#begun = false;
  }
}

/** Takes the oldest lines away until the rest is within its bounds; returns the bytes of the rest. */
function trim(lines: StderrLine[], bytes: number): number {
  let left = bytes;
  while (lines.length > stderrLimits.maxLines || left > stderrLimits.totalMaxBytes)
    left -= lines.shift()?.text.length ?? 0;
  return left;
}
