import type { Durability } from '../store.ts';
import type { SealedCommit } from './commit.ts';
import type { DatabaseState, StoredDatabase } from './database-state.ts';
import type { Identity } from './identity.ts';
import type { DatabaseKind } from './names.ts';
import type { Level, PreparedOp } from './op.ts';
import type { Position } from './position.ts';
import type { RecordId, RecordPlace } from './record-ref.ts';
import type { Origin, Unit } from './unit.ts';

/** A row of a table as it is stored; `value` is JSON text. */
export type StoredRecord = Position & {
  readonly op: number;
  readonly key: string | null;
  readonly value: string;
};

/** A register of a document; `value` null = cleared. */
export type StoredRegister = { readonly path: string; readonly value: string | null };

/** What happened in the order in which this peer learned it. `ops` is the JSON text of the operations. */
export type Arrival = Position & {
  readonly n: number;
  readonly root: string;
  readonly kind: DatabaseKind;
  readonly peer: string;
  readonly origin: Origin;
  readonly ops: string;
};

export type StoredCommit = { readonly n: number; readonly commit: SealedCommit; readonly bytes: number };

export type KeptCommit = Position & { readonly level: Level; readonly applied: boolean };

export type DatabaseRow = { readonly root: string; readonly kind: DatabaseKind };

export type StoredFork = { readonly author: string; readonly seq: number; readonly atMs: number };

/** Which records: of one table, before or after a place, the nearest first. */
export type RecordPage = {
  readonly table: string;
  readonly from: (Position & { readonly op: number }) | null;
  readonly direction: 'older' | 'newer';
  readonly limit: number;
};

/** Bounds of one answer: it ends with the row that meets either. */
export type Page = { readonly limit: number; readonly bytes: number };

/** A piece of a chain: commits `after + 1` to `upTo`. */
export type ChainRange = Page & { readonly after: number; readonly upTo: number };

/** What an engine tells the peer as soon as a transaction is committed. */
export type Committed = { readonly state: DatabaseState; readonly stores: readonly string[] };

/** What is looked for: records that hold every word of `all` and, where it names some, at least one of `any`. */
export interface WordQuery {
  readonly all?: readonly string[];
  readonly any?: readonly string[];
  /** Only records that are the newest of their key. */
  readonly isNewest?: boolean;
}

/** Which record is the newest of a key, without its value. */
export type Head = { readonly key: string; readonly id: RecordId };

/**
 * The narrow door to an engine that keeps the log. Asynchronous, so that one behind a socket fits; no statement, row or
 * transaction of an engine shows. One contract suite holds every engine.
 */
export interface LogEngine {
  /** Who seals what is written; the peer changes it when it mints an author. */
  setIdentity(identity: Identity): void;
  /** Called after each commit that changed a database, before its writer hears of it. */
  onCommitted(listener: (committed: readonly Committed[]) => void): () => void;

  /** Notes for a database that a plan will create. */
  newRows(): unknown;
  load(root: string): Promise<StoredDatabase | undefined>;
  list(page: {
    readonly kind?: DatabaseKind;
    readonly after: string;
    readonly limit: number;
  }): Promise<DatabaseRow[]>;
  /** Commits a unit whole or not at all. Rejects with a code; then nothing of it was written. */
  write(unit: Unit, durability?: Durability): Promise<void>;
  /** Removes a database from this peer, in steps that do not stop others for long. */
  drop(root: string, author: string): Promise<void>;
  /** Goes on with drops that an end of the process had broken off. */
  finishDrops(): Promise<void>;
  /** The author that had written to a database when it was dropped here; undefined where it never was. */
  droppedAuthor(root: string): Promise<string | undefined>;

  /** The hash of each commit named, undefined where it is not there. */
  hashes(
    state: DatabaseState,
    places: readonly Pick<Position, 'author' | 'seq'>[],
  ): Promise<(string | undefined)[]>;
  /** A piece of one chain, in order. */
  chain(state: DatabaseState, author: string, range: ChainRange): Promise<StoredCommit[]>;
  /** Ordinary commits (level below 3) of an author that stand at or above a clock or behind a number. */
  kept(
    state: DatabaseState,
    author: string,
    range: { readonly fromHlc: number; readonly afterSeq: number },
  ): Promise<KeptCommit[]>;
  forks(state: DatabaseState): Promise<StoredFork[]>;
  /** What stands above a clock in the registers and rows that operations would overwrite. */
  overwritten(state: DatabaseState, ops: readonly PreparedOp[], above: number): Promise<Position[]>;

  records(state: DatabaseState, page: RecordPage): Promise<StoredRecord[]>;
  record(state: DatabaseState, table: string, place: RecordPlace): Promise<StoredRecord | undefined>;
  countRecords(state: DatabaseState, table: string): Promise<number>;
  /** Newest row of each key, by key; with `upTo`, as it was at that clock. */
  latest(
    state: DatabaseState,
    table: string,
    select: { readonly key?: string; readonly upTo?: number },
  ): Promise<StoredRecord[]>;
  /** The newest records of the next keys after one, by key; those of which a null is the newest are left out. */
  heads(state: DatabaseState, table: string, after: string, limit: number): Promise<Head[]>;
  /** The newest row of a key that one of these authors wrote. */
  latestBy(
    state: DatabaseState,
    table: string,
    key: string,
    authors: readonly string[],
  ): Promise<StoredRecord | undefined>;
  /** Registers in the order in which they build the document. */
  registers(state: DatabaseState, doc: string, upTo?: number): Promise<StoredRegister[]>;

  /** Arrivals behind `after`, oldest first. */
  arrivals(after: number, page: Page): Promise<Arrival[]>;
  /** The number of the newest arrival. */
  lastArrival(): number;
  cursor(name: string): Promise<number | undefined>;
  setCursor(name: string, n: number): Promise<void>;

  /** Rows of a table that the words ask for, best first. */
  search(state: DatabaseState, table: string, query: WordQuery, limit: number): Promise<StoredRecord[]>;
  /** Copies the whole database, peer-local rows too, to a new file. */
  backup(path: string): Promise<void>;
}
