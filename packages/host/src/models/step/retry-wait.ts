import type { Random } from '@fairlead/base';
import { modelLimits } from '../../limits.ts';
import type { ModelFault } from '../model.ts';

/**
 * How long to wait before the next attempt, or null where there is none: the fault is final, `maxRetries` are used up, or the back
 * end asks for more than 60 s. `broken`: attempts that were broken before this one. Never less than the back end asked for.
 */
export function retryWaitMs(
  fault: ModelFault,
  broken: number,
  maxRetries: number,
  random: Random,
): number | null {
  const { retryMs, retryMaxMs, retryAfterMaxMs, jitter } = modelLimits;
  if (!fault.retryable || broken >= maxRetries) return null;
  const { afterMs = 0 } = fault;
  if (afterMs > retryAfterMaxMs) return null;
  const chosen = Math.min(retryMaxMs, retryMs * 2 ** broken);
  const chance = (random(1)[0] ?? 0) / 255;
  return Math.max(afterMs, Math.round(chosen * (1 - jitter * chance)));
}
