import { type Clock, FairleadError, type Timer } from '@fairlead/base';
import type { Database, Off, Peer, Statement, Store, Write } from '@fairlead/store';
import { memoryLimits } from '../../limits.ts';
import type { Embedder, EmbeddingFault } from '../embedding/embedder.ts';
import { embeddedText, MEMORY_TABLE, type Memory, readMemory } from '../memory-record.ts';
import { nextTurn, slices } from '../slice.ts';
import { quantized } from './quantized.ts';
import { VectorRows, type VectorToMake } from './vector-rows.ts';
import { VectorShelf } from './vector-shelf.ts';

export interface VectorIndexOptions {
  readonly peer: Peer;
  readonly store: Store;
  readonly clock: Clock;
  readonly embedder: Embedder;
  /** Once for each time that the embedder stops to answer. */
  readonly report: (fault: EmbeddingFault) => void;
  readonly residentBytes?: number;
}

/** A memory that is near: its key, and the record whose text is. */
export interface NearMemory {
  readonly key: string;
  readonly record: string;
  /** Cosine, above 0. */
  readonly score: number;
}

/**
 * The vectors of every memory on this peer under one model. It follows the log, so that what another peer wrote, what was retracted and what was
 * there before the model was configured are taken alike; vectors are made in the background, and nothing that is remembered waits for them.
 */
export class VectorIndex {
  readonly #options: VectorIndexOptions;
  readonly #rows: VectorRows;
  readonly #shelf: VectorShelf;
  readonly #queries = new Map<string, Int8Array>();
  readonly #end = new AbortController();
  #off: Off | undefined;
  readonly #followed: OneHandle;
  readonly #pause: () => Promise<void> | undefined;
  readonly #read: OneHandle;
  #making: Promise<void> | undefined;
  #again = false;
  #failures = 0;
  /** How often in a row vectors that were given could not be written. */
  #unwritten = 0;
  /** Nobody asks before this moment after a failure. */
  #silentUntilMs = Number.NEGATIVE_INFINITY;
  #retry: Timer | undefined;

  private constructor(options: VectorIndexOptions) {
    this.#options = options;
    this.#rows = new VectorRows(options.store, options.embedder.model);
    this.#followed = new OneHandle(options.peer);
    this.#pause = slices(() => options.clock.monotonicMs());
    this.#read = new OneHandle(options.peer);
    this.#shelf = new VectorShelf(this.#rows, () => options.clock.monotonicMs(), options.residentBytes);
  }

  /** Begins to follow. Close it before the peer. */
  static async open(options: VectorIndexOptions): Promise<VectorIndex> {
    const index = new VectorIndex(options);
    await index.#forgetDropped();
    const name = `memory_vectors ${options.embedder.model}`;
    index.#off = await options.peer.onWrite(name, (write) => index.#follow(write), { from: 'start' });
    index.#make();
    return index;
  }

  /** `backend/model`. */
  get model(): string {
    return this.#rows.model;
  }

  /** Bytes of vectors in memory. */
  get residentBytes(): number {
    return this.#shelf.bytes;
  }

  /** Memories whose vector is still to be made, over all memories. */
  async waiting(): Promise<number> {
    return await this.#rows.waiting();
  }

