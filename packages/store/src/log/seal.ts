import type { SettingsCommit } from '../rights/rights.ts';
import type { Chain } from './chain.ts';
import { type CommitHeader, commitHash, levelOf, type SealedCommit, signedBytes } from './commit.ts';
import type { DatabaseState } from './database-state.ts';
import { clockAt, nextClock, reachOf } from './hybrid-clock.ts';
import type { Identity } from './identity.ts';
import { signBytes } from './keys.ts';
import type { Level, PreparedOp } from './op.ts';

export type SealRequest = {
  readonly ops: readonly PreparedOp[];
  readonly wallMs: number;
  /** The end of the own chain, or what stands before this commit in the same transaction. */
  readonly head: Pick<Chain, 'seq' | 'hlc' | 'hash'> | undefined;
  /** The highest clock of a register that the operations overwrite and that is more than a day ahead; 0 where none is. */
  readonly overwritten: number;
};

/** Makes the next commit of this peer's author in a database: clock, links, hash, signature. Throws `commit_clock_invalid`. */
export function sealCommit(state: DatabaseState, identity: Identity, request: SealRequest): SealedCommit {
  const { ops, wallMs, head, overwritten } = request;
  const level = levelOf(ops);
  const own = head?.hlc ?? 0;
  const seq = (head?.seq ?? 0) + 1;
  const settings = settingsFor(state, identity, { level, seq, own: Math.max(clockAt(wallMs), own) });
  const floor = Math.max(own, settings?.hlc ?? 0);
  const observed = state.observedBy(Math.max(clockAt(wallMs), floor));
  const header: CommitHeader = {
    v: 1,
    database: state.root,
    author: identity.author.id,
    seq,
    hlc: nextClock(wallMs, Math.max(floor, observed, overwritten)),
    prev: head?.hash ?? '',
    settings: settings === undefined ? null : [settings.author, settings.seq],
    ops: ops.map((op) => op.digest),
  };
  return signed(header, ops, level, identity);
}

/** Makes the first commit of a database; its hash becomes the root id. */
export function sealGenesis(ops: readonly PreparedOp[], identity: Identity, wallMs: number): SealedCommit {
  const header: CommitHeader = {
    v: 1,
    database: '',
    author: identity.author.id,
    seq: 1,
    hlc: nextClock(wallMs, 0),
    prev: '',
    settings: null,
    ops: ops.map((op) => op.digest),
  };
  return signed(header, ops, levelOf(ops), identity);
}

function signed(
  header: CommitHeader,
  ops: readonly PreparedOp[],
  level: Level,
  identity: Identity,
): SealedCommit {
  const hash = commitHash(header);
  return { header, ops, level, hash, sig: signBytes(signedBytes(hash), identity.author) };
}

/**
 * The settings commit that a new commit names: the newest, unless that one is more than a day ahead and the writer does not
 * need it. Naming it would carry its clock into everything written from then on.
 */
function settingsFor(
  state: DatabaseState,
  identity: Identity,
  next: { readonly level: Level; readonly seq: number; readonly own: number },
): SettingsCommit | undefined {
  const newest = state.rights.newest();
  const reach = reachOf(next.own);
  if (newest === undefined || newest.hlc <= reach) return newest;
  const near = state.rights.newest(reach);
  if (near === undefined) return newest;
  const position = { author: identity.author.id, seq: next.seq, hlc: Math.max(near.hlc, next.own) + 1 };
  return state.rights.allows(identity.peer.id, position, next.level) ? near : newest;
}
