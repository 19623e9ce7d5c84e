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
  JOURNAL_UNKNOWN_KEPT_MS,
} from '../limits.ts';

const ROWS_KEPT = JOURNAL_MAX_ROWS - JOURNAL_ROWS_BETWEEN_PRUNES;

/** As the index on them has it. */
const WITHOUT_EFFECT = "(is_read = 1 OR certainty = 'not_started')";
const COUNT = `SELECT count(*) AS rows, (SELECT count(*) FROM journal WHERE ${WITHOUT_EFFECT}) AS harmless FROM journal`;
const REMOVE_HARMLESS = `DELETE FROM journal WHERE seq IN
  (SELECT seq FROM journal WHERE ${WITHOUT_EFFECT} AND finished IS NOT NULL AND result_owed = 0 ORDER BY seq LIMIT ?)`;
/** An unknown end that may still be settled is one that somebody waits for. */
const REMOVE_EFFECTS = `DELETE FROM journal WHERE seq IN
  (SELECT seq FROM journal WHERE NOT ${WITHOUT_EFFECT} AND finished IS NOT NULL AND result_owed = 0
    AND NOT (certainty = 'outcome_unknown' AND settled_at IS NULL AND at > ?) ORDER BY seq LIMIT ?)`;

/**
 * Keeps the journal within its age and its number of rows, oldest finished first, a bounded share at a time. What had no effect, reads
 * and refusals, is counted apart: whoever may look must not be able to push out what others did. The row of a result that a session is
 * owed is not removed to make room. Rows lie in the order they were begun, so their age is looked at in windows that move from the
 * oldest to the newest and begin again: no index is needed, and rows that a wrong clock dated are met all the same.
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
    const [counted] = await this.#store.read<{ rows: number; harmless: number }>(COUNT);
    const harmless = counted?.harmless ?? 0;
    const effects = (counted?.rows ?? 0) - harmless;
    const removed = await this.#removeHarmless(harmless - ROWS_KEPT);
    return removed + (await this.#removeEffects(effects - ROWS_KEPT));
  }

  async #removeHarmless(excess: number): Promise<number> {
    return excess <= 0 ? 0 : await this.#remove(REMOVE_HARMLESS, [Math.min(excess, JOURNAL_ROWS_PER_PRUNE)]);
  }

  async #removeEffects(excess: number): Promise<number> {
    if (excess <= 0) return 0;
    // Where all else is gone already, they are a flood themselves.
    const isFlood = excess > JOURNAL_MAX_ROWS;
    const youngAfterMs = isFlood ? Number.MAX_SAFE_INTEGER : this.#clock.wallMs() - JOURNAL_UNKNOWN_KEPT_MS;
    return await this.#remove(REMOVE_EFFECTS, [youngAfterMs, Math.min(excess, JOURNAL_ROWS_PER_PRUNE)]);
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
