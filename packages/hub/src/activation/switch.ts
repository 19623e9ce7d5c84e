import type { Clock } from '@fairlead/base';
import type { Database, DatabaseTx } from '@fairlead/store';
import { EXTENSIONS_TABLE, rowOfEvent } from './activation-event.ts';
import type { Activation } from './active-set.ts';

/** Switches an extension on in the log of a session or an agent. On disk when it resolves; rejects with a code of the store. */
export async function activate(log: Database, { name, ref }: Activation, clock: Clock): Promise<void> {
  await log
    .latest(EXTENSIONS_TABLE)
    .put(name, rowOfEvent({ kind: 'activated', name, ref, atMs: nowMs(clock) }));
}

/** Switches an extension off: in a session for everybody, in an agent's log for that agent alone. */
export async function deactivate(log: Database, name: string, clock: Clock): Promise<void> {
  await log.latest(EXTENSIONS_TABLE).put(name, rowOfEvent({ kind: 'deactivated', name, atMs: nowMs(clock) }));
}

/** The same in a transaction of the caller. */
export function putDeactivated(tx: Pick<DatabaseTx, 'put'>, name: string, clock: Clock): void {
  tx.put(EXTENSIONS_TABLE, name, rowOfEvent({ kind: 'deactivated', name, atMs: nowMs(clock) }));
}

/** Whole milliseconds, whatever the clock counts in. */
export function nowMs(clock: Clock): number {
  return Math.max(0, Math.floor(clock.wallMs()));
}
