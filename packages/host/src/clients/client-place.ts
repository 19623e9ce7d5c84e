import type { Fault } from '@fairlead/base';
import type { LiveSet } from '@fairlead/hub';
import type { AgentConfig } from '../agents/agent-config.ts';
import { readAgentConfig } from '../agents/read-agent-config.ts';
import type { CallPlace } from '../calls/call-place.ts';
import { leastEffectOf } from '../calls/policy-of-tool.ts';
import type { OfferedTools } from '../context/offered-tools.ts';
import type { Speaker } from '../entries/entry.ts';
import { modeInForce } from '../sessions/lineage.ts';
import type { AttachedAgent, SessionMeta } from '../sessions/session-meta.ts';
import type { TurnFloor } from '../turn/turn-floor.ts';
import { TurnGrants } from '../turn/turn-grants.ts';

/** A session as its host agent sees it, for one call of a client. Dispose it when that has ended. */
export interface ClientView extends Disposable {
  /** Undefined where no agent answers in the session. */
  readonly agent: AttachedAgent | undefined;
  readonly config: AgentConfig;
  readonly set: LiveSet;
  readonly offered: OfferedTools;
}

/** Leases the live set of a session's host agent. Rejects with `agent_not_here`, `hub_closed`, or a code of the store. */
export async function clientView(floor: TurnFloor, session: string, meta: SessionMeta): Promise<ClientView> {
  const agent = meta.agents.find(({ id }) => id === meta.host);
  const config = agent === undefined ? NO_AGENT : (await floor.agents.config(agent.id)).config;
  const set = await floor.hub.liveSet(agent === undefined ? { session } : { session, agent });
  const offered = floor.offers.of(set, {
    allowed: [config.tools],
    profile: config.toolProfile,
    mode: await modeInForce(floor.sessions, session),
    effectOf: (tool) => leastEffectOf(floor, { set }, tool),
  });
  return { agent, config, set, offered, [Symbol.dispose]: () => set[Symbol.dispose]() };
}

/** Where one call of a client is made: as the host agent, in the client's name. */
export async function clientPlace(
  floor: TurnFloor,
  view: ClientView,
  call: {
    readonly session: string;
    readonly principal: string;
    readonly from: Speaker;
    readonly signal: AbortSignal;
    readonly refusal: () => Fault | undefined;
    readonly outOfReach: NonNullable<CallPlace['outOfReach']>;
    readonly begun: () => void;
  },
): Promise<CallPlace> {
  const { session } = call;
  const { agent, config, set, offered } = view;
  const workspace = await floor.workspace(session);
  const grants = new TurnGrants(floor, { session, agent: agent?.id, workspace });
  return {
    ...{ ...call, set, config, workspace },
    database: await floor.sessions.open(session),
    agent: agent ?? NOBODY_HERE,
    grants: (tool, policy) => grants.of(tool, policy),
    attended: () => true,
    allowed: (tool) => !offered.withheld.has(tool.name),
    emit: (event) => floor.events.emit(session, event),
  };
}

const NOBODY_HERE: AttachedAgent = Object.freeze({ id: '', name: '' });

/** What holds where no agent says otherwise. */
const NO_AGENT: AgentConfig = Object.freeze(readAgentConfig({}, () => false).config);
