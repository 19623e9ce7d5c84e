import type { Certainty } from '@fairlead/base';
import type { Statement } from '@fairlead/store';
import { JOURNAL_NAME_MAX_CHARACTERS } from '../limits.ts';

/** What the journal keeps of an invocation besides its end. Never an argument value, a binding or a result. */
export type JournalEntry = {
  /** `call_` and 22 base64url characters. */
  readonly id: string;
  readonly principal: string;
  readonly action: string;
  readonly runner?: string;
  /** The Runner process that an effect is addressed to. */
  readonly runnerInstance?: string;
  readonly plugin?: string;
  readonly tool?: string;
  readonly bindingPresent: boolean;
  readonly argumentsDigest?: string;
  /** It has no effect, however it ends. */
  readonly isRead?: boolean;
};

/** How an invocation ended. `code` null = nothing went wrong. */
export type JournalEnd = { readonly certainty: Certainty; readonly code: string | null };

const COLUMNS =
  'id, at, principal, action, runner, runner_instance, plugin, tool, binding_present, arguments_digest, boot, certainty, code, finished, is_read';
const INSERT = `INSERT INTO journal (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** A row without an end (`end` null: an intent), or one that is whole at once. */
export function insertRow(
  entry: JournalEntry,
  atMs: number,
  boot: string,
  end: JournalEnd | null,
): Statement {
  const { id, principal, action, runner, runnerInstance, plugin, tool, bindingPresent, argumentsDigest } =
    entry;
  return {
    sql: INSERT,
    parameters: [
      id,
      atMs,
      principal,
      action,
      shown(runner),
      runnerInstance ?? null,
      shown(plugin),
      shown(tool),
      bindingPresent ? 1 : 0,
      argumentsDigest ?? null,
      boot,
      end === null ? null : end.certainty,
      end === null ? null : end.code,
      end === null ? null : atMs,
      entry.isRead === true ? 1 : 0,
    ],
  };
}

/** What a call of a session asks of a Runner, once that is known. */
export function addressRow(entry: JournalEntry): Statement {
  const { id, action, runner, runnerInstance, plugin, tool, bindingPresent } = entry;
  return {
    sql: `UPDATE journal SET action = ?, runner = ?, runner_instance = ?, plugin = ?, tool = ?, binding_present = ?
      WHERE id = ? AND finished IS NULL`,
    parameters: [
      action,
      shown(runner),
      runnerInstance ?? null,
      shown(plugin),
      shown(tool),
      bindingPresent ? 1 : 0,
      id,
    ],
  };
}

/** The end of an intent. The first one stands. */
export function settleRow(id: string, atMs: number, end: JournalEnd): Statement {
  return {
    sql: 'UPDATE journal SET certainty = ?, code = ?, finished = ? WHERE id = ? AND finished IS NULL',
    parameters: [end.certainty, end.code, atMs, id],
  };
}

/** What was learnt later of one that had ended `outcome_unknown`, whose own end stays, also in its session. The first settlement stands. */
export function settleUnknownRow(id: string, atMs: number, settlement: JournalEnd): Statement {
  return {
    sql: "UPDATE journal SET settled_certainty = ?, settled_code = ?, settled_at = ? WHERE id = ? AND certainty = 'outcome_unknown' AND settled_at IS NULL AND result_owed = 0",
    parameters: [settlement.certainty, settlement.code, atMs, id],
  };
}

/** Every intent that an earlier start left without an end. */
export function settleInterrupted(atMs: number, boot: string, code: string): Statement {
  return {
    sql: "UPDATE journal SET certainty = 'outcome_unknown', code = ?, finished = ? WHERE finished IS NULL AND boot <> ?",
    parameters: [code, atMs, boot],
  };
}

/** A name as the journal has it. */
export function journalName(name: string): string {
  return name.slice(0, JOURNAL_NAME_MAX_CHARACTERS).toWellFormed();
}

function shown(name: string | undefined): string | null {
  return name === undefined ? null : journalName(name);
}
