import { memoryLimits } from '../../limits.ts';
import { slices } from '../slice.ts';
import { type Near, VectorMatrix } from './vector-matrix.ts';
import type { VectorRows } from './vector-rows.ts';

interface Shelved {
  matrix: VectorMatrix | undefined;
  /** Up to this row it has been read. */
  read: number;
  /** Until it has been read whole. */
  readonly whole: Promise<void>;
}

/**
 * The vectors of one model that stand in memory, a matrix for each memory, those used last. A memory that does not fit is read from its rows for
 * each search and kept nowhere. Whoever changes rows tells it afterwards.
 */
export class VectorShelf {
  readonly #rows: VectorRows;
  readonly #nowMs: () => number;
  readonly #residentBytes: number;
  /** By database, the one used longest ago first. */
  readonly #shelved = new Map<string, Shelved>();

  constructor(rows: VectorRows, nowMs: () => number, residentBytes: number = memoryLimits.residentBytes) {
    this.#rows = rows;
    this.#nowMs = nowMs;
    this.#residentBytes = residentBytes;
  }

  /** Bytes of vectors in memory. */
  get bytes(): number {
    let bytes = 0;
    for (const { matrix } of this.#shelved.values()) bytes += matrix?.bytes ?? 0;
    return bytes;
  }

  /** Rows that are near, the nearest first. In slices of the event loop. */
  async nearest(database: string, question: Int8Array, limit: number): Promise<readonly Near[]> {
    const pause = slices(this.#nowMs);
    const known = this.#shelved.get(database);
    if (known === undefined && !(await this.#fits(database, question.length)))
      return await this.#fromRows(database, question, limit, pause);
    const shelved = this.#shelved.get(database) ?? this.#fill(database, question.length);
    this.#shelved.delete(database);
    this.#shelved.set(database, shelved);
    await shelved.whole;
    const found = (await shelved.matrix?.nearest(question, limit, pause)) ?? [];
    this.#shrink(database);
    return found;
  }

  /** A row has a vector now. */
  set(database: string, seq: number, vector: Int8Array): void {
    const shelved = this.#shelved.get(database);
    // What has not been read yet comes with its row.
    if (shelved?.matrix === undefined || (seq > shelved.read && shelved.read < Number.POSITIVE_INFINITY))
      return;
    // One that was there without a vector when its neighbours were read has no place between them: all is read again.
    if (!shelved.matrix.set(seq, vector) && vector.length === shelved.matrix.dimensions)
      this.forget(database);
  }

  /** A row has no vector any more. */
  remove(database: string, seq: number): void {
    this.#shelved.get(database)?.matrix?.remove(seq);
  }

  /** Takes a memory's vectors out of memory. */
  forget(database: string): void {
    this.#shelved.delete(database);
  }

  async #fits(database: string, dimensions: number): Promise<boolean> {
    const bytes = VectorMatrix.bytesOf(await this.#rows.count(database), dimensions);
    return bytes <= this.#residentBytes;
  }

  #fill(database: string, dimensions: number): Shelved {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const shelved: Shelved = { matrix: new VectorMatrix(dimensions), read: 0, whole: promise };
    this.#shelved.set(database, shelved);
    this.#readInto(database, shelved).then(resolve, (error: unknown) => {
      if (this.#shelved.get(database) === shelved) this.#shelved.delete(database);
      reject(error);
    });
    return shelved;
  }

  async #readInto(database: string, shelved: Shelved): Promise<void> {
    const pause = slices(this.#nowMs);
    for (;;) {
      const rows = await this.#rows.read(database, shelved.read);
      for (const { seq, vector } of rows) shelved.matrix?.set(seq, bytesOf(vector));
      const last = rows.at(-1);
      // In the same breath as the last read: what is set from now on is put in at once.
      if (last === undefined || rows.length < memoryLimits.vectorsRead) {
        shelved.read = Number.POSITIVE_INFINITY;
        return;
      }
      shelved.read = last.seq;
      await pause();
    }
  }

  async #fromRows(
    database: string,
    question: Int8Array,
    limit: number,
    pause: () => Promise<void> | undefined,
  ): Promise<readonly Near[]> {
    let best: readonly Near[] = [];
    for (let after = 0; ; ) {
      await pause();
      const rows = await this.#rows.read(database, after);
      const page = new VectorMatrix(question.length);
      for (const { seq, vector } of rows) page.set(seq, bytesOf(vector));
      const found = await page.nearest(question, limit, () => undefined);
      best = [...best, ...found].sort((left, right) => right.score - left.score).slice(0, limit);
      const last = rows.at(-1);
      if (last === undefined || rows.length < memoryLimits.vectorsRead) return best;
      after = last.seq;
    }
  }

  /** Lets go what was used longest ago until all fits, but for the one that was used now. */
  #shrink(kept: string): void {
    let bytes = this.bytes;
    for (const [database, { matrix }] of this.#shelved) {
      if (bytes <= this.#residentBytes) return;
      if (database === kept) continue;
      this.#shelved.delete(database);
      bytes -= matrix?.bytes ?? 0;
    }
  }
}

function bytesOf(vector: Uint8Array): Int8Array {
  return new Int8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}
