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
  #calls = 0;
  #whenIdle: (() => void)[] = [];

  constructor(database: Database, name: string) {
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

  /** Counts a call in; whoever does counts it out. */
  enter(): void {
    this.#calls += 1;
  }

  leave(): void {
    this.#calls -= 1;
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
