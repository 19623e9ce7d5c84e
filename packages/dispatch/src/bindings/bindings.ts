import { type Clock, type JsonObject, type Random, randomId } from '@fairlead/base';
import type { Statement, Store } from '@fairlead/store';
import type { DispatchLog } from '../dispatch-log.ts';
import { BINDING_DRAWS_MAX, BINDINGS_MAX, BINDINGS_REMOVED_TOGETHER } from '../limits.ts';
import type { BindingBook } from './binding-book.ts';
import {
  deleteBinding,
  deleteBindingsThrough,
  insertBinding,
  loadBindings,
  readInputSchema,
} from './binding-table.ts';
import type { Observed } from './observed.ts';

/** How every binding begins. */
export const BINDING_PREFIX = 'wc_pbind_';

type BindingsOptions = {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log?: DispatchLog;
};

/**
 * Opaque handles on observations, in memory and in the peer-local table `bindings`, so that they outlive the process. A handle carries no
 * right: whoever shows it is judged anew. Every one is independent of the others, also of those for the same tool; when there are too
 * many, the one made first goes. Close it before its store.
 */
export class Bindings implements BindingBook, AsyncDisposable {
  readonly #options: BindingsOptions;
  readonly #observed: Map<string, Observed>;
  readonly #writing = new Set<Promise<unknown>>();
  /** The newest that was pushed out and still stands in the table, and how many there are. */
  #pushedOut: { readonly newest: string; readonly count: number } | null = null;

  private constructor(options: BindingsOptions, made: Iterable<readonly [string, Observed]>) {
    this.#options = options;
    this.#observed = new Map(made);
  }

  /** With what an earlier process left. Rejects with a code of the store. */
  static async open(options: BindingsOptions): Promise<Bindings> {
    return new Bindings(options, await loadBindings(options.store));
  }

  get size(): number {
    return this.#observed.size;
  }

  /**
   * A fresh handle: the prefix and 22 base64url characters. When it is there, the death of the process does not take it; where the
   * table cannot take it, it serves until then.
   */
  async bind(observed: Observed, inputSchema: JsonObject): Promise<string> {
    const handle = this.#fresh();
    const insert = insertBinding(handle, observed, inputSchema, this.#options.clock.wallMs());
    this.#makeRoom();
    this.#observed.set(handle, observed);
    const isMuch = (this.#pushedOut?.count ?? 0) >= BINDINGS_REMOVED_TOGETHER;
    await this.#write(isMuch ? [insert, ...this.#removal()] : [insert], 'binding.not_written');
    return handle;
  }

  /** What was observed, or undefined for a handle that was never made, is forgotten or had to go. */
  resolve(handle: string): Observed | undefined {
    return this.#observed.get(handle);
  }

  /** The input schema of what was observed, null where it is not known any more. */
  async inputSchema(handle: string): Promise<JsonObject | null> {
    return await readInputSchema(this.#options.store, handle);
  }

  /** Drops a handle whose observation no longer holds. One that a dying process leaves in the table holds no better. */
  forget(handle: string): void {
    if (!this.#observed.delete(handle)) return;
    // The newest rows of the table are those that are known here, and no others: what was pushed out goes first.
    const write = this.#write([...this.#removal(), deleteBinding(handle)], 'binding.not_forgotten');
    this.#writing.add(write);
    void write.then(() => this.#writing.delete(write));
  }

  /** Waits for what is being forgotten. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#writing);
  }

  /** Drops the oldest where there are too many. */
  #makeRoom(): void {
    if (this.#observed.size < BINDINGS_MAX) return;
    const [oldest = ''] = this.#observed.keys();
    this.#observed.delete(oldest);
    this.#pushedOut = { newest: oldest, count: (this.#pushedOut?.count ?? 0) + 1 };
  }

  /** Takes what was pushed out from the table. */
  #removal(): Statement[] {
    const pushedOut = this.#pushedOut;
    this.#pushedOut = null;
    return pushedOut === null ? [] : [deleteBindingsThrough(pushedOut.newest)];
  }

  async #write(statements: readonly Statement[], failure: string): Promise<void> {
    try {
      await this.#options.store.write(statements, 'normal');
    } catch {
      this.#options.log?.('warn', failure);
    }
  }

  #fresh(): string {
    for (let draw = 0; draw < BINDING_DRAWS_MAX; draw += 1) {
      const handle = randomId(BINDING_PREFIX, this.#options.random);
      if (!this.#observed.has(handle)) return handle;
    }
    throw new Error('the source of randomness repeats itself');
  }
}
