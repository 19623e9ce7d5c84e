import type { Certainty } from '@fairlead/base';
import { protocolErrors } from '@fairlead/protocol';

/** A code that says an answer was received (docs/reference/native-plugin-protocol.md §9): it comes with `completed`, and no other does. */
const ANSWERED: ReadonlySet<string> = new Set([
  'plugin_rpc_error',
  'plugin_result_invalid',
  'plugin_output_schema_violation',
]);

/** A code that says the call was refused before a byte was written. */
const REFUSED: ReadonlySet<string> = new Set([
  'stale_plugin_provider',
  'plugin_provider_unavailable',
  'plugin_tool_unavailable',
  'plugin_schema_changed',
  'plugin_arguments_schema_invalid',
  'plugin_provider_busy',
  'plugin_request_invalid',
  'plugin_request_too_large',
]);

/** A code that says the Runner had the same call before: it may have run, and may run now. */
const REPEATED = 'plugin_call_repeated';

/**
 * False where a call's code and certainty contradict each other, so that one of the two is a lie: a caller who reads "nothing was
 * sent" beside `outcome_unknown` would do the wrong thing in either case. Other codes of the protocol go with any but `completed`; what a later version may say is not judged.
 */
export function codeFitsCertainty(code: string, certainty: Certainty): boolean {
  if (ANSWERED.has(code)) return certainty === 'completed';
  if (REFUSED.has(code)) return certainty === 'not_started';
  if (code === REPEATED) return certainty === 'outcome_unknown';
  return certainty !== 'completed' || !Object.hasOwn(protocolErrors, code);
}
