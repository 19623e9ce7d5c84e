import { type Dots, dotKernel, KERNEL_STEP, linearMemory } from './dot-kernel.ts';
import { normOf } from './quantized.ts';

/** A row that is near to what was asked for. */
export interface Near {
  readonly seq: number;
  /** Cosine, above 0. */
  readonly score: number;
}

const PAGE = 65_536;
/** Rows that one call of the kernel takes: a fraction of a millisecond. */
const ROWS_A_STEP = 1024;
/** Pages that a full memory grows by, 1 MiB: the last of them is what is wasted. */
const PAGES_A_GROWTH = 16;

/**
 * Vectors of one memory and one model, in signed bytes, by the number of their row. Rows come in rising order; one that changed keeps its
 * place, one that went leaves a hole.
 */
export class VectorMatrix {
  readonly dimensions: number;
  readonly #stride: number;
  readonly #memory = linearMemory();
  readonly #dots: Dots;
  /** Where the rows begin: behind the question and the answers of one step. */
  readonly #from: number;
  #seqs = new Float64Array(ROWS_A_STEP);
  #norms = new Float32Array(ROWS_A_STEP);
  #count = 0;

  constructor(dimensions: number) {
    this.dimensions = dimensions;
    this.#stride = Math.ceil(dimensions / KERNEL_STEP) * KERNEL_STEP;
    this.#from = this.#stride + ROWS_A_STEP * 4;
    this.#dots = dotKernel(this.#memory);
    this.#room(this.#from);
  }

  /** Bytes that it holds in memory. */
  get bytes(): number {
    return this.#memory.buffer.byteLength + this.#seqs.byteLength + this.#norms.byteLength;
  }

  /** What a matrix of so many rows takes. */
  static bytesOf(rows: number, dimensions: number): number {
    return rows * (Math.ceil(dimensions / KERNEL_STEP) * KERNEL_STEP + 12);
  }

  get rows(): number {
    return this.#count;
  }

  /** Puts a vector at its row's place; at the end where its number is the highest. False where it does not fit into this matrix. */
  set(seq: number, vector: Int8Array): boolean {
    if (vector.length !== this.dimensions) return false;
    let at = this.#indexOf(seq);
    if (this.#seqs[at] !== seq || at >= this.#count) {
      if (at < this.#count) return false;
      at = this.#count;
      this.#widen(at + 1);
      this.#count += 1;
      this.#seqs[at] = seq;
    }
    new Int8Array(this.#memory.buffer).set(vector, this.#from + at * this.#stride);
    this.#norms[at] = normOf(vector);
    return true;
  }

  /** Is found no more. */
  remove(seq: number): void {
    const at = this.#indexOf(seq);
    if (at < this.#count && this.#seqs[at] === seq) this.#norms[at] = 0;
  }

  /**
   * The nearest rows, the nearest first. `pause` is called between steps of a fraction of a millisecond; what it returns is waited for, and
   * rows may change meanwhile.
   */
  async nearest(
    question: Int8Array,
    limit: number,
    pause: () => Promise<void> | undefined,
  ): Promise<readonly Near[]> {
    if (question.length !== this.dimensions) return [];
    const best = new Best(limit);
    const norm = normOf(question);
    for (let from = 0; from < this.#count; from += ROWS_A_STEP) {
      const wait = pause();
      if (wait !== undefined) await wait;
      // Each step puts its question down anew: another search may have had the place meanwhile, and the memory may have grown.
      new Int8Array(this.#memory.buffer).fill(0, 0, this.#stride).set(question);
      const count = Math.min(ROWS_A_STEP, this.#count - from);
      this.#dots(0, this.#from + from * this.#stride, count, this.#stride, this.#stride);
      const products = new Int32Array(this.#memory.buffer, this.#stride, count);
      for (let index = 0; index < count; index += 1) {
        const length = this.#norms[from + index] ?? 0;
        if (length === 0) continue;
        const score = (products[index] ?? 0) / (length * norm);
        if (score > best.least) best.take(this.#seqs[from + index] ?? 0, score);
      }
    }
    return best.found;
  }

  /** The first place whose number is not below. */
  #indexOf(seq: number): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#seqs[middle] ?? 0) < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #widen(rows: number): void {
    this.#room(this.#from + rows * this.#stride);
    if (rows <= this.#seqs.length) return;
    const length = Math.ceil(this.#seqs.length * 1.25);
    const [seqs, norms] = [new Float64Array(length), new Float32Array(length)];
    seqs.set(this.#seqs);
    norms.set(this.#norms);
    this.#seqs = seqs;
    this.#norms = norms;
  }

  #room(bytes: number): void {
    const missing = Math.ceil((bytes - this.#memory.buffer.byteLength) / PAGE);
    if (missing > 0) this.#memory.grow(Math.max(missing, PAGES_A_GROWTH));
  }
}

/** The best of what is offered, in order. */
class Best {
  readonly #limit: number;
  readonly found: Near[] = [];
  /** What is no better than this is not among them. */
  least = 0;

  constructor(limit: number) {
    this.#limit = limit;
    if (limit <= 0) this.least = Number.POSITIVE_INFINITY;
  }

  take(seq: number, score: number): void {
    const { found } = this;
    let at = found.length;
    while (at > 0 && (found[at - 1]?.score ?? 0) < score) at -= 1;
    found.splice(at, 0, { seq, score });
    if (found.length > this.#limit) found.pop();
    if (found.length === this.#limit) this.least = found.at(-1)?.score ?? 0;
  }
}
