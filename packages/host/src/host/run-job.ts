import { FairleadError } from '@fairlead/base';
import { ENTRIES_TABLE } from '@fairlead/hub';
import { readEntry } from '../entries/read-entry.ts';
import { unwritable } from '../sessions/unwritable.ts';
import { runTurn } from '../turn/run-turn.ts';
import type { TurnFloor } from '../turn/turn-floor.ts';
import type { TurnReport } from '../turn/turn-options.ts';
import type { HostRoutines } from './host-routines.ts';
import { type TurnJob, Unanswerable, waitsOn } from './scheduler.ts';

/** Who wants to know how the turn of a firing ended. */
export type SlotKeeper = Pick<HostRoutines, 'turnEnded' | 'turnNever'>;

/** Runs a turn that entries of a session began. Rejects with `Unanswerable` where nobody will ever answer them. */
export async function runJob(
  floor: TurnFloor,
  job: TurnJob,
  signal: AbortSignal,
  slots: SlotKeeper,
): Promise<TurnReport> {
  const slot = await slotOf(floor, job).catch(unwritable);
  try {
    const report = await answer(floor, job, signal, slot);
    if (slot !== undefined) await slots.turnEnded(slot, job.turn, report);
    return report;
  } catch (error) {
    const reason = error instanceof Unanswerable ? error.reason : takenBack(error, signal);
    if (slot !== undefined && reason !== undefined) await slots.turnNever(slot, reason);
    throw error;
  }
}

async function answer(
  floor: TurnFloor,
  job: TurnJob,
  signal: AbortSignal,
  slot: string | undefined,
): Promise<TurnReport> {
  const { turn, session, wakes, extras } = job;
  try {
    const meta = await floor.sessions.meta(session);
    if (meta.closed) throw new Unanswerable('session_closed');
    const agent = meta.agents.find(({ id }) => id === job.agent);
    if (agent === undefined) throw new Unanswerable('agent_not_attached');
    if (!(await floor.agents.isHome(agent.id))) throw new Unanswerable('agent_not_home');
    const fired = slot === undefined ? {} : { slot };
    return await runTurn(floor, { turn, session, agent, wakes, signal, ...fired, ...extras });
  } catch (error) {
    if (error instanceof FairleadError && error.code === 'session_closed')
      throw new Unanswerable('session_closed');
    if (error instanceof Unanswerable) throw error;
    unwritable(error);
    throw new Unanswerable('session_gone');
  }
}

/** Why a turn that was cancelled before it began is not tried again. */
function takenBack(error: unknown, signal: AbortSignal): string | undefined {
  if (!signal.aborted || error !== signal.reason || waitsOn(error)) return undefined;
  return error instanceof FairleadError ? error.code : 'turn_cancelled';
}

/** The firing that a directive came from. */
async function slotOf({ sessions }: TurnFloor, { session, wakes }: TurnJob): Promise<string | undefined> {
  const [wake] = wakes;
  if (wake?.kind !== 'directive') return undefined;
  const row = await (await sessions.open(session)).table(ENTRIES_TABLE).at(wake.entry);
  const entry = row === undefined ? undefined : readEntry(row.id, row.value);
  return entry?.type === 'directive' ? entry.slot : undefined;
}