  /** The vector of a query; undefined where the embedder does not give one in time: then words have to do. */
  async question(text: string, timeoutMs: number): Promise<Int8Array | undefined> {
    const known = this.#queries.get(text);
    if (known !== undefined) return known;
    if (this.#options.clock.monotonicMs() < this.#silentUntilMs) return undefined;
    const embedded = await this.#options.embedder.embed([text], timeoutMs, this.#end.signal);
    // A query that it refuses says nothing about the next one.
    if (!embedded.ok && embedded.fault.code !== 'embedding_refused') this.#failed(embedded.fault);
    const vector = embedded.ok ? quantized(embedded.vectors[0] ?? []) : undefined;
    if (vector === undefined) return undefined;
    this.#failures = 0;
    this.#queries.set(text, vector);
    const [oldest] = this.#queries.keys();
    if (this.#queries.size > memoryLimits.queriesKept && oldest !== undefined) this.#queries.delete(oldest);
    return vector;
  }

  /** Memories of a database that are near to a question, the nearest first. */
  async nearest(database: string, question: Int8Array, limit: number): Promise<readonly NearMemory[]> {
    const near: NearMemory[] = [];
    const rows = await this.#shelf.nearest(database, question, limit);
    await nextTurn();
    const pause = slices(() => this.#options.clock.monotonicMs());
    for (const { seq, score } of rows) {
      await pause();
      const row = await this.#rows.keyOf(seq);
      if (row !== undefined) near.push({ ...row, score });
    }
    return near;
  }

  /** Resolves when all that was written so far has its vector, or the embedder failed. */
  async caughtUp(): Promise<void> {
    await this.#off?.caughtUp();
    while (this.#making !== undefined) await this.#making;
  }

  async close(): Promise<void> {
    this.#end.abort();
    this.#retry?.cancel();
    await this.#off?.();
    await this.#making;
    this.#followed.release();
    this.#read.release();
  }

  /** Databases that were dropped leave their rows behind. */
  async #forgetDropped(): Promise<void> {
    for (const root of await this.#rows.databases()) {
      if ((await this.#read.of(root)) === undefined) await this.#rows.write([this.#rows.dropped(root)]);
    }
    this.#read.release();
  }

  async #follow(write: Write): Promise<void> {
    // A new model follows from the first write of this peer on, most of which are not about memories.
    await this.#pause();
    if (write.kind !== 'agent' && write.kind !== 'memory_bank') return;
    const keys = new Set<string>();
    for (const op of write.ops)
      if (op.op === 'put' && 'table' in op && op.table === MEMORY_TABLE && 'key' in op) keys.add(op.key);
    if (keys.size === 0) return;
    const database = await this.#followed.of(write.database);
    if (database === undefined) return;
    // Whatever the order in which writes come: what counts is what is the newest now.
    const changed: { readonly seq: number | undefined; readonly statement: Statement }[] = [];
    for (const key of keys) {
      const newest = await newestOf(database, key);
      changed.push({
        seq: await this.#rows.seqOf(write.database, key),
        statement:
          newest === undefined
            ? this.#rows.unwant(write.database, key)
            : this.#rows.want(write.database, key, newest.record),
      });
    }
    const changes = await this.#rows.write(changed.map(({ statement }) => statement));
    for (const [index, { seq }] of changed.entries())
      if (changes[index] !== 0 && seq !== undefined) this.#shelf.remove(write.database, seq);
    this.#make();
  }

  #make(): void {
    this.#again = true;
    if (this.#making !== undefined || this.#retry !== undefined || this.#end.signal.aborted) return;
    this.#making = this.#makeAll()
      .catch(() => {
        // The store is closing, or cannot be written: rows are where they were, and the same texts are asked for again.
        this.#again = false;
        this.#unwritten += 1;
        this.#later(this.#unwritten);
      })
      .finally(() => {
        this.#making = undefined;
      });
  }

  async #makeAll(): Promise<void> {
    while (this.#again && !this.#end.signal.aborted) {
      this.#again = false;
      for (let after = 0; ; ) {
        const rows = await this.#rows.toMake(after, memoryLimits.embeddedAtOnce);
        const last = rows.at(-1);
        if (last === undefined) break;
        if (!(await this.#makeSome(rows))) return this.#later(this.#failures);
        after = last.seq;
      }
    }
  }

  /** False where the embedder cannot be asked now. */
  async #makeSome(rows: readonly VectorToMake[]): Promise<boolean> {
    const wanted: VectorToMake[] = [];
    const texts: string[] = [];
    for (const row of rows) {
      const database = await this.#read.of(row.database);
      const newest = database === undefined ? undefined : await newestOf(database, row.key);
      // Another record by now: the write that brought it is still to be followed. A database that is gone has no memories.
      if (database === undefined) await this.#rows.write([this.#rows.unwant(row.database, row.key)]);
      if (newest?.record !== row.record) continue;
      wanted.push(row);
      texts.push(embeddedText(newest.memory));
    }
    if (wanted.length === 0) return true;
    const { embedder } = this.#options;
    const embedded = await embedder.embed(texts, memoryLimits.embedTimeoutMs, this.#end.signal);
    if (this.#end.signal.aborted) return false;
    if (embedded.ok) {
      this.#failures = 0;
      await this.#keep(wanted, embedded.vectors);
      this.#unwritten = 0;
      return true;
    }
    if (embedded.fault.code !== 'embedding_refused') {
      this.#failed(embedded.fault);
      return false;
    }
    // One of them is what is refused: each by itself tells which.
    if (wanted.length > 1) {
      for (const row of wanted) if (!(await this.#makeSome([row]))) return false;
      return true;
    }
    // Said the first time; the next tries of the same text end alike.
    if (wanted.every(({ tries }) => tries === 0)) this.#options.report(embedded.fault);
    await this.#rows.write(wanted.map((row) => this.#rows.refused(row)));
    return true;
  }

  async #keep(rows: readonly VectorToMake[], vectors: readonly (readonly number[])[]): Promise<void> {
    const made = rows.map((row, index) => ({ row, vector: quantized(vectors[index] ?? []) }));
    const changes = await this.#rows.write(
      made.map(({ row, vector }) =>
        vector === undefined ? this.#rows.refused(row) : this.#rows.made(row, vector),
      ),
    );
    for (const [index, { row, vector }] of made.entries())
      if (changes[index] === 1 && vector !== undefined) this.#shelf.set(row.database, row.seq, vector);
  }

  #failed(fault: EmbeddingFault): void {
    if (this.#end.signal.aborted) return;
    this.#failures += 1;
    this.#silentUntilMs = this.#options.clock.monotonicMs() + pauseMs(this.#failures);
    if (this.#failures === 1) this.#options.report(fault);
  }

  #later(failures: number): void {
    if (this.#end.signal.aborted) return;
    this.#retry = this.#options.clock.setTimer(
      pauseMs(failures),
      () => {
        this.#retry = undefined;
        this.#make();
      },
      { unref: true },
    );
  }
}

/** After so many failures in a row. */
function pauseMs(failures: number): number {
  const { embedRetryMs, embedRetryMaxMs } = memoryLimits;
  return Math.min(embedRetryMs * 2 ** Math.min(Math.max(failures - 1, 0), 20), embedRetryMaxMs);
}

/** The database that was asked for last: most of what follows each other is of one. For one user at a time. */
class OneHandle {
  readonly #peer: Peer;
  #open: Database | undefined;

  constructor(peer: Peer) {
    this.#peer = peer;
  }

  /** Undefined where it was dropped. */
  async of(root: string): Promise<Database | undefined> {
    if (this.#open?.root === root) return this.#open;
    this.release();
    try {
      this.#open = await this.#peer.open(root);
    } catch (error) {
      if (!(error instanceof FairleadError) || error.code !== 'database_not_found') throw error;
    }
    return this.#open;
  }

  release(): void {
    this.#open?.release();
    this.#open = undefined;
  }
}

async function newestOf(
  database: Database,
  key: string,
): Promise<{ readonly record: string; readonly memory: Memory } | undefined> {
  const row = await database.latest(MEMORY_TABLE).get(key);
  const memory = row === undefined ? undefined : readMemory(row.value);
  if (row === undefined || memory === undefined || 'forget' in memory || memory.key !== key) return undefined;
  return { record: row.id, memory };
}
