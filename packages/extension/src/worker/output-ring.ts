/** The newest bytes of what a thread printed. */
export class OutputRing {
  readonly #maxBytes: number;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(chunk: Buffer): void {
    // One chunk alone may be larger than the ring.
    const kept = chunk.subarray(Math.max(0, chunk.length - this.#maxBytes));
    this.#chunks.push(Buffer.from(kept));
    this.#bytes += kept.length;
    while (this.#bytes > this.#maxBytes) {
      const first = this.#chunks[0] as Buffer;
      const over = this.#bytes - this.#maxBytes;
      if (first.length <= over) this.#chunks.shift();
      else this.#chunks[0] = first.subarray(over);
      this.#bytes -= Math.min(first.length, over);
    }
  }

  /** A character that the ring's edge cuts is shown as its replacement. */
  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}
