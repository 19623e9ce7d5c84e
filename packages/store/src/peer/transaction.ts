import { isJsonObject } from '@fairlead/base';
import { storeError } from '../errors.ts';
import { emptyState } from '../log/admit.ts';
import { adoptJudged } from '../log/adopt.ts';
import { levelOf } from '../log/commit.ts';
import type { DatabaseState } from '../log/database-state.ts';
import { clockAt, reachOf } from '../log/hybrid-clock.ts';
import type { LogEngine } from '../log/log-engine.ts';
import { type DatabaseKind, rootId, SETTINGS_DOC } from '../log/names.ts';
import { authorOp, genesisOp, type PreparedOp, setOp } from '../log/op.ts';
import { type RecordRef, recordId } from '../log/record-ref.ts';
import { sealCommit, sealGenesis } from '../log/seal.ts';
import { settingsCommit, settleRights } from '../log/settle-rights.ts';
import type { JudgedCommit, Plan, UnitPart, UnitStatement } from '../log/unit.ts';
import { Rights } from '../rights/rights.ts';
import { type Role, suffices } from '../rights/role.ts';
import type { Durability, SqlValue } from '../store.ts';
import { DatabaseDraft, type DatabaseTx } from './database-draft.ts';
import type { PeerCore } from './peer-core.ts';

/** Several databases and peer-local rows, all or nothing. `work` gets it, is synchronous, and only collects. */
export interface Tx {
  /** What to write to an open database. */
  on(database: { readonly root: string }): DatabaseTx;
  /**
   * A new database, whose first commit holds what `work` collects and what `grants` gives to others. Returns its root id.
   * Nothing more can be written to it in this transaction.
   */
  create(kind: DatabaseKind, work?: (tx: DatabaseTx) => void, options?: CreateOptions): string;
  /**
   * A statement on peer-local rows. A record's reference may stand as a parameter. With `expect`, another number of changed
   * rows refuses the transaction (`transaction_refused`).
   */
  write(sql: string, parameters?: readonly (SqlValue | RecordRef)[], expect?: number): void;
}

export type CreateOptions = { readonly grants?: Readonly<Record<string, Role>> };

/** Collects a transaction. */
export class TransactionDraft implements Tx {
  readonly #core: PeerCore;
  readonly parts = new Map<string, DatabaseDraft>();
  readonly statements: UnitStatement[] = [];
  readonly births: Plan[] = [];

  constructor(core: PeerCore) {
    this.#core = core;
  }

  on({ root }: { readonly root: string }): DatabaseDraft {
    let part = this.parts.get(root);
    if (part === undefined) {
      part = new DatabaseDraft();
      this.parts.set(root, part);
    }
    return part;
  }

  create(kind: DatabaseKind, work?: (tx: DatabaseTx) => void, { grants = {} }: CreateOptions = {}): string {
    const { engine, clock, random, identity } = this.#core;
    const draft = new DatabaseDraft();
    draft.add(authorOp(identity.peer.id, identity.certificate));
    draft.add(genesisOp(kind, identity.peer.id, Buffer.from(random(32)).toString('base64url')));
    for (const [peer, role] of Object.entries(grants))
      draft.add(setOp(SETTINGS_DOC, ['peers', peer], { role }));
    work?.(draft);
    const commit = sealGenesis(draft.ops, identity, clock.wallMs());
    // Sealed already, so its records have their ids; the statements of this transaction may name them.
    const { author, seq } = commit.header;
    for (const [index, ref] of draft.refs.entries()) ref?.place(recordId(author, seq, index));
    const state = emptyState(engine, rootId(kind, commit.hash), kind);
    const peer = identity.peer.id;
    const settings = [settingsCommit(commit, peer)];
    const rights = Rights.fold(settings);
    const judged: readonly JudgedCommit[] = [
      { commit, peer, applied: true, origin: 'local', refs: draft.refs },
    ];
    const adopt = () => {
      adoptJudged(state, { settings, rights, flips: [], judged, wallMs: clock.wallMs() });
      this.#core.addState(state);
    };
    this.births.push({ state, creates: kind, commits: judged, flips: [], forks: [], adopt });
    return state.root;
  }

