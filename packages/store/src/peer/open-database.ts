import type { Json, JsonObject } from '@fairlead/base';
import { storeError } from '../errors.ts';
import type { Version } from '../log/chain.ts';
import type { Commit } from '../log/commit.ts';
import type { DatabaseState } from '../log/database-state.ts';
import type { LogEngine } from '../log/log-engine.ts';
import type { DatabaseKind } from '../log/names.ts';
import type { RecordId, RecordRef } from '../log/record-ref.ts';
import { type SinceBounds, since } from '../log/since.ts';
import type { UnitPart, UnitStatement } from '../log/unit.ts';
import { Access } from './access.ts';
import { DatabaseDraft, type DatabaseTx } from './database-draft.ts';
import { Doc } from './doc.ts';
import { Latest } from './latest.ts';
import type { PeerCore } from './peer-core.ts';
import { Table } from './table.ts';
import { runTransaction, TransactionDraft } from './transaction.ts';

/** A second commit of one author under a number that it had used. */
export type Fork = { readonly author: string; readonly seq: number; readonly atMs: number };

/** One database of this peer, open. Handles of one database share their state. */
export interface Database {
  readonly root: string;
  readonly kind: DatabaseKind;
  readonly access: Access;
  table<T extends Json = Json>(name: string): Table<T>;
  latest<T extends Json = Json>(name: string): Latest<T>;
  doc<T extends JsonObject = JsonObject>(name: string): Doc<T>;
  /**
   * Writes to several tables and documents at once: one commit, all or nothing, on disk when it resolves. `work` only collects.
   * Rejects with `access_denied`, `commit_too_large`, `database_newer` or a code of the store; then nothing was written.
   */
  commit<R>(work: (tx: DatabaseTx) => R): Promise<R>;
  /** For each author how many of its commits are here: names this state, and says what another peer lacks. */
  version(): Version;
  /** Commits that a peer at `version` lacks, each after those that it needs; empty when it lacks none. */
  since(version: Version, bounds?: Partial<SinceBounds>): Promise<Commit[]>;
  /** A number that moves whenever the table or document of this name changes, for caches to compare. In memory. */
  changes(name: string): number;
  /** True where the database holds what only a newer Fairlead can read: it is not written to. */
  readonly newer: boolean;
  /** Proofs that an author's key is in use twice, oldest first. */
  forks(): Promise<readonly Fork[]>;
  /**
   * Ends this handle; with the last one of a database its memory is given back. Afterwards it refuses everything with
   * `database_released`, but for its `root` and `kind`. Twice does no harm.
   */
  release(): void;
}

const NO_STATEMENTS: readonly UnitStatement[] = [];

export class OpenDatabase implements Database {
  readonly core: PeerCore;
  readonly access: Access;
  readonly root: string;
  readonly kind: DatabaseKind;
  #state: DatabaseState | undefined;

  /** `state` is the current one of its database. */
  constructor(core: PeerCore, state: DatabaseState) {
    this.core = core;
    this.root = state.root;
    this.kind = state.kind;
    this.#state = state;
    state.handles += 1;
    this.access = new Access(this);
  }

  get state(): DatabaseState {
    if (this.#state === undefined) throw storeError('database_released');
    return this.#state;
  }

  get newer(): boolean {
    return this.state.newer;
  }

  get engine(): LogEngine {
    if (this.state.dropped) throw storeError('database_not_found');
    return this.core.engine;
  }

  table<T extends Json = Json>(name: string): Table<T> {
    return new Table<T>(this, name);
  }

  latest<T extends Json = Json>(name: string): Latest<T> {
    return new Latest<T>(this, name);
  }

  doc<T extends JsonObject = JsonObject>(name: string): Doc<T> {
    return new Doc<T>(this, name);
  }

  async commit<R>(work: (tx: DatabaseTx) => R): Promise<R> {
    return await this.change(work);
  }

  /** The same with what only this package may write. */
  async change<R>(collect: (draft: DatabaseDraft) => R): Promise<R> {
    const draft = new TransactionDraft(this.core);
    const { root } = this.state;
    const answer = collect(draft.on({ root }));
    await runTransaction(this.core, draft);
    return answer;
  }

  /** The short way for one record: what most writes are. */
  async writeRecord(collect: (draft: DatabaseDraft) => RecordRef): Promise<RecordId> {
    const draft = new DatabaseDraft();
    const ref = collect(draft);
    const { gate } = this.state;
    const entered = gate.enter();
    if (entered !== undefined) await entered;
    try {
      const part: UnitPart = { state: this.state, ops: draft.ops, refs: draft.refs };
      await this.engine.write({ statements: NO_STATEMENTS, parts: [part], plans: [] });
    } finally {
      gate.leave();
    }
    return ref.id;
  }

  version(): Version {
    return Object.fromEntries([...this.state.chains.values()].map(({ author, seq }) => [author, seq]));
  }

  since(version: Version, bounds: Partial<SinceBounds> = {}): Promise<Commit[]> {
    return since(this.engine, this.state, { version, bounds });
  }

  changes(name: string): number {
    return this.state.changesOf(name);
  }

  forks(): Promise<readonly Fork[]> {
    return this.engine.forks(this.state);
  }

  release(): void {
    const state = this.#state;
    this.#state = undefined;
    if (state !== undefined) this.core.letGo(state);
  }

  peerOf(author: string): string {
    return this.state.chains.get(author)?.peer ?? '';
  }
}
