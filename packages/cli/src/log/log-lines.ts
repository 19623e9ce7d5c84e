import type { FileHandle } from 'node:fs/promises';
import { logLimits } from '../limits.ts';

const lineFeed = 0x0a;
const chunkBytes = 65_536;

/** Reads the lines of one open file from a place onwards; a line that is not whole yet waits for its rest. */
export class LogLines {
  readonly #file: FileHandle;
  readonly #buffer = Buffer.alloc(chunkBytes);
  #position = 0;
  #rest: Buffer = Buffer.alloc(0);

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Every line that has been written since, without its line feed. A line over 64 KiB comes in pieces. */
  async read(onLine: (line: string) => void): Promise<void> {
    const { size } = await this.#file.stat();
    // Somebody emptied the file: it begins again.
    if (size < this.#position) this.#restart();
    for (;;) {
      const { bytesRead } = await this.#file.read(this.#buffer, 0, chunkBytes, this.#position);
      if (bytesRead === 0) return;
      this.#position += bytesRead;
      this.#split(this.#buffer.subarray(0, bytesRead), onLine);
    }
  }

  /** What stands after the last line feed: the last word of a process that was killed. */
  end(onLine: (line: string) => void): void {
    if (this.#rest.length > 0) onLine(this.#rest.toString('utf8'));
    this.#rest = Buffer.alloc(0);
  }

  #restart(): void {
    this.#position = 0;
    this.#rest = Buffer.alloc(0);
  }

  #split(chunk: Buffer, onLine: (line: string) => void): void {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed)) {
      onLine(bytes.toString('utf8', 0, end));
      bytes = bytes.subarray(end + 1);
    }
    if (bytes.length > logLimits.lineBytes) {
      onLine(bytes.toString('utf8'));
      bytes = bytes.subarray(bytes.length);
    }
    // A copy: the buffer is read into again.
    this.#rest = Buffer.from(bytes);
  }
}
