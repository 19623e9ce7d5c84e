import type { Json } from './json.ts';

/**
 * What is known about a caller's effect, decided from evidence and never from an error's text:
 * `not_started` nothing can have happened · `completed` an answer was received · `outcome_unknown` it may have happened.
 */
export type Certainty = 'not_started' | 'completed' | 'outcome_unknown';

/** Why there is no value. `message` is safe to show; `detail` is what the code adds. */
export type Fault = { readonly code: string; readonly message: string; readonly detail?: Json };

/** The end of anything that carries out a caller's effect. A value comes only with `completed`. */
export type Outcome<T> =
  | { readonly certainty: 'completed'; readonly value: T }
  | { readonly certainty: Certainty; readonly fault: Fault };

export function completed<T>(value: T): Outcome<T> {
  return { certainty: 'completed', value };
}

/** An outcome without a value. */
export function failed(certainty: Certainty, code: string, message: string, detail?: Json): Outcome<never> {
  return { certainty, fault: detail === undefined ? { code, message } : { code, message, detail } };
}

/** Narrows an outcome to the one that carries a value. */
export function hasValue<T>(
  outcome: Outcome<T>,
): outcome is { readonly certainty: 'completed'; readonly value: T } {
  return 'value' in outcome;
}
