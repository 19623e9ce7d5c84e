import type { Statement, Store } from '@fairlead/store';

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

const COLUMNS =
  'id, principal, target, digest, session, turn, call, tool, risk, shown, state, rule, opened_at, decided_at, decided_by, used_by';
// What was approved in one turn is no word about another.
const WHOSE = 'principal = ? AND session IS ? AND turn IS ? AND target = ? AND digest = ?';
const WAITING = `SELECT ${COLUMNS} FROM approvals WHERE ${WHOSE} AND state IN ('open', 'approved', 'denied') AND used_by IS NULL
  ORDER BY seq LIMIT 100`;
const FIND = `SELECT ${COLUMNS} FROM approvals WHERE id = ?`;
const OPEN = `SELECT ${COLUMNS} FROM approvals WHERE state = 'open' ORDER BY seq LIMIT ?`;

export const INSERT_APPROVAL = `INSERT INTO approvals (${COLUMNS}, boot) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
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

/** Those that wait for a person, oldest first. */
export async function openApprovals(store: Store, limit: number): Promise<readonly ApprovalRow[]> {
  return await store.read<ApprovalRow>(OPEN, [limit]);
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
