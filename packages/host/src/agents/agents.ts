import type { Clock, JsonObject } from '@fairlead/base';
import { FairleadError } from '@fairlead/base';
import type { AgentDirectory, HostedAgent } from '@fairlead/hub';
import type { Database, Peer } from '@fairlead/store';
import { hostError } from '../errors.ts';
import { agentLimits } from '../limits.ts';
import { isAgentName } from './agent-fields.ts';
import { type AgentConfigReading, readAgentConfig } from './read-agent-config.ts';

/** An agent whose database is on this peer. */
export interface KnownAgent extends HostedAgent {
  /** The peer that wakes it and decides for it. */
  readonly home: string;
  /** That peer is this one. */
  readonly isHome: boolean;
}

export interface AgentsOptions {
  readonly peer: Peer;
  readonly clock: Clock;
  /** True for a `backend/model` of this peer. */
  readonly isModel: (ref: string) => boolean;
}

type Open = {
  readonly database: Database;
  changes: number;
  reading: { readonly changes: number; readonly config: AgentConfigReading } | undefined;
  known: KnownAgent | undefined;
  readonly genesis: string;
};

/** The agents whose databases are on this peer; the document `meta` of each says its name and its home. Close it before the peer. */
export class Agents {
  readonly #options: AgentsOptions;
  readonly #open = new Map<string, Promise<Open>>();

  constructor(options: AgentsOptions) {
    this.#options = options;
  }

  /** What the hub reads: by name or id, agents that are at home here. One name for several of them is none. */
  readonly directory: AgentDirectory = {
    resolve: async (nameOrId) => {
      const found = (await this.#find(nameOrId)).filter(({ isHome }) => isHome);
      const [agent] = found;
      return agent === undefined || found.length > 1 ? null : { id: agent.id, name: agent.name };
    },
    open: (id) => this.open(id),
  };

  /** By name. */
  async list(): Promise<readonly KnownAgent[]> {
    const agents: KnownAgent[] = [];
    let after = '';
    while (agents.length < agentLimits.databases) {
      const page = await this.#options.peer.list({ kind: 'agent', after });
      for (const { root } of page) {
        const agent = await this.find(root);
        if (agent !== undefined) agents.push(agent);
      }
      const last = page.at(-1)?.root;
      if (last === undefined) break;
      after = last;
    }
    return agents.sort((left, right) => (left.name < right.name ? -1 : left.name > right.name ? 1 : 0));
  }

  /** By its id; undefined where there is none here. */
  async find(id: string): Promise<KnownAgent | undefined> {
    try {
      return await this.#known(await this.#opened(id));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /**
   * By id, or by name whatever its case; of several with one name the one that is at home here, and spelt so. Rejects with
   * `agent_unknown` or `agent_ambiguous`.
   */
  async resolve(nameOrId: string): Promise<KnownAgent> {
    const found = await this.#find(nameOrId);
    const narrowings = [({ isHome }: KnownAgent) => isHome, ({ name }: KnownAgent) => name === nameOrId];
    const [agent, ...others] = narrowings.reduce((left, narrows) => {
      const fewer = left.filter(narrows);
      return fewer.length > 0 ? fewer : left;
    }, found);
    if (agent === undefined) throw hostError('agent_unknown');
    if (others.length > 0) throw hostError('agent_ambiguous', '', { agents: found.map(({ id }) => id) });
    return agent;
  }

  /** Its database. Rejects with `database_not_found`, also where the id is of something else. The handle is shared: do not release it. */
  async open(id: string): Promise<Database> {
    return (await this.#opened(id)).database;
  }

  /** True where this peer, and no other, wakes the agent. */
  async isHome(id: string): Promise<boolean> {
    return (await this.find(id))?.isHome ?? false;
  }

  /** What it is, as this peer takes it; the same object while nothing changed. */
  async config(id: string): Promise<AgentConfigReading> {
    const open = await this.#opened(id);
    const changes = open.database.changes('config');
    if (open.reading?.changes !== changes) {
      const document = (await open.database.doc('config').get()) as JsonObject;
      open.reading = { changes, config: readAgentConfig(document, this.#options.isModel) };
    }
    return open.reading.config;
  }

  /** A new agent that is at home here, with its fields as they are stored. Rejects with `session_invalid` for a name that is none or taken here. */
  async create(name: string, config: JsonObject = {}): Promise<KnownAgent> {
    if (!isAgentName(name)) throw hostError('session_invalid', 'name');
    if ((await this.#find(name)).some(({ isHome }) => isHome))
      throw hostError('session_invalid', 'name is taken');
    const { peer, clock } = this.#options;
    const { root } = await peer.create('agent', (tx) => {
      tx.patch('meta', { name, home: peer.peerId, created: Math.floor(clock.wallMs()) });
      for (const [field, value] of Object.entries(config)) tx.set('config', [field], value);
    });
    return await this.resolve(root);
  }

  /** Forgets a database that was dropped. */
  forget(id: string): void {
    this.#open.delete(id);
  }

  async #find(nameOrId: string): Promise<readonly KnownAgent[]> {
    if (nameOrId.startsWith('agt_')) {
      const agent = await this.find(nameOrId);
      return agent === undefined ? [] : [agent];
    }
    const wanted = nameOrId.toLowerCase();
    return (await this.list()).filter(({ name }) => name.toLowerCase() === wanted);
  }

  async #opened(id: string): Promise<Open> {
    const known = this.#open.get(id);
    if (known !== undefined) return await known;
    const opening = this.#openDatabase(id);
    this.#open.set(id, opening);
    try {
      return await opening;
    } catch (error) {
      this.#open.delete(id);
      throw error;
    }
  }

  async #openDatabase(id: string): Promise<Open> {
    if (!id.startsWith('agt_')) throw new FairleadError('database_not_found', 'There is no such agent here.');
    const database = await this.#options.peer.open(id);
    try {
      const genesis = await genesisPeer(database);
      return { database, changes: -1, reading: undefined, known: undefined, genesis };
    } catch (error) {
      database.release();
      throw error;
    }
  }

  async #known(open: Open): Promise<KnownAgent | undefined> {
    const changes = open.database.changes('meta');
    if (open.changes !== changes) {
      const { name, home } = await open.database.doc('meta').get();
      const at = typeof home === 'string' && home !== '' ? home : open.genesis;
      const isHome = at === this.#options.peer.peerId;
      open.known = isAgentName(name) ? { id: open.database.root, name, home: at, isHome } : undefined;
      open.changes = changes;
    }
    return open.known;
  }
}

/** The peer that made a database: the author of its first commit says so. */
async function genesisPeer(database: Database): Promise<string> {
  const [first] = await database.since({}, { commits: 1 });
  const [op] = (first?.ops ?? []) as readonly JsonObject[];
  return typeof op?.['peer'] === 'string' ? op['peer'] : '';
}

function isNotFound(error: unknown): boolean {
  return error instanceof FairleadError && error.code === 'database_not_found';
}
