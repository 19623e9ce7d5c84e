import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { jsonLine, objectsIn, safeLine } from '../../output/safe-text.ts';
import { table } from '../../output/table.ts';
import { askHost } from '../../owner/running-host.ts';
import { EXTENSIONS_PATH } from './extensions-path.ts';

/** `fairlead ext list`: every extension of the running host, and under it what failed. */
export async function extList(
  context: CommandContext,
  flags: { readonly stateDir?: string; readonly json?: boolean },
): Promise<number> {
  const output = await askHost(context, flags, { method: 'GET', path: EXTENSIONS_PATH });
  if (flags.json === true) {
    context.stdout(jsonLine(output));
    return exitCodes.done;
  }
  const rows = isJsonObject(output) ? objectsIn(output['extensions']) : [];
  if (rows.length === 0) {
    context.stdout('there is no extension\n');
    return exitCodes.done;
  }
  const cells = rows.map((row) => [
    row['name'],
    isJsonObject(row['manifest'] ?? null) ? (row['manifest'] as JsonObject)['version'] : null,
    row['tier'],
    words(row['scopes']),
    words(row['hooks']),
    row['state'],
  ]);
  context.stdout(table(['NAME', 'VERSION', 'RUNS IN', 'SCOPES', 'KINDS', 'STATE'], cells));
  for (const row of rows) for (const line of faultsOf(row)) context.stdout(`! ${line}\n`);
  return exitCodes.done;
}

function words(value: Json | undefined): string {
  return Array.isArray(value) ? value.map(safeLine).join(' ') : '';
}

/** Why it is down, and what failed at which scope: one line each. */
function faultsOf({ name, reason, failures }: JsonObject): string[] {
  const own = isJsonObject(reason ?? null) ? [`${safeLine(name)}: ${faultText(reason as JsonObject)}`] : [];
  const others = objectsIn(failures)
    .filter(({ scope }) => scope !== 'install')
    .map((failure) => {
      const { scope, key } = failure;
      const place = key === '' ? safeLine(scope) : `${safeLine(scope)} ${safeLine(key)}`;
      return `${safeLine(name)} (${place}): ${faultText(failure)}`;
    });
  return [...own, ...others];
}

function faultText({ code, reason }: JsonObject): string {
  return `${safeLine(reason)} (${safeLine(code)})`;
}
