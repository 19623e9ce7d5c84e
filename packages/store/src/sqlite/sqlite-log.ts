import { backup, type DatabaseSync } from 'node:sqlite';
import type { Clock } from '@fairlead/base';
import { SEARCH_SLICE_MS } from '../limits.ts';
import type { DatabaseState, StoredDatabase } from '../log/database-state.ts';
import type { Identity } from '../log/identity.ts';
import type {
  Arrival,
  ChainRange,
  Committed,
  DatabaseRow,
  Head,
  KeptCommit,
  LogEngine,
  Page,
  RecordPage,
  StoredCommit,
  StoredFork,
  StoredRecord,
  StoredRegister,
  WordQuery,
} from '../log/log-engine.ts';
import type { PreparedOp } from '../log/op.ts';
import type { Position } from '../log/position.ts';
import type { RecordPlace } from '../log/record-ref.ts';
import type { Unit } from '../log/unit.ts';
import type { Durability } from '../store.ts';
import type { GroupPart } from './commit-group.ts';
import { copyWhileWritten } from './copy-while-written.ts';
import { dropSlice, hideDatabase } from './drop-database.ts';
import { loadDatabase } from './load-database.ts';
import { LogReader } from './log-reader.ts';
import { LogWriter } from './log-writer.ts';
import type { PreparedStatements } from './prepared.ts';
import { RecordReader } from './record-reader.ts';
import { RowIds } from './row-ids.ts';
import { sqliteFault } from './sqlite-fault.ts';
import { WordIndex } from './word-index.ts';

const SET_CURSOR =
  'INSERT INTO cursors (name, n) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET n = excluded.n';

type Enqueue = <R>(
  statements: number,
  durability: Durability,
  apply: () => R,
  collects?: boolean,
) => Promise<R>;
type Read = <R>(read: () => R) => Promise<R>;

/** The log on the embedded engine: it writes in the transactions of the store, and reads between them. */
export class SqliteLog implements LogEngine {
  readonly #database: DatabaseSync;
  readonly #prepared: PreparedStatements;
  readonly #clock: Clock;
  readonly #enqueue: Enqueue;
  readonly #read: Read;
  readonly #reader: LogReader;
  readonly #records: RecordReader;
  readonly #words: WordIndex;
  readonly #writer: LogWriter;
  readonly #listeners = new Set<(committed: readonly Committed[]) => void>();

  constructor(options: {
    readonly database: DatabaseSync;
    readonly prepared: PreparedStatements;
    readonly clock: Clock;
    readonly join: (part: GroupPart) => void;
    readonly enqueue: Enqueue;
    readonly read: Read;
  }) {
    const { database, prepared, clock, join, enqueue, read } = options;
    this.#database = database;
    this.#prepared = prepared;
    this.#clock = clock;
    this.#enqueue = enqueue;
    this.#read = read;
    this.#reader = new LogReader(prepared);
    this.#records = new RecordReader(prepared);
    this.#words = new WordIndex(prepared);
    this.#writer = new LogWriter({
      prepared,
      clock,
      words: this.#words,
      nextArrival: this.#reader.lastArrival() + 1,
      onCommitted: (committed) => {
        for (const listener of this.#listeners) listener(committed);
      },
    });
    join(this.#writer);
  }

  setIdentity(identity: Identity): void {
    this.#writer.identity = identity;
  }

