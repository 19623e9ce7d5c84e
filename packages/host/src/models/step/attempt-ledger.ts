import type { ModelUsage } from '../model.ts';

/** A ceiling that is reached: whose it is, in what it counts, and where it stands. Money is whole nano-dollars. */
export interface Ceiling {
  readonly scope: 'turn' | 'session' | 'agent_day' | 'day';
  readonly unit: 'tokens' | 'nanousd';
  readonly limit: number;
  /** What is used and reserved, without what was asked for. */
  readonly used: number;
}

/** What an attempt cost, as far as it is known. */
export type AttemptCost =
  | { readonly known: true; readonly usage: ModelUsage }
  /** The estimate of the prompt stands, and beside it what came of the reply, in tokens, about. */
  | { readonly known: false; readonly output: number };

/** One attempt that was let through. */
export interface OpenAttempt {
  /** Corrects what was written before the attempt; called once, however it ended. Gives what it cost. */
  settle(cost: AttemptCost): Promise<{ readonly nanousd: number | null }>;
}

/** Where attempts are written down before they are made, and refused where a ceiling is reached. */
export interface AttemptLedger {
  open(estimate: {
    /** Tokens of the prompt, about. */
    readonly input: number;
  }): Promise<
    { readonly ok: true; readonly attempt: OpenAttempt } | { readonly ok: false; readonly ceiling: Ceiling }
  >;
}
