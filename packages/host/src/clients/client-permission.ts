import type { Fault } from '@fairlead/base';
import type { Caller, Permission, PermissionDecision, PermissionRequest } from '@fairlead/dispatch';
import type { Statement } from '@fairlead/store';
import type { ApprovalRequest } from '../approvals/approval-request.ts';
import { askApproval } from '../calls/ask-approval.ts';
import { NOBODY } from '../calls/call-words.ts';
import { CANCELLED, refusal } from '../calls/refusal-now.ts';
import { approvalLimits } from '../limits.ts';
import { nowMs } from '../sessions/sessions.ts';
import type { ClientFloor } from './client-floor.ts';
import { visibleArguments } from './client-recorder.ts';
import { dispatchFault, errorOf } from './client-words.ts';
import { Hold } from './hold.ts';

/** Asks a person about what a client wants of the gateway's own tools, and holds it for 45 s. */
export class ClientPermission implements Permission {
  readonly expired = errorOf(refusal('approval_expired'));
  readonly #host: ClientFloor;

  constructor(host: ClientFloor) {
    this.#host = host;
  }

  async decide(request: PermissionRequest): Promise<PermissionDecision> {
    using hold = new Hold(request.caller, this.#host.halted);
    const { floor } = this.#host;
    const asked = await askApproval(
      floor,
      { signal: hold.signal, refusal: () => ended(request.caller) },
      await this.#request(request),
    );
    if (asked.ok) {
      // Who went away in the moment of the decision is not there for what follows.
      if (hold.signal.aborted) return { kind: 'denied', error: errorOf(ended(request.caller) ?? CANCELLED) };
      return { kind: 'allowed', approval: asked.approval };
    }
    const error = errorOf(asked.fault);
    const { approval, until } = (asked.fault.detail ?? {}) as {
      readonly approval?: string;
      readonly until?: number;
    };
    return error.code === 'approval_pending' && approval !== undefined && until !== undefined
      ? { kind: 'pending', approval, until, error }
      : { kind: 'denied', error };
  }

  use(approval: string, call: string): Statement {
    return this.#host.floor.approvals.use(approval, call);
  }

  async #request(request: PermissionRequest): Promise<ApprovalRequest> {
    const { call, session, tool, extension = NOBODY, tier, target, digest, risk, caller } = request;
    const { floor } = this.#host;
    const principal = request.principal.id;
    const since = nowMs(floor.clock) - approvalLimits.sameCallMs;
    const before = await floor.journal.recent({ principal, target, argumentsDigest: digest }, since);
    const ran =
      before === undefined
        ? {}
        : {
            ran_before: {
              at: before.atMs,
              ...(before.certainty === null ? {} : { certainty: before.certainty }),
              ...(before.code === null ? {} : { code: before.code }),
            },
          };
    return {
      ...{ principal, target, digest, session, call, tool, extension, risk },
      arguments: visibleArguments(floor, request),
      shown: {
        ...(caller?.name === undefined ? {} : { speaker: caller.name }),
        ...{ principal, tier, effect: 'write' },
        ...ran,
      },
    };
  }
}

function ended(caller: Caller | undefined): Fault | undefined {
  return caller?.isLive() === false ? dispatchFault('token_ended') : undefined;
}
