import type { JsonObject } from '@fairlead/base';
import type { LiveTool } from '@fairlead/hub';
import type { SourcePolicy } from '../policy/read-policy.ts';
import { type Effect, type PolicyWords, policyOf, type ToolPolicy } from '../policy/tool-policy.ts';
import type { CallFloor } from './call-floor.ts';
import type { CallPlace } from './call-place.ts';

/** What holds for a tool of a live set: the operator's words over its own. */
export function policyOfTool({ policy }: Pick<CallFloor, 'policy'>, tool: LiveTool): ToolPolicy {
  const { risk, approval, effect, timeout_ms: timeoutMs, per_minute, sensitive, foreign } = tool.contribution;
  const perMinute = per_minute === undefined ? {} : { perMinute: per_minute };
  const isBuiltin = tool.instance.extension.builtin;
  return policyOf({
    operator: policy.tools.get(tool.name),
    ...(foreign === undefined
      ? {}
      : { hints: foreign.hints, source: sourceWords(policy.sources?.get(tool.owner), foreign.tool) }),
    own: { risk, approval, effect, timeoutMs, ...perMinute, sensitive, isBuiltin },
  });
}

/** The same for one call: one that only looks, by what it is asked for, is asked about by nobody. */
export function policyOfCall(
  floor: Pick<CallFloor, 'policy' | 'touches'>,
  tool: LiveTool,
  args: JsonObject | undefined,
): ToolPolicy {
  const policy = policyOfTool(floor, tool);
  const looks = floor.touches[`${tool.owner}/${tool.name}`]?.looks;
  const word = looks === undefined ? undefined : args?.[looks.argument];
  if (typeof word !== 'string' || looks?.words.includes(word) !== true) return policy;
  return { ...policy, risk: 'low', approval: 'never', effect: 'read' };
}

/** What the operator says of a server's tools, and of this one of them before that. */
function sourceWords(source: SourcePolicy | undefined, tool: string): PolicyWords | undefined {
  return source === undefined ? undefined : { ...source.words, ...source.tools.get(tool) };
}

/** What a call of a tool touches, for the order of several; what is not there is refused, and counts as the worst. */
export function effectOf(
  floor: Pick<CallFloor, 'policy'>,
  place: Pick<CallPlace, 'set'>,
  tool: string,
): Effect {
  const found = place.set.tools.get(tool);
  return found === undefined ? 'write' : policyOfTool(floor, found).effect;
}

/** The least that a call of a tool touches: by it a session's mode says whether the tool is offered at all. */
export function leastEffectOf(
  floor: Pick<CallFloor, 'policy' | 'touches'>,
  place: Pick<CallPlace, 'set'>,
  tool: string,
): Effect {
  const owner = place.set.tools.get(tool)?.owner;
  return floor.touches[`${owner}/${tool}`]?.looks === undefined ? effectOf(floor, place, tool) : 'read';
}
