import { FairleadError } from '@fairlead/base';
import { ENTRIES_TABLE } from '@fairlead/hub';
import type { EntryBody, EntryUsage, Speaker, TurnStatus } from '../entries/entry.ts';
import { entryValue } from '../entries/write-entry.ts';
import { hostError } from '../errors.ts';
import type { SessionFloor } from './session-floor.ts';
import type { AttachedAgent } from './session-meta.ts';
import { nowMs } from './sessions.ts';
import type { PendingWake } from './wakes.ts';

export interface TurnBegin {
  /** `trn_` and 22 characters. */
  readonly turn: string;
  readonly session: string;
  readonly agent: AttachedAgent;
  readonly model: string;
  /** What it answers, as `nextTurn` gave it; none where it resumes another. */
  readonly wakes: readonly PendingWake[];
  /** The turn that was cut short. */
  readonly resumes?: string;
  /** The turn that began it all, and the one that spawned it; absent for one that nobody spawned. */
  readonly root?: string;
  readonly parent?: string;
  readonly slot?: string;
}

export interface TurnEnd {
  readonly turn: string;
  readonly session: string;
  readonly agent: AttachedAgent;
  readonly status: TurnStatus;
  readonly code?: string;
  readonly usage: EntryUsage;
  readonly nanousd: number | null;
  readonly steps: number;
  /** What stands before the end in the same commit: the agent's last words, an error. */
  readonly entries?: readonly EntryBody[];
}

const TAKE = `UPDATE wakes SET state = 'taken', turn = ? WHERE seq = ? AND state = 'pending'`;
const BEGIN = `INSERT INTO turns (turn, session, agent, root, parent, boot, state, slot, ack)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6, 'running', ?7, ?8
  WHERE NOT EXISTS (SELECT 1 FROM turns WHERE session = ?2 AND state = 'running')`;
const END = `UPDATE turns SET state = ? WHERE turn = ? AND state = 'running'`;
const DONE = `UPDATE wakes SET state = 'done' WHERE turn = ? AND state = 'taken'`;
const TOUCH = 'UPDATE session_local SET last_at = max(last_at, ?) WHERE session = ?';

/**
 * Begins a turn: its `ack`, the wakes that it takes and its row, all or nothing. Rejects with `turn_running` where another runs in the
 * session or one of the wakes waits no more, with `session_closed`, or a code of the store.
 */
export async function beginTurn(floor: SessionFloor, begin: TurnBegin): Promise<void> {
  const { sessions, peer, clock, boot } = floor;
  const { turn, session, agent, model, wakes, resumes, root, parent, slot } = begin;
  const database = await sessions.open(session);
  if ((await sessions.meta(session)).closed) throw hostError('session_closed');
  const body = { type: 'ack', turn, for: entriesOf(wakes), agent: agent.id, model } as const;
  const ack = entryValue(resumes === undefined ? body : { ...body, resumes }, speakerOf(agent), clock);
  try {
    await peer.transaction((tx) => {
      const ref = tx.on(database).append(ENTRIES_TABLE, ack);
      for (const { seq } of wakes) tx.write(TAKE, [turn, seq], 1);
      const row = [turn, session, agent.id, root ?? turn, parent ?? null, boot, slot ?? null, ref];
      tx.write(BEGIN, row, 1);
    });
  } catch (error) {
    if (error instanceof FairleadError && error.code === 'transaction_refused')
      throw hostError('turn_running');
    throw error;
  }
}

/**
 * Ends a turn: its last words, its `turn_end`, the wakes that it answered and its row, all or nothing; a session that was made for it is
 * closed with it. False where it had ended before: then nothing is written.
 */
export async function endTurn(floor: SessionFloor, end: TurnEnd): Promise<boolean> {
  const { sessions, peer, clock } = floor;
  const { turn, session, agent, status, code, usage, nanousd, steps, entries = [] } = end;
  const database = await sessions.open(session);
  const { parent } = await sessions.meta(session);
  const from = speakerOf(agent);
  const body = { type: 'turn_end', turn, status, usage, nanousd, steps } as const;
  const values = [...entries, code === undefined ? body : { ...body, code }].map((entry) =>
    entryValue(entry, from, clock),
  );
  try {
    await peer.transaction((tx) => {
      for (const value of values) tx.on(database).append(ENTRIES_TABLE, value);
      if (parent !== undefined) tx.on(database).set('meta', ['closed'], nowMs(clock));
      tx.write(END, [status, turn], 1);
      tx.write(DONE, [turn]);
      tx.write(TOUCH, [nowMs(clock), session]);
    });
    return true;
  } catch (error) {
    if (error instanceof FairleadError && error.code === 'transaction_refused') return false;
    throw error;
  }
}

/** Each once: two wakes of one entry are two agents, and one turn has one. */
function entriesOf(wakes: readonly PendingWake[]): readonly string[] {
  return wakes.map(({ entry }) => entry);
}

/** An agent as its entries name it. */
export function speakerOf({ id, name }: AttachedAgent): Speaker {
  return { kind: 'agent', id, name };
}
