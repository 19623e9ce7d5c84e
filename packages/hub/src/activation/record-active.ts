import { type Clock, jsonEqual } from '@fairlead/base';
import type { ExtensionRef } from '@fairlead/extension/runtime';
import type { Database } from '@fairlead/store';
import { activationLimits } from '../limits.ts';
import type { Report } from '../report.ts';
import { EXTENSIONS_TABLE, readEvent, rowOfEvent } from './activation-event.ts';
import type { Activation } from './active-set.ts';
import { newestEvents, type WrittenEvent } from './newest-events.ts';
import { nowMs } from './switch.ts';

/**
 * Writes into a session's log what is installed here and what the log does not say yet, at the start of the session, in one
 * commit; returns how many switches that were. A name is written that has no switch at all, or whose newest switch by this peer
 * turned it on under another ref than the one installed here: a version of our own that moved on. What is off stays off, whoever
 * turned it off, an unreadable switch among them, and what other peers wrote is never answered, so that two peers with two versions do not write against each
 * other. Nothing to write is no commit; in a session that this peer may not write to nothing is written.
 */
export async function recordActive(
  session: Database,
  installed: readonly Activation[],
  by: { readonly peerId: string; readonly clock: Clock; readonly report?: Report },
): Promise<number> {
  const { peerId, clock, report } = by;
  const mine = session.access.mine();
  if (mine === null || mine === 'read' || session.newer) return 0;
  const newest = await newestEvents(session, {
    names: installed.map(({ name }) => name),
    ...(report === undefined ? {} : { report }),
  });
  const rows: Activation[] = [];
  for (const { name, ref } of installed)
    if (await isUnsaid(session, newest.get(name), { name, ref }, peerId)) rows.push({ name, ref });
  const atMs = nowMs(clock);
  for (let from = 0; from < rows.length; from += activationLimits.maxInCommit)
    await session.commit((tx) => {
      for (const { name, ref } of rows.slice(from, from + activationLimits.maxInCommit))
        tx.put(EXTENSIONS_TABLE, name, rowOfEvent({ kind: 'activated', name, ref, atMs }));
    });
  return rows.length;
}

async function isUnsaid(
  session: Database,
  newest: WrittenEvent | undefined,
  { name, ref }: Activation,
  peerId: string,
): Promise<boolean> {
  if (newest === undefined) return true;
  if (newest.kind !== 'activated') return false;
  const own = newest.peer === peerId ? newest : await newestBy(session, peerId, name);
  return own?.kind === 'activated' && !sameRef(own.ref, ref);
}

async function newestBy(session: Database, peerId: string, name: string) {
  const row = await session.latest(EXTENSIONS_TABLE).by(peerId, name);
  return row === undefined ? undefined : readEvent(name, row.value);
}

function sameRef(left: ExtensionRef, right: ExtensionRef): boolean {
  return jsonEqual(left as never, right as never);
}
