import type { Clock, Timer } from '@fairlead/base';

/** A request whose handler runs. `end` is called when it must be answered now, whatever its handler does. */
export type RunningRequest = { readonly dueMs: number; readonly end: (why: RequestEnd) => void };

/** Why a request is answered before its handler is done. */
export type RequestEnd = 'request_timeout' | 'gateway_stopping';

/**
 * Requests whose handlers run, and the backstop that no answer is waited for longer than the limit. One timer for all of
 * them: the limit is the same for each, so they fall due in the order they came.
 */
export class RunningRequests {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #running = new Set<RunningRequest>();
  #timer: Timer | null = null;
  #whenIdle: (() => void) | null = null;

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  get size(): number {
    return this.#running.size;
  }

  begin(end: RunningRequest['end']): RunningRequest {
    const running = { dueMs: this.#clock.monotonicMs() + this.#limitMs, end };
    this.#running.add(running);
    this.#timer ??= this.#clock.setTimer(this.#limitMs, this.#sweep, { unref: true });
    return running;
  }

  /** The handler is done. False when the request was answered without it. */
  done(running: RunningRequest): boolean {
    const wasRunning = this.#running.delete(running);
    if (this.#running.size === 0) this.#whenIdle?.();
    return wasRunning;
  }

  /** Resolves when nothing runs, after `graceMs` at most; what still runs then is answered as stopping. */
  async drain(graceMs: number): Promise<void> {
    if (this.#running.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = this.#clock.setTimer(graceMs, resolve);
        this.#whenIdle = () => {
          timer.cancel();
          resolve();
        };
      });
    }
    this.#whenIdle = null;
    for (const running of [...this.#running]) this.#cut(running, 'gateway_stopping');
    this.#timer?.cancel();
    this.#timer = null;
  }

  readonly #sweep = (): void => {
    this.#timer = null;
    const nowMs = this.#clock.monotonicMs();
    for (const running of this.#running) {
      if (running.dueMs > nowMs) {
        this.#timer = this.#clock.setTimer(running.dueMs - nowMs, this.#sweep, { unref: true });
        return;
      }
      this.#cut(running, 'request_timeout');
    }
  };

  #cut(running: RunningRequest, why: RequestEnd): void {
    this.#running.delete(running);
    running.end(why);
  }
}
