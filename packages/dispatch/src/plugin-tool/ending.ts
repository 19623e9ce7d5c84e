import type { Certainty, JsonObject } from '@fairlead/base';

/** How one action ended: with an output, or with a code. An output comes only with `completed`. */
export type Ending =
  | { readonly certainty: 'completed'; readonly output: JsonObject }
  | { readonly certainty: Certainty; readonly code: string };

export function done(output: JsonObject): Ending {
  return { certainty: 'completed', output };
}

/** Nothing can have happened. */
export function notStarted(code: string): { readonly certainty: 'not_started'; readonly code: string } {
  return { certainty: 'not_started', code };
}
