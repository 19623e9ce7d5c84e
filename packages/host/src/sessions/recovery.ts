import type { Journal, OwedResult } from '@fairlead/dispatch';
import { ENTRIES_TABLE } from '@fairlead/hub';
import type { EntryBody } from '../entries/entry.ts';
import { fitText } from '../entries/fit-result.ts';
import { entryValue, HOST } from '../entries/write-entry.ts';
import { sessionBounds } from '../limits.ts';
import { type CutShort, cutShortTurns, endCutShort } from './cut-short-turns.ts';
import type { SessionFloor } from './session-floor.ts';
import { nowMs } from './sessions.ts';
import { unwritable } from './unwritable.ts';
import { waitingSessions } from './wakes.ts';

export interface RecoveryPorts {
  readonly journal: Pick<Journal, 'recoverAtStart' | 'owedResults' | 'resultStands'>;
  /** The slots of routines; they come after the approvals and before anything runs. */
  readonly slots?: () => Promise<void>;
}

/** What a start found of the one before. */
export interface Recovered {
  readonly interruptedCalls: number;
  /** Results that were missing in sessions. */
  readonly results: number;
  readonly turns: readonly CutShort[];
  readonly approvals: number;
  readonly directives: number;
  /** Sessions in which something waits for an answer. */
  readonly waiting: readonly string[];
}

type OpenApproval = { readonly id: string; readonly session: string | null };
type OverDirective = { readonly seq: number; readonly session: string };

const OPEN_APPROVALS = `SELECT id, session FROM approvals WHERE state IN ('open', 'approved') AND boot <> ? ORDER BY seq LIMIT ?`;
const CANCEL = `UPDATE approvals SET state = 'cancelled', decided_at = ?, decided_by = 'host' WHERE id = ? AND state IN ('open', 'approved')`;
const OVER = `SELECT seq, session FROM wakes WHERE state = 'pending' AND parent IS NOT NULL
  AND parent NOT IN (SELECT turn FROM turns WHERE state = 'running') ORDER BY seq LIMIT ?`;
const IGNORE = `UPDATE wakes SET state = 'ignored', reason = 'parent_over' WHERE seq = ? AND state = 'pending'`;

/** What stands for a call of which nobody can know how it ended. */
const UNKNOWN_TEXT =
  'The host ended while this call ran. Whether it had its effect is unknown; it was not run again. Look before you repeat it.';

/**
 * To be awaited at start, before the gateway listens and before any turn: brings sessions to the truth about what the start before left
 * in its middle. Each step is whole or not at all and does nothing when it is run again, so a start that is killed here loses nothing.
 */
export async function recoverSessions(floor: SessionFloor, ports: RecoveryPorts): Promise<Recovered> {
  const interruptedCalls = await ports.journal.recoverAtStart();
  const results = await writeOwedResults(floor, ports.journal);
  const turns: CutShort[] = [];
  for (const turn of await cutShortTurns(floor)) {
    await endCutShort(floor, turn);
    turns.push(turn);
  }
  const approvals = await cancelApprovals(floor);
  const directives = await ignoreDirectives(floor);
  await ports.slots?.();
  const waiting = await waitingSessions(floor.store);
  return { interruptedCalls, results, turns, approvals, directives, waiting };
}

async function writeOwedResults(floor: SessionFloor, journal: RecoveryPorts['journal']): Promise<number> {
  let results = 0;
  for (let after = 0; ; ) {
    const page = await journal.owedResults(after, sessionBounds.recovered);
    for (const owed of page) {
      const stands = journal.resultStands(owed.id);
      await inSession(floor, owed.session, resultOf(owed), [
        { sql: stands.sql, parameters: stands.parameters ?? [] },
      ]);
      results += 1;
      after = owed.seq;
    }
    if (page.length < sessionBounds.recovered) return results;
  }
}

function resultOf({ id: call, turn, end, text, ms }: OwedResult): EntryBody {
  const { certainty, code } = end;
  const said = fitText(text ?? UNKNOWN_TEXT);
  return {
    ...{
      type: 'tool_result',
      call,
      certainty,
      error: code !== null || certainty !== 'completed',
      text: said,
      ms,
    },
    ...{ bytes: Buffer.byteLength(said), redacted: [], hooks: [] },
    ...(code === null ? {} : { code }),
    ...(turn === null ? {} : { turn }),
  } as EntryBody;
}

async function cancelApprovals(floor: SessionFloor): Promise<number> {
  const { store, clock, boot } = floor;
  let cancelled = 0;
  for (;;) {
    const page = await store.read<OpenApproval>(OPEN_APPROVALS, [boot, sessionBounds.recovered]);
    for (const { id, session } of page) {
      const body = {
        type: 'approval_decision',
        approval: id,
        decision: 'cancelled',
        by: 'host',
        via: 'restart',
      } as const;
      await inSession(floor, session, body, [{ sql: CANCEL, parameters: [nowMs(clock), id] }]);
      cancelled += 1;
    }
    if (page.length < sessionBounds.recovered) return cancelled;
  }
}

/** What a turn asked for that is over itself: nobody waits for it any more, and the session that was made for it is closed. */
async function ignoreDirectives(floor: SessionFloor): Promise<number> {
  let ignored = 0;
  for (;;) {
    const page = await floor.store.read<OverDirective>(OVER, [sessionBounds.recovered]);
    for (const { seq, session } of page) {
      await ignoreDirective(floor, session, { sql: IGNORE, parameters: [seq] });
      ignored += 1;
    }
    if (page.length < sessionBounds.recovered) return ignored;
  }
}

async function ignoreDirective(floor: SessionFloor, session: string, row: Row): Promise<void> {
  const { sessions, peer, store, clock } = floor;
  const meta = await sessions.meta(session).catch(unwritable);
  if (meta?.parent !== undefined && !meta.closed) {
    const database = await sessions.open(session);
    const closing = peer.transaction((tx) => {
      tx.on(database).set('meta', ['closed'], nowMs(clock));
      tx.write(row.sql, row.parameters);
    });
    const done = await closing.then(() => true).catch(unwritable);
    if (done === true) return;
  }
  await store.write([row]);
}

type Row = { readonly sql: string; readonly parameters: readonly (string | number | null | Uint8Array)[] };

/** An entry with its rows; the rows alone where there is no session, or none that can be written to any more. */
async function inSession(
  { sessions, peer, store, clock }: SessionFloor,
  session: string | null,
  body: EntryBody,
  rows: readonly Row[],
): Promise<void> {
  const database = session === null ? undefined : await sessions.open(session).catch(unwritable);
  if (database !== undefined) {
    try {
      await peer.transaction((tx) => {
        tx.on(database).append(ENTRIES_TABLE, entryValue(body, HOST, clock));
        for (const { sql, parameters } of rows) tx.write(sql, parameters, 1);
      });
      return;
    } catch (error) {
      unwritable(error);
    }
  }
  await store.write(rows);
}
