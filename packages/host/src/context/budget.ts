import { contextLimits } from '../limits.ts';
import type { HostModel } from '../models/models.ts';

/** Tokens of one request. */
export interface Budget {
  /** For everything that is sent. */
  readonly input: number;
  /** What the reply may have. */
  readonly maxTokens: number;
}

/**
 * What fits into the model's window and the agent's own bound, less what the reply needs and a part that stays free, because an estimate is
 * none of the model's own counts.
 */
export function budgetOf(
  { contextWindow, maxTokens }: Pick<HostModel, 'contextWindow' | 'maxTokens'>,
  maxContextTokens = Number.POSITIVE_INFINITY,
): Budget {
  const limit = Math.min(contextWindow, maxContextTokens);
  const reply = Math.min(maxTokens, Math.floor(limit / contextLimits.replyPart));
  return {
    input: limit - reply - Math.floor(limit / contextLimits.sparePart),
    maxTokens: Math.max(1, Math.min(maxTokens, Math.floor(contextWindow / contextLimits.replyPart))),
  };
}
