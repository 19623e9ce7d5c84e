import type { Clock } from '@fairlead/base';
import { rateLimits } from '../limits.ts';

export type RateVerdict =
  | { readonly ok: true }
  /** `afterMs`: when the same call may pass; absent where it never does. */
  | { readonly ok: false; readonly code: 'rate_limited'; readonly afterMs?: number };

/** The moments of the calls of one subject and tool, oldest first; those before `head` have left the window. */
interface Window {
  readonly calls: number[];
  head: number;
}

/**
 * Counts calls in a sliding minute, for each agent or principal and tool, across turns and sessions. It keeps a bounded number of them: where
 * that is reached a caller who is not known yet waits, so that nobody loses a count by being forgotten.
 */
export class RateLimiter {
  readonly #clock: Clock;
  readonly #windows = new Map<string, Window>();
  #calls = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes one call of `tool` by `subject`. `perMinute`: undefined is unlimited and not counted, 0 refuses all. A refused call does not count. */
  take(subject: string, tool: string, perMinute: number | undefined): RateVerdict {
    if (perMinute === undefined) return { ok: true };
    if (perMinute <= 0) return { ok: false, code: 'rate_limited' };
    const now = this.#clock.monotonicMs();
    const key = JSON.stringify([subject, tool]);
    const known = this.#windows.get(key);
    if (known !== undefined) this.#forget(known, now);
    const count = known === undefined ? 0 : known.calls.length - known.head;
    const limit = Math.min(perMinute, rateLimits.perMinuteMax);
    if (known !== undefined && count >= limit)
      // The one that must leave first: with a lowered limit that is not the oldest.
      return refused(this.#leaves(known.calls[known.calls.length - limit] ?? now, now));
    if (!this.#hasRoom(known === undefined, now)) return refused(rateLimits.windowMs);
    const window = known ?? { calls: [], head: 0 };
    window.calls.push(now);
    this.#calls += 1;
    if (known === undefined) this.#windows.set(key, window);
    return { ok: true };
  }

  #leaves(call: number, now: number): number {
    return call + rateLimits.windowMs - now;
  }

  #hasRoom(isNew: boolean, now: number): boolean {
    const isFull = () =>
      this.#calls >= rateLimits.calls || (isNew && this.#windows.size >= rateLimits.subjects);
    if (!isFull()) return true;
    for (const [key, window] of this.#windows) {
      this.#forget(window, now);
      if (window.calls.length === window.head) this.#windows.delete(key);
    }
    return !isFull();
  }

  #forget(window: Window, now: number): void {
    const { calls } = window;
    const before = window.head;
    while (window.head < calls.length && (calls[window.head] ?? 0) + rateLimits.windowMs <= now)
      window.head += 1;
    this.#calls -= window.head - before;
    // Moved together now and then: each call is moved once on average.
    if (window.head * 2 < calls.length) return;
    calls.splice(0, window.head);
    window.head = 0;
  }
}

function refused(afterMs: number): RateVerdict {
  return { ok: false, code: 'rate_limited', afterMs };
}
