import { callerOf } from './agent-configuration.ts';
import type { RoundPlan } from './plan.ts';

/** What the calls of one round are called, and who makes those that agents make. No two rounds of a fleet share a name. */
export type RoundNames = {
  /** What the ledger, and a schedule, have for each call. */
  readonly calls: readonly string[];
  /** The agent that would make each call. */
  readonly agents: readonly string[];
};

/** `tag`: of this round alone. `place`: how many rounds its fleet had been through. */
export function namesOf(
  { calls }: Pick<RoundPlan, 'calls'>,
  { tag, place }: { readonly tag: string; readonly place: number },
): RoundNames {
  return {
    calls: calls.map((_call, number) => `${tag}-${number}`),
    agents: calls.map((_call, number) => callerOf(place, number)),
  };
}
