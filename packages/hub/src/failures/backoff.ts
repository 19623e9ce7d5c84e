import { hubLimits } from '../limits.ts';

/** Milliseconds from the nth failure in a row, 1 or more, to the next try: 1 s, doubled each time, 5 minutes at most. */
export function pauseMs(tries: number): number {
  return Math.min(hubLimits.retryMs * 2 ** (tries - 1), hubLimits.retryMaxMs);
}
