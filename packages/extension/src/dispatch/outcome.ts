import type { NormalOutput } from '../contracts/tool-output.ts';
import type { Certainty } from '../errors.ts';
import { isJsonObject, type Json } from '../json/json.ts';

/** Why a call gave no value. `message` is safe to show. */
export interface CallFault {
  readonly code: string;
  readonly message: string;
  /** What the code adds. A text under `partial` is what there was of an answer. */
  readonly detail?: Json;
}

/** The end of a call that carries out somebody's effect. A value comes only with `completed`; the same shape as the host's own. */
export type CallOutcome<T> =
  | { readonly certainty: 'completed'; readonly value: T }
  | { readonly certainty: Certainty; readonly fault: CallFault };

/** Narrows an outcome to the one that carries a value. */
export function hasValue<T>(
  outcome: CallOutcome<T>,
): outcome is { readonly certainty: 'completed'; readonly value: T } {
  return 'value' in outcome;
}

/** A tool's outcome as its caller reads it: a fault is an error whose text begins with the code. */
export interface ToolAnswer extends NormalOutput {
  readonly certainty: Certainty;
  /** Of a fault. */
  readonly detail?: Json;
}

/** A fault as a caller reads it: its code, its message, and below them what there was of an answer. */
export function callFaultText({ code, message, detail }: CallFault): string {
  const partial = isJsonObject(detail) ? detail['partial'] : undefined;
  return typeof partial === 'string' && partial !== ''
    ? `${code}: ${message}\n${partial}`
    : `${code}: ${message}`;
}

export function toolAnswer(outcome: CallOutcome<NormalOutput>): ToolAnswer {
  if (hasValue(outcome)) return { ...outcome.value, certainty: 'completed' };
  const { certainty, fault } = outcome;
  const answer = { certainty, text: callFaultText(fault), isError: true };
  return fault.detail === undefined ? answer : { ...answer, detail: fault.detail };
}
