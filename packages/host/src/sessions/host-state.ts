import type { Store } from '@fairlead/store';

const READ = "SELECT value FROM host_state WHERE name = 'paused'";
const PAUSE = `INSERT INTO host_state (name, value) VALUES ('paused', ?) ON CONFLICT DO NOTHING`;
const RESUME = "DELETE FROM host_state WHERE name = 'paused'";

/** Whether this host is paused: no new turn, firing or call starts. It survives a restart. */
export class HostState {
  readonly #store: Store;
  #pausedAtMs: number | null;
  /** Pauses that were asked for: a resume that was asked for before the last of them lets nothing begin. */
  #pauses = 0;
  /** What is written one after the other, in the order in which it was asked for. */
  #line: Promise<unknown> = Promise.resolve();

  private constructor(store: Store, pausedAtMs: number | null) {
    this.#store = store;
    this.#pausedAtMs = pausedAtMs;
  }

  /** Rejects with a code of the store. */
  static async open(store: Store): Promise<HostState> {
    return new HostState(store, await pausedIn(store));
  }

  /** Since when, milliseconds since 1970; null where it is not. Read before every call, so it is kept in memory. */
  get pausedAtMs(): number | null {
    return this.#pausedAtMs;
  }

  /**
   * In force at once, on disk when it resolves. False where it was paused before, on disk. One that rejects holds until this host ends; ask
   * again to have it written.
   */
  async pause(atMs: number): Promise<boolean> {
    this.#pauses += 1;
    this.#pausedAtMs ??= atMs;
    return await this.#next(async () => {
      const { changes } = await this.#store.write([{ sql: PAUSE, parameters: [String(Math.floor(atMs))] }]);
      if (changes[0] === 0) return false;
      // A resume was written since the earlier one.
      this.#pausedAtMs = atMs;
      return true;
    });
  }

  /** In force when it is on disk, unless somebody paused meanwhile. False where it was not paused. */
  async resume(): Promise<boolean> {
    const before = this.#pauses;
    return await this.#next(async () => {
      if (this.#pausedAtMs === null) return false;
      const { changes } = await this.#store.write([{ sql: RESUME }]);
      const isLast = before === this.#pauses;
      if (isLast) this.#pausedAtMs = null;
      // One that could not be written was in force all the same.
      return isLast || changes[0] !== 0;
    });
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const flight = this.#line.then(work);
    this.#line = flight.catch(() => {});
    return flight;
  }
}

async function pausedIn(store: Store): Promise<number | null> {
  const [row] = await store.read<{ value: string }>(READ);
  return row === undefined ? null : Number(row.value);
}
