import type { SqlValue } from '../store.ts';
import type { SealedCommit } from './commit.ts';
import type { DatabaseState, StoredDatabase } from './database-state.ts';
import type { DatabaseKind } from './names.ts';
import type { PreparedOp } from './op.ts';
import type { RecordRef } from './record-ref.ts';

/** What one transaction writes: all of it or nothing. Plain data, so that an engine in another process can carry it out. */
export type Unit = {
  readonly statements: readonly UnitStatement[];
  /** Operations that become part of this author's next commit in each database; neighbours may share that commit. */
  readonly parts: readonly UnitPart[];
  /** What was judged beforehand: foreign commits, new databases, changes of rights. */
  readonly plans: readonly Plan[];
};

/** A statement on peer-local rows. With `expect`, another number of changed rows refuses the whole transaction. */
export type UnitStatement = {
  readonly sql: string;
  readonly parameters: readonly (SqlValue | RecordRef)[];
  readonly expect: number | undefined;
};

export type UnitPart = {
  readonly state: DatabaseState;
  readonly ops: readonly PreparedOp[];
  /** One per operation, null where the operation makes no record. */
  readonly refs: readonly (RecordRef | null)[];
};

/** Where a commit came from, as `onWrite` tells it. `retracted`: it was applied, and rights that arrived later undid it. */
export type Origin = 'local' | 'remote' | 'retracted';

/** A judged commit on its way into the log. */
export type JudgedCommit = {
  readonly commit: SealedCommit;
  readonly peer: string;
  readonly applied: boolean;
  readonly origin: 'local' | 'remote';
  readonly refs?: readonly (RecordRef | null)[];
};

/** A kept commit whose judgement changed. */
export type Flip = { readonly author: string; readonly seq: number; readonly applied: boolean };

/** A second commit of an author under a number that it had used: proof that its key was used twice. */
export type ForkProof = { readonly commit: SealedCommit };

export type Plan = {
  readonly state: DatabaseState;
  /** Set where the plan makes the database on this peer. */
  readonly creates: DatabaseKind | null;
  readonly commits: readonly JudgedCommit[];
  readonly flips: readonly Flip[];
  readonly forks: readonly ForkProof[];
  /** Brings the state in memory up to date; called once, right after the commit. */
  readonly adopt: () => void;
};

/** A database that does not stand on disk yet. */
export function unborn(kind: DatabaseKind, rows: unknown): StoredDatabase {
  return { kind, newer: false, chains: [], settings: [], observed: 0, denied: 0, rows };
}
