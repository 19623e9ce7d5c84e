import type { Clock } from '@fairlead/base';
import { schedulerLimits } from '../limits.ts';

/**
 * What came of ends that somebody waits for who cannot wait for ever, or `late` after 15 s: a turn whose end the disk does not take goes on
 * until there is room. Rejects as `ends` does in that time; what it does later is nobody's.
 */
export async function endsInTime<T>(clock: Clock, ends: Promise<T>): Promise<T | 'late'> {
  const { promise: late, resolve } = Promise.withResolvers<'late'>();
  const timer = clock.setTimer(schedulerLimits.closeMs, () => resolve('late'));
  try {
    return await Promise.race([ends, late]);
  } finally {
    timer.cancel();
  }
}
