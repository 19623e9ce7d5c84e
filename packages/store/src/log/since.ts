import {
  COMMIT_OVERHEAD_BYTES,
  MAX_BATCH_BYTES,
  MAX_COMMITS_IN_APPLY,
  OP_OVERHEAD_BYTES,
} from '../limits.ts';
import type { Version } from './chain.ts';
import { type Commit, commitJson } from './commit.ts';
import type { DatabaseState } from './database-state.ts';
import type { LogEngine, StoredCommit } from './log-engine.ts';

/** How much one answer may hold; it holds at least one commit where any is lacking. */
export type SinceBounds = {
  readonly commits: number;
  readonly bytes: number;
  /** Per author the last commit to give; without it, all that are offered. */
  readonly upTo: (author: string) => number;
};

/**
 * Commits that a holder of `version` lacks, in the order in which they arrived here: that is an order in which each comes
 * after those that it needs. Reads no more of a chain than the answer may need.
 */
export async function since(
  engine: LogEngine,
  state: DatabaseState,
  want: { readonly version: Version; readonly bounds: Partial<SinceBounds> },
): Promise<Commit[]> {
  const limit = want.bounds.commits ?? MAX_COMMITS_IN_APPLY;
  const bytes = want.bounds.bytes ?? MAX_BATCH_BYTES;
  const pieces: StoredCommit[][] = [];
  for (const chain of state.chains.values()) {
    const after = want.version[chain.author] ?? 0;
    const upTo = Math.min(chain.offered, want.bounds.upTo?.(chain.author) ?? chain.offered);
    if (upTo > after) pieces.push(await engine.chain(state, chain.author, { after, upTo, limit, bytes }));
  }
  const taken: Commit[] = [];
  let size = 0;
  for (const { commit, bytes: ops } of pieces.flat().sort((left, right) => left.n - right.n)) {
    const own = ops + COMMIT_OVERHEAD_BYTES + OP_OVERHEAD_BYTES * commit.ops.length;
    if (taken.length > 0 && (taken.length >= limit || size + own > bytes)) break;
    taken.push(commitJson(commit));
    size += own;
  }
  return taken;
}
