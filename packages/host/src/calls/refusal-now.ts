import type { Fault } from '@fairlead/base';
import { type HostErrorCode, hostErrors } from '../errors.ts';
import { modeAllows } from '../policy/decide.ts';
import type { Effect } from '../policy/tool-policy.ts';
import { lineageOf, strictestMode } from '../sessions/lineage.ts';
import { ceilingError } from '../usage/ceiling-words.ts';
import type { CallFloor } from './call-floor.ts';
import type { CallPlace } from './call-place.ts';

/** What holds for every call now, whatever it asks for: asked before anything else, and again once a person has decided. */
export async function refusalNow(
  floor: CallFloor,
  place: CallPlace,
  effect: Effect,
): Promise<Fault | undefined> {
  const own = place.refusal?.();
  if (own !== undefined) return own;
  if (place.signal.aborted) return CANCELLED;
  if (floor.state.pausedAtMs !== null) return refusal('host_paused');
  const lineage = await lineageOf(floor.sessions, place.session);
  const outOfReach = await place.outOfReach?.(lineage.metas[0].agents);
  if (outOfReach !== undefined) return outOfReach;
  // Whoever gave the task may have come to its end: only its own session has to be open.
  if (lineage.metas[0].closed) return refusal('session_closed');
  if (!modeAllows(strictestMode(lineage), effect)) return refusal('session_guard_denied');
  const reached = place.ceiling?.();
  if (reached !== undefined) return refusal('ceiling_reached', reached);
  const { root, rootSession } = place.turn ?? { root: '', rootSession: place.session };
  const ceiling = await floor.ledger.reached({ root, session: rootSession, agent: place.agent.id });
  if (ceiling === null) return undefined;
  const { code, message, detail } = ceilingError(ceiling);
  return { code, message, ...(detail === undefined ? {} : { detail }) };
}

/** A call that is cancelled before it begins; `call_cancelled` of one that runs says that its outcome is unknown. */
export const CANCELLED: Fault = Object.freeze({
  code: 'call_cancelled',
  message: 'The call was cancelled before it began; nothing was started.',
});

/** A fault with its table's words, behind them `what`. */
export function refusal(code: HostErrorCode, what = '', detail?: Fault['detail']): Fault {
  const { message } = hostErrors[code];
  const said = what === '' ? message : `${message} (${what})`;
  return { code, message: said, ...(detail === undefined ? {} : { detail }) };
}
