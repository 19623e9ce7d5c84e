import { FairleadError } from '@fairlead/base';
import { fireAgentEnd, type LiveSet } from '@fairlead/hub';
import type { TurnStatus } from '../entries/entry.ts';
import { beginTurn, endTurn } from '../sessions/turns.ts';
import { type PreparedTurn, prepareTurn } from './prepare-turn.ts';
import { cancelledEnding, failedEnding, type TurnEnding } from './turn-ending.ts';
import type { TurnFloor } from './turn-floor.ts';
import { TurnModel } from './turn-model.ts';
import type { TurnOptions, TurnReport } from './turn-options.ts';
import { TurnSignal } from './turn-signal.ts';
import { turnSpeaker } from './turn-speaker.ts';
import { TurnSteps } from './turn-steps.ts';
import { TurnUsage } from './turn-usage.ts';

/** What `ack` says of a turn for which no model was found. */
const NO_MODEL = 'none';

/**
 * A whole turn, from its `ack` to its `turn_end` and `agentEnd`. What goes wrong in it is its end. Rejects where it could not begin
 * (`turn_running`, `session_closed`, `session_unknown`, `hub_closed`, what `signal` was aborted with, a fault of the disk that still owes the session
 * an end), then nothing was written and what waits still waits; or where the store cannot write; where its end is what the disk does not take, it runs
 * until the disk does, or until the host stops: then the next start ends it as `interrupted`.
 */
export async function runTurn(floor: TurnFloor, options: TurnOptions): Promise<TurnReport> {
  using timed = new TurnSignal(floor.clock, options.signal, options.timeoutMs);
  const { signal } = timed;
  signal.throwIfAborted();
  const prepared = await preparedOr(floor, options, signal);
  using _lease: LiveSet | undefined = prepared.ok ? prepared.turn.set : undefined;
  signal.throwIfAborted();
  await begin(floor, options, prepared);
  options.begun?.();
  return await toItsEnd(floor, options, prepared);
}

type Prepared =
  | { readonly ok: true; readonly turn: PreparedTurn }
  | { readonly ok: false; readonly fault: unknown };

/** What is missing is told in the session, once the turn has begun. Only a hub that closes leaves what waits to the next start. */
async function preparedOr(floor: TurnFloor, options: TurnOptions, signal: AbortSignal): Promise<Prepared> {
  try {
    return { ok: true, turn: await prepareTurn(floor, options, signal) };
  } catch (fault) {
    if (fault instanceof FairleadError && fault.code === 'hub_closed') throw fault;
    return { ok: false, fault };
  }
}

async function begin(floor: TurnFloor, options: TurnOptions, prepared: Prepared): Promise<void> {
  const { turn, session, wakes, resumes, slot, spawned } = options;
  // Its model reads what stands before the `ack`: an end that is written behind it would be read by nobody.
  await floor.owed.behind(session);
  await beginTurn(floor, {
    ...{ turn, session, wakes, agent: turnSpeaker(options) },
    model: prepared.ok ? prepared.turn.model : NO_MODEL,
    ...(resumes === undefined ? {} : { resumes }),
    ...(slot === undefined ? {} : { slot }),
    ...(spawned === undefined ? {} : { root: spawned.budget.root, parent: spawned.by }),
  });
}

async function toItsEnd(floor: TurnFloor, options: TurnOptions, prepared: Prepared): Promise<TurnReport> {
  const usage = new TurnUsage();
  const speaker = turnSpeaker(options);
  const steps = prepared.ok ? new TurnSteps(floor, prepared.turn, speaker) : undefined;
  const over = prepared.ok ? floor.turns.add(prepared.turn) : undefined;
  try {
    const ending = await endingOf(floor, options, prepared, steps, usage);
    // What cannot be written now serves no other turn all the same, and the next start cancels it.
    await floor.approvals.endTurn(options.turn).catch(() => {});
    const { status, code, text, entries, ceiling } = ending;
    const spent = { usage: usage.usage, nanousd: usage.nanousd, steps: steps?.begun ?? 0 };
    const said = { status, ...(code === undefined ? {} : { code }), ...spent };
    const { turn, session } = options;
    const end = { turn, session, agent: speaker, ...said, entries };
    const ended = await floor.owed.written(session, () => endTurn(floor, end));
    const report = {
      ...said,
      text,
      calls: steps?.calls ?? [],
      ...(ceiling === undefined ? {} : { ceiling }),
    };
    // Somebody else wrote its end: that one stands, and nobody is told another.
    if (!ended) return { ...report, status: 'interrupted' };
    floor.events.turnOver(session, turn);
    if (prepared.ok) await tellEnd(floor, prepared.turn, status);
    return report;
  } finally {
    over?.();
    floor.events.turnOver(options.session, options.turn);
  }
}

async function endingOf(
  floor: TurnFloor,
  options: TurnOptions,
  prepared: Prepared,
  steps: TurnSteps | undefined,
  usage: TurnUsage,
): Promise<TurnEnding> {
  if (!prepared.ok || steps === undefined)
    return failedEnding(options.turn, prepared.ok ? undefined : prepared.fault, floor.leaks);
  try {
    return await steps.run(await TurnModel.open(floor, prepared.turn, options, usage));
  } catch (thrown) {
    const { signal } = prepared.turn;
    return signal.aborted ? cancelledEnding(signal) : failedEnding(options.turn, thrown, floor.leaks);
  }
}

/** Extensions hear of it when it stands on disk. What they make of it changes nothing about the turn; the hub reports what fails. */
async function tellEnd(
  floor: TurnFloor,
  { set, session, agent }: PreparedTurn,
  status: TurnStatus,
): Promise<void> {
  try {
    await fireAgentEnd(set, { status: toldStatus(status) });
    if (set.statuses.length > 0) await floor.hub.publish({ session, agent });
  } catch {
    // A hub that closes meanwhile: nobody is left to hear it.
  }
}

function toldStatus(status: TurnStatus): 'completed' | 'failed' | 'cancelled' {
  switch (status) {
    case 'completed':
    case 'silent':
      return 'completed';
    case 'cancelled':
      return 'cancelled';
    default:
      return 'failed';
  }
}
