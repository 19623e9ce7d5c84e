import { type Certainty, hasValue, type Outcome } from '@fairlead/base';
import { hasEffect, isCallResult, type RunnerPayload, type RunnerRequest } from '@fairlead/protocol';
import { dispatchErrors } from '../errors.ts';
import { codeFitsCertainty } from './code-and-certainty.ts';

/** The payload that belongs to a request. */
export type PayloadOf<Request extends RunnerRequest> = Extract<
  RunnerPayload,
  { readonly kind: Request['kind'] }
>;

/** What a Runner's answer amounts to once it was judged: the payload of the asked kind, or a code. */
export type JudgedAnswer<Payload> =
  | { readonly ok: true; readonly payload: Payload }
  | {
      readonly ok: false;
      readonly certainty: Certainty;
      readonly code: string;
      /** It was a question, and no answer to it came back. */
      readonly isReadLost?: true;
    };

/** The codes of the port and of this package that a Runner, too, may answer with; every other of ours would be a disguise. */
const SHARED: ReadonlySet<string> = new Set([
  'runner_unavailable',
  'plugin_unavailable',
  'project_unavailable',
  'tool_not_found',
  'plugin_replaced',
  'plugin_gateway_unavailable',
  'plugin_gateway_timeout',
]);

/** Codes with which the gateway speaks about the caller: from a Runner they would send the caller astray. */
const GATEWAY_ONLY: ReadonlySet<string> = new Set([
  ...Object.keys(dispatchErrors).filter((code) => !SHARED.has(code)),
  'unauthorized',
  'host_not_allowed',
  'origin_not_allowed',
  'unknown_tool',
  'body_too_large',
  'unsupported_media_type',
]);

/**
 * Judges the answer to a request. A Runner is authenticated and not trusted: its payload was held against the request and its bounds
 * where it came in (`RunnerPort`); here its code must be one that a Runner may give, a result must be one, and of its messages nothing
 * is kept. What cannot be an answer leaves an effect unknown. A read has none: whatever went wrong with it, nothing happened.
 */
export function judgeAnswer<Request extends RunnerRequest>(
  request: Request,
  answer: Outcome<RunnerPayload>,
): JudgedAnswer<PayloadOf<Request>> {
  const lost = hasEffect(request)
    ? ({ certainty: 'outcome_unknown' } as const)
    : ({ certainty: 'not_started', isReadLost: true } as const);
  const invalid = { ok: false, code: 'invalid_plugin_response', ...lost } as const;
  if (!hasValue(answer)) {
    const { code } = answer.fault;
    if (GATEWAY_ONLY.has(code)) return invalid;
    if (request.kind === 'tools_call' && !codeFitsCertainty(code, answer.certainty)) return invalid;
    const { certainty } = answer;
    return { ok: false, code, ...(certainty === 'outcome_unknown' ? lost : { certainty }) };
  }
  const { value } = answer;
  // The answer belongs to the call, so it has run; what it answered is not for anyone to read.
  if (value.kind === 'tools_call' && !isCallResult(value.result))
    return { ok: false, certainty: 'completed', code: 'invalid_plugin_result' };
  return { ok: true, payload: value as PayloadOf<Request> };
}
