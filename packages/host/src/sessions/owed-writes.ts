import { type Clock, FairleadError, type Timer } from '@fairlead/base';
import { owedLimits } from '../limits.ts';

/** Faults of the disk: they go by, and what was to be written is as true then as now. */
const PASSING: ReadonlySet<string> = new Set([
  ...['store_disk_full', 'store_io_failed', 'store_busy', 'store_read_only', 'store_permission_denied'],
]);

type Owed = { readonly write: () => Promise<unknown>; readonly over: (error?: unknown) => void };

/**
 * Ends of calls and turns that the disk did not take, each a transaction that begins nothing. They are tried again in the order of their
 * session until the disk takes them or the host stops; what is owed then is found at its next start.
 */
export class OwedWrites {
  readonly #clock: Clock;
  readonly #owed = new Map<string, Owed[]>();
  #timer: Timer | undefined;
  #passing: Promise<void> | undefined;
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether anything of a session is owed. */
  has(session: string): boolean {
    return this.#owed.has(session);
  }

  /**
   * Writes, behind what its session owes already; where the disk does not take it, once it does. Rejects with what `write` rejects with where
   * that will not go by, and with the fault of the disk where the host stops before it has.
   */
  async written<T>(session: string, write: () => Promise<T>): Promise<T> {
    if (this.has(session)) await this.flush();
    if (!this.has(session)) {
      try {
        return await write();
      } catch (error) {
        if (!this.#mayWait(error)) throw error;
      }
    }
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const once = async () => resolve(await write());
    const over = (error?: unknown) => reject(error);
    const queue = this.#owed.get(session) ?? [];
    queue.push({ write: once, over });
    this.#owed.set(session, queue);
    this.#schedule();
    return await promise;
  }

  /** Tries everything that is owed once. */
  async flush(): Promise<void> {
    this.#passing ??= this.#pass().finally(() => {
      this.#passing = undefined;
    });
    await this.#passing;
  }

  /** Tries once more and then no more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.flush();
  }

  #mayWait(error: unknown): boolean {
    const count = [...this.#owed.values()].reduce((sum, { length }) => sum + length, 0);
    return !this.#isClosed && count < owedLimits.count && isPassing(error);
  }

  async #pass(): Promise<void> {
    for (const [session, owed] of this.#owed) {
      for (let first = owed[0]; first !== undefined; first = owed[0]) {
        const fault = await faultOf(first);
        if (isPassing(fault) && !this.#isClosed) break;
        owed.shift();
        if (fault !== undefined) first.over(fault);
      }
      if (owed.length === 0) this.#owed.delete(session);
    }
  }

  #schedule(): void {
    if (this.#isClosed || this.#timer !== undefined || this.#owed.size === 0) return;
    const again = (): void => {
      this.#timer = undefined;
      void this.flush().then(() => this.#schedule());
    };
    this.#timer = this.#clock.setTimer(owedLimits.againMs, again, { unref: true });
  }
}

async function faultOf({ write }: Owed): Promise<unknown> {
  try {
    await write();
    return undefined;
  } catch (error) {
    return error ?? new Error('a write was refused without a word');
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof FairleadError && PASSING.has(error.code);
}
