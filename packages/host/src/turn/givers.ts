import type { AgentConfig } from '../agents/agent-config.ts';
import { DENY_ALL, type Grants } from '../grants/grants.ts';
import { lineageOf } from '../sessions/lineage.ts';
import type { SessionMeta } from '../sessions/session-meta.ts';
import type { TurnFloor } from './turn-floor.ts';

/** What stands above a session now, nearest first: the sessions that it was made in, and the agents whose turns made it. */
export interface Givers {
  readonly sessions: readonly SessionMeta[];
  readonly configs: readonly AgentConfig[];
  /** False where not all of it is here: then nothing is granted. */
  readonly isWhole: boolean;
}

const AGENT = 'SELECT agent FROM turns WHERE turn = ?';

/** Finds who gave the task of a session. Who it was never changes, so it is kept; what they may do is read each time. */
export class GiversOf {
  readonly #floor: Pick<TurnFloor, 'sessions' | 'agents' | 'store'>;
  readonly #session: string;
  /** By turn: its agent, where the turn ran here. */
  readonly #agents = new Map<string, string | undefined>();

  constructor(floor: Pick<TurnFloor, 'sessions' | 'agents' | 'store'>, session: string) {
    this.#floor = floor;
    this.#session = session;
  }

  /** The session's own meta, and what stands above it. */
  async now(): Promise<{ readonly meta: SessionMeta; readonly givers: Givers }> {
    const { metas, isWhole } = await lineageOf(this.#floor.sessions, this.#session);
    const [meta, ...sessions] = metas;
    const configs: AgentConfig[] = [];
    for (const { parent } of metas) {
      const agent = parent === undefined ? undefined : await this.#agentOf(parent.turn);
      if (agent !== undefined) configs.push((await this.#floor.agents.config(agent)).config);
    }
    return { meta, givers: { sessions, configs, isWhole } };
  }

  async #agentOf(turn: string): Promise<string | undefined> {
    if (this.#agents.has(turn)) return this.#agents.get(turn);
    const [row] = await this.#floor.store.read<{ agent: string }>(AGENT, [turn]);
    this.#agents.set(turn, row?.agent);
    return row?.agent;
  }
}

/** The levels of grants that givers add to a call of a tool: a child touches no more than each of them. */
export function giverLevels(
  { sessions, configs, isWhole }: Givers,
  tool: string,
): readonly (Grants | undefined)[] {
  return [
    ...(isWhole ? [] : [DENY_ALL]),
    ...sessions.map(({ grants }) => grants),
    ...configs.flatMap(({ grants, toolGrants }) => [grants, toolGrants.get(tool)]),
  ];
}
