import type { Certainty, ErrorEntry, Json } from '@fairlead/base';
import { protocolErrors } from '@fairlead/protocol';
import { dispatchErrors } from '../errors.ts';
import type { InvocationError } from '../invocation-error.ts';

/** What somebody who lost the answer to a question must know: `not_started` does not say that it never arrived. */
export const READ_LOST = 'It only reads, so nothing was changed.';

const UNKNOWN_CODE: ErrorEntry = Object.freeze({
  message: 'The Runner answered with a code that this gateway does not know.',
  next: 'Bring the gateway and the Runner to the same version of Fairlead.',
});

/**
 * A code in our own words, whoever it came from. With `outcome_unknown` the next step begins with `mayHaveHappened`, where
 * there is something that may have; for a question whose answer is lost it begins by saying that it changed nothing.
 */
export function explain(
  code: string,
  about: {
    readonly certainty: Certainty;
    readonly mayHaveHappened?: string | undefined;
    readonly isReadLost?: true | undefined;
    /** More exact than the code's own. */
    readonly message?: string | undefined;
    readonly detail?: Json | undefined;
    readonly next?: string | undefined;
  },
): InvocationError {
  const { message, next: usual } = entryOf(code);
  const next = about.next ?? usual;
  const isUnknown = about.certainty === 'outcome_unknown';
  const warning = isUnknown ? about.mayHaveHappened : about.isReadLost === true ? READ_LOST : undefined;
  return {
    code,
    message: about.message ?? message,
    recovery: warning === undefined ? next : `${warning} ${next}`,
    ...(about.detail === undefined ? {} : { detail: about.detail }),
  };
}

function entryOf(code: string): ErrorEntry {
  for (const table of [dispatchErrors, protocolErrors] as const) {
    const entry = Object.hasOwn(table, code) ? (table as Record<string, ErrorEntry>)[code] : undefined;
    if (entry !== undefined) return entry;
  }
  return UNKNOWN_CODE;
}
