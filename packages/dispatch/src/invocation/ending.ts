import type { Certainty, Json, JsonObject } from '@fairlead/base';
import type { InvocationError } from '../invocation-error.ts';

/**
 * How a task ended: with an output, or with a code. An output comes only with `completed`. `isProviderResult`: the output is
 * a provider's own result, which every face hands on unchanged; it may say `isError`. `journalCode`: what the journal shows where
 * the output says that nothing came of it. `message`, `detail` and `next` are more exact than the code's own words, and ours. `isReadLost`: it
 * was a question, and no answer to it came back.
 */
export type Ending =
  | {
      readonly certainty: 'completed';
      readonly output: JsonObject;
      readonly isProviderResult?: true;
      readonly journalCode?: string;
    }
  | {
      readonly certainty: Certainty;
      readonly code: string;
      readonly isReadLost?: true;
      readonly message?: string;
      readonly detail?: Json;
      readonly next?: string;
    };

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

/** A refusal in somebody else's words; nothing can have happened. */
export function refusedEnding({ code, message, recovery: next, detail }: InvocationError): Ending {
  return {
    certainty: 'not_started',
    code,
    message,
    ...(next === undefined ? {} : { next }),
    ...(detail === undefined ? {} : { detail }),
  };
}
