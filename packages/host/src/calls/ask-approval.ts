import type { Fault } from '@fairlead/base';
import { FairleadError } from '@fairlead/base';
import type { ApprovalRequest, HeldApproval } from '../approvals/approval-request.ts';
import type { ApprovalState } from '../approvals/approval-rows.ts';
import { approvalLimits } from '../limits.ts';
import type { CallFloor } from './call-floor.ts';
import type { CallPlace } from './call-place.ts';
import { CANCELLED, refusal } from './refusal-now.ts';

export type Asked =
  | { readonly ok: true; readonly approval: string }
  | { readonly ok: false; readonly fault: Fault };

type HoldFloor = Pick<CallFloor, 'approvals' | 'clock'>;
type Held = Pick<CallPlace, 'signal' | 'turn' | 'refusal'>;

/** What the caller is told, and no fault of the host. Leaving secrets out of arguments may have made them larger. */
const REFUSALS = ['arguments_too_large', 'approval_limit_reached'] as const;

type Wait = Exclude<ApprovalState, 'open'> | 'aborted' | 'held';

/**
 * Asks a person and waits: in a turn to the end, for a client 45 s; then the approval stays open for the same call. Who cancels a turn cancels what
 * it asked. Rejects with a code of the store: then nothing may run.
 */
export async function askApproval(floor: HoldFloor, place: Held, request: ApprovalRequest): Promise<Asked> {
  const { approvals } = floor;
  let held: HeldApproval;
  try {
    held = await approvals.ask(request);
  } catch (error) {
    const thrown = error instanceof FairleadError ? error.code : undefined;
    const code = REFUSALS.find((one) => one === thrown);
    if (code === undefined) throw error;
    return { ok: false, fault: refusal(code) };
  }
  try {
    const state = await decided(floor, place, held);
    if (state === 'approved') return { ok: true, approval: held.id };
    if (state === 'denied') await approvals.told(held.id, request.call);
    if (state === 'aborted' && place.turn !== undefined) await approvals.cancel(held.id);
    return { ok: false, fault: faultOf(state, held, place) };
  } finally {
    held.release();
  }
}

function decided(floor: HoldFloor, { signal, turn }: Held, held: HeldApproval): Promise<Wait> {
  return new Promise((resolve) => {
    const abort = () => end('aborted');
    const timer =
      turn === undefined
        ? floor.clock.setTimer(approvalLimits.holdMs, () => end('held'), { unref: true })
        : undefined;
    const end = (state: Wait) => {
      timer?.cancel();
      signal.removeEventListener('abort', abort);
      resolve(state);
    };
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    void held.decided.then(end);
  });
}

function faultOf(state: Exclude<Wait, 'approved'>, { id, until }: HeldApproval, place: Held): Fault {
  switch (state) {
    case 'denied':
      return refusal('approval_denied', '', { approval: id });
    case 'aborted':
      return place.refusal?.() ?? CANCELLED;
    case 'held':
      return refusal('approval_pending', id, { approval: id, until, where: 'fairlead approvals' });
    case 'cancelled':
      return refusal('approval_cancelled', '', { approval: id });
    default:
      return refusal('approval_expired', '', { approval: id });
  }
}
