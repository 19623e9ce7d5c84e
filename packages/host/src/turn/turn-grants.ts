import type { AgentConfig } from '../agents/agent-config.ts';
import type { Grants } from '../grants/grants.ts';
import { grantsInForce, sessionGrants } from '../grants/in-place.ts';
import type { ToolPolicy } from '../policy/tool-policy.ts';
import type { SessionMeta } from '../sessions/session-meta.ts';
import type { TurnFloor } from './turn-floor.ts';

type Known = {
  readonly meta: SessionMeta;
  readonly config: AgentConfig;
  readonly grants: Promise<Grants>;
};

/**
 * What is granted to each tool in a turn: worked out once a tool, and again where the session or its agent says something else by now, because what was taken back meanwhile is not granted any more.
 */
export class TurnGrants {
  readonly #floor: Pick<TurnFloor, 'sessions' | 'agents' | 'policy' | 'links' | 'stateDirectory'>;
  readonly #session: string;
  readonly #agent: string;
  readonly #workspace: string;
  readonly #known = new Map<string, Known>();

  constructor(
    floor: Pick<TurnFloor, 'sessions' | 'agents' | 'policy' | 'links' | 'stateDirectory'>,
    place: { readonly session: string; readonly agent: string; readonly workspace: string },
  ) {
    this.#floor = floor;
    this.#session = place.session;
    this.#agent = place.agent;
    this.#workspace = place.workspace;
  }

  async of(tool: string, policy: ToolPolicy): Promise<Grants> {
    const { sessions, agents, links, stateDirectory } = this.#floor;
    const meta = await sessions.meta(this.#session);
    const { config } = await agents.config(this.#agent);
    const known = this.#known.get(tool);
    if (known?.meta === meta && known.config === config) return await known.grants;
    const levels = [
      ...policy.grants,
      ...sessionGrants(this.#floor.policy.grants, meta.grants),
      config.grants,
      config.toolGrants.get(tool),
    ];
    const grants = grantsInForce(levels, { workspace: this.#workspace, links, stateDirectory });
    this.#known.set(tool, { meta, config, grants });
    return await grants;
  }
}
