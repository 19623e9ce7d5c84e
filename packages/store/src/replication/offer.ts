import type { DatabaseState } from '../log/database-state.ts';
import { comparePositions } from '../log/position.ts';

/** What of a database a peer may be sent. */
export type Offer =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'everything' }
  /** Its right has ended: up to the commits that say so, and nothing after them. */
  | { readonly kind: 'revocation'; readonly upTo: (author: string) => number };

/** By the rights as they stand here now. A peer that never had any learns nothing, not even that the database is here. */
export function offerTo(state: DatabaseState, peer: string): Offer {
  const { rights, settings, kind } = state;
  if (kind === 'peer') return { kind: 'nothing' };
  if (rights.standingOf(peer) !== 'none') return { kind: 'everything' };
  const end = rights.lastChange(peer);
  if (end === undefined) return { kind: 'nothing' };
  const last = new Map<string, number>();
  for (const commit of settings)
    if (comparePositions(commit, end.at) <= 0)
      last.set(commit.author, Math.max(last.get(commit.author) ?? 0, commit.seq));
  return { kind: 'revocation', upTo: (author) => last.get(author) ?? 0 };
}
