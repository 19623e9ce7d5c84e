import type { Clock, Timer } from '@fairlead/base';
import type { Store } from '@fairlead/store';
import type { DispatchLog } from '../dispatch-log.ts';
import {
  JOURNAL_MAX_AGE_MS,
  JOURNAL_MAX_ROWS,
  JOURNAL_PRUNE_AGAIN_MS,
  JOURNAL_PRUNE_INTERVAL_MS,
  JOURNAL_ROWS_BETWEEN_PRUNES,
  JOURNAL_ROWS_PER_PRUNE,
} from '../limits.ts';

const ROWS_KEPT = JOURNAL_MAX_ROWS - JOURNAL_ROWS_BETWEEN_PRUNES;

/**
 * Keeps the journal within its age and its number of rows, oldest finished first, a bounded share at a time. Rows lie in the
 * order they were begun, so their age is looked at in windows that move from the oldest to the newest and begin again:
 * no index is needed, and rows that a wrong clock dated are met all the same.
 */
export class JournalPruner {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: DispatchLog | undefined;
  #written = 0;
  #window = 0;
  #timer: Timer | undefined;
  #running: Promise<number> | undefined;
  #closed = false;

  constructor(options: { readonly store: Store; readonly clock: Clock; readonly log?: DispatchLog }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#log = options.log;
  }

  /** Begins to prune by time as well. */
  start(): void {
    this.#schedule(JOURNAL_PRUNE_AGAIN_MS);
  }

  /** Counts a new row. */
  wrote(): void {
    this.#written += 1;
    if (this.#written >= JOURNAL_ROWS_BETWEEN_PRUNES && !this.#closed) void this.prune();
  }

  /** One share; the one under way, where there is one. Never rejects: the next run finds what this one left. */
  prune(): Promise<number> {
    this.#running ??= this.#share().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    await this.#running;
  }

  async #share(): Promise<number> {
    this.#written = 0;
    let removed = 0;
    try {
      removed = (await this.#removeExcess()) + (await this.#removeOld());
    } catch {
      this.#log?.('warn', 'journal.not_pruned');
    }
    this.#schedule(removed >= JOURNAL_ROWS_PER_PRUNE ? JOURNAL_PRUNE_AGAIN_MS : JOURNAL_PRUNE_INTERVAL_MS);
    return removed;
  }

  async #removeExcess(): Promise<number> {
    const [counted] = await this.#store.read<{ rows: number }>('SELECT count(*) AS rows FROM journal');
    const excess = Math.min((counted?.rows ?? 0) - ROWS_KEPT, JOURNAL_ROWS_PER_PRUNE);
    if (excess <= 0) return 0;
    return await this.#remove(
      'DELETE FROM journal WHERE seq IN (SELECT seq FROM journal WHERE finished IS NOT NULL ORDER BY seq LIMIT ?)',
      [excess],
    );
  }

  async #removeOld(): Promise<number> {
    const [window] = await this.#store.read<{ last: number | null; rows: number }>(
      'SELECT max(seq) AS last, count(*) AS rows FROM (SELECT seq FROM journal WHERE seq > ? ORDER BY seq LIMIT ?)',
      [this.#window, JOURNAL_ROWS_PER_PRUNE],
    );
    const first = this.#window;
    const last = window?.last ?? null;
    this.#window = last === null || window?.rows !== JOURNAL_ROWS_PER_PRUNE ? 0 : last;
    if (last === null) return 0;
    return await this.#remove('DELETE FROM journal WHERE seq > ? AND seq <= ? AND finished < ?', [
      first,
      last,
      this.#clock.wallMs() - JOURNAL_MAX_AGE_MS,
    ]);
  }

  async #remove(sql: string, parameters: readonly number[]): Promise<number> {
    const { changes } = await this.#store.write([{ sql, parameters }], 'normal');
    return changes[0] ?? 0;
  }

  #schedule(delayMs: number): void {
    this.#timer?.cancel();
    if (this.#closed) return;
    this.#timer = this.#clock.setTimer(delayMs, () => void this.prune(), { unref: true });
  }
}
