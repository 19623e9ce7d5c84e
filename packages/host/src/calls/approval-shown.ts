import type { JsonObject } from '@fairlead/base';
import type { FinalCall } from '@fairlead/hub';
import { grantsJson } from '../grants/grants-json.ts';
import { approvalLimits } from '../limits.ts';
import type { ToolPolicy } from '../policy/tool-policy.ts';
import { nowMs } from '../sessions/sessions.ts';
import type { CallFloor } from './call-floor.ts';
import type { CallPlace } from './call-place.ts';
import type { CallWords } from './call-words.ts';

/**
 * What a person sees of a call beside its arguments: `{agent {id, name}, speaker?, principal, tier, effect, workspace, grants, rewritten_by[],
 * ran_before? {at, certainty?, code?}}`. `ran_before` is the same call within ten minutes; without a certainty it still runs.
 */
export async function approvalShown(
  floor: CallFloor,
  place: CallPlace,
  call: { readonly words: CallWords; readonly final: FinalCall; readonly policy: ToolPolicy },
): Promise<JsonObject> {
  const { words, final, policy } = call;
  const grants = await place.grants(words.tool, policy);
  const { principal, agent, workspace } = place;
  const same = { principal, target: words.target, argumentsDigest: words.digest };
  const before = await floor.journal.recent(same, nowMs(floor.clock) - approvalLimits.sameCallMs);
  const { name: speaker } = place.from;
  return {
    ...(agent.id === '' ? {} : { agent: { id: agent.id, name: agent.name } }),
    ...(speaker === undefined || speaker === agent.name ? {} : { speaker }),
    principal,
    tier: words.tier,
    effect: policy.effect,
    workspace,
    grants: grantsJson(grants),
    rewritten_by: [...final.rewrittenBy],
    ...(before === undefined
      ? {}
      : {
          ran_before: {
            at: before.atMs,
            ...(before.certainty === null ? {} : { certainty: before.certainty }),
            ...(before.code === null ? {} : { code: before.code }),
          },
        }),
  };
}
