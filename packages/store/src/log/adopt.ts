import type { DatabaseState } from './database-state.ts';
import type { SettledRights } from './settle-rights.ts';
import type { JudgedCommit } from './unit.ts';

/** Brings commits that now stand in the log, and what they made of rights, into the state in memory. */
export function adoptJudged(
  state: DatabaseState,
  by: SettledRights & { readonly judged: readonly JudgedCommit[]; readonly wallMs: number },
): void {
  state.setRights(by.settings, by.rights);
  for (const judged of by.judged) adoptCommit(state, judged, by.wallMs);
  for (const { author, seq, applied } of by.flips) {
    state.denied += applied ? -1 : 1;
    const chain = state.chains.get(author);
    if (applied && chain !== undefined && seq > chain.offered) state.setChain({ ...chain, offered: seq });
  }
}

function adoptCommit(state: DatabaseState, { commit, peer, applied }: JudgedCommit, wallMs: number): void {
  const { header, hash, level, ops } = commit;
  const { author, seq, hlc } = header;
  const before = state.chains.get(author)?.offered ?? 0;
  state.setChain({ author, peer, seq, hlc, hash, offered: applied || level === 3 ? seq : before });
  state.observe(hlc, wallMs);
  if (!applied) state.denied += 1;
  else if (ops.some((op) => op.verb === 'unknown')) state.newer = true;
}
