import { type Random, randomId } from '@fairlead/base';
import { BINDING_DRAWS_MAX, BINDINGS_MAX } from './limits.ts';

/** How every binding begins. */
export const BINDING_PREFIX = 'wc_pbind_';

/** What a binding stands for: one observation of one tool of one live provider instance. */
export type Observed = {
  readonly runner: string;
  readonly runnerInstance: string;
  readonly plugin: string;
  readonly providerInstance: string;
  readonly tool: string;
  readonly observation: string;
  readonly timeoutSecs: number;
  /** The name of all of the above in digests and approvals. */
  readonly target: string;
};

/**
 * Opaque handles on observations, in memory. A handle carries no right: whoever shows it is judged anew. Every one is
 * independent of the others, also of those for the same tool; when there are too many, the one made first goes.
 */
export class Bindings {
  readonly #random: Random;
  readonly #observed = new Map<string, Observed>();

  constructor(options: { readonly random: Random }) {
    this.#random = options.random;
  }

  get size(): number {
    return this.#observed.size;
  }

  /** A fresh handle: the prefix and 22 base64url characters. */
  bind(observed: Observed): string {
    const handle = this.#fresh();
    if (this.#observed.size >= BINDINGS_MAX) {
      const [oldest] = this.#observed.keys();
      if (oldest !== undefined) this.#observed.delete(oldest);
    }
    this.#observed.set(handle, Object.freeze({ ...observed }));
    return handle;
  }

  /** What was observed, or undefined for a handle that was never made, is forgotten or had to go. */
  resolve(handle: string): Observed | undefined {
    return this.#observed.get(handle);
  }

  /** Drops a handle whose observation no longer holds. */
  forget(handle: string): void {
    this.#observed.delete(handle);
  }

  #fresh(): string {
    for (let draw = 0; draw < BINDING_DRAWS_MAX; draw += 1) {
      const handle = randomId(BINDING_PREFIX, this.#random);
      if (!this.#observed.has(handle)) return handle;
    }
    throw new Error('the source of randomness repeats itself');
  }
}
