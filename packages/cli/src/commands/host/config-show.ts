import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { configTableRows } from '../../host/config-table-rows.ts';
import { type HostConfigFlags, loadHostConfig } from '../../host/host-config.ts';
import { jsonLine } from '../../output/safe-text.ts';
import { table } from '../../output/table.ts';
import { resolveStateDirectory } from '../../state/state-directory.ts';

/** `fairlead config show`: every value that counts, and where it came from. */
export async function configShow(
  context: CommandContext,
  flags: HostConfigFlags & { readonly stateDir?: string; readonly json?: boolean },
): Promise<number> {
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  const loaded = await loadHostConfig(context, stateDirectory, flags);
  const { environmentKeys } = loaded;
  const rows = [...loaded.rows, ...configTableRows(loaded)];
  if (flags.json === true) {
    const values = rows.map((row) => ({ ...row }));
    context.stdout(jsonLine({ stateDirectory, values, secretVariables: environmentKeys }));
    return exitCodes.done;
  }
  const lines = rows.map((row) => [
    row.key,
    row.value,
    row.source === 'file' ? `fairlead.toml line ${row.line ?? 1}` : (row.from ?? row.source),
  ]);
  context.stdout(`state directory ${stateDirectory}\n${table(['KEY', 'VALUE', 'FROM'], lines)}`);
  if (environmentKeys.length > 0)
    context.stdout(`kept from every plugin, worker and shell: ${environmentKeys.join(' ')}\n`);
  return exitCodes.done;
}
