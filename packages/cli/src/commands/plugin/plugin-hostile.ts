import {
  playScenario,
  type Scenario,
  scenarioListJson,
  scenarioListText,
  scenarioOf,
  unknownScenario,
} from '@fairlead/plugin-conformance';
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
    context.stdout(flags.json === true ? jsonLine(scenarioListJson()) : scenarioListText(columnsOf(context)));
    return exitCodes.done;
  }
  playScenario(scenarioCalled(name));
  // It ends this process itself, or is ended.
  return await new Promise<never>(() => {});
}

/** How wide the terminal is; what is no terminal has no width. */
function columnsOf(context: CommandContext): number {
  const { output } = context.streams();
  return 'columns' in output && typeof output.columns === 'number'
    ? output.columns
    : Number.POSITIVE_INFINITY;
}

function scenarioCalled(name: string | undefined): Scenario {
  const scenario = name === undefined ? undefined : scenarioOf(name);
  if (scenario !== undefined) return scenario;
  const list = 'fairlead plugin hostile --list';
  throw new UsageError(
    name === undefined ? `Name a scenario; \`${list}\` shows them all.` : unknownScenario(name, list),
  );
}
