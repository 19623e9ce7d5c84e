import { type JsonObject, type Random, randomId } from '@fairlead/base';
import type { BindingBook, Observed } from '@fairlead/dispatch';

/** How every binding begins (docs/reference/plugin-tool.md). */
const PREFIX = 'wc_pbind_';

/** The handles of pins: one for each that is seen now. They leave this process never, and nobody else's push them out. */
export class PinBindings implements BindingBook {
  readonly #random: Random;
  readonly #bound = new Map<string, { readonly observed: Observed; readonly inputSchema: JsonObject }>();
  readonly #forgotten: (observed: Observed) => void;

  /** `forgotten` hears of each observation that does not hold any more. */
  constructor(random: Random, forgotten: (observed: Observed) => void) {
    this.#random = random;
    this.#forgotten = forgotten;
  }

  /** The same as `bind`, at once. */
  add(observed: Observed, inputSchema: JsonObject): string {
    const handle = randomId(PREFIX, this.#random);
    this.#bound.set(handle, { observed, inputSchema });
    return handle;
  }

  async bind(observed: Observed, inputSchema: JsonObject): Promise<string> {
    return this.add(observed, inputSchema);
  }

  resolve(handle: string): Observed | undefined {
    return this.#bound.get(handle)?.observed;
  }

  async inputSchema(handle: string): Promise<JsonObject | null> {
    return this.#bound.get(handle)?.inputSchema ?? null;
  }

  /** Without telling anybody. */
  drop(handle: string): void {
    this.#bound.delete(handle);
  }

  forget(handle: string): void {
    const bound = this.#bound.get(handle);
    if (!this.#bound.delete(handle) || bound === undefined) return;
    this.#forgotten(bound.observed);
  }
}
