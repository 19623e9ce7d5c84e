import { storeError } from '../errors.ts';
import { CLOCK_LIMIT, CLOCK_REACH_MS, CLOCK_STEPS_PER_MS } from '../limits.ts';

/** A wall clock's time as the first step of its millisecond. */
export function clockAt(wallMs: number): number {
  return Math.max(1, Math.floor(wallMs) * CLOCK_STEPS_PER_MS);
}

/** The last step that belongs to a millisecond: everything up to it happened by then, as its writers say. */
export function clockUpTo(wallMs: number): number {
  return (Math.floor(wallMs) + 1) * CLOCK_STEPS_PER_MS - 1;
}

/** How far a clock at `hlc` follows others. */
export function reachOf(hlc: number): number {
  return hlc + CLOCK_REACH_MS * CLOCK_STEPS_PER_MS;
}

/** The next reading: the wall clock's, or one step above the highest of what the commit must follow. Throws `commit_clock_invalid`. */
export function nextClock(wallMs: number, above: number): number {
  const next = Math.max(clockAt(wallMs), above + 1);
  if (next >= CLOCK_LIMIT) throw storeError('commit_clock_invalid');
  return next;
}
