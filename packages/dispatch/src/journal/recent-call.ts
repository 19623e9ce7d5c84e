import type { Certainty } from '@fairlead/base';
import type { Store } from '@fairlead/store';
import type { JournalEnd } from './journal-row.ts';

/** The same call, when it began last and what is known of its end; `certainty` null while it runs. */
export type RecentCall = {
  readonly atMs: number;
  readonly certainty: Certainty | null;
  readonly code: string | null;
};

/** What makes two calls of sessions the same. */
export type SameCall = {
  readonly principal: string;
  readonly target: string;
  readonly argumentsDigest: string;
};

type Row = {
  readonly seq: number;
  readonly id: string;
  readonly at: number;
  readonly certainty: Certainty | null;
  readonly code: string | null;
};

/** What never began is not meant, nor what was learnt later never to have begun. */
const SELECT = `SELECT seq, id, at, coalesce(settled_certainty, certainty) AS certainty, coalesce(settled_code, code) AS code
  FROM journal WHERE principal = ? AND target = ? AND arguments_digest = ? AND at > ? AND seq < ?
    AND coalesce(settled_certainty, certainty) IS NOT 'not_started'
  ORDER BY seq DESC LIMIT 1`;

/** The last one since `sinceMs`, undefined where there is none. `owed` gives the end of one whose row does not say so yet. */
export async function recentCall(
  store: Store,
  owed: (id: string) => JournalEnd | undefined,
  { principal, target, argumentsDigest, sinceMs }: SameCall & { readonly sinceMs: number },
): Promise<RecentCall | undefined> {
  let beforeSeq = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const [row] = await store.read<Row>(SELECT, [principal, target, argumentsDigest, sinceMs, beforeSeq]);
    if (row === undefined) return undefined;
    const { certainty, code } = (row.certainty === null ? owed(row.id) : undefined) ?? row;
    if (certainty !== 'not_started') return { atMs: row.at, certainty, code };
    beforeSeq = row.seq;
  }
}
