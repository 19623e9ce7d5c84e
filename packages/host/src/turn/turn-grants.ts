import type { Grants } from '../grants/grants.ts';
import { grantsInForce, sessionGrants } from '../grants/in-place.ts';
import type { ToolPolicy } from '../policy/tool-policy.ts';
import { GiversOf, giverLevels } from './givers.ts';
import type { TurnFloor } from './turn-floor.ts';

type GrantsFloor = Pick<TurnFloor, 'sessions' | 'agents' | 'store' | 'policy' | 'links' | 'stateDirectory'>;

type Known = { readonly from: readonly unknown[]; readonly grants: Promise<Grants> };

/**
 * What is granted to each tool in a turn: worked out once a tool, and again where the session, its agent or who gave them their task says
 * something else by now, because what was taken back meanwhile is not granted any more.
 */
export class TurnGrants {
  readonly #floor: GrantsFloor;
  readonly #givers: GiversOf;
  /** Its id; undefined where a client calls in a session without one. */
  readonly #agent: string | undefined;
  readonly #workspace: string;
  readonly #known = new Map<string, Known>();

  constructor(
    floor: GrantsFloor,
    place: { readonly session: string; readonly agent: string | undefined; readonly workspace: string },
  ) {
    this.#floor = floor;
    this.#givers = new GiversOf(floor, place.session);
    this.#agent = place.agent;
    this.#workspace = place.workspace;
  }

  async of(tool: string, policy: ToolPolicy): Promise<Grants> {
    const { agents, links, stateDirectory } = this.#floor;
    const { meta, givers } = await this.#givers.now();
    const config = this.#agent === undefined ? undefined : (await agents.config(this.#agent)).config;
    // Each is the same object until something of it changes.
    const from = [meta, config, ...givers.sessions, ...givers.configs];
    const known = this.#known.get(tool);
    if (known !== undefined && isSame(known.from, from)) return await known.grants;
    const levels = [
      ...policy.grants,
      ...sessionGrants(this.#floor.policy.grants, meta.grants),
      config?.grants,
      config?.toolGrants.get(tool),
      ...giverLevels(givers, tool),
    ];
    const grants = grantsInForce(levels, { workspace: this.#workspace, links, stateDirectory });
    this.#known.set(tool, { from, grants });
    return await grants;
  }
}

function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((value, at) => value === other[at]);
}
