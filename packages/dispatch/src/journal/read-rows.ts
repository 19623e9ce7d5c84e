import type { Clock, Timer } from '@fairlead/base';
import type { Statement, Store } from '@fairlead/store';
import type { DispatchLog } from '../dispatch-log.ts';
import { JOURNAL_READ_ROWS_DELAY_MS, JOURNAL_READ_ROWS_WAITING } from '../limits.ts';
import type { JournalEntry } from './journal-row.ts';

type ReadRow = { readonly entry: JournalEntry; readonly row: Statement };

/**
 * The rows of reads. A commit takes as long as the rest of a read, so a moment's rows share one: they wait for 20 ms, or
 * until a row that somebody waits for is written, which then comes after them.
 */
export class ReadRows {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #wrote: () => void;
  readonly #log: DispatchLog | undefined;
  readonly #writing = new Set<Promise<void>>();
  #waiting: ReadRow[] = [];
  #timer: Timer | undefined;

  /** `wrote` is called for each row that is in the table. */
  constructor(options: {
    readonly store: Store;
    readonly clock: Clock;
    readonly wrote: () => void;
    readonly log?: DispatchLog | undefined;
  }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#wrote = options.wrote;
    this.#log = options.log;
  }

  add(entry: JournalEntry, row: Statement): void {
    this.#timer ??= this.#clock.setTimer(JOURNAL_READ_ROWS_DELAY_MS, () => this.flush(), { unref: true });
    this.#waiting.push({ entry, row });
    if (this.#waiting.length >= JOURNAL_READ_ROWS_WAITING) this.flush();
  }

  /** Hands what waits to the store, before anything that is written after this. */
  flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const rows = this.#waiting;
    this.#waiting = [];
    if (rows.length > 0) this.#write(rows);
  }

  /** Resolves when what waits now is written. */
  async flushed(): Promise<void> {
    this.flush();
    await Promise.all(this.#writing);
  }

  /** Resolves when nothing waits and nothing is being written. */
  async settled(): Promise<void> {
    this.flush();
    while (this.#writing.size > 0) await Promise.all(this.#writing);
  }

  #write(rows: readonly ReadRow[]): void {
    const statements = rows.map(({ row }) => row);
    const write = this.#store.write(statements, 'normal').then(
      () => {
        for (const _row of rows) this.#wrote();
      },
      () => {
        for (const { entry } of rows)
          this.#log?.('warn', 'journal.read_not_written', { call: entry.id, action: entry.action });
      },
    );
    this.#writing.add(write);
    void write.then(() => this.#writing.delete(write));
  }
}
