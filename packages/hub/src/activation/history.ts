import type { Database, RecordId } from '@fairlead/store';
import { activationLimits } from '../limits.ts';
import { type ActivationEvent, EXTENSIONS_TABLE, readEvent } from './activation-event.ts';

/** One switch as a person reads it: who turned what on or off, and when by that peer's own clock. */
export type PastSwitch = ActivationEvent & { readonly id: RecordId; readonly peer: string };

/** The newest switches of a log, newest first, at most 200, before one where it is given. Rows that are none are left out. */
export async function history(
  log: Database,
  page: { readonly limit?: number; readonly before?: RecordId; readonly name?: string } = {},
): Promise<{ readonly switches: readonly PastSwitch[]; readonly before: RecordId | null }> {
  const { limit = activationLimits.historyPage, name } = page;
  const wanted = Math.max(1, Math.min(Math.floor(limit), activationLimits.maxHistory));
  const switches: PastSwitch[] = [];
  let { before } = page;
  for (let pages = 0; pages < activationLimits.maxHistoryPages; pages += 1) {
    const { rows, before: next } = await log
      .table(EXTENSIONS_TABLE)
      .tail(activationLimits.maxHistory, before);
    for (const row of rows) {
      const { id, key = '', value, peer } = row;
      const event = name === undefined || key === name ? readEvent(key, value) : undefined;
      if (event !== undefined) switches.push({ ...event, id, peer });
      if (switches.length === wanted)
        return { switches, before: next === null && id === rows.at(-1)?.id ? null : id };
    }
    if (next === null) return { switches, before: null };
    before = next;
  }
  return { switches, before: before ?? null };
}
