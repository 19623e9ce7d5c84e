import type { Clock } from '@fairlead/base';
import type { Statement, Store } from '@fairlead/store';
import { hubLimits } from '../limits.ts';
import type { Report } from '../report.ts';
import { pauseMs } from './backoff.ts';
import type { Failure, FailureScope } from './failure.ts';
import { cutReason, faultOf } from './fault.ts';

export interface FailureBookOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly report: Report;
  /** Hides what no reason may hold. Default: nothing. */
  readonly mask?: (text: string) => string;
}

/** What failed, where it failed, and whether the next use tries again. */
export interface NewFailure {
  readonly name: string;
  readonly scope: FailureScope;
  readonly key: string;
  readonly code: string;
  readonly reason: string;
  /** False where only a reload tries again. Default true. */
  readonly retried?: boolean;
  /** How often it was in vain, where somebody else counts. Default: once more than before. */
  readonly tries?: number;
}

interface Row {
  readonly name: string;
  readonly scope: FailureScope;
  readonly key: string;
  readonly code: string;
  readonly reason: string;
  readonly tries: number;
  readonly next_try_ms: number | null;
}

interface Entry {
  readonly failure: Failure;
  /** Monotonic; undefined where only a reload tries again. */
  readonly dueMs: number | undefined;
}

/**
 * What does not run here and why: kept in memory for whoever asks, and written to `extension_failures` behind it. At most 4,096; the
 * oldest give way.
 */
export class FailureBook {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #report: Report;
  readonly #mask: (text: string) => string;
  /** Oldest first. */
  readonly #entries = new Map<string, Entry>();
  #written: Promise<void> = Promise.resolve();

  private constructor({ store, clock, report, mask = (text) => text }: FailureBookOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#report = report;
    this.#mask = mask;
  }

  /** Reads what an earlier start left. All of it is due: a restart tries again at once. Rejects with a code of the store's. */
  static async open(options: FailureBookOptions): Promise<FailureBook> {
    const book = new FailureBook(options);
    const rows = await options.store.read<Row>(
      'SELECT name, scope, key, code, reason, tries, next_try_ms FROM extension_failures LIMIT ?',
      [hubLimits.maxFailures],
    );
    const nowMs = options.clock.monotonicMs();
    for (const { next_try_ms: nextTryMs, ...rest } of rows)
      book.#entries.set(keyOf(rest.name, rest.scope, rest.key), {
        failure: Object.freeze({ ...rest, nextTryMs }),
        dueMs: nextTryMs === null ? undefined : nowMs,
      });
    return book;
  }

  /** Notes a failure, or one more of the same, which doubles the pause. */
  record({ name, scope, key, code, reason, retried = true, tries: counted }: NewFailure): Failure {
    const id = keyOf(name, scope, key);
    const tries = counted ?? (this.#entries.get(id)?.failure.tries ?? 0) + 1;
    const pause = retried ? pauseMs(tries) : undefined;
    const failure: Failure = Object.freeze({
      name,
      scope,
      key,
      code,
      reason: cutReason(this.#mask(reason)),
      tries,
      nextTryMs: pause === undefined ? null : Math.round(this.#clock.wallMs() + pause),
    });
    this.#entries.delete(id);
    this.#entries.set(id, {
      failure,
      dueMs: pause === undefined ? undefined : this.#clock.monotonicMs() + pause,
    });
    const statements: Statement[] = [
      {
        sql: `INSERT OR REPLACE INTO extension_failures (name, scope, key, code, reason, tries, next_try_ms)
          VALUES (?, ?, ?, ?, ?, ?, ?)`,
        parameters: [name, scope, key, code, failure.reason, tries, failure.nextTryMs],
      },
    ];
    for (const [oldest, { failure: gone }] of this.#entries) {
      if (this.#entries.size <= hubLimits.maxFailures) break;
      this.#entries.delete(oldest);
      statements.push(removal(gone));
    }
    this.#write(statements);
    return failure;
  }

  of(name: string, scope: FailureScope, key: string): Failure | undefined {
    return this.#entries.get(keyOf(name, scope, key))?.failure;
  }

  /** Every failure, by name, then in the order in which they came. */
  all(): readonly Failure[] {
    return [...this.#entries.values()]
      .map(({ failure }) => failure)
      .sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
  }

  /** Whether it may be tried now: nothing has failed there, or its pause is over. */
  isDue(name: string, scope: FailureScope, key: string): boolean {
    const entry = this.#entries.get(keyOf(name, scope, key));
    return entry === undefined || (entry.dueMs !== undefined && entry.dueMs <= this.#clock.monotonicMs());
  }

  /** When the next pause at a place ends, by the monotonic clock; pauses that are over do not count. */
  nextDueMs(scope: FailureScope, key: string): number | undefined {
    const nowMs = this.#clock.monotonicMs();
    let earliest: number | undefined;
    for (const { failure, dueMs } of this.#entries.values())
      if (failure.scope === scope && failure.key === key && dueMs !== undefined && dueMs > nowMs)
        earliest = Math.min(earliest ?? dueMs, dueMs);
    return earliest;
  }

  /** It works: what had failed there is forgotten. */
  clear(name: string, scope: FailureScope, key: string): void {
    const id = keyOf(name, scope, key);
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    this.#write([removal(entry.failure)]);
  }

  /** An extension is gone, or begins anew: every failure of it is forgotten. */
  clearAll(name: string): void {
    let found = false;
    for (const [id, { failure }] of this.#entries) {
      if (failure.name !== name) continue;
      this.#entries.delete(id);
      found = true;
    }
    if (found) this.#write([{ sql: 'DELETE FROM extension_failures WHERE name = ?', parameters: [name] }]);
  }

  /** Forgets what an earlier start left of extensions that are not installed any more. */
  retain(names: ReadonlySet<string>): void {
    for (const name of new Set([...this.#entries.values()].map(({ failure }) => failure.name)))
      if (!names.has(name)) this.clearAll(name);
  }

  /** Settles when everything noted so far is written, or was reported as not written. */
  flush(): Promise<void> {
    return this.#written;
  }

  #write(statements: readonly Statement[]): void {
    // What fails is known until the host ends; it is no reason to fail what was noted.
    const written = this.#store.write(statements, 'normal').then(
      () => {},
      (thrown: unknown) => {
        const { reason } = faultOf(thrown, 'failure_not_written');
        this.#report({ code: 'failure_not_written', reason });
      },
    );
    this.#written = this.#written.then(() => written);
  }
}

function keyOf(name: string, scope: FailureScope, key: string): string {
  return `${name} ${scope} ${key}`;
}

function removal({ name, scope, key }: Failure): Statement {
  return {
    sql: 'DELETE FROM extension_failures WHERE name = ? AND scope = ? AND key = ?',
    parameters: [name, scope, key],
  };
}
