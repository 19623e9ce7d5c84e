import type { LiveTool } from '@fairlead/hub';
import { type Effect, policyOf, type ToolPolicy } from '../policy/tool-policy.ts';
import type { CallFloor } from './call-floor.ts';
import type { CallPlace } from './call-place.ts';

/** What holds for a tool of a live set: the operator's words over its own. */
export function policyOfTool({ policy }: Pick<CallFloor, 'policy'>, tool: LiveTool): ToolPolicy {
  const { risk, approval, effect, timeout_ms: timeoutMs, per_minute, sensitive } = tool.contribution;
  const perMinute = per_minute === undefined ? {} : { perMinute: per_minute };
  const isBuiltin = tool.instance.extension.builtin;
  return policyOf({
    operator: policy.tools.get(tool.name),
    own: { risk, approval, effect, timeoutMs, ...perMinute, sensitive, isBuiltin },
  });
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
