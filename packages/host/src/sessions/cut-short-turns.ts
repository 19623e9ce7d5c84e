import { FairleadError } from '@fairlead/base';
import { ENTRIES_TABLE } from '@fairlead/hub';
import type { EntryUsage } from '../entries/entry.ts';
import { readEntry } from '../entries/read-entry.ts';
import { entryLimits, sessionBounds } from '../limits.ts';
import type { SessionFloor } from './session-floor.ts';
import { endTurn } from './turns.ts';
import { unwritable } from './unwritable.ts';

/** A turn that ran when an earlier start of the host ended. */
export interface CutShort {
  readonly turn: string;
  readonly session: string;
  readonly agent: string;
  readonly root: string;
  readonly slot: string | null;
  readonly ack: string;
}

type Spent = EntryUsage & { readonly nanousd: number | null };

/** One that was spawned is younger than who spawned it: the youngest first is children before parents. */
const RUNNING = `SELECT turn, session, agent, root, slot, ack FROM turns
  WHERE state = 'running' AND boot <> ? ORDER BY seq DESC LIMIT ?`;
const SPENT = `SELECT coalesce(sum(input), 0) AS input, coalesce(sum(output), 0) AS output, coalesce(sum(cached), 0) AS cached,
  coalesce(sum(written), 0) AS written, coalesce(sum(reasoning), 0) AS reasoning,
  iif(count(*) = count(nanousd), coalesce(sum(nanousd), 0), NULL) AS nanousd
  FROM usage WHERE root = ? AND turn = ? LIMIT 1`;
const END = `UPDATE turns SET state = 'interrupted' WHERE turn = ? AND state = 'running'`;
const IGNORE = `UPDATE wakes SET state = 'ignored', reason = 'session_gone' WHERE turn = ? AND state = 'taken'`;

/** Children before parents; at most one a session, so there are never more than sessions. */
export async function cutShortTurns({ store, boot }: SessionFloor): Promise<readonly CutShort[]> {
  return await store.read<CutShort>(RUNNING, [boot, sessionBounds.sessions]);
}

/** Ends one as `interrupted`, with what it had used and the steps that it had begun; its row alone where the session is gone. */
export async function endCutShort(floor: SessionFloor, cut: CutShort): Promise<void> {
  const { store, agents, sessions } = floor;
  const { turn, session, agent, root } = cut;
  const [spent] = await store.read<Spent>(SPENT, [root, turn]);
  const { nanousd = null, ...usage } = { ...(spent ?? NOTHING) };
  try {
    const meta = await sessions.meta(session);
    const known = meta.agents.find(({ id }) => id === agent) ?? (await agents.find(agent));
    await endTurn(floor, {
      ...{
        turn,
        session,
        agent: { id: agent, name: known?.name ?? agent },
        status: 'interrupted',
        usage,
        nanousd,
      },
      steps: await stepsOf(floor, cut),
    });
  } catch (error) {
    unwritable(error);
    await store.write([
      { sql: END, parameters: [turn] },
      { sql: IGNORE, parameters: [turn] },
    ]);
  }
}

const NOTHING: Spent = { input: 0, output: 0, cached: 0, written: 0, reasoning: 0, nanousd: null };

/** Steps of which something stands in the session. */
async function stepsOf({ sessions }: SessionFloor, { session, turn, ack }: CutShort): Promise<number> {
  const table = (await sessions.open(session)).table(ENTRIES_TABLE);
  let steps = 0;
  let seen = 0;
  try {
    for await (const { id, value } of table.scan(ack)) {
      seen += 1;
      if (seen > entryLimits.lookBack) break;
      const entry = readEntry(id, value);
      if (entry?.type !== 'message' && entry?.type !== 'tool_call') continue;
      if (entry.turn === turn && entry.step !== undefined) steps = Math.max(steps, entry.step + 1);
    }
  } catch (error) {
    // Its beginning was undone by rights that arrived later.
    if (!(error instanceof FairleadError) || error.code !== 'record_not_found') throw error;
  }
  return steps;
}
