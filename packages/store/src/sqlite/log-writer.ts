import type { Clock } from '@fairlead/base';
import { storeError } from '../errors.ts';
import { MAX_COMMIT_BYTES, MAX_FORKS_KEPT, MAX_OPS_IN_COMMIT } from '../limits.ts';
import { commitJson, levelOf, opsBytes, type SealedCommit } from '../log/commit.ts';
import type { DatabaseState } from '../log/database-state.ts';
import { clockAt, reachOf } from '../log/hybrid-clock.ts';
import type { Identity } from '../log/identity.ts';
import type { Committed } from '../log/log-engine.ts';
import { authorOp, type PreparedOp } from '../log/op.ts';
import { RecordRef, recordId } from '../log/record-ref.ts';
import { sealCommit } from '../log/seal.ts';
import type { ForkProof, JudgedCommit, Plan, Unit, UnitPart, UnitStatement } from '../log/unit.ts';
import { neededRole, suffices } from '../rights/role.ts';
import type { SqlValue } from '../store.ts';
import type { GroupPart } from './commit-group.ts';
import { opsText } from './commit-rows.ts';
import { applyFlips } from './flips.ts';
import { Places } from './places.ts';
import type { PreparedStatements } from './prepared.ts';
import { Projection } from './projection.ts';
import { ensureChain, rowsOf, UndoList } from './row-ids.ts';
import type { WordIndex } from './word-index.ts';

