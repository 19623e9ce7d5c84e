import type { LiveSet } from '@fairlead/hub';
import type { AgentConfig } from '../agents/agent-config.ts';
import { leastEffectOf } from '../calls/policy-of-tool.ts';
import type { OfferedTools, OfferOptions } from '../context/offered-tools.ts';
import type { SessionMeta } from '../sessions/session-meta.ts';
import type { TurnFloor } from './turn-floor.ts';

/** What an agent is offered of a live set in a session; `allowed` are lists that each must hold a tool. */
export function offersOf(
  floor: TurnFloor,
  allowed: readonly (readonly string[] | undefined)[],
  {
    set,
    config,
    meta,
    givers = [],
  }: {
    readonly set: LiveSet;
    readonly config: AgentConfig;
    readonly meta: SessionMeta;
    readonly givers?: OfferOptions['givers'];
  },
): OfferedTools {
  return floor.offers.of(set, {
    allowed,
    profile: config.toolProfile,
    givers,
    mode: meta.mode,
    effectOf: (tool) => leastEffectOf(floor, { set }, tool),
  });
}
