import type { Clock } from '@fairlead/base';
import type { Database, Peer, Store } from '@fairlead/store';
import type { Agents } from '../agents/agents.ts';
import type { BankRight } from '../banks/bank-right.ts';
import { type AgentBank, Banks, type KnownBank } from '../banks/banks.ts';
import { hostError } from '../errors.ts';
import { memoryLimits } from '../limits.ts';
import type { Embedder, EmbeddingFault } from './embedding/embedder.ts';
import {
  checkKey,
  checkMemory,
  MEMORY_TABLE,
  memoryValue,
  type NewMemory,
  readMemory,
} from './memory-record.ts';
import { topicWords } from './query-words.ts';
import { type FoundMemory, searchMemory } from './search-memory.ts';
import { slices } from './slice.ts';
import { VectorIndex } from './vectors/vector-index.ts';

export interface HostMemoryOptions {
  readonly peer: Peer;
  readonly store: Store;
  readonly clock: Clock;
  readonly agents: Agents;
  /** Absent: memories are found by words alone. */
  readonly embedder?: Embedder;
  readonly report: (fault: EmbeddingFault) => void;
}

/** Whose memory: an agent’s own, or a bank, by name or id. */
export interface MemoryPlace {
  readonly agent: string;
  readonly bank?: string;
  /** Somebody who acts with this peer’s role in the bank; else the agent does, with what it was granted. */
  readonly isPerson?: boolean;
}

/** One memory that was found. */
export interface RecalledMemory {
  readonly key: string;
  readonly value: string;
  readonly tags: readonly string[];
  /** Milliseconds since 1970; 0 where its writer did not say. */
  readonly at: number;
  readonly score: number;
  /** Name of the bank; absent for the agent’s own. */
  readonly bank?: string;
}

export interface Recalled {
  readonly memories: readonly RecalledMemory[];
  /** `words`: no embedder, or it did not answer. */
  readonly by: 'words' | 'words and meaning' | 'time';
}

export interface RecallOptions {
  readonly query: string;
  readonly tags?: readonly string[];
  readonly limit?: number;
}

/** What a tail wants to know. */
export interface TopicOptions {
  /** The newest texts of a session, oldest first. */
  readonly recent: readonly string[];
  readonly limit: number;
  /** Names or ids of banks beside the agent’s own memory; absent: every one that was granted. */
  readonly banks?: readonly string[];
  /** Banks that the session attached, by id; they count where they were granted. */
  readonly attached: readonly string[];
  /** What is less near than this in meaning is no hit. */
  readonly leastNear: number;
}

/** How memories are searched here. */
export interface MemoryStanding {
  /** `backend/model` of the embeddings; absent: words alone. */
  readonly model?: string;
  /** Memories that have no vector yet. */
  readonly waiting: number;
}

/** What agents remember: their own memories, and banks within their grants, read again at each question. Close it before the peer. */
export class HostMemory {
  readonly #options: HostMemoryOptions;
  readonly #index: VectorIndex | undefined;
  readonly banks: Banks;

  private constructor(options: HostMemoryOptions, index: VectorIndex | undefined) {
    this.#options = options;
    this.#index = index;
    const { peer, store, clock, agents } = options;
    this.banks = new Banks({ kind: 'memory_bank', peer, store, clock, agents });
  }

  static async open(options: HostMemoryOptions): Promise<HostMemory> {
    const { peer, store, clock, embedder, report } = options;
    if (embedder === undefined) return new HostMemory(options, undefined);
    return new HostMemory(options, await VectorIndex.open({ peer, store, clock, embedder, report }));
  }

  /** Vectors in memory, in bytes. */
  get residentBytes(): number {
    return this.#index?.residentBytes ?? 0;
  }

