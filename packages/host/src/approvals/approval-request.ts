import { encodeJson, type JsonObject } from '@fairlead/base';
import type { Statement } from '@fairlead/store';
import type { EntryBody } from '../entries/entry.ts';
import { approvalLimits } from '../limits.ts';
import type { Risk } from '../policy/tool-policy.ts';
import {
  type ApprovalRow,
  type ApprovalState,
  type ApprovalSubject,
  INSERT_APPROVAL,
} from './approval-rows.ts';

/** A call for which a person is asked. */
export interface ApprovalRequest extends ApprovalSubject {
  readonly turn?: string;
  readonly call: string;
  readonly tool: string;
  readonly extension: string;
  readonly risk: Risk;
  /** Masked; at most 64 KiB as JSON, because nobody may be shown half of them. */
  readonly arguments: JsonObject;
  /** What else the person sees: workspace, grants, tier. */
  readonly shown: JsonObject;
  /** Somebody decided beforehand, such as with `run --approve`: it is written down as approved by them. */
  readonly given?: Pick<GivenDecision, 'by' | 'via'>;
}

/** A decision that nobody takes at the prompt. `rule`: the approval that said so. */
export interface GivenDecision {
  readonly rule?: string;
  readonly by: string;
  readonly via: string;
}

/** An approval that a call holds. Let it go when the call waits no more. */
export interface HeldApproval {
  readonly id: string;
  /** Milliseconds since 1970 at which it expires, unless it is decided. */
  readonly until: number;
  /** Resolves once it is not open any more. */
  readonly decided: Promise<Exclude<ApprovalState, 'open'>>;
  release(): void;
}

export interface Decision {
  readonly decision: 'approve' | 'deny' | 'approve_turn';
  /** Whose token it was, with its scopes. */
  readonly by: { readonly id: string; readonly scopes: readonly string[] };
  /** The face that it came through. */
  readonly via: string;
}

/**
 * An approval as it is listed. `until`: milliseconds since 1970 at which it expires, if it is open. `decisions`: what may be decided; for the
 * rest of a turn only where there is one, and never where `authority` is `restricted`.
 */
export type ShownApproval = ApprovalRow & {
  readonly until: number;
  readonly decisions: readonly Decision['decision'][];
};

export interface ApprovalsOptions {
  /** `[policy] authority`. With any other word than `trusted_agent` each call is decided by itself. */
  readonly authority: string;
  /** Hears of every change of state once it is on disk, of what belongs to a session. */
  readonly told?: (session: string, approval: string, state: ApprovalState) => void;
}

/** What a session says of a request; with it the decision, where that was given beforehand. */
export function requestEntries(
  request: ApprovalRequest,
  row: { readonly id: string; readonly until: number; readonly given: GivenDecision | undefined },
): readonly EntryBody[] {
  const { call, tool, extension, risk, arguments: args, digest } = request;
  const { id: approval, until, given } = row;
  const asked = { type: 'approval_request', approval, call, tool, extension, risk, digest, until } as const;
  const entry = { ...asked, arguments: args };
  if (given === undefined) return [entry];
  return [entry, { type: 'approval_decision', approval, decision: 'approved', ...given }];
}

/** Its row; where somebody is to decide, and as many wait as may, none. */
export function insertApproval(
  request: ApprovalRequest,
  row: {
    readonly id: string;
    readonly at: number;
    readonly boot: string;
    readonly given: GivenDecision | undefined;
  },
): Required<Statement> {
  const { principal, target, digest, session, turn, call, tool, extension, risk } = request;
  const { id, at, boot, given } = row;
  const shown = encodeJson({ ...request.shown, arguments: request.arguments, extension });
  const whose = [id, principal, target, digest, session, turn ?? null, call, tool, risk, shown];
  const state =
    given === undefined ? ['open', null, at, null, null] : ['approved', given.rule ?? null, at, at, given.by];
  const most = given === undefined ? approvalLimits.open : Number.MAX_SAFE_INTEGER;
  return { sql: INSERT_APPROVAL, parameters: [...whose, ...state, null, boot, principal, most] };
}
