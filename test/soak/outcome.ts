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
  'plugin_unavailable',
  // The handle of a plugin that is gone was let go, or 512 newer ones pushed it out.
  'describe_required',
  'runner_unavailable',
  // The MCP server was killed, and is started again.
  'mcp_starting',
  'mcp_server_ended',
]);

/** Said when another call or reload goes on: how often two meet is up to the machine. */
const MEETINGS: ReadonlySet<string> = new Set(['plugin_provider_busy', 'plugin_reload_busy']);

/** True of what crashes, reloads and cut links explain, and of two who want the same thing at once. */
export function isDisturbance(code: string): boolean {
  return DISTURBANCES.has(code) || MEETINGS.has(code);
}

/**
 * Of all actions, how many may be disturbed: one in fourteen is in a sound run on a machine that is far too slow, as each reload takes the
 * handles of six tools along. A plugin that stays dead, or a Runner that stays away, explains more.
 */
const DISTURBED_SHARE_MAX = 0.2;
/** As many always may: a run of some seconds does each disruption once, among few other actions. */
const DISTURBED_ALWAYS = 20;

/** What is wrong when more was disturbed than what a soak does on purpose explains. */
export function disturbanceFaults({
  disturbances,
  total,
}: Pick<Tally, 'disturbances' | 'total'>): readonly string[] {
  const disturbed = Object.entries(disturbances)
    .filter(([code]) => !MEETINGS.has(code))
    .reduce((sum, [, count]) => sum + count, 0);
  const allowed = Math.max(DISTURBED_ALWAYS, Math.floor(total * DISTURBED_SHARE_MAX));
  if (disturbed <= allowed) return [];
  return [
    `${disturbed} disturbances in ${total} actions, ${allowed} allowed: ${JSON.stringify(disturbances)}`,
  ];
}

/** True when it was done. What was to be expected of a disturbed system is counted, anything else is a fault. */
export function settled(tally: Tally, what: string, envelope: Envelope): boolean {
  if (envelope.success) return true;
  const code = envelope.error?.code ?? 'without a code';
  if (isDisturbance(code)) tally.disturbed(code);
  else tally.fault(`${what}: ${code} (${envelope.dispatch_certainty})`);
  return false;
}
