import { TAKE_BACK_MS } from '../limits.ts';
import type { Version } from '../log/chain.ts';
import type { DatabaseState } from '../log/database-state.ts';
import type { PeerCore } from '../peer/peer-core.ts';

/**
 * A restored backup first takes back what its peer had written since: while the other holds more of this peer's own commits,
 * local writes to the database wait, for a while. Returns what ends the wait early.
 */
export function takeBack(
  core: PeerCore,
  state: DatabaseState,
  theirs: Version,
  done: () => void,
): () => void {
  const peer = core.identity.peer.id;
  const behind = ownBehind(state, theirs, peer);
  if (behind === 0) return () => undefined;
  const open = state.gate.hold();
  const unlisten = core.engine.onCommitted(() => {
    if (ownBehind(state, theirs, peer) > 0) return;
    core.report({ code: 'backup_taken_back', database: state.root, commits: behind });
    release();
  });
  const timer = core.clock.setTimer(TAKE_BACK_MS, () => release());
  const release = () => {
    timer.cancel();
    unlisten();
    open();
    done();
  };
  return release;
}

/** How many commits of the peer's authors the other has and this side lacks. */
function ownBehind(state: DatabaseState, theirs: Version, peer: string): number {
  let behind = 0;
  for (const chain of state.chains.values())
    if (chain.peer === peer) behind += Math.max(0, (theirs[chain.author] ?? 0) - chain.seq);
  return behind;
}
