import type { Clock } from '@fairlead/base';
import { logLimits } from '../limits.ts';
import type { Log } from './log.ts';

/**
 * A log for what anyone can cause without a token, or a Runner with its own: so many lines in a while, then only how many more there were,
 * told with the next line that is let through. Who floods the gateway must not fill its disk.
 */
export function createRefusalLog(log: Log, clock: Clock): Log {
  let windowEndMs = 0;
  let written = 0;
  let dropped = 0;
  return (level, event, fields) => {
    const nowMs = clock.monotonicMs();
    if (nowMs >= windowEndMs) {
      if (dropped > 0) log('warn', 'refusals.not_logged', { count: dropped });
      windowEndMs = nowMs + logLimits.refusalWindowMs;
      written = 0;
      dropped = 0;
    }
    if (written >= logLimits.refusalLines) {
      dropped += 1;
      return;
    }
    written += 1;
    log(level, event, fields);
  };
}
