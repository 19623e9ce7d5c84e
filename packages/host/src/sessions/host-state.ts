import type { Store } from '@fairlead/store';

const READ = "SELECT value FROM host_state WHERE name = 'paused'";
const PAUSE = `INSERT INTO host_state (name, value) VALUES ('paused', ?) ON CONFLICT DO NOTHING`;
const RESUME = "DELETE FROM host_state WHERE name = 'paused'";

/** Whether this host is paused: no new turn, firing or call starts. It survives a restart. */
export class HostState {
  readonly #store: Store;
  #pausedAtMs: number | null;

  private constructor(store: Store, pausedAtMs: number | null) {
    this.#store = store;
    this.#pausedAtMs = pausedAtMs;
  }

  /** Rejects with a code of the store. */
  static async open(store: Store): Promise<HostState> {
    const [row] = await store.read<{ value: string }>(READ);
    return new HostState(store, row === undefined ? null : Number(row.value));
  }

  /** Since when, milliseconds since 1970; null where it is not. Read before every call, so it is kept in memory. */
  get pausedAtMs(): number | null {
    return this.#pausedAtMs;
  }

  /** In force at once, on disk when it resolves. False where it was paused before. */
  async pause(atMs: number): Promise<boolean> {
    if (this.#pausedAtMs !== null) return false;
    this.#pausedAtMs = atMs;
    await this.#store.write([{ sql: PAUSE, parameters: [String(Math.floor(atMs))] }]);
    return true;
  }

  /** In force when it is on disk. False where it was not paused. */
  async resume(): Promise<boolean> {
    if (this.#pausedAtMs === null) return false;
    await this.#store.write([{ sql: RESUME }]);
    this.#pausedAtMs = null;
    return true;
  }
}
