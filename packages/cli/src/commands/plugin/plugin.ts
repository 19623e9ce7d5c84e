import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { outputOf, reportFailure } from '../../client/plugin-failure.ts';
import { connectPluginTool, type PluginAction } from '../../client/plugin-tool-request.ts';
import type { NetworkFlags } from '../../client/tool-request.ts';
import type { CommandContext } from '../../command-context.ts';
import { nextStepOf } from '../../error-tables.ts';
import { exitCodes } from '../../exit-codes.ts';
import { jsonLine, labelled, objectsIn, safeLine, schemaText } from '../../output/safe-text.ts';
import { table } from '../../output/table.ts';

type TargetFlags = NetworkFlags & {
  readonly runner?: string;
  readonly plugin?: string;
  readonly tool?: string;
};

type Rendered = {
  readonly text: string;
  readonly exit?: number;
  /** A code whose next step is told. */
  readonly code?: Json | undefined;
};

/** One request; prints the output by `render`, or the failure. */
async function once(
  context: CommandContext,
  flags: NetworkFlags,
  request: { readonly action: PluginAction; readonly params: JsonObject },
  render: (output: JsonObject) => Rendered,
): Promise<number> {
  const { action, params } = request;
  const send = await connectPluginTool(context, flags);
  if (action === 'check') {
    context.stderr('fairlead: check really starts the program on the Runner’s machine, then ends it\n');
  }
  const answer = await send(action, params);
  const output = outputOf(answer);
  if (output === null) return reportFailure(context, { action, json: flags.json, answer });
  const { text, exit = exitCodes.done, code } = render(output);
  context.stdout(flags.json === true ? jsonLine(output) : text);
  const next = typeof code === 'string' ? await nextStepOf(code) : null;
  if (next !== null) context.stderr(`next: ${next}\n`);
  return exit;
}

/** `fairlead plugin list [--runner R [--plugin P]]`. */
export function pluginList(context: CommandContext, flags: TargetFlags): Promise<number> {
  const { runner, plugin } = flags;
  const params = { ...(runner === undefined ? {} : { runner }), ...(plugin === undefined ? {} : { plugin }) };
  return once(context, flags, { action: 'list', params }, (output) => ({ text: renderList(output) }));
}

function renderList(output: JsonObject): string {
  if (Array.isArray(output['runners'])) {
    const runners = objectsIn(output['runners']);
    if (runners.length === 0) return 'no Runner is connected that this token may see\n';
    return table(
      ['RUNNER', 'NAME'],
      runners.map((row) => [row['runner'], row['name']]),
    );
  }
  if (Array.isArray(output['plugins'])) return renderPlugins(output);
  const tools = objectsIn(output['tools']).map((tool) => [tool['name'], tool['title']]);
  return (
    labelled('runner', output['runner']) +
    labelled('plugin', pluginTitle(output['plugin'], output['name'])) +
    labelled('status', output['status']) +
    (typeof output['errorCode'] === 'string' ? labelled('code', output['errorCode']) : '') +
    labelled('tools', output['toolCount']) +
    (tools.length === 0 ? '' : table(['TOOL', 'TITLE'], tools))
  );
}

function pluginTitle(id: Json | undefined, name: Json | undefined): string {
  return typeof name === 'string' && name !== id ? `${safeLine(id)} (${safeLine(name)})` : safeLine(id);
}

function renderPlugins(output: JsonObject): string {
  const plugins = objectsIn(output['plugins']);
  const rows = plugins.map((row) => [row['plugin'], row['status'], row['errorCode'], row['name']]);
  return (
    labelled('runner', output['runner']) +
    (rows.length === 0 ? 'no plugin is configured\n' : table(['PLUGIN', 'STATUS', 'CODE', 'NAME'], rows))
  );
}

/** `fairlead plugin describe --runner R --plugin P --tool T`. */
export function pluginDescribe(context: CommandContext, flags: TargetFlags): Promise<number> {
  const { runner = '', plugin = '', tool = '' } = flags;
  const request = { action: 'describe', params: { runner, plugin, tool } } as const;
  return once(context, flags, request, (output) => ({ text: renderDescription(output) }));
}

function renderDescription(output: JsonObject): string {
  const definition = isJsonObject(output['tool']) ? output['tool'] : {};
  const line = (member: string) =>
    definition[member] === undefined ? '' : labelled(member, definition[member]);
  const schema = (member: string, label: string) =>
    definition[member] === undefined ? '' : `${label}:\n${schemaText(definition[member])}\n`;
  return (
    labelled('runner', output['runner']) +
    labelled('plugin', pluginTitle(output['plugin'], output['pluginName'])) +
    labelled('tool', definition['name']) +
    line('title') +
    line('description') +
    labelled('binding', output['binding']) +
    schema('inputSchema', 'input schema') +
    schema('outputSchema', 'output schema') +
    schema('annotations', 'annotations, the plugin’s own word')
  );
}

/** `fairlead plugin check --runner R --plugin P`. Exit 2 where the plugin is not ready. */
export function pluginCheck(context: CommandContext, flags: TargetFlags): Promise<number> {
  const { runner = '', plugin = '' } = flags;
  return once(context, flags, { action: 'check', params: { runner, plugin } }, (output) => {
    const isReady = output['ready'] === true;
    if (isReady) return { text: renderCheck(output, isReady) };
    return { text: renderCheck(output, isReady), exit: exitCodes.usage, code: output['code'] };
  });
}

function renderCheck(output: JsonObject, isReady: boolean): string {
  const diagnostic = isJsonObject(output['diagnostic']) ? output['diagnostic'] : {};
  const where = [diagnostic['code'], diagnostic['tool'], diagnostic['field']].filter(
    (part) => part !== undefined,
  );
  const tools = objectsIn(output['tools']).map((tool) => safeLine(tool['name']));
  const line = (label: string, value: Json | undefined) =>
    value === undefined || value === '' ? '' : labelled(label, value);
  const head =
    labelled('runner', output['runner']) +
    labelled('plugin', output['plugin']) +
    labelled('ready', isReady) +
    labelled('phase', output['phase']);
  if (isReady) return `${head}${labelled('tools', tools.length === 0 ? 'none' : tools.join(', '))}`;
  const neverAnswered = output['phase'] === 'initialize' && output['code'] === 'plugin_eof';
  return (
    head +
    line('code', output['code']) +
    line('detail', output['detail']) +
    line('diagnostic', where.map(safeLine).join(' ')) +
    (neverAnswered
      ? 'hint:        its output ended before it answered. If command and args are right, see that what\n' +
        '             they start is built (dist/plugin.js of a plugin that is compiled).\n'
      : '')
  );
}

/** `fairlead plugin reload --runner R`. Exit 2 where a candidate was not admitted and so nothing was changed. */
export function pluginReload(context: CommandContext, flags: TargetFlags): Promise<number> {
  const { runner = '' } = flags;
  return once(context, flags, { action: 'reload', params: { runner } }, (output) => {
    const failures = objectsIn(output['failures']);
    if (failures.length === 0) return { text: renderPlugins(output) };
    const rows = failures.map((row) => [row['provider_id'], row['code']]);
    return {
      text: `nothing was changed; these plugins were not admitted:\n${table(['PLUGIN', 'CODE'], rows)}`,
      exit: exitCodes.usage,
      code: failures[0]?.['code'],
    };
  });
}
