import type { RecordId, RecordRef, Store, Tx } from '@fairlead/store';
import { sessionBounds } from '../limits.ts';

/** An entry that waits for an agent. */
export interface PendingWake {
  /** The order in which they came. */
  readonly seq: number;
  readonly entry: RecordId;
  readonly agent: string;
  readonly kind: 'message' | 'directive';
}

/** What one turn answers. */
export interface NextTurn {
  readonly agent: string;
  readonly wakes: readonly PendingWake[];
}

export interface NewWake {
  readonly session: string;
  readonly entry: RecordId | RecordRef;
  readonly agent: string;
  readonly kind: 'message' | 'directive';
  /** The turn that gave a directive. */
  readonly parent?: string;
}

const PENDING = `SELECT seq, entry, agent, kind FROM wakes WHERE session = ? AND state = 'pending' ORDER BY seq LIMIT ?`;
const WAITING = `SELECT DISTINCT session FROM wakes WHERE state = 'pending' ORDER BY session LIMIT ?`;
const COLUMNS = 'INSERT INTO wakes (session, entry, agent, kind, parent, state, reason)';
const COUNT = `(SELECT count(*) FROM wakes WHERE session = ?1 AND state = 'pending')`;
const INSERT = `${COLUMNS} SELECT ?1, ?2, ?3, ?4, ?5, 'pending', NULL WHERE ${COUNT} < ?6 ON CONFLICT DO NOTHING`;
const INSERT_OR_IGNORE = `${COLUMNS} SELECT ?1, ?2, ?3, ?4, ?5, iif(${COUNT} < ?6, 'pending', 'ignored'),
  iif(${COUNT} < ?6, NULL, 'session_busy') WHERE true ON CONFLICT DO NOTHING`;

/**
 * What is answered next: what came first, and with a message all that follow it to the same agent without anything between. A directive is
 * a turn of its own.
 */
export function nextTurn(pending: readonly PendingWake[]): NextTurn | undefined {
  const [first] = pending;
  if (first === undefined) return undefined;
  const { agent, kind } = first;
  if (kind === 'directive') return { agent, wakes: [first] };
  const end = pending.findIndex((wake) => wake.agent !== agent || wake.kind !== 'message');
  return { agent, wakes: pending.slice(0, end === -1 ? pending.length : end) };
}

/** What waits in a session, in order. */
export async function pendingWakes(store: Store, session: string): Promise<readonly PendingWake[]> {
  return await store.read<PendingWake>(PENDING, [session, sessionBounds.pending]);
}

/** Sessions in which something waits. */
export async function waitingSessions(store: Store): Promise<readonly string[]> {
  const rows = await store.read<{ session: string }>(WAITING, [sessionBounds.sessions]);
  return rows.map(({ session }) => session);
}

/** One that is written only where there is room; otherwise the transaction is refused. */
export function addWake(tx: Tx, wake: NewWake): void {
  tx.write(INSERT, parametersOf(wake), 1);
}

/** One that is ignored where there is no room. One that is there stays as it is. */
export function addWakeOrIgnore(tx: Tx, wake: NewWake): void {
  tx.write(INSERT_OR_IGNORE, parametersOf(wake));
}

function parametersOf({ session, entry, agent, kind, parent }: NewWake) {
  return [session, entry, agent, kind, parent ?? null, sessionBounds.pending];
}
