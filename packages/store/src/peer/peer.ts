import type { Json } from '@fairlead/base';
import { storeError } from '../errors.ts';
import { FEED_PAGE, MAX_COMMITS_IN_APPLY, MAX_PAGE_ROWS } from '../limits.ts';
import { admit, emptyState, readBatch } from '../log/admit.ts';
import { type ApplyReport, addReports } from '../log/apply-report.ts';
import type { DatabaseRow } from '../log/log-engine.ts';
import { type DatabaseKind, isRootId } from '../log/names.ts';
import type { Durability } from '../store.ts';
import type { DatabaseTx } from './database-draft.ts';
import { type Database, OpenDatabase } from './open-database.ts';
import type { IdentityFiles } from './open-identity.ts';
import type { PeerCore } from './peer-core.ts';
import { type CreateOptions, runTransaction, TransactionDraft, type Tx } from './transaction.ts';
import { type Off, type Write, type WriteConsumer, WriteFeed, writeOf } from './write-feed.ts';

/** This installation's replicated databases. */
export interface Peer extends AsyncDisposable {
  /** Holds the rights; the same for as long as `peer.key` is kept. */
  readonly peerId: string;
  /** Signs what is written now; another one in each incarnation of the data folder. */
  readonly author: string;
  /** A new database in which this peer is admin. Its first commit holds what `work` collects. */
  create(kind: DatabaseKind, work?: (tx: DatabaseTx) => void, options?: CreateOptions): Promise<Database>;
  /** Rejects with `database_not_found`. A database in which this peer has no role any more can still be read. */
  open(root: string): Promise<Database>;
  /** Databases by root id, at most 1,000 a page; `after` is the last id of the page before. */
  list(page?: {
    readonly kind?: DatabaseKind;
    readonly after?: string;
    readonly limit?: number;
  }): Promise<readonly DatabaseRow[]>;
  /** Removes this copy. Other peers keep theirs. Does nothing where there is none. */
  drop(root: string): Promise<void>;
  /**
   * At most one commit in each of several databases, together with peer-local rows: all or nothing. `work` is synchronous and
   * only collects. Rejects with `transaction_refused`, `access_denied`, `commit_too_large` or a code of the store.
   */
  transaction<R>(work: (tx: Tx) => R, durability?: Durability): Promise<R>;
  /** Verifies and takes foreign commits of one database, in any order; makes the database where its first commit is among them. */
  apply(root: string, commits: readonly Json[]): Promise<ApplyReport>;
  /**
   * Hands every write to `consume`, in order of arrival, at least once, after its commit. How far a consumer came is kept under
   * its name; a new name begins now, or with `from: 'start'` at the first write. One that throws is tried again.
   */
  onWrite(name: string, consume: WriteConsumer, options?: { readonly from?: 'now' | 'start' }): Promise<Off>;
  /** The number of the newest arrival here. */
  readonly lastArrival: number;
  /** Writes that arrived after a number, in order, at most 64 of them or 4 MiB; none where nothing came. */
  arrivals(after: number): Promise<readonly Write[]>;
  /** Stops consumers and keeps what they reached. The store stays open. */
  close(): Promise<void>;
}

export class OpenPeer implements Peer {
  readonly core: PeerCore;
  readonly #files: IdentityFiles;
  readonly #feed: WriteFeed;
  readonly #unlisten: () => void;
  #closed = false;

  constructor(core: PeerCore, files: IdentityFiles) {
    this.core = core;
    this.#files = files;
    this.#feed = new WriteFeed({ engine: core.engine, clock: core.clock, report: core.report });
    this.#unlisten = core.engine.onCommitted(() => this.#feed.wake());
  }

  get peerId(): string {
    return this.core.identity.peer.id;
  }

  get author(): string {
    return this.core.identity.author.id;
  }

  async create(
    kind: DatabaseKind,
    work?: (tx: DatabaseTx) => void,
    options?: CreateOptions,
  ): Promise<Database> {
    const root = await this.transaction((tx) => tx.create(kind, work, options));
    return await this.open(root);
  }

  async open(root: string): Promise<Database> {
    this.#requireOpen();
    return new OpenDatabase(this.core, await this.core.currentState(root));
  }

