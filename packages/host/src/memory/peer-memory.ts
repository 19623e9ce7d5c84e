import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import type { Agents } from '../agents/agents.ts';
import type { BankRight } from '../banks/bank-right.ts';
import type { AgentBank, KnownBank } from '../banks/banks.ts';
import type { RunningCommands } from '../commands/running-commands.ts';
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

/** Who types a line of `/memory`. */
interface MemoryPerson {
  readonly session: string;
  /** Id of the session’s own agent; absent where it has none. */
  readonly agent?: string;
}

/** Whose memory; with a person, it is theirs to ask. */
type PeerPlace = Omit<MemoryPlace, 'isPerson'> & { readonly person?: MemoryPerson };

/** What the built-in about memory may do. What is refused rejects with a code: `memory_command_denied` where only a person with the scope `admin` may. */
export interface PeerMemory {
  remember(place: PeerPlace & { readonly session?: string }, memory: NewMemory): Promise<void>;
  recall(place: PeerPlace, options: RecallOptions): Promise<Recalled>;
  /** For a tail. */
  onTopic(agent: string, topic: TopicOptions): Promise<readonly RecalledMemory[]>;
  forget(place: PeerPlace, key: string): Promise<void>;
  standing(): Promise<MemoryStanding>;
  /** What an agent was granted, what ended too: that has no `right`. */
  banks(agent: string): Promise<readonly AgentBank[]>;
  /** All for an admin, else those that the agent of the session was granted. */
  allBanks(person: MemoryPerson): Promise<readonly BankLine[]>;
  findBank(nameOrId: string): Promise<KnownBank>;
  createBank(person: MemoryPerson, name: string): Promise<KnownBank>;
  removeBank(person: MemoryPerson, nameOrId: string): Promise<KnownBank>;
  restoreBank(person: MemoryPerson, id: string): Promise<KnownBank>;
  grant(person: MemoryPerson, bank: string, agent: string, right: BankRight): Promise<KnownBank>;
  revoke(person: MemoryPerson, bank: string, agent: string): Promise<KnownBank>;
  /** To a new file in the session’s folder. Answers how many memories. */
  exportTo(session: string, place: PeerPlace, path: string): Promise<number>;
  importFrom(session: string, place: PeerPlace, path: string): Promise<Imported>;
  /** What the agent sets for itself of the extension’s settings. */
  settings(agent: string): Promise<JsonObject>;
  /** Null takes a setting away. */
  setSetting(agent: string, key: string, value: Json): Promise<void>;
}

export interface PeerMemoryFloor {
  readonly memory: HostMemory;
  readonly agents: Agents;
  readonly links: LinkReader;
  /** Whose command lines run now. */
  readonly commands: RunningCommands;
  workspace(session: string): Promise<string>;
}

const SETTINGS = 'extension_settings';
const OWNER = 'memory';

/** `here` throws until the host has started. */
export function peerMemory(here: () => PeerMemoryFloor): PeerMemory {
  const banks = () => here().memory.banks;
  const isAdmin = (session: string) => here().commands.allow(session, 'memory', 'admin');
  /** The banks, for a person who may change them. */
  const opened = ({ session }: MemoryPerson) => {
    if (!isAdmin(session)) throw hostError('memory_command_denied');
    return banks();
  };
  /** With the role of this peer for an admin only: whoever else types has what the agent of the session has. */
  const placed = ({ agent, bank, person }: PeerPlace): MemoryPlace => {
    if (bank === undefined) return { agent };
    if (person === undefined) return { agent, bank };
    if (isAdmin(person.session)) return { agent, bank, isPerson: true };
    if (person.agent === undefined) throw hostError('memory_command_denied');
    return { agent: person.agent, bank };
  };
  /** A bank leaves and comes as a file through an admin alone. */
  const filed = (session: string, place: PeerPlace): MemoryPlace => {
    if (place.bank !== undefined) opened({ session });
    return placed(place);
  };
  return {
    async remember({ session, ...place }, memory) {
      const own = { ...placed(place), ...(session === undefined ? {} : { session }) };
      await here().memory.remember(own, memory);
    },
    recall: async (place, options) => await here().memory.recall(placed(place), options),
    onTopic: async (agent, topic) => await here().memory.onTopic(agent, topic),
    forget: async (place, key) => await here().memory.forget(placed(place), key),
    standing: async () => await here().memory.standing(),
    banks: async (agent) => await banks().ofAgent(agent),
    async allBanks({ session, agent }) {
      if (isAdmin(session)) return await linesOf(here(), await banks().list());
      const granted = agent === undefined ? [] : await banks().ofAgent(agent);
      return await linesOf(
        here(),
        granted.flatMap(({ right, ...bank }) => (right === undefined ? [] : [bank])),
      );
    },
    findBank: async (nameOrId) => await banks().find(nameOrId),
    createBank: async (person, name) => await opened(person).create(name),
    removeBank: async (person, nameOrId) => await opened(person).remove(nameOrId),
    restoreBank: async (person, id) => await opened(person).restore(id),
    grant: async (person, bank, agent, right) => await opened(person).grant(bank, agent, right),
    revoke: async (person, bank, agent) => await opened(person).revoke(bank, agent),
    async exportTo(session, place, path) {
      const { database, bank } = await here().memory.open(filed(session, place), 'read');
      const file = await pathIn(here(), session, path);
      const pause = here().memory.slices();
      return await exportMemories(database, { path: file, name: bank?.name ?? 'own', pause });
    },
    async importFrom(session, place, path) {
      const { database } = await here().memory.open(filed(session, place), 'write');
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

async function linesOf(
  { memory, agents }: PeerMemoryFloor,
  banks: readonly KnownBank[],
): Promise<readonly BankLine[]> {
  const lines: BankLine[] = [];
  for (const bank of banks.slice(0, bankLimits.listed)) {
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
