import type { FairleadError, Json } from '@fairlead/base';
import { type Database, type Row, storeError } from '@fairlead/store';
import { manualClock } from '@fairlead/testing';
import { History } from '../../src/context/history.ts';
import type { HistoryPlace } from '../../src/context/history-draft.ts';
import { type ContextRequest, TurnContext } from '../../src/context/turn-context.ts';
import type { EntryBody, Speaker, ToolCallBody, ToolResultBody } from '../../src/entries/entry.ts';
import { entryValue } from '../../src/entries/write-entry.ts';
import type { Message } from '../../src/models/model.ts';
import { TokenEstimate } from '../../src/models/token-estimate.ts';

export const HERE = 'peer_here';
export const ELSEWHERE = 'peer_elsewhere';
const SCOUT = { id: 'agt_scout', name: 'scout' };
export const scout: Speaker = { kind: 'agent', ...SCOUT };
export const bob: Speaker = { kind: 'agent', id: 'agt_bob', name: 'bob' };
const ada: Speaker = { kind: 'person', id: 'tok_1', name: 'Ada' };
export const cli: Speaker = { kind: 'client', id: 'token:7', name: 'editor' };

/** A session in memory, which counts what is read of it. */
export class Talk {
  readonly rows: Row[] = [];
  /** Rows that were handed out. */
  read = 0;
  #changes = 0;
  #written = 0;

  /** Writes an entry; its id. */
  write(body: EntryBody, from: Speaker = ada, peer = HERE): string {
    return this.raw(entryValue(body, from, manualClock()), peer);
  }

  raw(value: Json, peer = HERE): string {
    this.#written += 1;
    const seq = this.#written;
    const id = `author:${seq}:0`;
    this.rows.push({ id, value, peer, author: 'author', seq, hlc: seq });
    this.#changes += 1;
    return id;
  }

  say(text: string, from: Speaker = ada, peer = HERE): string {
    return this.write({ type: 'message', text, mentions: [] }, from, peer);
  }

  ack(turn: string, answers: readonly string[], from = scout, peer = HERE): string {
    return this.write({ type: 'ack', turn, for: answers, agent: from.id, model: 'local/m' }, from, peer);
  }

  call(call: string, more: Partial<ToolCallBody> = {}, from = scout, peer = HERE): string {
    return this.write({ ...CALL, call, ...more }, from, peer);
  }

  result(call: string, text: string, more: Partial<ToolResultBody> = {}, from = scout, peer = HERE): string {
    return this.write({ ...RESULT, call, text, bytes: Buffer.byteLength(text), ...more }, from, peer);
  }

  /** Takes an entry back, as rights that arrive late do. */
  retract(id: string): void {
    const at = this.rows.findIndex((row) => row.id === id);
    this.rows.splice(at, 1);
    this.#changes += 1;
  }

  get database(): Pick<Database, 'table' | 'changes'> {
    const table = {
      tail: async (count: number, before?: string) => {
        const end = before === undefined ? this.rows.length : this.#at(before);
        const rows = this.rows.slice(Math.max(0, end - count), end).reverse();
        this.read += rows.length;
        return { rows, before: end - count > 0 ? (rows.at(-1)?.id ?? null) : null };
      },
      at: async (id: string) => this.rows.find((row) => row.id === id),
      scan: (after: string) => this.#scan(after),
    };
    return { table: () => table, changes: () => this.#changes } as unknown as Database;
  }

  async *#scan(after: string) {
    for (const row of this.rows.slice(this.#at(after) + 1)) {
      this.read += 1;
      yield row;
    }
  }

  #at(id: string): number {
    const at = this.rows.findIndex((row) => row.id === id);
    if (at === -1) throw storeError('record_not_found') satisfies FairleadError;
    return at;
  }

  /** All of it as scout's history. */
  async history(place: Partial<HistoryPlace> = {}): Promise<readonly Message[]> {
    const history = new History(this.database, { peerId: HERE, agent: SCOUT, apart: new Set(), ...place });
    for (let pages = 0; !history.ended && pages < 1000; pages += 1) await history.more();
    return [...history.summary, ...history.pieces].flatMap(({ messages }) => messages);
  }

  /** What scout reads in a turn. */
  context(more: Partial<ConstructorParameters<typeof TurnContext>[0]> = {}): TurnContext {
    return new TurnContext({ database: this.database, peerId: HERE, agent: SCOUT, asked: [], ...more });
  }
}

/** A model with a large window that counts bytes. */
export const MODEL: ContextRequest['model'] = {
  contextWindow: 128_000,
  maxTokens: 8192,
  tokens: new TokenEstimate(),
};

export const STEP: ContextRequest = { model: MODEL, system: [], tools: [], steps: [] };

const CALL: ToolCallBody = {
  type: 'tool_call',
  call: 'call_1',
  turn: 'trn_1',
  step: 0,
  index: 0,
  tool: 'read_file',
  extension: 'fs',
  tier: 'in_process',
  target: 'ext:fs/read_file#1',
  arguments: { path: 'a.txt' },
  digest: 'd',
};

const RESULT: ToolResultBody = {
  type: 'tool_result',
  call: 'call_1',
  certainty: 'completed',
  error: false,
  text: '',
  ms: 1,
  bytes: 0,
  redacted: [],
  hooks: [],
  turn: 'trn_1',
};
