import { isJsonObject, type JsonObject } from '@fairlead/base';
import type { CommandContext } from '../command-context.ts';
import { exitCodes } from '../exit-codes.ts';
import { outputOf, reportFailure } from '../plugin-failure.ts';
import { labelled, objectsIn, safeLine, schemaText, table } from '../plugin-output.ts';
import { connectPluginTool, type NetworkFlags } from '../plugin-tool-request.ts';

type TargetFlags = NetworkFlags & {
  readonly runner?: string;
  readonly plugin?: string;
  readonly tool?: string;
};

/** One request; prints the output by `render`, or the failure. */
async function once(
  context: CommandContext,
  flags: NetworkFlags,
  params: JsonObject,
  render: (output: JsonObject) => { readonly text: string; readonly exit?: number },
): Promise<number> {
  const call = await connectPluginTool(context, flags);
  const answer = await call(params);
  const output = outputOf(answer);
  if (output === null) {
    return reportFailure(context, { action: String(params['action']), json: flags.json, answer });
  }
  const { text, exit } = render(output);
  context.stdout(flags.json === true ? `${JSON.stringify(output)}\n` : text);
  return exit ?? exitCodes.done;
}

/** `fairlead plugin list [--runner R [--plugin P]]`. */
export function pluginList(context: CommandContext, flags: TargetFlags): Promise<number> {
  const params = {
    action: 'list',
    ...(flags.runner === undefined ? {} : { runner: flags.runner }),
    ...(flags.plugin === undefined ? {} : { plugin: flags.plugin }),
  };
  return once(context, flags, params, (output) => ({ text: renderList(output) }));
}

function renderList(output: JsonObject): string {
  if (Array.isArray(output['runners'])) {
    const runners = objectsIn(output['runners']);
    if (runners.length === 0) return 'no Runner is connected that this token may see\n';
    return table([
      ['RUNNER', 'NAME'],
      ...runners.map((row) => [safeLine(row['runner']), safeLine(row['name'] ?? '')]),
    ]);
  }
  if (Array.isArray(output['plugins'])) return renderProviders(output);
  const tools = objectsIn(output['tools']);
  return (
    labelled('runner', output['runner']) +
    labelled('plugin', `${safeLine(output['plugin'])} (${safeLine(output['name'])})`) +
    labelled('status', output['status']) +
    (typeof output['errorCode'] === 'string' ? labelled('code', output['errorCode']) : '') +
    labelled('tools', output['toolCount']) +
    tools
      .map(
        (tool) =>
          `  ${safeLine(tool['name'])}${tool['title'] === undefined ? '' : `  ${safeLine(tool['title'])}`}\n`,
      )
      .join('')
  );
}

function renderProviders(output: JsonObject): string {
  const providers = objectsIn(output['plugins']);
  if (providers.length === 0) return `${labelled('runner', output['runner'])}no provider is configured\n`;
  const rows = providers.map((row) => [
    safeLine(row['plugin']),
    safeLine(row['status']),
    typeof row['errorCode'] === 'string' ? safeLine(row['errorCode']) : '-',
    safeLine(row['name']),
  ]);
  return labelled('runner', output['runner']) + table([['PLUGIN', 'STATUS', 'CODE', 'NAME'], ...rows]);
}

/** `fairlead plugin describe --runner R --plugin P --tool T`. */
export function pluginDescribe(context: CommandContext, flags: TargetFlags): Promise<number> {
  const { runner = '', plugin = '', tool = '' } = flags;
  return once(context, flags, { action: 'describe', runner, plugin, tool }, (output) => {
    const definition = isJsonObject(output['tool']) ? output['tool'] : {};
    const schema = (member: string, label: string) =>
      definition[member] === undefined ? '' : `${label}:\n${schemaText(definition[member])}\n`;
    return {
      text:
        labelled('runner', output['runner']) +
        labelled('plugin', `${safeLine(output['plugin'])} (${safeLine(output['pluginName'])})`) +
        labelled('tool', definition['name']) +
        (definition['title'] === undefined ? '' : labelled('title', definition['title'])) +
        (definition['description'] === undefined ? '' : labelled('description', definition['description'])) +
        schema('inputSchema', 'input schema') +
        schema('outputSchema', 'output schema') +
        schema('annotations', 'annotations (the plugin’s own word)') +
        labelled('binding', output['binding']),
    };
  });
}

/** `fairlead plugin check --runner R --plugin P`. */
export function pluginCheck(context: CommandContext, flags: TargetFlags): Promise<number> {
  const { runner = '', plugin = '' } = flags;
  context.stderr('fairlead: check really starts the program on the Runner’s machine, then ends it\n');
  return once(context, flags, { action: 'check', runner, plugin }, (output) => {
    const ready = output['ready'] === true;
    return { text: renderCheck(output, ready), exit: ready ? exitCodes.done : exitCodes.usage };
  });
}

function renderCheck(output: JsonObject, ready: boolean): string {
  const diagnostic = isJsonObject(output['diagnostic']) ? output['diagnostic'] : null;
  const where = diagnostic === null ? [] : [diagnostic['code'], diagnostic['tool'], diagnostic['field']];
  const tools = objectsIn(output['tools']);
  return (
    labelled('runner', output['runner']) +
    labelled('plugin', output['plugin']) +
    labelled('ready', ready) +
    labelled('phase', output['phase']) +
    (ready ? '' : labelled('code', output['code'])) +
    (output['detail'] === undefined ? '' : labelled('detail', output['detail'])) +
    (diagnostic === null
      ? ''
      : labelled('diagnostic', where.filter((part) => part !== undefined).join(' '))) +
    (ready ? labelled('tools', tools.map((tool) => safeLine(tool['name'])).join(', ')) : '') +
    (output['phase'] === 'initialize' && output['code'] === 'plugin_eof'
      ? 'hint:        its output ended before it answered; check command and args, and that dist/plugin.js is built if it needs building\n'
      : '')
  );
}

/** `fairlead plugin reload --runner R`. */
export function pluginReload(context: CommandContext, flags: TargetFlags): Promise<number> {
  return once(context, flags, { action: 'reload', runner: flags.runner ?? '' }, (output) => {
    const failures = objectsIn(output['failures']);
    if (failures.length === 0) return { text: renderProviders(output) };
    const rows = failures.map((row) => [safeLine(row['provider_id']), safeLine(row['code'])]);
    return {
      text: `nothing was changed; these providers were not admitted:\n${table([['PLUGIN', 'CODE'], ...rows])}`,
      exit: exitCodes.usage,
    };
  });
}
