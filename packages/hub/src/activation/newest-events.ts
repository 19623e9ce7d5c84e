import type { Json } from '@fairlead/base';
import type { AsOf, Database, KeyedRow } from '@fairlead/store';
import { activationLimits } from '../limits.ts';
import type { Report } from '../report.ts';
import { type ActivationEvent, EXTENSIONS_TABLE, readEvent } from './activation-event.ts';

/** The newest switch of a name, and the peer that wrote it. One that cannot be read counts as off in every log. */
export type WrittenEvent = (ActivationEvent | { readonly kind: 'unreadable'; readonly name: string }) & {
  readonly peer: string;
};

/** What of a log is read, as of when, and who hears of rows that are no switches. */
export interface FoldOptions {
  readonly asOf?: AsOf;
  /** All that is read of a log of more than 10,000 records. Default: every name, however many. */
  readonly names?: Iterable<string>;
  readonly report?: Report;
}

/**
 * The newest switch of each name in a log, by name: the fold that every peer makes alike. It reads one row a name, however long
 * the log is, and never looks behind a row that cannot be read: that is foreign input, and the report says how many there were.
 */
export async function newestEvents(
  log: Database,
  { asOf, names, report }: FoldOptions = {},
): Promise<ReadonlyMap<string, WrittenEvent>> {
  const events = new Map<string, WrittenEvent>();
  let malformed = 0;
  for (const { key, value, peer } of await newestRows(log, names, asOf)) {
    const event = readEvent(key, value);
    if (event === undefined) malformed += 1;
    events.set(key, { ...(event ?? { kind: 'unreadable', name: key }), peer });
  }
  if (malformed > 0)
    report?.({
      code: 'activation_malformed',
      key: log.root,
      reason: `${malformed} of the newest switches in this log cannot be read and count as off`,
    });
  return events;
}

async function newestRows(
  log: Database,
  names: Iterable<string> | undefined,
  asOf: AsOf | undefined,
): Promise<readonly KeyedRow<Json>[]> {
  const latest = log.latest(EXTENSIONS_TABLE);
  if (names === undefined || !(await isLong(log))) return await latest.all(asOf);
  const rows = await Promise.all([...new Set(names)].map((name) => latest.get(name, asOf)));
  return rows.filter((row) => row !== undefined);
}

/** Whether a log has more records than are read as a whole. */
async function isLong(log: Database): Promise<boolean> {
  return (await log.table(EXTENSIONS_TABLE).count()) > activationLimits.maxWholeRecords;
}