  async list(
    page: { readonly kind?: DatabaseKind; readonly after?: string; readonly limit?: number } = {},
  ): Promise<readonly DatabaseRow[]> {
    this.#requireOpen();
    const { kind, after = '', limit = MAX_PAGE_ROWS } = page;
    const bounded = { after, limit: Math.max(0, Math.min(limit, MAX_PAGE_ROWS)) };
    return await this.core.engine.list(kind === undefined ? bounded : { ...bounded, kind });
  }

  async drop(root: string): Promise<void> {
    this.#requireOpen();
    const state = await this.core.stateIfHere(root);
    if (state === undefined) return;
    await state.gate.alone(async () => {
      state.dropped = true;
      this.core.forget(state);
      await this.core.engine.drop(root, this.author);
    });
  }

  async transaction<R>(work: (tx: Tx) => R, durability?: Durability): Promise<R> {
    this.#requireOpen();
    const draft = new TransactionDraft(this.core);
    const answer = work(draft);
    await runTransaction(this.core, draft, durability);
    return answer;
  }

  async apply(root: string, commits: readonly Json[]): Promise<ApplyReport> {
    this.#requireOpen();
    let report: ApplyReport = { applied: 0, known: 0, waiting: 0, refused: [], quarantined: 0 };
    for (let from = 0; from === 0 || from < commits.length; from += MAX_COMMITS_IN_APPLY)
      report = addReports(
        report,
        await this.#applyBatch(root, commits.slice(from, from + MAX_COMMITS_IN_APPLY)),
      );
    return report;
  }

  async #applyBatch(root: string, commits: readonly Json[]): Promise<ApplyReport> {
    if (!isRootId(root)) throw storeError('database_not_found');
    const { core } = this;
    const batch = readBatch(commits, root);
    const known = await core.stateIfHere(root);
    if (known === undefined && batch.kind === null) {
      for (const { commit } of batch.commits) batch.report.refuse(commit.header, 'commit_waiting');
      return batch.report.finished();
    }
    const state = known ?? core.birth(root, () => emptyState(core.engine, root, batch.kind ?? 'session'));
    const report = await state.gate.alone(async () => {
      if (state.dropped) throw storeError('database_not_found');
      // Given back while this waited: another state is the database's now.
      if (state.chains.size > 0 && !core.isCurrent(state)) return undefined;
      const creates = state.chains.size === 0;
      const wallMs = () => core.clock.wallMs();
      const { report, plan } = await admit(batch, state, {
        engine: core.engine,
        keys: core.keys,
        wallMs,
        creates,
      });
      if (plan !== null && creates) await this.#renewAuthor(root);
      if (plan !== null) await core.engine.write({ statements: [], parts: [], plans: [plan] });
      if (creates) core.born(state);
      this.#tell(root, report);
      return report;
    });
    return report ?? (await this.#applyBatch(root, commits));
  }

  /** What this peer wrote before it dropped a database may never have reached anybody: its author must not go on there. */
  async #renewAuthor(root: string): Promise<void> {
    if ((await this.core.engine.droppedAuthor(root)) !== this.author) return;
    this.core.identity = this.#files.mint(this.core.identity.peer, this.core.engine.lastArrival());
    this.core.report({ code: 'author_minted', author: this.author, why: 'dropped' });
  }

  #tell(database: string, report: ApplyReport): void {
    for (const { author, seq, code } of report.refused)
      if (code === 'commit_fork') this.core.report({ code, database, author, seq });
    const denied = report.refused.filter(({ code }) => code === 'commit_denied').length;
    if (denied > 0) this.core.report({ code: 'commit_denied', database, commits: denied });
  }

  onWrite(
    name: string,
    consume: WriteConsumer,
    { from = 'now' }: { readonly from?: 'now' | 'start' } = {},
  ): Promise<Off> {
    this.#requireOpen();
    return this.#feed.add(name, consume, from);
  }

  get lastArrival(): number {
    return this.core.engine.lastArrival();
  }

  async arrivals(after: number): Promise<readonly Write[]> {
    this.#requireOpen();
    return (await this.core.engine.arrivals(after, FEED_PAGE)).map(writeOf);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#unlisten();
    await this.#feed.close();
    try {
      this.#files.note(this.core.identity, this.core.engine.lastArrival());
    } catch {
      // The file then says what it said at the start, which is less and therefore true.
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #requireOpen(): void {
    if (this.#closed) throw storeError('store_closed');
  }
}
