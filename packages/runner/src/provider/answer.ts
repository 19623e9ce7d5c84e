import { type Certainty, failed, type Outcome } from '@fairlead/base';
import type { RunnerPayload } from '@fairlead/protocol';
import { describeCode } from '../describe-code.ts';

/** Takes the outcome of one request, once. */
export type Answer = (outcome: Outcome<RunnerPayload>) => void;

/** An outcome without a value. The message is the code's own text, unless a more exact one is given. */
export function refusal(code: string, certainty: Certainty, message?: string): Outcome<never> {
  return failed(certainty, code, message ?? describeCode(code));
}
