import type { Clock, Timer } from '@fairlead/base';
import type { Statement, Store } from '@fairlead/store';
import type { DispatchLog } from '../dispatch-log.ts';
import { JOURNAL_OWED_AGAIN_MS, JOURNAL_OWED_TOGETHER } from '../limits.ts';
import { type JournalEnd, settleRow } from './journal-row.ts';

type OwedEnd = JournalEnd & { readonly atMs: number };

/** Rows that a commit takes along: the caller says `written` when it is there. */
export type OwedRows = { readonly ids: readonly string[]; readonly statements: readonly Statement[] };

const NONE: OwedRows = Object.freeze({ ids: [], statements: [] });

/**
 * Ends of effects that the disk did not take. Until it does they are known here, so that nobody is told that such an effect is
 * still running. They are tried again each second and go along with the next intent, which is not written without them: so
 * there are never more than effects were under way together. What is owed when the host dies is found at its next start.
 */
export class OwedEnds {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: DispatchLog | undefined;
  readonly #told: (id: string, end: JournalEnd) => void;
  readonly #owed = new Map<string, OwedEnd>();
  #timer: Timer | undefined;
  #writing: Promise<void> | undefined;
  #closed = false;

  /** `told` hears of each end that the table has now. */
  constructor(options: {
    readonly store: Store;
    readonly clock: Clock;
    readonly told: (id: string, end: JournalEnd) => void;
    readonly log?: DispatchLog | undefined;
  }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#told = options.told;
  }

  add(id: string, end: JournalEnd, atMs: number): void {
    this.#owed.set(id, { ...end, atMs });
    this.#schedule();
  }

  /** How an effect ended whose row does not say so yet. */
  of(id: string): JournalEnd | undefined {
    return this.#owed.get(id);
  }

  /** The oldest of what is owed, for a commit that is made anyway. */
  rows(): OwedRows {
    if (this.#owed.size === 0) return NONE;
    const oldest = [...this.#owed].slice(0, JOURNAL_OWED_TOGETHER);
    return {
      ids: oldest.map(([id]) => id),
      statements: oldest.map(([id, end]) => settleRow(id, end.atMs, end)),
    };
  }

  /** A commit took these along. */
  written({ ids }: OwedRows): void {
    let rows = 0;
    for (const id of ids) {
      const end = this.#owed.get(id);
      if (!this.#owed.delete(id) || end === undefined) continue;
      rows += 1;
      this.#told(id, { certainty: end.certainty, code: end.code });
    }
    if (rows > 0) this.#log?.('info', 'journal.outcomes_written', { rows });
  }

  /** Tries once more, and then no more. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    await this.#writing;
    while (this.#owed.size > 0 && (await this.#write()));
  }

  #schedule(): void {
    if (this.#closed || this.#timer !== undefined || this.#owed.size === 0) return;
    const again = (): void => {
      this.#timer = undefined;
      this.#writing = this.#write().then(() => this.#schedule());
    };
    this.#timer = this.#clock.setTimer(JOURNAL_OWED_AGAIN_MS, again, { unref: true });
  }

  async #write(): Promise<boolean> {
    const rows = this.rows();
    if (rows.ids.length === 0) return true;
    try {
      await this.#store.write(rows.statements, 'full');
    } catch {
      return false;
    }
    this.written(rows);
    return true;
  }
}
