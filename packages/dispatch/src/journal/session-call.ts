import type { Statement } from '@fairlead/store';
import { insertRow, type JournalEnd, type JournalEntry, journalName } from './journal-row.ts';

/** Where a call stands that belongs to a session, and what ran it. */
export type SessionCall = {
  readonly session: string;
  readonly turn?: string;
  readonly extension: string;
  readonly tier: string;
  /** What an approval binds: tier, name and digest of the tool. */
  readonly target: string;
};

/** A call that has ended, while its session does not say so. `text` = what the journal keeps of its result until then. */
export type OwedResult = {
  readonly seq: number;
  readonly id: string;
  readonly session: string;
  readonly turn: string | null;
  readonly end: JournalEnd;
  readonly text: string | null;
  /** Milliseconds between its intent and its end. */
  readonly ms: number;
};

const PLACE = `UPDATE journal SET session = ?, turn = ?, extension = ?, tier = ?, target = ?, result_owed = 1
  WHERE id = ? AND finished IS NULL`;

/** The intent of a call of a session, for the transaction that writes its entry. */
export function sessionIntent(
  entry: JournalEntry,
  call: SessionCall,
  at: { readonly atMs: number; readonly boot: string },
): readonly Statement[] {
  const { session, turn, extension, tier, target } = call;
  return [
    insertRow(entry, at.atMs, at.boot, null),
    {
      sql: PLACE,
      parameters: [session, turn ?? null, journalName(extension), journalName(tier), target, entry.id],
    },
  ];
}

/** Its end, with the text that its entry is to have. The first one stands. */
export function sessionEnd(id: string, atMs: number, end: JournalEnd & { readonly text: string }): Statement {
  return {
    sql: 'UPDATE journal SET certainty = ?, code = ?, finished = ?, text = ? WHERE id = ? AND finished IS NULL',
    parameters: [end.certainty, end.code, atMs, end.text, id],
  };
}

/** Its entry stands: nothing is owed any more, and the text is there. */
export function resultStands(id: string): Statement {
  return {
    sql: 'UPDATE journal SET result_owed = 0, text = NULL WHERE id = ? AND result_owed = 1',
    parameters: [id],
  };
}

export const SELECT_OWED_RESULTS = `SELECT seq, id, session, turn, certainty, code, text, finished - at AS ms FROM journal
  WHERE result_owed = 1 AND finished IS NOT NULL AND seq > ? ORDER BY seq LIMIT ?`;

/** Of one session: calls that run, and those whose entry is not written yet. */
export const SELECT_OPEN_CALLS =
  'SELECT id FROM journal WHERE result_owed = 1 AND session = ? ORDER BY seq LIMIT ?';

export type StoredResult = Omit<OwedResult, 'end'> & JournalEnd;

export function owedResult({ certainty, code, ...row }: StoredResult): OwedResult {
  return { ...row, ms: Math.max(0, row.ms), end: { certainty, code } };
}
