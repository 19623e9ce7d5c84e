import type { CallPlace } from '../calls/call-place.ts';
import type { AttachedAgent } from '../sessions/session-meta.ts';
import { speakerOf } from '../sessions/turns.ts';
import type { PreparedTurn } from './prepare-turn.ts';
import type { TurnFloor } from './turn-floor.ts';
import { TurnGrants } from './turn-grants.ts';

/** Where the calls of a turn are made. `now` is where it stands. */
export function turnPlace(
  floor: TurnFloor,
  turn: PreparedTurn,
  speaker: AttachedAgent,
  now: { readonly step: number },
): CallPlace {
  const { session, database, set, agent, config, workspace, budget, signal, offered } = turn;
  const grants = new TurnGrants(floor, { session, agent: agent.id, workspace });
  return {
    ...{ session, database, set, agent, config, workspace, signal },
    principal: `agent:${agent.id}`,
    from: speakerOf(speaker),
    turn: { turn: turn.turn, root: budget.root, rootSession: budget.rootSession, step: () => now.step },
    grants: (tool, policy) => grants.of(tool, policy),
    attended: turn.attended,
    preApproved: turn.preApproved,
    allowed: (tool) => !offered.withheld.has(tool.name),
    emit: (event) => floor.events.emit(session, event),
  };
}
