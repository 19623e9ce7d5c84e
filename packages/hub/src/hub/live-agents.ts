import type { AgentDirectory, HostedAgent } from '../agent-state/agent-directory.ts';
import { hubError } from '../errors.ts';
import { LiveAgent } from '../live/live-agent.ts';

/** The agents whose turns read live sets, each with its database open. */
export class LiveAgents {
  readonly #directory: AgentDirectory;
  readonly #agents = new Map<string, LiveAgent>();

  constructor(directory: AgentDirectory) {
    this.#directory = directory;
  }

  /** At once for one that is known by id and name. Rejects with `agent_not_here`, or a code of the store. */
  of(agent: HostedAgent | string): LiveAgent | Promise<LiveAgent> {
    if (typeof agent === 'string') return this.#resolve(agent);
    const known = this.#agents.get(agent.id);
    return known?.view.name === agent.name ? known : this.#open(agent);
  }

  all(): readonly LiveAgent[] {
    return [...this.#agents.values()];
  }

  /** Forgets an agent. Its database is not released: others may hold handles on it, which would then write beside each other. */
  forget(id: string): LiveAgent | undefined {
    const known = this.#agents.get(id);
    this.#agents.delete(id);
    return known;
  }

  async #resolve(nameOrId: string): Promise<LiveAgent> {
    const found = await this.#directory.resolve(nameOrId);
    if (found === null) throw hubError('agent_not_here', nameOrId);
    return await this.of(found);
  }

  async #open({ id, name }: HostedAgent): Promise<LiveAgent> {
    const database = this.#agents.get(id)?.database ?? (await this.#directory.open(id));
    const known = this.#agents.get(id);
    if (known?.view.name === name) return known;
    const agent = new LiveAgent(known?.database ?? database, name);
    this.#agents.set(id, agent);
    return agent;
  }
}
