import type { Statement, Store } from '@fairlead/store';
import { routineLimits } from '../limits.ts';

/** One due firing of a routine, and how it went. */
export interface SlotRow {
  /** Root id of the database that the routine stands in. */
  readonly database: string;
  readonly routine: string;
  /** Milliseconds since 1970, as `at`, when the row was written or last changed. */
  readonly due: number;
  readonly at: number;
  readonly state: 'claimed' | 'running' | 'fired' | 'missed' | 'skipped' | 'unknown';
  readonly outcome: 'completed' | 'failed' | 'cancelled' | null;
  readonly code: string | null;
  /** What an agent's schedule began. */
  readonly turn: string | null;
  readonly session: string | null;
  /** Milliseconds from `due` to the claim. */
  readonly lateMs: number;
}

/** Which slot. */
export interface SlotKey {
  readonly database: string;
  readonly routine: string;
  readonly due: number;
}

/** How a slot ended. */
export interface SlotEnd {
  readonly state: 'fired' | 'skipped' | 'unknown';
  readonly outcome?: 'completed' | 'failed' | 'cancelled';
  readonly code?: string;
}

/** What a stored `routine_state` says. */
export interface StoredState {
  readonly routine: string;
  readonly record: string;
  readonly next: number | null;
  readonly failures: number;
  readonly last_code: string | null;
}

const COLUMNS = 'database, routine, due, at, state, outcome, code, turn, session, late_ms AS lateMs';
const INSERT = `INSERT INTO slots (database, routine, due, state, claimed_boot, code, late_ms, at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
const KEY = 'database = ? AND routine = ? AND due = ?';
const END = `UPDATE slots SET state = ?, outcome = ?, code = ?, at = ?, turn = coalesce(?, turn)
  WHERE ${KEY} AND state IN ('claimed', 'running')`;
const RUN = `UPDATE slots SET state = 'running', session = ?, at = ? WHERE ${KEY} AND state = 'claimed'`;
const FREE = `DELETE FROM slots WHERE state = 'claimed' AND ${KEY}`;
/** Parameters: database, routine, record, next, failures, last code. */
export const KEEP_STATE = `INSERT INTO routine_state (database, routine, record, next, failures, last_code) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (database, routine) DO UPDATE SET record = excluded.record, next = excluded.next, failures = excluded.failures,
  last_code = excluded.last_code`;
const NEXT = 'UPDATE routine_state SET next = ? WHERE database = ? AND routine = ? AND record = ?';
const FORGET = 'DELETE FROM routine_state WHERE database = ? AND routine = ?';
const STATES = `SELECT routine, record, next, failures, last_code FROM routine_state
  WHERE database = ? AND routine BETWEEN ? AND ?`;
const OPEN = `SELECT ${COLUMNS}, claimed_boot AS boot FROM slots WHERE state IN ('claimed', 'running') ORDER BY seq LIMIT ?`;
const NEWEST = `SELECT ${COLUMNS} FROM slots WHERE database = ? AND routine = ? ORDER BY due DESC LIMIT ?`;
const NEWEST_ALL = `SELECT ${COLUMNS} FROM slots ORDER BY seq DESC LIMIT ?`;
const AHEAD = 'SELECT DISTINCT database, routine FROM slots WHERE at > ? LIMIT ?';
const PRUNE = `DELETE FROM slots WHERE state NOT IN ('claimed', 'running') AND (at < ? OR seq <= (SELECT max(seq) FROM slots) - ?)`;

/** A name of a slot for what crosses into a session: `DATABASE/ROUTINE@DUE`. */
export function slotName({ database, routine, due }: SlotKey): string {
  return `${database}/${routine}@${due}`;
}

/** Reads such a name; undefined for any other text. */
export function readSlotName(name: string): SlotKey | undefined {
  const { database, routine, due } =
    /^(?<database>[^/]+)\/(?<routine>.+)@(?<due>\d{1,16})$/su.exec(name)?.groups ?? {};
  if (database === undefined || routine === undefined) return undefined;
  return { database, routine, due: Number(due) };
}

/** Whose inserting changes one row has the slot: nobody else runs it. */
export function claimSlot(key: SlotKey, boot: string, lateMs: number, atMs: number): Statement {
  return {
    sql: INSERT,
    parameters: [key.database, key.routine, key.due, 'claimed', boot, null, Math.max(0, lateMs), atMs],
  };
}

/** A slot that nobody runs. */
export function passSlot(
  key: SlotKey,
  pass: { readonly state: 'missed' | 'skipped'; readonly code: string | null },
  boot: string,
  atMs: number,
): Statement {
  const late = Math.max(0, atMs - key.due);
  return {
    sql: INSERT,
    parameters: [key.database, key.routine, key.due, pass.state, boot, pass.code, late, atMs],
  };
}

/** For the transaction that writes the directive: exactly one changed row. */
export function runSlot(key: SlotKey, session: string, atMs: number): Statement {
  return { sql: RUN, parameters: [session, atMs, key.database, key.routine, key.due] };
}

/** Takes a claim back behind which nothing ran. */
export function freeSlot(key: SlotKey): Statement {
  return { sql: FREE, parameters: [key.database, key.routine, key.due] };
}

export function endSlot(key: SlotKey, end: SlotEnd, atMs: number, turn: string | null = null): Statement {
  const { state, outcome = null, code = null } = end;
  return {
    sql: END,
    parameters: [state, outcome, code, atMs, turn, key.database, key.routine, key.due],
  };
}

export function keepState(database: string, state: StoredState): Statement {
  const { routine, record, next, failures, last_code: lastCode } = state;
  return { sql: KEEP_STATE, parameters: [database, routine, record, next, failures, lastCode] };
}

/** Nothing where another version of the routine's row has been read meanwhile. */
export function keepNext(
  database: string,
  { routine, record }: { readonly routine: string; readonly record: string },
  next: number | null,
): Statement {
  return { sql: NEXT, parameters: [next, database, routine, record] };
}

export function forgetState(database: string, routine: string): Statement {
  return { sql: FORGET, parameters: [database, routine] };
}

/** What is known of the routines of a database whose names lie between two, by name. */
export async function storedStates(
  store: Store,
  database: string,
  between: readonly [first: string, last: string],
): Promise<ReadonlyMap<string, StoredState>> {
  const rows = await store.read<StoredState>(STATES, [database, ...between]);
  return new Map(rows.map((row) => [row.routine, row]));
}

/** Slots that have begun and not ended, in the order of their claims. */
export async function openSlots(store: Store): Promise<readonly (SlotRow & { readonly boot: string })[]> {
  return await store.read(OPEN, [routineLimits.slotsKept]);
}

/** Routines that did something at a moment that has not come yet: the clock was ahead then. */
export async function ranAhead(
  store: Store,
  nowMs: number,
): Promise<readonly { readonly database: string; readonly routine: string }[]> {
  return await store.read(AHEAD, [nowMs + routineLimits.graceMs, routineLimits.routines]);
}

/** The newest slots, of one routine or of all, newest first. */
export async function newestSlots(
  store: Store,
  of: { readonly database: string; readonly routine: string } | undefined,
  limit: number,
): Promise<readonly SlotRow[]> {
  if (of === undefined) return await store.read(NEWEST_ALL, [limit]);
  return await store.read(NEWEST, [of.database, of.routine, limit]);
}

/** Forgets what is old. */
export function pruneSlots(atMs: number): Statement {
  return { sql: PRUNE, parameters: [atMs - routineLimits.slotsKeptMs, routineLimits.slotsKept] };
}
