import type { CommandContext } from '../command-context.ts';
import { exitCodes } from '../exit-codes.ts';
import { type HostConfigFlags, loadHostConfig } from '../host/host-config.ts';
import { safeLine, table } from '../plugin-output.ts';
import { resolveStateDirectory } from '../state-directory.ts';

/** `fairlead config show`: every value that counts, and where it came from. */
export async function configShow(
  context: CommandContext,
  flags: HostConfigFlags & { readonly stateDir?: string; readonly json?: boolean },
): Promise<number> {
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  const { rows, warnings, environmentKeys } = await loadHostConfig(context, stateDirectory, flags);
  for (const warning of warnings) context.stderr(`fairlead: ${warning.message}\n`);
  if (flags.json === true) {
    context.stdout(`${JSON.stringify({ stateDirectory, values: rows, secretVariables: environmentKeys })}\n`);
    return exitCodes.done;
  }
  const lines = rows.map((row) => {
    const place = row.source === 'file' ? `fairlead.toml line ${row.line ?? 1}` : (row.from ?? row.source);
    return [row.key, row.value === null ? '-' : safeLine(row.value), place];
  });
  context.stdout(`state directory ${stateDirectory}\n${table([['KEY', 'VALUE', 'FROM'], ...lines])}`);
  if (environmentKeys.length > 0) context.stdout(`kept from every plugin: ${environmentKeys.join(' ')}\n`);
  return exitCodes.done;
}
