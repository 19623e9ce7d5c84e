import { done, type Ending, notStarted } from '../invocation/ending.ts';
import type { Principal } from '../principal.ts';
import type { Settler } from '../settling/settler.ts';
import type { PluginToolInput } from './input.ts';

type OutcomeInput = Extract<PluginToolInput, { readonly action: 'outcome' }>;

/** What became of an invocation of this principal. Somebody else's and one that never was look alike. */
export async function outcome(
  settler: Pick<Settler, 'report'>,
  principal: Principal,
  input: OutcomeInput,
): Promise<Ending> {
  const report = await settler.report(input.call, principal);
  if (report === null) return notStarted('call_not_found');
  const { call, runner, plugin, tool, certainty, code, result } = report;
  return done({
    call,
    ...(runner === undefined ? {} : { runner }),
    ...(plugin === undefined ? {} : { plugin }),
    ...(tool === undefined ? {} : { tool }),
    certainty,
    settled: certainty !== 'outcome_unknown',
    ...(code === undefined ? {} : { code }),
    ...(result === undefined ? {} : { result }),
  });
}
