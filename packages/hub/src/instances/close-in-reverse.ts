import type { Clock } from '@fairlead/base';
import { hubLimits } from '../limits.ts';
import type { Slot } from './slot.ts';

/**
 * Ends instances one after another, the last one opened first, so that what an instance leans on ends after it. When 10 s have passed, all
 * that is left is asked to end at the same time. Never rejects.
 */
export async function closeInReverse(
  slots: readonly Slot[],
  clock: Clock,
  close: (slot: Slot) => Promise<void>,
): Promise<void> {
  const endMs = clock.monotonicMs() + hubLimits.teardownMs;
  const left = [...slots].sort((one, other) => other.born - one.born);
  for (let slot = left.shift(); slot !== undefined; slot = left.shift()) {
    if (clock.monotonicMs() < endMs) await close(slot);
    else await Promise.all([slot, ...left.splice(0)].map(close));
  }
}
