import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import type { Agents } from '../agents/agents.ts';
import type { BankRight } from '../banks/bank-right.ts';
import type { AgentBank, KnownBank } from '../banks/banks.ts';
import { hostError } from '../errors.ts';
import { judgePath } from '../grants/in-place.ts';
import { type LinkReader, realPath } from '../grants/real-path.ts';
import { bankLimits } from '../limits.ts';
import type {
  HostMemory,
  MemoryPlace,
  MemoryStanding,
  Recalled,
  RecalledMemory,
  RecallOptions,
  TopicOptions,
} from './host-memory.ts';
import { exportMemories, type Imported, importMemories } from './memory-file.ts';
import type { NewMemory } from './memory-record.ts';

/** A bank with who was granted what. */
interface BankLine extends KnownBank {
  readonly grants: readonly { readonly agent: string; readonly name?: string; readonly right: BankRight }[];
}

/** What the built-in about memory may do. What is refused rejects with a code. */
export interface PeerMemory {
  remember(place: MemoryPlace & { readonly session?: string }, memory: NewMemory): Promise<void>;
  recall(place: MemoryPlace, options: RecallOptions): Promise<Recalled>;
  /** For a tail. */
  onTopic(agent: string, topic: TopicOptions): Promise<readonly RecalledMemory[]>;
  forget(place: MemoryPlace, key: string): Promise<void>;
  standing(): Promise<MemoryStanding>;
  /** What an agent was granted, what ended too: that has no `right`. */
  banks(agent: string): Promise<readonly AgentBank[]>;
  allBanks(): Promise<readonly BankLine[]>;
  findBank(nameOrId: string): Promise<KnownBank>;
  createBank(name: string): Promise<KnownBank>;
  removeBank(nameOrId: string): Promise<KnownBank>;
  restoreBank(id: string): Promise<KnownBank>;
  grant(bank: string, agent: string, right: BankRight): Promise<KnownBank>;
  revoke(bank: string, agent: string): Promise<KnownBank>;
  /** To a new file in the session’s folder. Answers how many memories. */
  exportTo(session: string, place: MemoryPlace, path: string): Promise<number>;
  importFrom(session: string, place: MemoryPlace, path: string): Promise<Imported>;
  /** What the agent sets for itself of the extension’s settings. */
  settings(agent: string): Promise<JsonObject>;
  /** Null takes a setting away. */
  setSetting(agent: string, key: string, value: Json): Promise<void>;
}

export interface PeerMemoryFloor {
  readonly memory: HostMemory;
  readonly agents: Agents;
  readonly links: LinkReader;
  workspace(session: string): Promise<string>;
}

const SETTINGS = 'extension_settings';
const OWNER = 'memory';

/** `here` throws until the host has started. */
export function peerMemory(here: () => PeerMemoryFloor): PeerMemory {
  const banks = () => here().memory.banks;
  return {
    remember: async (place, memory) => await here().memory.remember(place, memory),
    recall: async (place, options) => await here().memory.recall(place, options),
    onTopic: async (agent, topic) => await here().memory.onTopic(agent, topic),
    forget: async (place, key) => await here().memory.forget(place, key),
    standing: async () => await here().memory.standing(),
    banks: async (agent) => await banks().ofAgent(agent),
    allBanks: async () => await linesOf(here()),
    findBank: async (nameOrId) => await banks().find(nameOrId),
    createBank: async (name) => await banks().create(name),
    removeBank: async (nameOrId) => await banks().remove(nameOrId),
    restoreBank: async (id) => await banks().restore(id),
    grant: async (bank, agent, right) => await banks().grant(bank, agent, right),
    revoke: async (bank, agent) => await banks().revoke(bank, agent),
    async exportTo(session, place, path) {
      const { database, bank } = await here().memory.open(place, 'read');
      const file = await pathIn(here(), session, path);
      const pause = here().memory.slices();
      return await exportMemories(database, { path: file, name: bank?.name ?? 'own', pause });
    },
    async importFrom(session, place, path) {
      const { database } = await here().memory.open(place, 'write');
      const file = await pathIn(here(), session, path);
      const pause = here().memory.slices();
      return await importMemories(database, { path: file, agent: place.agent, pause });
    },
    async settings(agent) {
      const { [OWNER]: own } = await (await here().agents.open(agent)).doc(SETTINGS).get();
      return isJsonObject(own) ? own : {};
    },
    async setSetting(agent, key, value) {
      const document = (await here().agents.open(agent)).doc(SETTINGS);
      await (value === null ? document.clear([OWNER, key]) : document.set([OWNER, key], value));
    },
  };
}

async function linesOf({ memory, agents }: PeerMemoryFloor): Promise<readonly BankLine[]> {
  const lines: BankLine[] = [];
  for (const bank of (await memory.banks.list()).slice(0, bankLimits.listed)) {
    const grants: BankLine['grants'][number][] = [];
    for (const [agent, right] of await memory.banks.grantsOf(bank.id)) {
      const name = (await agents.find(agent))?.name;
      grants.push({ agent, right, ...(name === undefined ? {} : { name }) });
    }
    lines.push({ ...bank, grants });
  }
  return lines;
}

/** A file in the folder of a session, and in no other whatever links stand there. */
async function pathIn({ workspace, links }: PeerMemoryFloor, session: string, path: string): Promise<string> {
  const folder = await workspace(session);
  const real = (await realPath(folder, links)) ?? folder;
  const verdict = await judgePath({ fs: { read: [real], write: [real] } }, 'read', path, real, links);
  if (!verdict.isGranted || verdict.path === real)
    throw hostError('memory_file_invalid', 'it is not in the folder of the session');
  return verdict.path;
}
