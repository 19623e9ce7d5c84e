import type { Clock, Json, Timer } from '@fairlead/base';
import { storeError } from '../errors.ts';
import {
  CONSUMER_RETRY_MAX_MS,
  CONSUMER_RETRY_MS,
  CURSOR_IDLE_MS,
  CURSOR_WRITES,
  FEED_PAGE,
} from '../limits.ts';
import type { Arrival, LogEngine } from '../log/log-engine.ts';
import type { DatabaseKind } from '../log/names.ts';
import type { Op } from '../log/op.ts';
import type { Origin } from '../log/unit.ts';
import type { Report } from './report.ts';

/** A commit as it took effect on this peer: written here, come from another, or undone by rights that arrived later. */
export type Write = {
  /** This peer's arrival number. A later write has a higher one. */
  readonly cursor: number;
  readonly database: string;
  readonly kind: DatabaseKind;
  readonly origin: Origin;
  readonly author: string;
  readonly peer: string;
  readonly seq: number;
  readonly hlc: number;
  /** Place n of the list is what `<author>:<seq>:<n>` names. Operations of a newer version are among them. */
  readonly ops: readonly (Op | { readonly op: string })[];
};

export type WriteConsumer = (write: Write) => void | Promise<void>;

/** Stops a consumer, after what it is doing, and keeps how far it came. */
export type Off = {
  (): Promise<void>;
  /** Resolves when it has consumed every write that there was at the call; those that came meanwhile may be among them. */
  caughtUp(): Promise<void>;
};

/** Hands every write to its consumers: after the commit, outside of any lock, in order, at least once. */
export class WriteFeed {
  readonly #engine: LogEngine;
  readonly #clock: Clock;
  readonly #report: Report;
  readonly #consumers = new Map<string, Consumer>();

  constructor(options: { readonly engine: LogEngine; readonly clock: Clock; readonly report: Report }) {
    this.#engine = options.engine;
    this.#clock = options.clock;
    this.#report = options.report;
  }

  /** Starts a consumer where it stopped under this name; a new one from now on, or from the first write. */
  async add(name: string, consume: WriteConsumer, from: 'now' | 'start'): Promise<Off> {
    if (this.#consumers.has(name)) throw storeError('consumer_taken');
    const consumer = new Consumer(name, consume, {
      engine: this.#engine,
      clock: this.#clock,
      report: this.#report,
    });
    this.#consumers.set(name, consumer);
    try {
      await consumer.start(from);
    } catch (error) {
      this.#consumers.delete(name);
      throw error;
    }
    const off = async () => {
      if (this.#consumers.get(name) === consumer) this.#consumers.delete(name);
      await consumer.stop();
    };
    return Object.assign(off, { caughtUp: () => consumer.caughtUp() });
  }

  wake(): void {
    for (const consumer of this.#consumers.values()) consumer.wake();
  }

  async close(): Promise<void> {
    const consumers = [...this.#consumers.values()];
    this.#consumers.clear();
    await Promise.all(consumers.map((consumer) => consumer.stop()));
  }
}

class Consumer {
  readonly #name: string;
  readonly #consume: WriteConsumer;
  readonly #engine: LogEngine;
  readonly #clock: Clock;
  readonly #report: Report;
  #cursor = 0;
  #saved = 0;
  #running: Promise<void> | undefined;
  #again = false;
  #stopped = false;
  #idle: Timer | undefined;
  #pause: { readonly timer: Timer; readonly end: () => void } | undefined;

  constructor(
    name: string,
    consume: WriteConsumer,
    by: { readonly engine: LogEngine; readonly clock: Clock; readonly report: Report },
  ) {
    this.#name = name;
    this.#consume = consume;
    this.#engine = by.engine;
    this.#clock = by.clock;
    this.#report = by.report;
  }

  async start(from: 'now' | 'start'): Promise<void> {
    const known = await this.#engine.cursor(this.#name);
    this.#cursor = known ?? (from === 'now' ? this.#engine.lastArrival() : 0);
    this.#saved = this.#cursor;
    if (known === undefined) await this.#engine.setCursor(this.#name, this.#cursor);
    this.wake();
  }

  wake(): void {
    this.#again = true;
    if (this.#running !== undefined || this.#stopped) return;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      if (this.#again && !this.#stopped) this.wake();
    });
  }

  async caughtUp(): Promise<void> {
    this.wake();
    while (this.#running !== undefined) await this.#running;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#idle?.cancel();
    this.#pause?.timer.cancel();
    this.#pause?.end();
    await this.#running;
    await this.#save();
  }

  async #run(): Promise<void> {
    // Never within the turn in which the write was acknowledged: its writer goes first.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#again && !this.#stopped) {
      this.#again = false;
      const arrivals = await this.#read();
      if (arrivals.length > 0) this.#again = true;
      for (const arrival of arrivals) {
        if (this.#stopped) return;
        if (!(await this.#hand(writeOf(arrival)))) return;
        this.#cursor = arrival.n;
        if (this.#cursor - this.#saved >= CURSOR_WRITES) await this.#save();
      }
    }
    this.#saveWhenIdle();
  }

  async #read(): Promise<readonly Arrival[]> {
    try {
      return await this.#engine.arrivals(this.#cursor, FEED_PAGE);
    } catch (cause) {
      this.#report({ code: 'consumer_failed', consumer: this.#name, retryMs: 0, cause });
      return [];
    }
  }

  /** Until it has been consumed, or the consumer is stopped: then false. */
  async #hand(write: Write): Promise<boolean> {
    for (let retryMs = CONSUMER_RETRY_MS; ; retryMs = Math.min(retryMs * 2, CONSUMER_RETRY_MAX_MS)) {
      try {
        await this.#consume(write);
        return true;
      } catch (cause) {
        this.#report({ code: 'consumer_failed', consumer: this.#name, retryMs, cause });
      }
      await this.#wait(retryMs);
      if (this.#stopped) return false;
    }
  }

  async #wait(ms: number): Promise<void> {
    if (this.#stopped) return;
    await new Promise<void>((resolve) => {
      this.#pause = { timer: this.#clock.setTimer(ms, resolve, { unref: true }), end: resolve };
    });
    this.#pause = undefined;
  }

  #saveWhenIdle(): void {
    if (this.#stopped || this.#idle !== undefined || this.#cursor === this.#saved) return;
    this.#idle = this.#clock.setTimer(
      CURSOR_IDLE_MS,
      () => {
        this.#idle = undefined;
        void this.#save();
      },
      { unref: true },
    );
  }

  /** A cursor that could not be kept costs a write that is handed over twice. */
  async #save(): Promise<void> {
    if (this.#cursor === this.#saved) return;
    const cursor = this.#cursor;
    try {
      await this.#engine.setCursor(this.#name, cursor);
      this.#saved = cursor;
    } catch {
      // The next one is kept, or nothing is: either way everything behind the kept one comes again.
    }
  }
}

export function writeOf(arrival: Arrival): Write {
  const { n, root, kind, origin, author, peer, seq, hlc, ops } = arrival;
  const parsed = JSON.parse(ops) as readonly Json[] as Write['ops'];
  return { cursor: n, database: root, kind, origin, author, peer, seq, hlc, ops: parsed };
}
