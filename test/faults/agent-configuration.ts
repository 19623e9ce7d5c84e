import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@fairlead/base';
import { CALLS_MAX } from './plan.ts';

/** How an agent calls a tool of the plugin: with a binding that it asks for, or as a tool of its own. */
export type AgentWay = 'binding' | 'pin';

/**
 * Then a fresh fleet takes its place (docs/decisions/0200-a-fleet-stays-for-ten-rounds.md). What the rounds before have left open must not
 * come back as a lie in a later one, so a fleet stays for a while; what that was must be found again, so it does not stay for long. Each round
 * has agents of its own, so that a call of theirs that comes late is known as what it is.
 */
export const ROUNDS_OF_A_FLEET = 10;

/** The agent that makes the call of this number in the round of that place. Its script knows no more of the call than this name. */
export function callerOf(place: number, call: number): string {
  return `caller-${place}-${call}`;
}

/** The model whose script calls that tool in that way. */
export function modelOf(way: AgentWay, tool: 'work' | 'brief'): string {
  return `${way}-${tool}/script`;
}

const TOOLS = ['work', 'brief'] as const;
const WAYS = ['binding', 'pin'] as const;

/** Agents, their scripts, and the plugin's tools pinned, in the state directory of a host that has not been started yet. */
export function writeAgents(
  stateDirectory: string,
  { runner, plugin }: { readonly runner: string; readonly plugin: string },
): void {
  const callers = Array.from({ length: ROUNDS_OF_A_FLEET * CALLS_MAX }, (_none, number) =>
    callerOf(Math.floor(number / CALLS_MAX), number % CALLS_MAX),
  );
  const backends = WAYS.flatMap((way) => TOOLS.map((tool) => ({ way, tool, name: `${way}-${tool}` })));
  const tables = [
    // What a session of its own begins with.
    `model = "${modelOf('binding', 'work')}"`,
    `[policy]\nauto_approve = ["plugin_tool", "${plugin}__*"]`,
    '[limits]\nschedules_per_agent = 1000\nschedule_min_secs = 1',
    ...backends.map(({ name }) => `[[backends]]\nname = "${name}"\ntype = "scripted"\nfile = "${name}.json"`),
    ...TOOLS.map(
      (tool) => `[[plugins.pinned]]\nrunner = "${runner}"\nplugin = "${plugin}"\ntool = "${tool}"`,
    ),
    ...callers.map((name) => `[[agents]]\nname = "${name}"`),
  ];
  writeFileSync(join(stateDirectory, 'fairlead.toml'), `${tables.join('\n\n')}\n`, { mode: 0o600 });
  for (const { way, tool, name } of backends) {
    const turnOf = (caller: string): JsonObject => ({
      steps: [...stepsOf(way, { runner, plugin, tool }, { name: caller }), { text: 'Done.' }],
    });
    const scripts = Object.fromEntries(callers.map((caller) => [`agent:${caller}`, [turnOf(caller)]]));
    const script = { format: 'fairlead-script-v1', scripts: { default: [], ...scripts } };
    writeFileSync(join(stateDirectory, `${name}.json`), JSON.stringify(script), { mode: 0o600 });
  }
}

function stepsOf(
  way: AgentWay,
  where: { readonly runner: string; readonly plugin: string; readonly tool: string },
  given: JsonObject,
): readonly JsonObject[] {
  if (way === 'pin') return [{ calls: [{ tool: `${where.plugin}__${where.tool}`, arguments: given }] }];
  const binding = { $from: 'seen', pointer: '/structured/binding' };
  return [
    { calls: [{ as: 'seen', tool: 'plugin_tool', arguments: { action: 'describe', ...where } }] },
    { calls: [{ tool: 'plugin_tool', arguments: { action: 'call', binding, arguments: given } }] },
  ];
}
