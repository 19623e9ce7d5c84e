import type { Certainty } from '@fairlead/base';
import type { Store } from '@fairlead/store';
import { JOURNAL_ROWS_PER_LOOK } from '../limits.ts';

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

type Row = { readonly at: number; readonly certainty: Certainty | null; readonly code: string | null };

/** What never began is not meant, nor what was learnt later never to have begun. Only the newest rows: nobody makes more in some minutes. */
const SELECT = `SELECT at, coalesce(settled_certainty, certainty) AS certainty, coalesce(settled_code, code) AS code
  FROM (SELECT * FROM journal ORDER BY seq DESC LIMIT ?)
  WHERE target = ? AND principal = ? AND arguments_digest = ? AND at > ?
    AND coalesce(settled_certainty, certainty) IS NOT 'not_started'
  ORDER BY seq DESC LIMIT 1`;

/** The last one since `sinceMs`, undefined where there is none. */
export async function recentCall(
  store: Store,
  { principal, target, argumentsDigest }: SameCall,
  sinceMs: number,
): Promise<RecentCall | undefined> {
  const parameters = [JOURNAL_ROWS_PER_LOOK, target, principal, argumentsDigest, sinceMs];
  const [row] = await store.read<Row>(SELECT, parameters);
  return row === undefined ? undefined : { atMs: row.at, certainty: row.certainty, code: row.code };
}
