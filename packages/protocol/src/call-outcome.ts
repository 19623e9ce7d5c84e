import type { JsonObject } from '@fairlead/base';
import { isOpaqueId } from './names.ts';
import { type RunnerResponse, readRunnerResponse } from './runner-response.ts';

/** What a Runner can say about a call that it is asked for (docs/reference/native-plugin-protocol.md §15). */
export const callStates = Object.freeze(['completed', 'running', 'never_seen', 'forgotten'] as const);

/** One of them. */
export type CallState = (typeof callStates)[number];

/**
 * What became of one call, in the words of the Runner process that was asked. `completed`: it has ended, and `response` is the
 * whole answer as it was given then, an error included. `running`: it has not. `never_seen`: its request never came, and will be
 * refused should it come later. `forgotten`: it came, or may have come, and its answer is not kept any more.
 */
export type CallOutcome = {
  readonly kind: 'outcome';
  readonly call: string;
  readonly state: CallState;
  /** Exactly with `completed`. */
  readonly response?: RunnerResponse;
};

/** Holds a parsed value against the form of an outcome; an answer inside it may not be an outcome again. */
export function readCallOutcome(value: JsonObject): CallOutcome | null {
  const { call, state, response } = value;
  if (!isOpaqueId(call) || !isCallState(state)) return null;
  const hasResponse = state === 'completed';
  if (Object.keys(value).length !== (hasResponse ? 4 : 3)) return null;
  if (!hasResponse) return value as CallOutcome;
  const read = readRunnerResponse(response);
  const isOutcomeAgain = read !== null && 'payload' in read && read.payload.kind === 'outcome';
  return read === null || isOutcomeAgain ? null : (value as unknown as CallOutcome);
}

function isCallState(value: unknown): value is CallState {
  return (callStates as readonly unknown[]).includes(value);
}
