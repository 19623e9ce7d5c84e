import type { Json } from '@fairlead/base';
import type { AsOf, Database, KeyedRow } from '@fairlead/store';
import { activationLimits } from '../limits.ts';
import type { Report } from '../report.ts';
import { type ActivationEvent, EXTENSIONS_TABLE, readEvent } from './activation-event.ts';

/** A switch, and the peer that wrote it. */
export type WrittenEvent = ActivationEvent & { readonly peer: string };

/**
 * The newest switch of each name in a log, by name: the fold that every peer makes alike. It reads one row a name, however long
 * the log is. A row that is no switch is foreign input: the one before it stands, and the report says how many there were. After
 * as many such rows as the bound says, the name counts as never switched.
 */
export async function newestEvents(
  log: Database,
  options: { readonly asOf?: AsOf; readonly report?: Report } = {},
): Promise<ReadonlyMap<string, WrittenEvent>> {
  const { asOf, report } = options;
  const events = new Map<string, WrittenEvent>();
  let malformed = 0;
  for (const row of await log.latest(EXTENSIONS_TABLE).all(asOf)) {
    const event = readEvent(row.key, row.value);
    if (event !== undefined) events.set(row.key, { ...event, peer: row.peer });
    else {
      malformed += 1;
      const before = await eventBefore(log, row);
      if (before !== undefined) events.set(row.key, before);
    }
  }
  if (malformed > 0)
    report?.({
      code: 'activation_malformed',
      key: log.root,
      reason: `${malformed} of the newest switches in this log cannot be read and are ignored`,
    });
  return events;
}

/** The newest readable switch of a row's name below that row. */
async function eventBefore(log: Database, row: KeyedRow<Json>): Promise<WrittenEvent | undefined> {
  let { hlc } = row;
  for (let steps = 0; steps < activationLimits.maxMalformed; steps += 1) {
    const before = await log.latest(EXTENSIONS_TABLE).get(row.key, { hlc: hlc - 1 });
    if (before === undefined) return undefined;
    const event = readEvent(row.key, before.value);
    if (event !== undefined) return { ...event, peer: before.peer };
    hlc = before.hlc;
  }
  return undefined;
}
