import { resolve } from 'node:path';
import { isJsonObject, type JsonObject, parseJson } from '@fairlead/base';
import { cliError } from '../../cli-error.ts';
import { outputOf, reportFailure } from '../../client/plugin-failure.ts';
import { connectPluginTool } from '../../client/plugin-tool-request.ts';
import type { NetworkFlags } from '../../client/tool-request.ts';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { clientLimits } from '../../limits.ts';
import { jsonLine, labelled, objectsIn, safeText, schemaText } from '../../output/safe-text.ts';
import { readBounded } from '../../state/read-bounded.ts';

type CallFlags = NetworkFlags & {
  readonly runner?: string;
  readonly plugin?: string;
  readonly tool?: string;
  readonly arguments?: string;
};

/** `fairlead plugin call`: one describe, one call with its binding, and the certainty of what happened. */
export async function pluginCall(context: CommandContext, flags: CallFlags): Promise<number> {
  const { runner = '', plugin = '', tool = '', json } = flags;
  const callArguments = await readArguments(context, flags.arguments ?? '{}');
  const send = await connectPluginTool(context, flags);
  const described = await send('describe', { runner, plugin, tool });
  const description = outputOf(described);
  if (description === null) {
    return reportFailure(context, { action: 'describe', json, answer: described });
  }
  const binding = description['binding'] ?? '';
  const answer = await send('call', { binding, arguments: callArguments });
  const result = outputOf(answer);
  if (result === null || answer.kind !== 'answered') {
    return reportFailure(context, { action: 'call', json, answer });
  }
  const isError = result['isError'] === true;
  context.stdout(json === true ? jsonLine(result) : renderResult(result));
  context.stderr(labelled('certainty', answer.envelope.dispatch_certainty));
  if (isError)
    context.stderr('fairlead: The tool ran and reports an error of its own. (plugin_tool_error)\n');
  return isError ? exitCodes.failed : exitCodes.done;
}

/** What a tool answered, for people. */
export function renderResult(result: JsonObject): string {
  const texts = objectsIn(result['content']).map((item) => `${safeText(String(item['text'] ?? ''))}\n`);
  const structured = result['structuredContent'];
  return texts.join('') + (structured === undefined ? '' : `structured:\n${schemaText(structured)}\n`);
}

const argumentBounds = {
  maxBytes: clientLimits.argumentsBytes,
  maxDepth: clientLimits.argumentsDepth,
  maxNodes: clientLimits.argumentsNodes,
  maxStringBytes: clientLimits.argumentsBytes,
  maxKeyBytes: clientLimits.argumentsBytes,
};

async function readArguments(context: CommandContext, source: string): Promise<JsonObject> {
  const parsed = parseJson(await argumentBytes(context, source), argumentBounds);
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value;
  // The text itself is not repeated: it may hold what is not for a terminal's history.
  const reason = parsed.ok ? 'not an object' : parsed.fault.replaceAll('_', ' ');
  throw cliError('arguments_unreadable', { detail: { reason } });
}

async function argumentBytes(context: CommandContext, source: string): Promise<Buffer> {
  if (source === '-') return context.readStdin(clientLimits.argumentsBytes);
  if (!source.startsWith('@')) return Buffer.from(source);
  const path = source.slice(1);
  try {
    return await readBounded(resolve(context.cwd, path), clientLimits.argumentsBytes);
  } catch (cause) {
    throw cliError('arguments_unreadable', { message: `The file ${path} cannot be read.`, cause });
  }
}
