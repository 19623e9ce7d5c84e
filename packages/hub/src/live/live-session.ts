import type { Clock } from '@fairlead/base';
import type { Database } from '@fairlead/store';
import type { ScopeOf } from '../instances/live-instance.ts';
import type { CachedSet } from './cached-set.ts';
import type { LiveSnapshot } from './live-snapshot.ts';

/** A session that is open here: what its live sets share, and the calls that run in it. */
export class LiveSession {
  readonly id: string;
  readonly name: string;
  readonly database: Database;
  /** The newest live set for each agent; "" is without one. */
  readonly sets = new Map<string, CachedSet>();
  /** Live sets that are being built, by agent. */
  readonly building = new Map<string, Promise<LiveSnapshot>>();
  /** How instances of this session are kept. */
  readonly scope: ScopeOf;
  readonly #closing = new AbortController();
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #calls = 0;
  #leases = 0;
  #usedMs: number;
  #whenIdle: (() => void)[] = [];

  constructor(database: Database, name: string, clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
    this.#usedMs = clock.monotonicMs();
    this.id = database.root;
    this.name = name;
    this.database = database;
    this.scope = Object.freeze({ kind: 'session', key: database.root, name });
  }

  /** No call begins any more. */
  get isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Aborts when the session closes: what runs is cancelled, and still says how it ended. */
  get signal(): AbortSignal {
    return this.#closing.signal;
  }

  /** Whether a call runs in it, or somebody holds a live set of it. */
  get isInUse(): boolean {
    return this.#calls > 0 || this.#leases > 0;
  }

  /** When it was used last, by the monotonic clock. */
  get usedMs(): number {
    return this.isInUse ? this.#clock.monotonicMs() : this.#usedMs;
  }

  /** It is about to be used. */
  touch(): void {
    this.#usedMs = this.#clock.monotonicMs();
  }

  /** Counts a live set in; whoever does counts it out. Closing does not wait for it. */
  hold(): void {
    this.#leases += 1;
  }

  drop(): void {
    this.#leases -= 1;
    this.touch();
  }

  /** Counts a call in; whoever does counts it out. */
  enter(): void {
    this.#calls += 1;
  }

  leave(): void {
    this.#calls -= 1;
    this.touch();
    if (this.#calls > 0) return;
    for (const settle of this.#whenIdle.splice(0)) settle();
  }

  /** Cancels what runs; settles when every call has said how it ended. */
  close(): Promise<void> {
    this.#closing.abort();
    if (this.#calls === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }
}
