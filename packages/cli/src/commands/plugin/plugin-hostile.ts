import { playScenario, scenarioListJson, scenarioListText, scenarioOf } from '@fairlead/plugin-conformance';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { jsonLine } from '../../output/safe-text.ts';
import { UsageError } from '../../usage-error.ts';

type HostileFlags = { readonly list?: boolean; readonly json?: boolean };

/**
 * `fairlead plugin hostile SCENARIO`: becomes a plugin that breaks one clause of the wire, on this process's own stdin and
 * stdout, until it is ended. `--list` prints what there is, and what a Runner must answer to it.
 */
export async function pluginHostile(
  context: CommandContext,
  name: string | undefined,
  flags: HostileFlags,
): Promise<number> {
  if (flags.list === true) {
    context.stdout(flags.json === true ? jsonLine(scenarioListJson()) : scenarioListText());
    return exitCodes.done;
  }
  const scenario = name === undefined ? undefined : scenarioOf(name);
  if (scenario === undefined)
    throw new UsageError('name a scenario; `fairlead plugin hostile --list` shows them all');
  playScenario(scenario);
  // It ends this process itself, or is ended.
  return await new Promise<never>(() => {});
}
