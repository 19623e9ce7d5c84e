import type { FairleadError } from '@fairlead/base';
import type { RecordId } from '@fairlead/store';
import type { NextTurn, PendingWake } from '../sessions/wakes.ts';
import type { TurnOptions, TurnReport } from '../turn/turn-options.ts';

/** What somebody who waits for an answer adds to the turn that gives it. */
export type TurnExtras = Pick<TurnOptions, 'model' | 'preApproved' | 'attended'>;

/** How a claim ended: a turn answered, or none did. */
export type ClaimEnd =
  | { readonly turn: string; readonly report: TurnReport }
  | { readonly turn: null; readonly reason: FairleadError };

/** An entry of which somebody waits for the answer: it gets a turn of its own, so that what was approved for it serves nothing else. */
export interface TurnClaim {
  readonly entry: RecordId;
  readonly agent: string;
  readonly extras: TurnExtras;
  settle(end: ClaimEnd): void;
  fail(error: unknown): void;
}

/** What comes next, where some of what waits is claimed: that is answered alone. */
export function cutAtClaim(
  next: NextTurn,
  claimOf: (wake: PendingWake) => TurnClaim | undefined,
): { readonly next: NextTurn; readonly claim?: TurnClaim } {
  const at = next.wakes.findIndex((wake) => claimOf(wake) !== undefined);
  if (at < 0) return { next };
  const [first] = next.wakes;
  if (at > 0 || first === undefined) return { next: { ...next, wakes: next.wakes.slice(0, at) } };
  const claim = claimOf(first);
  const alone = { ...next, wakes: [first] };
  return claim === undefined ? { next: alone } : { next: alone, claim };
}
