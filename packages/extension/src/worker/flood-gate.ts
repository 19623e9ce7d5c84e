import type { Clock } from '../clock.ts';
import { floodLimits } from '../limits.ts';

/**
 * How much a worker may say unasked: a bucket that fills as time goes by. Whoever empties it would take the host's thread and memory with
 * what is still on the way.
 */
export class FloodGate {
  readonly #clock: Clock;
  #left: number = floodLimits.burst;
  #lookedMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#lookedMs = clock.monotonicMs();
  }

  /** Takes a frame of so many UTF-16 units into account; false when it was one too many. */
  take(length: number): boolean {
    const nowMs = this.#clock.monotonicMs();
    const grown = this.#left + ((nowMs - this.#lookedMs) * floodLimits.perSecond) / 1000;
    this.#lookedMs = nowMs;
    this.#left = Math.min(floodLimits.burst, grown) - 1 - length / floodLimits.unitsPerToken;
    return this.#left >= 0;
  }
}
