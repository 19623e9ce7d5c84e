import type { Certainty } from '@fairlead/base';
import type { JournalEnd } from './journal-row.ts';

/** One row of the journal, read back. */
export type CallRecord = {
  /** The order in which invocations were begun. */
  readonly seq: number;
  readonly id: string;
  readonly principal: string;
  readonly action: string;
  /** At most 80 characters of it, as all names. */
  readonly runner: string | null;
  /** The Runner process that an effect was addressed to. */
  readonly runnerInstance: string | null;
  readonly plugin: string | null;
  readonly tool: string | null;
  /** The session that it stands in; null where it belongs to none. */
  readonly session: string | null;
  /** How it ended; null while it has not. */
  readonly end: JournalEnd | null;
  /** What was learnt later of one that ended `outcome_unknown`. */
  readonly settlement: JournalEnd | null;
};

/** A row as the store gives it. */
export type StoredCall = {
  readonly seq: number;
  readonly id: string;
  readonly principal: string;
  readonly action: string;
  readonly runner: string | null;
  readonly runner_instance: string | null;
  readonly plugin: string | null;
  readonly tool: string | null;
  readonly session: string | null;
  readonly certainty: Certainty | null;
  readonly code: string | null;
  readonly settled_certainty: Certainty | null;
  readonly settled_code: string | null;
};

const COLUMNS =
  'seq, id, principal, action, runner, runner_instance, plugin, tool, session, certainty, code, settled_certainty, settled_code';

export const SELECT_CALL = `SELECT ${COLUMNS} FROM journal WHERE id = ?`;

/**
 * Every effect of one Runner process that may still be settled, oldest first, a share at a time. Where a session still lacks the end itself, what
 * was learnt of it would stand before it.
 */
export const SELECT_UNSETTLED = `SELECT ${COLUMNS} FROM journal
  WHERE certainty = 'outcome_unknown' AND settled_at IS NULL AND result_owed = 0 AND runner_instance IS NOT NULL
    AND runner_instance = ? AND runner = ? AND seq > ?
  ORDER BY seq LIMIT ?`;

export function callRecord(row: StoredCall): CallRecord {
  const { seq, id, principal, action, runner, plugin, tool, session } = row;
  return {
    seq,
    id,
    principal,
    action,
    runner,
    runnerInstance: row.runner_instance,
    plugin,
    tool,
    session,
    end: endOf(row.certainty, row.code),
    settlement: endOf(row.settled_certainty, row.settled_code),
  };
}

function endOf(certainty: Certainty | null, code: string | null): JournalEnd | null {
  return certainty === null ? null : { certainty, code };
}