  write(sql: string, parameters: readonly (SqlValue | RecordRef)[] = [], expect?: number): void {
    this.statements.push({ sql, parameters, expect });
  }
}

/** Writes what a draft has collected, each database behind its gate. */
export async function runTransaction(
  core: PeerCore,
  draft: TransactionDraft,
  durability?: Durability,
): Promise<void> {
  // In one order everywhere, so that two transactions over the same databases never wait for each other.
  const entries = [...draft.parts]
    .filter(([, { ops }]) => ops.length > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const parts: UnitPart[] = [];
  const plans: Plan[] = [...draft.births];
  const leave: (() => void)[] = [];
  try {
    for (const [root, part] of entries) {
      const { ops, refs } = part;
      const alone = levelOf(ops) >= 3;
      const state = await enter(core, root, alone);
      leave.push(() => (alone ? state.gate.leaveAlone() : state.gate.leave()));
      if (alone) plans.push(await planSettings(core, state, part));
      else parts.push({ state, ops, refs });
    }
    await core.engine.write({ statements: draft.statements, parts, plans }, durability);
  } finally {
    for (const step of leave) step();
  }
}

/** Enters the gate of a database, by the state that is its own when that has happened. */
async function enter(core: PeerCore, root: string, alone: boolean): Promise<DatabaseState> {
  for (;;) {
    const state = await core.state(root);
    await (alone ? state.gate.enterAlone() : state.gate.enter());
    // One that was dropped is refused further on.
    if (state.dropped || core.isCurrent(state)) return state;
    if (alone) state.gate.leaveAlone();
    else state.gate.leave();
  }
}

/** A commit of this peer that changes the settings: sealed and folded beforehand, because it may undo what was applied. */
async function planSettings(core: PeerCore, state: DatabaseState, draft: DatabaseDraft): Promise<Plan> {
  const { engine, clock, identity } = core;
  if (state.dropped) throw storeError('database_not_found');
  if (state.newer) throw storeError('database_newer');
  const peer = identity.peer.id;
  const head = state.chains.get(identity.author.id);
  const held = state.standingOfNext(peer, identity.author.id, (head?.seq ?? 0) + 1);
  if (!suffices(held, 3)) throw storeError('access_denied', undefined, { needed: 'admin', held });
  const begin = head === undefined ? [authorOp(peer, identity.certificate)] : [];
  const ops = [...begin, ...draft.ops];
  const wallMs = clock.wallMs();
  const overwritten = await clockToPass(engine, state, ops, reachOf(clockAt(wallMs)));
  const commit = sealCommit(state, identity, { ops, wallMs, head, overwritten });
  const change = settingsCommit(commit, peer);
  const settled = await settleRights(engine, state, [change]);
  if (!settled.rights.counts(change)) throw storeError('access_denied', undefined, { needed: 'admin', held });
  const refs = [...begin.map(() => null), ...draft.refs];
  const judged: readonly JudgedCommit[] = [{ commit, peer, applied: true, origin: 'local', refs }];
  const adopt = () => adoptJudged(state, { ...settled, judged, wallMs: clock.wallMs() });
  return { state, creates: null, commits: judged, flips: settled.flips, forks: [], adopt };
}

/**
 * The clock that a change of the settings must pass to be the newest where it stands. What the change itself cuts off is
 * left out: a value from the far future is overcome by cutting its author off, not by following it there.
 */
async function clockToPass(
  engine: LogEngine,
  state: DatabaseState,
  ops: readonly PreparedOp[],
  reach: number,
): Promise<number> {
  if (state.highest <= reach) return 0;
  const cut = new Map<string, number>();
  for (const { settings } of ops) {
    const cuts = isJsonObject(settings?.value) ? settings.value['cuts'] : undefined;
    for (const [author, seq] of Object.entries(isJsonObject(cuts) ? cuts : {})) cut.set(author, Number(seq));
  }
  const standing = (await engine.overwritten(state, ops, reach)).filter(
    ({ author, seq }) => seq <= (cut.get(author) ?? Number.POSITIVE_INFINITY),
  );
  return Math.max(0, ...standing.map(({ hlc }) => hlc));
}