  async standing(): Promise<MemoryStanding> {
    if (this.#index === undefined) return { waiting: 0 };
    return { model: this.#index.model, waiting: await this.#index.waiting() };
  }

  /** Resolves when what was written so far has its vectors, or the embedder failed. */
  async caughtUp(): Promise<void> {
    await this.#index?.caughtUp();
  }

  /** A new record under the key; the older ones stay in the log and are found no more. Rejects with `memory_invalid`, what `Banks.openFor` does, or a code of the store. */
  async remember(place: MemoryPlace & { readonly session?: string }, memory: NewMemory): Promise<void> {
    const { key, value, tags } = checkMemory(memory);
    const { database } = await this.open(place, 'write');
    const { agent, session } = place;
    const at = Math.floor(this.#options.clock.wallMs());
    const record = { key, value, tags, agent, at, ...(session === undefined ? {} : { session }) };
    await database.latest(MEMORY_TABLE).put(key, memoryValue(record));
  }

  /** Is found no more from now on; the text stays in the log. Rejects with `memory_unknown` too. */
  async forget(place: MemoryPlace, key: string): Promise<void> {
    checkKey(key);
    const { database } = await this.open(place, 'write');
    const latest = database.latest(MEMORY_TABLE);
    const known = await latest.get(key);
    const memory = known === undefined ? undefined : readMemory(known.value);
    if (memory === undefined || 'forget' in memory) throw hostError('memory_unknown');
    const at = Math.floor(this.#options.clock.wallMs());
    await latest.put(key, { key, forget: true, agent: place.agent, at });
  }

  /** The best of one memory. */
  async recall(
    place: MemoryPlace,
    { query, tags = [], limit = memoryLimits.found }: RecallOptions,
  ): Promise<Recalled> {
    const { database, bank } = await this.open(place, 'read');
    const text = query.slice(0, memoryLimits.queryUnits).toWellFormed();
    const question =
      text.trim() === '' ? undefined : await this.#index?.question(text, memoryLimits.queryTimeoutMs);
    const found = await this.#search(database, {
      query: text,
      tags,
      limit: bounded(limit),
      question,
      least: 0,
    });
    const by = text.trim() === '' ? 'time' : question === undefined ? 'words' : 'words and meaning';
    return { memories: found.map((one) => shown(one, bank)), by };
  }

  /** What has to do with a conversation, over the agent’s own memory and banks; nothing where nothing has. The best first. */
  async onTopic(agent: string, topic: TopicOptions): Promise<readonly RecalledMemory[]> {
    const words = topicWords(topic.recent, memoryLimits.queryWords);
    if (words.length === 0 || topic.limit <= 0) return [];
    const newest = topic.recent.at(-1)?.slice(0, memoryLimits.queryUnits).toWellFormed() ?? '';
    const question =
      newest.trim() === '' ? undefined : await this.#index?.question(newest, memoryLimits.tailTimeoutMs);
    const { leastNear: least, limit } = topic;
    const found: RecalledMemory[] = [];
    for (const { database, bank } of await this.#topicPlaces(agent, topic)) {
      const hits = await this.#search(database, { query: words.join(' '), tags: [], limit, question, least });
      found.push(...hits.map((hit) => shown(hit, bank)));
    }
    // Scores are made of ranks, so those of several memories compare.
    return found.sort((left, right) => right.score - left.score).slice(0, limit);
  }

  /** For what goes through a whole memory: gives the thread back now and then. */
  slices(): () => Promise<void> | undefined {
    return slices(() => this.#options.clock.monotonicMs());
  }

  async close(): Promise<void> {
    await this.#index?.close();
  }

  /** Its database, for what is wanted there now. Rejects with `bank_unknown`, `bank_revoked`, `bank_read_only`, `bank_ambiguous`. */
  async open(
    { agent, bank, isPerson = false }: MemoryPlace,
    want: BankRight,
  ): Promise<{ readonly database: Database; readonly bank?: KnownBank }> {
    if (bank === undefined) return { database: await this.#options.agents.open(agent) };
    if (!isPerson) return await this.banks.openFor(agent, bank, want);
    const known = await this.banks.find(bank);
    if (known.role === null) throw hostError('bank_revoked');
    if (want === 'write' && known.role === 'read') throw hostError('bank_read_only');
    return { bank: known, database: await this.banks.database(known.id) };
  }

  async #topicPlaces(
    agent: string,
    { banks, attached }: TopicOptions,
  ): Promise<readonly { readonly database: Database; readonly bank?: AgentBank }[]> {
    const named = banks === undefined ? undefined : new Set(banks.map((name) => name.toLowerCase()));
    const isMeant = ({ id, name }: AgentBank) =>
      named === undefined ||
      named.has(id.toLowerCase()) ||
      named.has(name.toLowerCase()) ||
      attached.includes(id);
    const granted = (await this.banks.ofAgent(agent)).filter(
      (bank) => bank.right !== undefined && isMeant(bank),
    );
    const places = granted.map(async (bank) => ({ bank, database: await this.banks.database(bank.id) }));
    return [{ database: await this.#options.agents.open(agent) }, ...(await Promise.all(places))];
  }

  async #search(
    database: Database,
    {
      question,
      least,
      ...search
    }: {
      readonly query: string;
      readonly tags: readonly string[];
      readonly limit: number;
      readonly question: Int8Array | undefined;
      readonly least: number;
    },
  ): Promise<readonly FoundMemory[]> {
    const index = this.#index;
    const nowMs = () => this.#options.clock.monotonicMs();
    if (index === undefined || question === undefined) return await searchMemory(database, search, nowMs);
    return await searchMemory(database, { ...search, meaning: { index, question, least } }, nowMs);
  }
}

function shown({ memory, score }: FoundMemory, bank: KnownBank | undefined): RecalledMemory {
  const { key, value, tags, at } = memory;
  return { key, value, tags, at, score, ...(bank === undefined ? {} : { bank: bank.name }) };
}

function bounded(limit: number): number {
  return Math.max(0, Math.min(Math.floor(limit), memoryLimits.foundMax));
}
