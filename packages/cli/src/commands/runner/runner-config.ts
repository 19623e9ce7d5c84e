import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { outputOf, reportFailure } from '../../client/plugin-failure.ts';
import { connectTools, type NetworkFlags, type SentAnswer } from '../../client/tool-request.ts';
import type { CommandContext } from '../../command-context.ts';
import { nextStepOf } from '../../error-tables.ts';
import { exitCodes } from '../../exit-codes.ts';
import { answerTimeoutMs } from '../../limits.ts';
import { jsonLine, labelled, objectsIn, safeLine } from '../../output/safe-text.ts';
import { table } from '../../output/table.ts';

type ConfigFlags = NetworkFlags & { readonly runner?: string };

/** `fairlead runner check-config --runner R`. Exit 2 where the file cannot be used. */
export async function runnerCheckConfig(context: CommandContext, flags: ConfigFlags): Promise<number> {
  const { json } = flags;
  const answer = await ask(context, flags, 'check_runner_config', 'check-config');
  const output = outputOf(answer);
  if (output === null) return reportFailure(context, { action: 'check-config', json, answer });
  context.stdout(json === true ? jsonLine(output) : renderCheck(output));
  if (output['valid'] === true) return exitCodes.done;
  const { code } = output;
  const next = typeof code === 'string' ? await nextStepOf(code) : null;
  if (next !== null) context.stderr(`next: ${next}\n`);
  return exitCodes.usage;
}

/** `fairlead runner reload-config --runner R`. Exit 2 where a plugin was not admitted and so nothing was applied. */
export async function runnerReloadConfig(context: CommandContext, flags: ConfigFlags): Promise<number> {
  const { json } = flags;
  const answer = await ask(context, flags, 'reload_runner_config', 'reload-config');
  const output = outputOf(answer);
  if (output !== null) {
    context.stdout(json === true ? jsonLine(output) : renderReload(output));
    return exitCodes.done;
  }
  const exit = await reportFailure(context, { action: 'reload-config', json, answer });
  const failures = notAdmitted(answer);
  if (failures === null) return exit;
  if (json !== true) context.stdout(table(['PLUGIN', 'CODE'], failures));
  return exitCodes.usage;
}

async function ask(
  context: CommandContext,
  flags: ConfigFlags,
  tool: string,
  label: 'check-config' | 'reload-config',
): Promise<SentAnswer> {
  const call = await connectTools(context, flags);
  const params = { tool, arguments: { runner: flags.runner ?? '' } };
  return call({ tool: 'call_runtime_tool', params }, { label, timeoutMs: answerTimeoutMs[label] });
}

/** Plugin and code of each that kept a reload from being applied; null where that is not why it failed. */
function notAdmitted(answer: SentAnswer): Json[][] | null {
  const error = answer.kind === 'answered' ? answer.envelope.error : null;
  if (error?.code !== 'plugin_reload_failed') return null;
  const detail = error.detail !== undefined && isJsonObject(error.detail) ? error.detail : {};
  return objectsIn(detail['failures']).map((row) => [row['provider_id'] ?? null, row['code'] ?? null]);
}

function renderCheck(output: JsonObject): string {
  const head = labelled('runner', output['runner']) + labelled('generation', output['generation']);
  const ignored = placesOf('ignored', output['ignored']);
  if (output['valid'] !== true)
    return `${head}${labelled('valid', false)}${labelled('code', output['code'])}${placesOf('faults', output['faults'])}${ignored}`;
  const restarts = output['restartsPlugins'] === true ? 'are started anew' : 'go on running';
  return (
    head +
    labelled('valid', true) +
    ignored +
    (output['changedCount'] === 0
      ? 'nothing differs from what is in force\n'
      : labelled('plugins', `${restarts} by reload-config`) + renderChanges(output))
  );
}

function renderReload(output: JsonObject): string {
  const plugins = objectsIn(output['plugins']);
  return (
    labelled('runner', output['runner']) +
    labelled('generation', output['generation']) +
    labelled('applied', output['applied']) +
    labelled('plugins', output['pluginsRestarted'] === true ? 'were started anew' : 'went on running') +
    (output['changedCount'] === 0 ? 'nothing differed from what was in force\n' : renderChanges(output)) +
    (plugins.length === 0
      ? ''
      : table(
          ['PLUGIN', 'STATUS', 'CODE', 'NAME'],
          plugins.map((row) => [row['plugin'], row['status'], row['errorCode'], row['name']]),
        ))
  );
}

function renderChanges(output: JsonObject): string {
  const rows = objectsIn(output['changed']).map((row) => [row['field'], row['applies']]);
  const total = output['changedCount'];
  const more = typeof total === 'number' && total > rows.length ? `and ${total - rows.length} more\n` : '';
  return table(['KEY', 'APPLIES'], rows) + more;
}

/** Keys with their lines, on one line. */
function placesOf(label: string, places: Json | undefined): string {
  const shown = objectsIn(places).map(({ field, line }) =>
    line === undefined ? safeLine(field) : `${safeLine(field)} (line ${safeLine(line)})`,
  );
  return shown.length === 0 ? '' : labelled(label, shown.join(', '));
}
