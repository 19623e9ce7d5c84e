import type { JsonObject } from '@fairlead/base';
import type { Tally } from './tally.ts';

/** An answer in the envelope of the HTTP API, whichever way it came. */
export type Envelope = {
  readonly success: boolean;
  readonly output: JsonObject | null;
  readonly error: { readonly code: string } | null;
  readonly dispatch_certainty: string;
};

/** Said of plugins that crash and are reloaded, Runners whose link is cut, and tokens that end: nothing went wrong. */
const DISTURBANCES: ReadonlySet<string> = new Set([
  'plugin_replaced',
  'plugin_eof',
  'plugin_provider_unavailable',
  'plugin_provider_busy',
  'plugin_unavailable',
  'plugin_reload_busy',
  // The handle of a plugin that is gone was let go, or 512 newer ones pushed it out.
  'describe_required',
  'runner_unavailable',
  // The MCP server was killed, and is started again.
  'mcp_starting',
  'mcp_server_ended',
]);

/** True of what crashes, reloads and cut links explain. */
export function isDisturbance(code: string): boolean {
  return DISTURBANCES.has(code);
}

/** True when it was done. What was to be expected of a disturbed system is counted, anything else is a fault. */
export function settled(tally: Tally, what: string, envelope: Envelope): boolean {
  if (envelope.success) return true;
  const code = envelope.error?.code ?? 'without a code';
  if (isDisturbance(code)) tally.disturbed(code);
  else tally.fault(`${what}: ${code} (${envelope.dispatch_certainty})`);
  return false;
}
