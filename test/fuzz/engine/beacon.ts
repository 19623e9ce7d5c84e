const SEQUENCE = 0;
const LENGTH = 1;
const HEAD_BYTES = 8;

/**
 * Memory that two threads share: which input runs right now. The thread that fuzzes writes it before each input, so that the
 * one that watches can still name it when the other hangs or has run out of memory.
 */
export class Beacon {
  readonly memory: SharedArrayBuffer;
  readonly #numbers: Int32Array;
  readonly #bytes: Uint8Array;

  constructor(memory: SharedArrayBuffer) {
    this.memory = memory;
    this.#numbers = new Int32Array(memory, 0, 2);
    this.#bytes = new Uint8Array(memory, HEAD_BYTES);
  }

  static of(maxBytes: number): Beacon {
    return new Beacon(new SharedArrayBuffer(HEAD_BYTES + maxBytes));
  }

  begin(input: Uint8Array): void {
    this.#bytes.set(input);
    this.#numbers[LENGTH] = input.length;
    Atomics.add(this.#numbers, SEQUENCE, 1);
  }

  end(): void {
    Atomics.add(this.#numbers, SEQUENCE, 1);
  }

  /** Odd while an input runs, and another number for each. */
  get sequence(): number {
    return Atomics.load(this.#numbers, SEQUENCE);
  }

  get isRunning(): boolean {
    return this.sequence % 2 === 1;
  }

  /** The input that runs, or ran last. */
  get input(): Uint8Array {
    return Buffer.from(this.#bytes.subarray(0, this.#numbers[LENGTH] ?? 0));
  }
}
