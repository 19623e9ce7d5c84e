import type { LiveSet } from '@fairlead/hub';
import type { Database } from '@fairlead/store';
import type { AgentConfig } from '../agents/agent-config.ts';
import type { OfferedTools } from '../context/offered-tools.ts';
import type { HostModel } from '../models/models.ts';
import type { SessionMeta } from '../sessions/session-meta.ts';
import { offersOf } from './offers-of.ts';
import type { RunningTurn } from './running-turns.ts';
import { TurnBudget } from './turn-budget.ts';
import type { TurnFloor } from './turn-floor.ts';
import type { TurnOptions } from './turn-options.ts';

/** What a turn is, read once at its beginning. */
export interface PreparedTurn extends RunningTurn {
  readonly database: Database;
  readonly meta: SessionMeta;
  readonly host: HostModel;
  readonly set: LiveSet;
  readonly workspace: string;
  readonly offered: OfferedTools;
  /** Steps with tools of this turn alone. */
  readonly maxIterations: number;
  /** Earlier turns of this agent in the session. */
  readonly earlier: number;
}

const EARLIER = 'SELECT count(*) AS turns FROM turns WHERE session = ? AND agent = ? LIMIT 1';

/** Reads what a turn needs and leases its live set. Rejects with a code where something of it is not there. */
export async function prepareTurn(
  floor: TurnFloor,
  options: TurnOptions,
  signal: AbortSignal,
): Promise<PreparedTurn> {
  const { sessions, agents, hub, store } = floor;
  const { turn, session, agent, spawned, worker } = options;
  const database = await sessions.open(session);
  const meta = await sessions.meta(session);
  const config = within((await agents.config(agent.id)).config, spawned?.runners);
  const host = floor.models.resolve(modelOf(options, meta, config));
  const workspace = await floor.workspace(session);
  const [count] = await store.read<{ turns: number }>(EARLIER, [session, agent.id]);
  const maxIterations = options.maxIterations ?? worker?.maxIterations ?? config.maxIterations;
  const budget =
    spawned?.budget ?? new TurnBudget({ root: turn, rootSession: session, iterations: maxIterations });
  await hub.openSession(session);
  const set = await hub.liveSet({ session, agent });
  const tools = [config.tools, worker?.tools, ...(spawned?.tools ?? [])];
  const givers = spawned?.profiles ?? [];
  return {
    ...{ turn, session, agent, config, budget, signal, database, meta, host, set, workspace },
    maxIterations,
    tools,
    profiles: [config.toolProfile, ...givers],
    offered: offersOf(floor, tools, { set, config, meta, givers }),
    depth: spawned?.depth ?? 0,
    model: host.ref,
    earlier: count?.turns ?? 0,
    attended: attendedOf(floor, options, budget),
    preApproved: (tool) => options.preApproved?.(tool),
  };
}

/** With no more Runners than who gave the task may use. */
function within(config: AgentConfig, runners: readonly string[] | undefined): AgentConfig {
  if (runners === undefined) return config;
  const own = config.runners ?? runners;
  return { ...config, runners: own.filter((runner) => runners.includes(runner)) };
}

/** The caller's word, the worker's, this agent's in this session, the session's, the agent's own; undefined is the host's. */
function modelOf(
  { model, worker, agent }: TurnOptions,
  meta: SessionMeta,
  config: AgentConfig,
): string | undefined {
  return model ?? worker?.model ?? meta.models.get(agent.id) ?? meta.model ?? config.model;
}

/** Who wrote a message waits for its answer; a directive comes from a clock or another turn, so somebody must be listening. */
function attendedOf(
  { events }: TurnFloor,
  { attended, wakes }: TurnOptions,
  { rootSession }: TurnBudget,
): () => boolean {
  if (attended !== undefined) return attended;
  return wakes.some(({ kind }) => kind === 'directive') ? () => events.attended(rootSession) : () => true;
}
