import type { SqlValue, Statement, Store } from '@fairlead/store';
import { approvalLimits } from '../limits.ts';

export type ApprovalState = 'open' | 'approved' | 'denied' | 'expired' | 'cancelled' | 'used';

/** What a decision would be about: the same principal, session, target and digest is the same call. */
export interface ApprovalSubject {
  readonly principal: string;
  readonly session: string | null;
  /** Tier, name and digest of the tool. */
  readonly target: string;
  /** Over the target and the real arguments, under a key of this peer. */
  readonly digest: string;
}

/** One row of `approvals`. */
export interface ApprovalRow extends ApprovalSubject {
  readonly id: string;
  readonly turn: string | null;
  readonly call: string;
  readonly tool: string;
  readonly risk: string;
  /** What a person is shown, JSON. */
  readonly shown: string;
  readonly state: ApprovalState;
  readonly rule: string | null;
  readonly opened_at: number;
  readonly decided_at: number | null;
  readonly decided_by: string | null;
  readonly used_by: string | null;
}

/** Which of those that wait for a person. */
export interface OpenWanted {
  /** Those of these sessions alone. */
  readonly sessions?: readonly string[];
  /** Those whose id begins so. */
  readonly beginning?: string;
  /** Those behind this one. */
  readonly after?: string;
  /** How many at most. */
  readonly limit?: number;
}

const COLUMNS =
  'id, principal, target, digest, session, turn, call, tool, risk, shown, state, rule, opened_at, decided_at, decided_by, used_by';
// What was approved in one turn is no word about another.
const WHOSE = 'principal = ? AND session IS ? AND turn IS ? AND target = ? AND digest = ?';
const WAITING = `SELECT ${COLUMNS} FROM approvals WHERE ${WHOSE} AND state IN ('open', 'approved', 'denied') AND used_by IS NULL
  ORDER BY seq LIMIT 100`;
const FIND = `SELECT ${COLUMNS} FROM approvals WHERE id = ?`;
const SEQ = 'SELECT seq FROM approvals WHERE id = ?';
const IS_OPEN = `state = 'open' AND (? IS NULL OR session IN (SELECT value FROM json_each(?)))`;
const OPEN = `SELECT ${COLUMNS} FROM approvals WHERE ${IS_OPEN} AND substr(id, 1, ?) = ? AND seq > ? ORDER BY seq LIMIT ?`;
const COUNT_OPEN = `SELECT count(*) AS rows FROM approvals WHERE ${IS_OPEN}`;
const SESSIONS_OPEN = `SELECT DISTINCT session FROM approvals WHERE state = 'open' AND session IS NOT NULL`;
const PRUNE = `DELETE FROM approvals WHERE seq IN (
  SELECT seq FROM (SELECT seq, state, opened_at FROM approvals ORDER BY seq LIMIT ?)
  WHERE state <> 'open' AND (opened_at < ? OR seq <= (SELECT max(seq) FROM approvals) - ?))`;

/** Behind its row come its principal, and below how many open ones of that it is added. */
export const INSERT_APPROVAL = `INSERT INTO approvals (${COLUMNS}, boot)
  SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
  WHERE (SELECT count(*) FROM approvals WHERE state = 'open' AND principal = ?) < ?`;
export const DECIDE = `UPDATE approvals SET state = ?, decided_at = ?, decided_by = ? WHERE id = ? AND state = ?`;

/** Rows that a call like this may take, oldest first. */
export async function waitingApprovals(
  store: Store,
  subject: ApprovalSubject & { readonly turn?: string },
): Promise<readonly ApprovalRow[]> {
  const { principal, session, turn = null, target, digest } = subject;
  return await store.read<ApprovalRow>(WAITING, [principal, session, turn, target, digest]);
}

export async function findApproval(store: Store, id: string): Promise<ApprovalRow | undefined> {
  return (await store.read<ApprovalRow>(FIND, [id]))[0];
}

/** Those that wait for a person, oldest first; as many as one look has room for, where no `limit` is given. Undefined: there is none of the id `after`. */
export async function openApprovals(
  store: Store,
  { sessions, beginning = '', after, limit = approvalLimits.listed }: OpenWanted,
): Promise<readonly ApprovalRow[] | undefined> {
  const behind = after === undefined ? 0 : (await store.read<{ seq: number }>(SEQ, [after]))[0]?.seq;
  if (behind === undefined) return undefined;
  const parameters = [...thoseOf(sessions), beginning.length, beginning, behind, limit];
  return await store.read<ApprovalRow>(OPEN, parameters);
}

export async function countOpen(store: Store, sessions: readonly string[] | undefined): Promise<number> {
  const [counted] = await store.read<{ rows: number }>(COUNT_OPEN, thoseOf(sessions));
  return counted?.rows ?? 0;
}

export async function sessionsOfOpen(store: Store): Promise<readonly string[]> {
  return (await store.read<{ session: string }>(SESSIONS_OPEN, [])).map(({ session }) => session);
}

function thoseOf(sessions: readonly string[] | undefined): readonly SqlValue[] {
  const wanted = sessions === undefined ? null : JSON.stringify(sessions);
  return [wanted, wanted];
}

/** Removes of the oldest what was opened before, or is more than are kept; nothing that is open. */
export function pruneApprovals(beforeMs: number): Statement {
  return { sql: PRUNE, parameters: [approvalLimits.prunedTogether, beforeMs, approvalLimits.kept] };
}

/** For the transaction of the call's intent, where exactly one row must change: what was approved is used once, and not too late. */
export function useApproval(id: string, call: string, notBeforeMs: number): Statement {
  return {
    sql: `UPDATE approvals SET state = 'used', used_by = ? WHERE id = ? AND state = 'approved' AND decided_at > ?`,
    parameters: [call, id, notBeforeMs],
  };
}

/** A denial is told once. */
export function tellDenial(id: string, call: string): Statement {
  return {
    sql: `UPDATE approvals SET used_by = ? WHERE id = ? AND state = 'denied' AND used_by IS NULL`,
    parameters: [call, id],
  };
}