  onCommitted(listener: (committed: readonly Committed[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  newRows(): unknown {
    return new RowIds();
  }

  load(root: string): Promise<StoredDatabase | undefined> {
    return this.#readPlaced(() => loadDatabase(this.#prepared, root, this.#clock.wallMs()));
  }

  list(page: Parameters<LogEngine['list']>[0]): Promise<DatabaseRow[]> {
    return this.#read(() => this.#reader.list(page));
  }

  write(unit: Unit, durability: Durability = 'full'): Promise<void> {
    const { statements, plans } = unit;
    const collects = statements.length === 0 && plans.length === 0;
    return this.#enqueue(statements.length, durability, () => this.#writer.place(unit), collects);
  }

  async drop(root: string, author: string): Promise<void> {
    await this.#enqueue(0, 'full', () =>
      hideDatabase(this.#prepared, root, author, this.#writer.lastArrival),
    );
    await this.finishDrops();
  }

  async finishDrops(): Promise<void> {
    const step = () => {
      this.#writer.places.write();
      return dropSlice(this.#prepared);
    };
    while (await this.#enqueue(0, 'normal', step));
  }

  droppedAuthor(root: string): Promise<string | undefined> {
    return this.#read(() => this.#reader.droppedAuthor(root));
  }

  hashes(
    state: DatabaseState,
    places: readonly Pick<Position, 'author' | 'seq'>[],
  ): Promise<(string | undefined)[]> {
    return this.#readPlaced(() => this.#reader.hashes(state, places));
  }

  chain(state: DatabaseState, author: string, range: ChainRange): Promise<StoredCommit[]> {
    return this.#readPlaced(() => this.#reader.chain(state, author, range));
  }

  kept(state: DatabaseState, author: string, range: Parameters<LogEngine['kept']>[2]): Promise<KeptCommit[]> {
    return this.#readPlaced(() => this.#reader.kept(state, author, range));
  }

  forks(state: DatabaseState): Promise<StoredFork[]> {
    return this.#read(() => this.#reader.forks(state));
  }

  overwritten(state: DatabaseState, ops: readonly PreparedOp[], above: number): Promise<Position[]> {
    return this.#read(() => this.#writer.projection.overwritten(state, ops, above));
  }

  records(state: DatabaseState, page: RecordPage): Promise<StoredRecord[]> {
    return this.#read(() => this.#records.records(state, page));
  }

  record(state: DatabaseState, table: string, place: RecordPlace): Promise<StoredRecord | undefined> {
    return this.#readPlaced(() => this.#records.record(state, table, place));
  }

  countRecords(state: DatabaseState, table: string): Promise<number> {
    return this.#read(() => this.#records.count(state, table));
  }

  latest(
    state: DatabaseState,
    table: string,
    select: { readonly key?: string; readonly upTo?: number },
  ): Promise<StoredRecord[]> {
    return this.#read(() => this.#records.latest(state, table, select));
  }

  heads(state: DatabaseState, table: string, after: string, limit: number): Promise<Head[]> {
    return this.#read(() => this.#records.heads(state, table, after, limit));
  }

  latestBy(
    state: DatabaseState,
    table: string,
    key: string,
    authors: readonly string[],
  ): Promise<StoredRecord | undefined> {
    return this.#read(() => this.#records.latestBy(state, table, key, authors));
  }

  registers(state: DatabaseState, doc: string, upTo?: number): Promise<StoredRegister[]> {
    return this.#read(() => this.#records.registers(state, doc, upTo));
  }

  arrivals(after: number, page: Page): Promise<Arrival[]> {
    return this.#read(() => this.#reader.arrivals(after, page));
  }

  lastArrival(): number {
    return this.#writer.lastArrival;
  }

  cursor(name: string): Promise<number | undefined> {
    return this.#read(() => this.#reader.cursor(name));
  }

  async setCursor(name: string, n: number): Promise<void> {
    await this.#enqueue(1, 'normal', () => this.#prepared.get(SET_CURSOR).run(name, n));
  }

  async search(
    state: DatabaseState,
    table: string,
    query: WordQuery,
    limit: number,
  ): Promise<StoredRecord[]> {
    const step = () => {
      this.#writer.places.write();
      return this.#words.catchUp(state, table);
    };
    while (!(await this.#enqueue(0, 'normal', step)));
    if (query.isNewest !== true)
      return await this.#read(() => this.#words.search(state, table, query.all ?? [], limit));
    const search = await this.#read(() => this.#words.newest(state, table, query, limit));
    for (let sinceMs = performance.now(); search !== undefined; ) {
      const found = await this.#read(() => search.step());
      if (found !== undefined) return [...found];
      if (performance.now() - sinceMs < SEARCH_SLICE_MS) continue;
      await new Promise<void>((resolve) => setImmediate(resolve));
      sinceMs = performance.now();
    }
    return [];
  }

  async backup(path: string): Promise<void> {
    try {
      await copyWhileWritten(() => backup(this.#database, path));
    } catch (error) {
      throw sqliteFault(error);
    }
  }

  /** Reads what is looked up by an author's number: the index is brought up to date first. */
  async #readPlaced<R>(read: () => R): Promise<R> {
    if (!this.#writer.places.areWritten) await this.#enqueue(0, 'normal', () => this.#writer.places.write());
    return await this.#read(read);
  }
}
