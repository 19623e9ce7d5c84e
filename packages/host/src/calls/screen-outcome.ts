import type { Certainty, Json } from '@fairlead/base';
import type { CallOutcome } from '@fairlead/extension/runtime';
import { callFaultText, hasValue, type NormalOutput } from '@fairlead/extension/runtime';
import type { LeakDetector } from '../leaks/leak-detector.ts';
import { type LeakPolicy, screenFault, screenOutput } from '../leaks/screen-result.ts';

/** What is said of a call's end: without any secret. */
export interface Said {
  readonly certainty: Certainty;
  readonly code?: string;
  readonly text: string;
  readonly structured?: Json;
  readonly isError: boolean;
  /** What a fault's code adds. */
  readonly detail?: Json;
  /** Kinds of secrets that were taken out. */
  readonly redacted: readonly string[];
}

/** An outcome without what looks like a secret, errors too, and what is said of it. */
export function screenOutcome(
  outcome: CallOutcome<NormalOutput>,
  policy: LeakPolicy,
  detector: LeakDetector,
): { readonly outcome: CallOutcome<NormalOutput>; readonly said: Said } {
  if (!hasValue(outcome)) {
    const { fault, categories } = screenFault(outcome.fault, policy, detector);
    const { certainty } = outcome;
    return { outcome: { certainty, fault }, said: saidOfFault(certainty, fault, categories) };
  }
  const { text, data, isError } = outcome.value;
  const given = data === undefined ? { text } : { text, structured: data as Json };
  const screening = screenOutput(given, policy, detector);
  if (screening.kind === 'blocked') {
    const { fault, categories } = screening;
    return { outcome: { certainty: 'completed', fault }, said: saidOfFault('completed', fault, categories) };
  }
  const { output, categories } = screening;
  const value = { text: output.text, isError };
  return {
    outcome: {
      certainty: 'completed',
      value: output.structured === undefined ? value : { ...value, data: output.structured },
    },
    said: {
      certainty: 'completed',
      ...(isError ? { code: 'tool_error' } : {}),
      ...output,
      isError,
      redacted: categories,
    },
  };
}

/** A fault that was screened, or holds nothing foreign. */
function saidOfFault(
  certainty: Certainty,
  fault: { readonly code: string; readonly message: string; readonly detail?: Json },
  redacted: readonly string[] = [],
): Said {
  const { code, detail } = fault;
  const said = { certainty, code, text: callFaultText(fault), isError: true, redacted };
  return detail === undefined ? said : { ...said, detail };
}
