import type { Invocation } from '@fairlead/dispatch';
import type { Envelope } from '../http/envelope.ts';

/** The envelope of one invocation, with its certainty as it is. */
export function callEnvelope(invocation: Invocation): Envelope {
  const { output, error, certainty, failureKind, call, context } = invocation;
  return {
    success: error === undefined && failureKind === undefined,
    output: output ?? null,
    error: error ?? null,
    dispatch_certainty: certainty,
    ...(failureKind === undefined ? {} : { failure_kind: failureKind }),
    ...(call === undefined ? {} : { call }),
    ...(context === undefined ? {} : { context }),
  };
}

/**
 * The status of an invocation's answer. A Runner may have chosen the code, and must not choose the status with it: some
 * clients send a request again by themselves on 408.
 */
export function callStatus(invocation: Invocation): number {
  if (invocation.error === undefined) return 200;
  return invocation.needsScope === undefined ? 400 : 403;
}
