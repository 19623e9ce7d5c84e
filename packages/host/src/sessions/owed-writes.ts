import { type Clock, FairleadError, type Timer } from '@fairlead/base';
import { owedLimits } from '../limits.ts';

/** Faults of the disk: they go by, and what was to be written is as true then as now. */
const PASSING: ReadonlySet<string> = new Set([
  ...['store_disk_full', 'store_io_failed', 'store_busy', 'store_read_only', 'store_permission_denied'],
]);

type Owed = { readonly write: () => Promise<unknown>; readonly over: (error?: unknown) => void };
/** What one session owes, in its order, and why the disk did not take the first of it. */
type Queue = { readonly owed: Owed[]; fault: unknown };

/**
 * Ends of calls and turns that the disk did not take, each a transaction that begins nothing. They are tried again in the order of their
 * session until the disk takes them or the host stops; what is owed then is found at its next start.
 */
export class OwedWrites {
  readonly #clock: Clock;
  readonly #queues = new Map<string, Queue>();
  /** Sessions of which the host stopped with something, and why the disk did not take that. */
  readonly #left = new Map<string, unknown>();
  #timer: Timer | undefined;
  #passing: Promise<void> | undefined;
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether anything of a session is owed. */
  has(session: string): boolean {
    return this.#queues.has(session);
  }

  /**
   * Writes, behind what its session owes already; where the disk does not take it, once it does. `waits` hears then, at once, of the fault
   * of the disk that holds it up. Rejects with what `write` rejects with where that will not go by, and with the fault of the disk where too
   * much is owed already, or where the host stops before the disk has it.
   */
  async written<T>(
    session: string,
    write: () => Promise<T>,
    waits: (fault: unknown) => void = () => {},
  ): Promise<T> {
    if (this.has(session)) await this.flush();
    let fault = this.#queues.get(session)?.fault;
    if (fault === undefined) {
      try {
        return await write();
      } catch (error) {
        if (this.#isClosed || !isPassing(error)) throw error;
        fault = error;
      }
    }
    if (this.#count() >= owedLimits.count) throw fault;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const queue = this.#queues.get(session) ?? { owed: [], fault };
    queue.owed.push({ write: async () => resolve(await write()), over: reject });
    this.#queues.set(session, queue);
    this.#schedule();
    waits(fault);
    return await promise;
  }

  /** The same for who does not wait: answers the fault of the disk at once where it is owed, and nothing where it stands. Rejects where it is neither. */
  async writtenNow(session: string, write: () => Promise<unknown>): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.written(session, write, resolve).then(() => resolve(undefined), reject);
    return await promise;
  }

  /**
   * Writes what a session owes, before anything begins there: what begins would stand before an end that is older. Rejects with the fault of the
   * disk while that is owed, and for good where the host stopped with it. No write that may be owed itself waits for it.
   */
  async behind(session: string): Promise<void> {
    if (this.has(session)) await this.flush();
    const fault = this.#queues.get(session)?.fault ?? this.#left.get(session);
    if (fault !== undefined) throw fault;
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
    // That one may have passed over what the disk would take now.
    await this.#passing;
    await this.flush();
  }

  #count(): number {
    return [...this.#queues.values()].reduce((sum, { owed }) => sum + owed.length, 0);
  }

  async #pass(): Promise<void> {
    const isLast = this.#isClosed;
    for (const [session, queue] of this.#queues) {
      const { owed } = queue;
      for (let first = owed[0]; first !== undefined; first = owed[0]) {
        const fault = await faultOf(first);
        if (isPassing(fault)) {
          queue.fault = fault;
          if (!isLast) break;
          this.#left.set(session, fault);
        }
        owed.shift();
        if (fault !== undefined) first.over(fault);
      }
      if (owed.length === 0) this.#queues.delete(session);
    }
  }

  #schedule(): void {
    if (this.#isClosed || this.#timer !== undefined || this.#queues.size === 0) return;
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
