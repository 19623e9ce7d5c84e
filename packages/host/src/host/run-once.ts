import type { FairleadError } from '@fairlead/base';
import { hostError } from '../errors.ts';
import { mentionsIn } from '../sessions/mentions.ts';
import { postMessage } from '../sessions/post-entry.ts';
import { attachedOf } from '../sessions/sessions.ts';
import type { TurnFloor } from '../turn/turn-floor.ts';
import { abortOf } from '../turn/turn-signal.ts';
import type { RunOptions, RunReport } from './agent-host.ts';
import type { Scheduler } from './scheduler.ts';
import type { ClaimEnd, TurnClaim, TurnExtras } from './turn-claim.ts';

/** What approves a call of such a turn, as its decision says. */
const VIA = 'run';

/** Posts a message and waits for the turn that answers it. */
export async function runOnce(
  floor: TurnFloor,
  scheduler: Scheduler,
  options: RunOptions,
): Promise<RunReport> {
  const { session, signal, timeoutMs } = options;
  if (floor.state.pausedAtMs !== null) throw hostError('host_paused');
  signal?.throwIfAborted();
  const agent = await answering(floor, options);
  const { promise: ended, resolve, reject } = Promise.withResolvers<ClaimEnd>();
  const claim = await scheduler.claim(session, async (): Promise<TurnClaim> => {
    const { id, again } = await postMessage(floor, messageOf(floor, options, agent));
    // It was answered, or is being answered, for whoever sent it first.
    if (again) throw hostError('turn_running', 'the key was used before');
    options.posted?.(id);
    return { entry: id, agent, extras: extrasOf(options), settle: resolve, fail: reject };
  });
  const withdraw = (reason: FairleadError) =>
    void scheduler.withdraw(session, claim, reason).catch((error: unknown) => reject(error));
  const abort = () => signal !== undefined && withdraw(abortOf(signal));
  const timer =
    timeoutMs === undefined
      ? undefined
      : floor.clock.setTimer(timeoutMs, () => withdraw(hostError('turn_timeout')));
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted === true) abort();
  try {
    return reportOf(session, await ended);
  } finally {
    timer?.cancel();
    signal?.removeEventListener('abort', abort);
  }
}

/** Whose turn it will be: who is named, who is mentioned first, else the host agent. */
async function answering(
  { sessions, agents }: TurnFloor,
  { session, agent, text }: RunOptions,
): Promise<string> {
  const meta = await sessions.meta(session);
  if (meta.closed) throw hostError('session_closed');
  // It was made for one turn, and that one is under way.
  if (meta.parent !== undefined) throw hostError('turn_running');
  const id = agent === undefined ? (mentionsIn(text, meta.agents)[0] ?? meta.host) : attachedOf(meta, agent);
  if (id === undefined) throw hostError('agent_required');
  if (!(await agents.isHome(id))) throw hostError('agent_not_home');
  return id;
}

function messageOf({ leaks }: TurnFloor, { session, text, from, key }: RunOptions, agent: string) {
  return { session, text: leaks.configured(text), from, agent, ...(key === undefined ? {} : { key }) };
}

/** Nobody is there to be asked: what was not approved beforehand is refused at once. */
function extrasOf({ model, approve, isLive = () => true }: RunOptions): TurnExtras {
  const approved = (tool: string) => (approve === 'all' || approve?.includes(tool) === true) && isLive();
  return {
    attended: () => false,
    ...(model === undefined ? {} : { model }),
    ...(approve === undefined ? {} : { preApproved: (tool) => (approved(tool) ? VIA : undefined) }),
  };
}

const NOTHING = Object.freeze({ input: 0, output: 0, cached: 0, written: 0, reasoning: 0 });

function reportOf(session: string, end: ClaimEnd): RunReport {
  if (end.turn === null) {
    const { code, message } = end.reason;
    const spent = { usage: NOTHING, nanousd: 0, calls: [] };
    return { session, turn: null, status: 'cancelled', code, text: message, ...spent };
  }
  const { status, code = null, text, usage, nanousd, calls } = end.report;
  return {
    ...{ session, turn: end.turn, status, code, text, usage, nanousd },
    calls: calls.map((call) => {
      const { tool, certainty, ms } = call;
      return { call: call.call, tool, certainty, code: call.code ?? null, ms };
    }),
  };
}
