import type { Json, JsonObject } from '@fairlead/extension';

/** Who types a line of `/memory`. */
export interface MemoryPerson {
  readonly session: string;
  /** Id of the session's own agent; absent where it has none. */
  readonly agent?: string;
}

/** Whose memory: an agent's own by its id, or a bank by name or id. */
export interface MemoryPlace {
  readonly agent: string;
  readonly bank?: string;
  /** A person acts: in a bank with the host's role where the person is an admin, else with what the agent of the session was granted. Absent: the agent of the place does. */
  readonly person?: MemoryPerson;
}

/** A memory that was found. `at`: milliseconds since 1970, 0 where nobody knows. `bank`: its name, absent for the agent's own memory. */
export interface PeerRecalledMemory {
  readonly key: string;
  readonly value: string;
  readonly tags: readonly string[];
  readonly at: number;
  readonly score: number;
  readonly bank?: string;
}

export interface PeerRecalled {
  readonly memories: readonly PeerRecalledMemory[];
  /** How they were looked for. */
  readonly by: 'words' | 'words and meaning' | 'time';
}

/** What a tail wants to know of a conversation. */
interface PeerTopic {
  /** Its newest texts, oldest first. */
  readonly recent: readonly string[];
  readonly limit: number;
  /** Banks beside the agent's own memory, by name or id; absent: all that it was granted. */
  readonly banks?: readonly string[];
  /** Banks of the session, by id; only granted ones count. */
  readonly attached: readonly string[];
  /** Cosine below which nothing is near. */
  readonly leastNear: number;
}

/** A bank on this host. `role` null: the host may nothing there any more. */
interface PeerBank {
  readonly id: string;
  readonly name: string;
  readonly role: string | null;
}

/** A bank as an agent has it; without `right` what it was granted has ended. */
export interface PeerAgentBank extends PeerBank {
  readonly right?: 'read' | 'write';
}

interface PeerBankLine extends PeerBank {
  readonly grants: readonly {
    readonly agent: string;
    readonly name?: string;
    readonly right: 'read' | 'write';
  }[];
}

/** Memories and their banks. What is refused rejects with a code and a message that is safe to show. */
export interface MemoryPeer {
  remember(
    place: MemoryPlace & { readonly session?: string },
    memory: { readonly key: string; readonly value: string; readonly tags?: readonly string[] },
  ): Promise<void>;
  recall(
    place: MemoryPlace,
    options: { readonly query: string; readonly tags?: readonly string[]; readonly limit?: number },
  ): Promise<PeerRecalled>;
  onTopic(agent: string, topic: PeerTopic): Promise<readonly PeerRecalledMemory[]>;
  forget(place: MemoryPlace, key: string): Promise<void>;
  /** `model` absent: words alone. `waiting`: memories that have no vector yet. */
  standing(): Promise<{ readonly model?: string; readonly waiting: number }>;
  banks(agent: string): Promise<readonly PeerAgentBank[]>;
  /** Those of the host for an admin, else those that the agent of the session was granted. */
  allBanks(person: MemoryPerson): Promise<readonly PeerBankLine[]>;
  findBank(nameOrId: string): Promise<PeerBank>;
  /** This and what follows, and files of banks, need the scope `admin`. */
  createBank(person: MemoryPerson, name: string): Promise<PeerBank>;
  removeBank(person: MemoryPerson, nameOrId: string): Promise<PeerBank>;
  restoreBank(person: MemoryPerson, id: string): Promise<PeerBank>;
  grant(person: MemoryPerson, bank: string, agent: string, right: 'read' | 'write'): Promise<PeerBank>;
  revoke(person: MemoryPerson, bank: string, agent: string): Promise<PeerBank>;
  exportTo(session: string, place: MemoryPlace, path: string): Promise<number>;
  importFrom(
    session: string,
    place: MemoryPlace,
    path: string,
  ): Promise<{ readonly written: number; readonly known: number }>;
  /** What the agent sets of this extension's settings. */
  settings(agent: string): Promise<JsonObject>;
  /** Null takes one away. */
  setSetting(agent: string, key: string, value: Json): Promise<void>;
}