const ADD_COMMIT = `INSERT INTO commits
  (n, chain, seq, hlc, hash, sig, settings_chain, settings_seq, level, state, origin, ops)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const ADD_DATABASE = 'INSERT INTO databases (root, kind) VALUES (?, ?)';
const MARK_NEWER = 'UPDATE databases SET newer = 1 WHERE id = ?';
const ADD_FORK = `INSERT OR IGNORE INTO quarantine (db, author, seq, hash, at, body)
  SELECT ?, ?, ?, ?, ?, ? WHERE (SELECT count(*) FROM quarantine WHERE db = ?) < ?`;

const STATE_APPLIED = 1;
const STATE_DENIED = 0;
const ORIGINS = { local: 1, remote: 2 } as const;

/** A commit of this peer that the units of one transaction fill together. */
type Pending = { readonly seq: number; readonly ops: PreparedOp[]; bytes: number };

/**
 * Writes units: places their operations in the next commit of each database, seals those commits at the end of the
 * transaction, one signature for all the writers in it, and tells what happened once it is on disk.
 */
export class LogWriter implements GroupPart {
  readonly #prepared: PreparedStatements;
  readonly #clock: Clock;
  readonly #undo = new UndoList();
  readonly projection: Projection;
  readonly places: Places;
  readonly #words: WordIndex;
  readonly #onCommitted: (committed: readonly Committed[]) => void;
  #identity: Identity | undefined;
  #next: number;
  // Lists, because a transaction touches few databases, mostly one, and to empty a map costs more than to search these.
  #pending: { readonly state: DatabaseState; readonly commits: Pending[] }[] = [];
  #touched: { readonly state: DatabaseState; readonly stores: string[] }[] = [];
  #sealed: { readonly state: DatabaseState; readonly commit: SealedCommit }[] = [];
  #plans: Plan[] = [];
  readonly #takeBackArrival = () => {
    this.#next -= 1;
  };

  constructor(options: {
    readonly prepared: PreparedStatements;
    readonly clock: Clock;
    readonly words: WordIndex;
    readonly nextArrival: number;
    readonly onCommitted: (committed: readonly Committed[]) => void;
  }) {
    this.#prepared = options.prepared;
    this.#clock = options.clock;
    this.#words = options.words;
    this.#next = options.nextArrival;
    this.#onCommitted = options.onCommitted;
    this.projection = new Projection(this.#prepared, this.#undo);
    this.places = new Places(this.#prepared, this.#undo);
  }

  set identity(identity: Identity) {
    this.#identity = identity;
  }

  get lastArrival(): number {
    return this.#next - 1;
  }

  mark(): number {
    return this.#undo.mark();
  }

  rewind(mark: number): void {
    this.#undo.rewind(mark);
  }

  /** Places a unit in the transaction that is open. Throws a code, or what the engine throws. */
  place(unit: Unit): void {
    for (const part of unit.parts) this.#placePart(part);
    for (const [index, statement] of unit.statements.entries()) this.#run(statement, index);
    for (const plan of unit.plans) this.#placePlan(plan);
  }

  #placePart({ state, ops, refs }: UnitPart): void {
    const identity = this.#requireIdentity();
    if (state.dropped) throw storeError('database_not_found');
    if (state.newer) throw storeError('database_newer');
    const chain = state.chains.get(identity.author.id);
    const level = levelOf(ops);
    const held = state.standingOfNext(identity.peer.id, identity.author.id, (chain?.seq ?? 0) + 1);
    if (!suffices(held, level))
      throw storeError('access_denied', undefined, { needed: neededRole(level), held });
    const bytes = opsBytes(ops) - 1;
    const pending = this.#room(state, identity, ops.length, bytes);
    const first = pending.ops.length;
    for (const op of ops) pending.ops.push(op);
    pending.bytes += bytes;
    this.#undo.add(() => {
      pending.ops.length = first;
      pending.bytes -= bytes;
    });
    for (let index = 0; index < refs.length; index += 1)
      refs[index]?.place(recordId(identity.author.id, pending.seq, first + index));
  }

  /** The commit that takes the operations: the last one of this transaction while there is room, else one more. */
  #room(state: DatabaseState, identity: Identity, ops: number, bytes: number): Pending {
    const commits = this.#commitsOf(state);
    const last = commits.at(-1);
    if (last !== undefined && fits(last, ops, bytes)) return last;
    const seq = (last?.seq ?? state.chains.get(identity.author.id)?.seq ?? 0) + 1;
    const begin = seq === 1 ? [authorOp(identity.peer.id, identity.certificate)] : [];
    const pending = { seq, ops: begin, bytes: opsBytes(begin) };
    if (!fits(pending, ops, bytes)) throw storeError('commit_too_large');
    commits.push(pending);
    this.#undo.add(() => {
      commits.pop();
    });
    return pending;
  }

  #commitsOf(state: DatabaseState): Pending[] {
    for (const pending of this.#pending) if (pending.state === state) return pending.commits;
    const commits: Pending[] = [];
    this.#pending.push({ state, commits });
    return commits;
  }

  #run({ sql, parameters, expect }: UnitStatement, index: number): void {
    const values: SqlValue[] = parameters.map((value) => (value instanceof RecordRef ? value.id : value));
    const changes = Number(this.#prepared.get(sql).run(...values).changes);
    if (expect !== undefined && changes !== expect)
      throw storeError('transaction_refused', undefined, {
        statement: index,
        expected: expect,
        changed: changes,
      });
  }

  #placePlan(plan: Plan): void {
    const { state } = plan;
    if (state.dropped) throw storeError('database_not_found');
    this.#plans.push(plan);
    this.#undo.add(() => this.#plans.pop());
    const rows = rowsOf(state);
    if (plan.creates !== null) {
      rows.database = Number(this.#prepared.get(ADD_DATABASE).run(state.root, plan.creates).lastInsertRowid);
      this.#undo.add(() => {
        rows.database = 0;
      });
    }
    for (const fork of plan.forks) this.#keepFork(state, fork);
    if (plan.flips.length > 0) this.places.write();
    const flipped = applyFlips(plan, {
      prepared: this.#prepared,
      projection: this.projection,
      words: this.#words,
      arrival: () => this.#arrival(),
    });
    for (const store of flipped.stores) this.#touch(state, store);
    for (const judged of plan.commits) this.#insert(state, judged);
    this.projection.renew(flipped.stale);
  }

  #keepFork(state: DatabaseState, { commit }: ForkProof): void {
    const { author, seq } = commit.header;
    const { database } = rowsOf(state);
    const body = JSON.stringify(commitJson(commit));
    const at = this.#clock.wallMs();
    this.#prepared.get(ADD_FORK).run(database, author, seq, commit.hash, at, body, database, MAX_FORKS_KEPT);
  }

  #insert(state: DatabaseState, { commit, peer, applied, origin, refs }: JudgedCommit): void {
    const { header, ops, hash, sig, level } = commit;
    const chain = ensureChain(this.#prepared, this.#undo, state, header.author, peer);
    const settings = header.settings === null ? null : (rowsOf(state).chains.get(header.settings[0]) ?? null);
    const n = this.#arrival();
    this.#prepared
      .get(ADD_COMMIT)
      .run(
        n,
        chain,
        header.seq,
        header.hlc,
        hash,
        sig,
        settings,
        header.settings?.[1] ?? null,
        level,
        applied ? STATE_APPLIED : STATE_DENIED,
        applied ? ORIGINS[origin] : 0,
        opsText(ops),
      );
    this.places.add({ chain, seq: header.seq, n });
    if (refs !== undefined)
      for (const [index, ref] of refs.entries()) ref?.place(recordId(header.author, header.seq, index));
    if (!applied) return;
    this.projection.apply(state, commit, n);
    let isNewer = false;
    for (const op of ops) {
      if (op.store !== '') this.#touch(state, op.store);
      if (op.verb === 'unknown') isNewer = true;
    }
    if (isNewer) this.#prepared.get(MARK_NEWER).run(rowsOf(state).database);
  }

  #arrival(): number {
    const n = this.#next;
    this.#next += 1;
    this.#undo.add(this.#takeBackArrival);
    return n;
  }

  #touch(state: DatabaseState, store: string): void {
    for (const touched of this.#touched) {
      if (touched.state !== state) continue;
      if (!touched.stores.includes(store)) touched.stores.push(store);
      return;
    }
    this.#touched.push({ state, stores: [store] });
  }

  seal(): void {
    if (this.#pending.length === 0) return;
    const identity = this.#requireIdentity();
    const wallMs = this.#clock.wallMs();
    for (const { state, commits } of this.#pending) {
      let head: Parameters<typeof sealCommit>[2]['head'] = state.chains.get(identity.author.id);
      for (const { seq, ops } of commits) {
        if (ops.length === (seq === 1 ? 1 : 0)) continue;
        const overwritten = this.#overwritten(state, ops, wallMs);
        const commit = sealCommit(state, identity, { ops, wallMs, head, overwritten });
        this.#insert(state, { commit, peer: identity.peer.id, applied: true, origin: 'local' });
        this.#sealed.push({ state, commit });
        head = { seq: commit.header.seq, hlc: commit.header.hlc, hash: commit.hash };
      }
    }
  }

  #overwritten(state: DatabaseState, ops: readonly PreparedOp[], wallMs: number): number {
    const reach = reachOf(clockAt(wallMs));
    if (state.highest <= reach) return 0;
    return Math.max(0, ...this.projection.overwritten(state, ops, reach).map(({ hlc }) => hlc));
  }

  committed(): void {
    const identity = this.#identity;
    const wallMs = this.#clock.wallMs();
    for (const { state, commit } of this.#sealed)
      if (identity !== undefined) state.advance(commit, identity.peer.id, wallMs);
    for (const plan of this.#plans) plan.adopt();
    const committed: readonly Committed[] = this.#touched;
    for (const { state, stores } of committed) state.touch(stores, this.lastArrival);
    this.#forget();
    if (committed.length > 0) this.#onCommitted(committed);
  }

  rolledBack(): void {
    this.#undo.rewind(0);
    this.#forget();
  }

  #forget(): void {
    this.#undo.clear();
    this.#pending = [];
    this.#touched = [];
    this.#sealed = [];
    this.#plans = [];
  }

  #requireIdentity(): Identity {
    if (this.#identity === undefined) throw storeError('store_closed');
    return this.#identity;
  }
}

function fits(pending: Pending, ops: number, bytes: number): boolean {
  return pending.ops.length + ops <= MAX_OPS_IN_COMMIT && pending.bytes + bytes <= MAX_COMMIT_BYTES;
}
