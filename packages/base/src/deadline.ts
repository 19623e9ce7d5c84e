import type { Clock } from './clock.ts';

/** One absolute end that several waits share, on the monotonic clock. */
export type Deadline = {
  /** When it passes, in the clock's monotonic milliseconds. */
  readonly atMs: number;
  /** Milliseconds left, 0 once passed. */
  remainingMs(): number;
  passed(): boolean;
};

/** A deadline `budgetMs` from now. */
export function deadlineAfter(clock: Clock, budgetMs: number): Deadline {
  const atMs = clock.monotonicMs() + budgetMs;
  return {
    atMs,
    remainingMs: () => Math.max(0, atMs - clock.monotonicMs()),
    passed: () => clock.monotonicMs() >= atMs,
  };
}
