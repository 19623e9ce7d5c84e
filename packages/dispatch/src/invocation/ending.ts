import type { Certainty, Json, JsonObject } from '@fairlead/base';

/**
 * How a task ended: with an output, or with a code. An output comes only with `completed`. `isProviderResult`: the output is
 * a provider's own result, which every face hands on unchanged; it may say `isError`. `detail`: what the code adds.
 */
export type Ending =
  | { readonly certainty: 'completed'; readonly output: JsonObject; readonly isProviderResult?: true }
  | { readonly certainty: Certainty; readonly code: string; readonly detail?: Json };

export function done(output: JsonObject): Ending {
  return { certainty: 'completed', output };
}

/** A provider's own answer to a call. */
export function answered(result: JsonObject): Ending {
  return { certainty: 'completed', output: result, isProviderResult: true };
}

/** Nothing can have happened. */
export function notStarted(code: string): { readonly certainty: 'not_started'; readonly code: string } {
  return { certainty: 'not_started', code };
}
