import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import type { HostFlags, ReachedHost } from '../../client/ask-host.ts';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { withHost } from '../../host/with-host.ts';
import { jsonLine, objectsIn, safeLine } from '../../output/safe-text.ts';
import { EXTENSIONS_PATH } from './extensions-path.ts';

type DiffFlags = HostFlags & { readonly tool?: string; readonly json?: boolean };

const MARKS: Readonly<Record<string, string>> = Object.freeze({
  input_widened: 'takes more',
  hint_weakened: 'says that less can go wrong',
  new_orders: 'tells the model what to do',
});

/** `fairlead ext diff NAME [--tool T]`: what a server or plugin offers that is not what was approved. */
export async function extDiff(context: CommandContext, name: string, flags: DiffFlags): Promise<number> {
  return await withHost(context, flags, async (host) => {
    const output = await readDiff(host, name, flags.tool);
    if (flags.json === true) context.stdout(jsonLine(output));
    else context.stdout(diffText(name, toolsOf(output)));
    return exitCodes.done;
  });
}

/** `fairlead ext approve NAME [--tool T]`: shows the same, and approves exactly that. */
export async function extApprove(context: CommandContext, name: string, flags: DiffFlags): Promise<number> {
  return await withHost(context, flags, async (host) => {
    const tools = toolsOf(await readDiff(host, name, flags.tool));
    if (flags.json !== true) context.stdout(diffText(name, tools));
    const output = await host.ask({
      method: 'POST',
      path: `${EXTENSIONS_PATH}/${encodeURIComponent(name)}/approve`,
      body: { tools: tools.map(({ tool = '', observation = null }) => ({ tool, observation })) },
    });
    if (flags.json === true) context.stdout(jsonLine(output));
    else {
      const approved = isJsonObject(output) && Array.isArray(output['approved']) ? output['approved'] : [];
      context.stdout(`approved ${(approved as Json[]).map(titleOf).join(', ')}\n`);
    }
    return exitCodes.done;
  });
}

async function readDiff({ ask }: ReachedHost, name: string, tool: string | undefined): Promise<Json> {
  const query = tool === undefined ? '' : `?tool=${encodeURIComponent(tool)}`;
  return await ask({ method: 'GET', path: `${EXTENSIONS_PATH}/${encodeURIComponent(name)}/diff${query}` });
}

function toolsOf(output: Json): readonly JsonObject[] {
  return isJsonObject(output) ? objectsIn(output['tools']) : [];
}

function diffText(name: string, tools: readonly JsonObject[]): string {
  if (tools.length === 0) return `${safeLine(name)}: everything is as it was approved\n`;
  return tools
    .map(({ tool, state, marks, warnings, lines }) => {
      const marked = textsIn(marks).map((mark) => MARKS[mark] ?? mark);
      const head = `${safeLine(name)} ${titleOf(tool)}: ${safeLine(state)}`;
      return [
        marked.length === 0 ? head : `${head}; ! ${marked.join('; ')}`,
        ...textsIn(warnings).map((warning) => `  ! ${safeLine(warning)}`),
        ...textsIn(lines).map((line) => `  ${line}`),
        '',
      ].join('\n');
    })
    .join('\n');
}

function titleOf(tool: Json | undefined): string {
  return tool === '' ? 'its instructions' : safeLine(tool);
}

function textsIn(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
