import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { jsonLine, objectsIn, safeLine } from '../../output/safe-text.ts';
import { table } from '../../output/table.ts';
import { askHost } from './ask-host.ts';

/** `fairlead ext list`: every extension of the running host, and under it what failed. */
export async function extList(
  context: CommandContext,
  flags: { readonly stateDir?: string; readonly json?: boolean },
): Promise<number> {
  const output = await askHost(context, flags, { method: 'GET', path: '' });
  if (flags.json === true) {
    context.stdout(jsonLine(output));
    return exitCodes.done;
  }
  const { extensions, failures } = isJsonObject(output) ? output : {};
  const rows = objectsIn(extensions);
  if (rows.length === 0) {
    context.stdout('there is no extension\n');
    return exitCodes.done;
  }
  const cells = rows.map((row) => [
    row['name'],
    row['version'],
    row['tier'],
    words(row['scopes']),
    words(row['hooks']),
    row['state'],
  ]);
  context.stdout(table(['NAME', 'VERSION', 'RUNS IN', 'SCOPES', 'KINDS', 'STATE'], cells));
  for (const failure of [...rows.filter(hasReason), ...objectsIn(failures)])
    context.stdout(`${failureText(failure)}\n`);
  return exitCodes.done;
}

function words(value: Json | undefined): string {
  return Array.isArray(value) ? value.map(safeLine).join(' ') : '';
}

function hasReason(row: JsonObject): boolean {
  return typeof row['code'] === 'string';
}

function failureText({ name, scope, key, code, reason }: JsonObject): string {
  const place = typeof scope === 'string' && scope !== 'global' ? ` (${scope} ${safeLine(key)})` : '';
  return `! ${safeLine(name)}${place}: ${safeLine(reason)} (${safeLine(code)})`;
}
