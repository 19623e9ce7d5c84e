import type { Ceiling } from '../models/step/attempt-ledger.ts';

/** Tokens, and money in whole nano-dollars; 0 = no ceiling. */
export interface Amount {
  readonly tokens: number;
  readonly nanousd: number;
}

/** What may be used before a turn, a session, an agent's day and everybody's day end. */
export interface Ceilings {
  readonly turn: Amount;
  readonly session: Amount;
  readonly agentDay: Amount;
  readonly day: Amount;
}

/** `[limits]` as far as models are concerned. */
export interface UsageSettings {
  readonly ceilings: Ceilings;
  /** IANA name of the zone whose days count. */
  readonly zone: string;
  /** What agents may plan: how many each, and the shortest time between two firings of one, in seconds. */
  readonly schedules: { readonly perAgent: number; readonly minSecs: number };
  /** Model calls of the whole host at one time. */
  readonly modelCalls: number;
}

/** The first ceiling that `more` on top of `used` would not stay below, or null. An unpriced call has no money in it. */
export function reachedBy(
  scope: Ceiling['scope'],
  limit: Amount,
  used: Amount,
  more: { readonly tokens: number; readonly nanousd: number | null },
): Ceiling | null {
  if (limit.tokens > 0 && used.tokens + more.tokens >= limit.tokens)
    return { scope, unit: 'tokens', limit: limit.tokens, used: used.tokens };
  if (limit.nanousd > 0 && more.nanousd !== null && used.nanousd + more.nanousd >= limit.nanousd)
    return { scope, unit: 'nanousd', limit: limit.nanousd, used: used.nanousd };
  return null;
}
