import { type Certainty, failed, type Outcome, type Timer } from '@fairlead/base';
import { dispatchErrors } from '@fairlead/dispatch';
import { protocolErrors, type RunnerPayload, type RunnerRequest } from '@fairlead/protocol';

/** One request to a Runner, from the moment it is accepted until it has an outcome. */
export type PendingRequest = {
  /** Unique on its connection. */
  readonly id: number;
  readonly request: RunnerRequest;
  readonly call: string | undefined;
  /** On the monotonic clock. */
  readonly deadlineAtMs: number;
  /** True once its frame was given to the socket: from then on nothing proves that the Runner did not see it. */
  isHanded: boolean;
  timer: Timer | null;
  readonly settle: (outcome: Outcome<RunnerPayload>) => void;
};

/** What is certain when a request ends without an answer: only one that never reached the socket is proven not to have started. */
export function certaintyWithoutAnswer(pending: PendingRequest): Certainty {
  return pending.isHanded ? 'outcome_unknown' : 'not_started';
}

/** The faults of the link itself (docs/reference/http-api.md, "Runner link"). */
export type LinkFaultCode =
  | 'runner_unavailable'
  | 'plugin_gateway_unavailable'
  | 'plugin_gateway_timeout'
  | 'invalid_plugin_response';

/** An outcome of the link itself. */
export function linkFailure(certainty: Certainty, code: LinkFaultCode): Outcome<never> {
  const { message } = code === 'invalid_plugin_response' ? protocolErrors[code] : dispatchErrors[code];
  return failed(certainty, code, message);
}

/** The Runner answered with something that cannot be the answer: whether it did what was asked is not known. */
export function invalidResponse(): Outcome<never> {
  return linkFailure('outcome_unknown', 'invalid_plugin_response');
}
