import { FairleadError, isJsonObject, type Json } from '@fairlead/base';
import { mcpErrors } from '../errors.ts';
import { catalogBounds } from '../limits.ts';

/**
 * Every entry of a list that comes in pages: `ask` gets the cursor of the page. Ends at 64 pages or `max` entries, and where a server gives a cursor
 * that it gave before. Rejects with `mcp_protocol_failed` for what is no list.
 */
export async function listPages(
  member: string,
  max: number,
  ask: (cursor: string | undefined) => Promise<Json>,
): Promise<{ readonly entries: readonly Json[]; readonly cut: boolean }> {
  const entries: Json[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 0; page < catalogBounds.pages; page += 1) {
    const answer = await ask(cursor);
    const list = isJsonObject(answer) ? answer[member] : undefined;
    if (!Array.isArray(list))
      throw new FairleadError(
        'mcp_protocol_failed',
        `${mcpErrors.mcp_protocol_failed.message} (no ${member})`,
      );
    for (const entry of list as readonly Json[]) {
      if (entries.length === max) return { entries, cut: true };
      entries.push(entry);
    }
    const next = isJsonObject(answer) ? answer['nextCursor'] : undefined;
    if (typeof next !== 'string' || seen.has(next)) return { entries, cut: false };
    seen.add(next);
    cursor = next;
  }
  return { entries, cut: true };
}
