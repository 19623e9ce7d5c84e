import { defineErrors, FairleadError, type Json } from '@fairlead/base';

/** The host's own codes: models, policy, sessions and turns; the rows of one concern stand together. */
export const hostErrors = defineErrors({
  model_unknown: {
    message: 'No back end of this host has a model of this name.',
    next: 'See `/backends` for the names, or add one with `fairlead model add`.',
  },
  model_key_missing: {
    message: 'The variable that holds the key of the back end is not set; nothing was sent.',
    next: 'Set the variable that `api_key_env` names where Fairlead is started, then start it again.',
  },
  model_unreachable: {
    message: 'The back end could not be reached, or closed the connection before it answered.',
    next: 'See that the server runs and that `base_url` is right; `fairlead model add` tries one with a call.',
  },
  model_timeout: {
    message: 'The back end was silent for longer than its `request_timeout_secs`, or answered for too long.',
    next: 'Try again; where a local model is slow to begin, raise `request_timeout_secs` of its back end.',
  },
  model_rate_limited: {
    message: 'The back end takes no more requests for now.',
    next: 'Wait, or use another model; where it said how long, the detail has it.',
  },
  model_unavailable: {
    message: 'The back end failed or is overloaded.',
    next: 'Try again later, or use another model.',
  },
  model_denied: {
    message: 'The back end refuses the key.',
    next: 'Look at the variable that `api_key_env` names: is it the key of this back end, and does it know this model?',
  },
  model_not_found: {
    message: 'The back end knows no such model, or nothing is at its address.',
    next: 'Compare the name of the model with what the back end offers, and `base_url` with its manual.',
  },
  model_request_refused: {
    message: 'The back end refuses the request as it is.',
    next: 'See what it said in the detail; a smaller context window or `tools = false` may be what this model needs.',
  },
  model_stream_broken: {
    message: 'The answer of the back end ended in its middle; what had come of it was dropped.',
    next: 'Try again; where it happens often, look at what stands between here and the server.',
  },
  model_reply_invalid: {
    message: 'The back end answered what is no reply of its kind; it was dropped.',
    next: 'See that `type` and `base_url` of the back end belong together.',
  },
  model_reply_too_large: {
    message: 'The answer of the back end passed the bound of one reply; it was dropped.',
    next: 'Ask for less at once, or lower `max_tokens` of the back end.',
  },
  model_cancelled: {
    message: 'The request was cancelled; what had come of the answer was dropped.',
    next: 'Nothing needs to be done.',
  },
  script_invalid: {
    message: 'The file of a scripted back end cannot be used.',
    next: 'Mend the place that the detail names; docs/reference/models.md has the format.',
  },
  script_mismatch: {
    message: 'The script does not say this: it is at its end, or expected something else here.',
    next: 'Compare the place that the detail names with what the session did.',
  },
  ceiling_reached: {
    message: 'A ceiling on tokens or money is reached; no further model call or tool call starts.',
    next: 'Wait for the next day where it is a day’s, or raise the ceiling in `[limits]` and start Fairlead again.',
  },
});

export type HostErrorCode = keyof typeof hostErrors;

/** A host error with its table's message, and behind it what is safe to show: a name, a kind, a place. */
export function hostError(code: HostErrorCode, what = '', detail?: Json): FairleadError {
  const { message } = hostErrors[code];
  return new FairleadError(
    code,
    what === '' ? message : `${message} (${what})`,
    detail === undefined ? {} : { detail },
  );
}
