import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { outputOf, reportFailure } from '../../client/plugin-failure.ts';
import { connectPluginTool } from '../../client/plugin-tool-request.ts';
import type { NetworkFlags } from '../../client/tool-request.ts';
import type { CommandContext } from '../../command-context.ts';
import { nextStepOf } from '../../error-tables.ts';
import { exitCodes } from '../../exit-codes.ts';
import { jsonLine, labelled, schemaText } from '../../output/safe-text.ts';
import { renderResult } from './plugin-call.ts';

type OutcomeFlags = NetworkFlags & { readonly call?: string };

/** `fairlead plugin outcome --call ID`: what is known of a call now. Exit 3 where that still is nothing certain. */
export async function pluginOutcome(context: CommandContext, flags: OutcomeFlags): Promise<number> {
  const { call = '', json } = flags;
  const send = await connectPluginTool(context, flags);
  const answer = await send('outcome', { call });
  const output = outputOf(answer);
  if (output === null) return reportFailure(context, { action: 'outcome', json, answer });
  context.stdout(json === true ? jsonLine(output) : render(output));
  const { code } = output;
  const next = typeof code === 'string' ? await nextStepOf(code) : null;
  if (next !== null) context.stderr(`next: ${next}\n`);
  return output['settled'] === true ? exitCodes.done : exitCodes.unknown;
}

function render(output: JsonObject): string {
  const { result } = output;
  const names = ['call', 'runner', 'plugin', 'tool', 'certainty', 'code'];
  const lines = names.flatMap((name) => (output[name] === undefined ? [] : [labelled(name, output[name])]));
  return `${lines.join('')}${result === undefined ? '' : resultText(result)}`;
}

/** A tool's result as `plugin call` prints it; anything else, such as a report of a check, as it is. */
function resultText(result: Json): string {
  return isJsonObject(result) && Array.isArray(result['content'])
    ? renderResult(result)
    : `result:\n${schemaText(result)}\n`;
}
