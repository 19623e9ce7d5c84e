/** On a call these mean the same to the caller: the instance that was described is not there any more. */
const REPLACED: ReadonlySet<string> = new Set(['stale_plugin_provider', 'plugin_provider_unavailable']);

/** A Runner's code about a call as the caller sees it. */
export function callerCode(code: string): string {
  return REPLACED.has(code) ? 'plugin_replaced' : code;
}
