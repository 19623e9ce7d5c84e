import type { Version } from '../log/chain.ts';
import type { DatabaseState } from '../log/database-state.ts';
import type { LogEngine } from '../log/log-engine.ts';

/**
 * What the other holds, set back by one where its chain ends in another commit than this one has there: that commit is then
 * sent, and proves the fork to the other.
 */
export async function commonVersion(
  engine: LogEngine,
  state: DatabaseState | undefined,
  { version, heads }: { readonly version: Version; readonly heads: { readonly [author: string]: string } },
): Promise<Version> {
  if (state === undefined) return version;
  const common = Object.entries(heads)
    .map(([author, hash]) => ({ author, hash, seq: version[author] ?? 0 }))
    .filter(({ author, seq }) => seq > 0 && seq <= (state.chains.get(author)?.seq ?? 0));
  const hashes = await engine.hashes(state, common);
  const forked = common.filter(({ hash }, index) => hashes[index] !== hash);
  return { ...version, ...Object.fromEntries(forked.map(({ author, seq }) => [author, seq - 1])) };
}
