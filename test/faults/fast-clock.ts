import type { Clock } from '@fairlead/base';

/** A clock whose time passes at another rate, and whose wall clock may be wrong. */
export type FastClock = Clock & {
  /** How far the wall clock is off, in milliseconds; may be set at any moment, as a machine's clock is. */
  offsetMs: number;
};

/**
 * The machine's clock, `rate` times as fast: budgets, pauses and timers all end so much earlier, in the same order. The wall clock runs as
 * it does, `offsetMs` beside the truth.
 */
export function fastClock(rate: number): FastClock {
  return {
    offsetMs: 0,
    monotonicMs: () => performance.now() * rate,
    wallMs() {
      return Date.now() + this.offsetMs;
    },
    setTimer(delayMs, fire, options) {
      const timer = setTimeout(fire, delayMs / rate);
      if (options?.unref === true) timer.unref();
      return { cancel: () => clearTimeout(timer) };
    },
  };
}
