import { isAbsolute, join } from 'node:path';
import { readTextFile } from '@fairlead/base';
import type { Hub } from '@fairlead/hub';
import { Agents } from '../agents/agents.ts';
import type { AgentTables } from '../agents/read-agents.ts';
import { type Seeded, seedAgents } from '../agents/seed-agents.ts';
import { LeakDetector } from '../leaks/leak-detector.ts';
import { agentLimits } from '../limits.ts';
import { Models } from '../models/models.ts';
import { HostPlugins } from '../plugins/host-plugins.ts';
import { Sessions } from '../sessions/sessions.ts';
import { builtinPeerOf, type PeerFloor } from './builtin-peer-of.ts';
import type { HostOptions } from './host-options.ts';
import type { PreparedHost } from './prepared-host.ts';
import { startHost } from './start-host.ts';

/** Seeds the agents and makes ready what a hub needs of the host. Rejects with a code of the store. */
export async function prepareHost(options: HostOptions): Promise<PreparedHost> {
  const { peer, store, clock, env, tables, folder, fetch } = options;
  const models = new Models({
    ...{ tables: tables.backends, folder, env, clock, readFile: readBytes },
    ...(fetch === undefined ? {} : { fetch }),
  });
  const isModel = (ref: string) => models.refs.includes(ref);
  const agents = new Agents({ peer, clock, isModel });
  const secretVariables = [...options.secretVariables, ...keyVariables(tables)];
  const values = secretVariables.flatMap((name) => env[name]?.trim() ?? []);
  const leaks = new LeakDetector([...options.secrets, ...values]);
  const { groups } = tables.agents;
  const sessions = new Sessions({ peer, store, clock, agents, isModel, leaks, groups });
  const seed = async (agentTables: AgentTables): Promise<readonly Seeded[]> =>
    await seedAgents({
      ...{ agents, peer, store, clock, tables: agentTables },
      hasBackend: models.refs.length > 0,
      readPromptFile: (path) => readPrompt(placeOf(path, folder, env['HOME'])),
    });
  const seeded = await seed(tables.agents);
  for (const { name, unread } of seeded)
    for (const file of unread)
      options.report({ level: 'warn', code: 'prompt_file_unread', message: `${name}: ${file}`, agent: name });
  const { random, report } = options;
  const plugins = await HostPlugins.open({ store, clock, random, pins: tables.pins ?? [], report });
  let started: PeerFloor | undefined;
  let isStarted = false;
  return {
    agentDirectory: agents.directory,
    builtinPeer: builtinPeerOf(options, { secretVariables, agents, plugins }, () => started),
    ...{ plugins, agents, sessions, models, seeded },
    async start(hub: Hub, { alone = false } = {}) {
      if (isStarted) throw new TypeError('a prepared host is started once');
      isStarted = true;
      return await startHost({
        ...{ options, hub, agents, sessions, models, seed, alone, secretVariables, leaks, plugins },
        built: (floor) => {
          started = floor;
        },
      });
    },
  };
}

/** Variables that back ends and embeddings read their keys from. */
function keyVariables({ backends, embedding }: HostOptions['tables']): readonly string[] {
  const ofEmbedding = embedding?.apiKeyEnv === undefined ? [] : [embedding.apiKeyEnv];
  const ofBackends = backends.backends.flatMap((backend) =>
    backend.type === 'scripted' || backend.apiKeyEnv === undefined ? [] : [backend.apiKeyEnv],
  );
  return [...ofBackends, ...ofEmbedding];
}

/** `~/` is the home of whoever starts the host; what is relative is meant from the file's folder. */
function placeOf(path: string, folder: string, home: string | undefined): string {
  if (home !== undefined && path.startsWith('~/')) return join(home, path.slice(2));
  return isAbsolute(path) ? path : join(folder, path);
}

async function readPrompt(path: string): Promise<string> {
  const file = await readTextFile(path, agentLimits.promptBytes);
  if (!file.ok) throw new Error(file.fault);
  return file.text;
}

async function readBytes(path: string, maxBytes: number): Promise<Uint8Array | null> {
  const file = await readTextFile(path, maxBytes);
  return file.ok ? Buffer.from(file.text) : null;
}
