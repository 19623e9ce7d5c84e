import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { FairleadError, isJsonObject, type Json, type JsonObject, parseJson } from '@fairlead/base';
import type { CommandContext } from '../command-context.ts';
import { exitCodes } from '../exit-codes.ts';
import { outputOf, reportFailure } from '../plugin-failure.ts';
import { labelled, objectsIn, safeText, schemaText } from '../plugin-output.ts';
import { connectPluginTool, type NetworkFlags } from '../plugin-tool-request.ts';

type CallFlags = NetworkFlags & {
  readonly runner?: string;
  readonly plugin?: string;
  readonly tool?: string;
  readonly arguments?: string;
};

/** Twice what the gateway takes, so that its own answer about the size is the one that people read. */
const argumentBounds = {
  maxBytes: 131_072,
  maxDepth: 64,
  maxNodes: 65_536,
  maxStringBytes: 131_072,
  maxKeyBytes: 131_072,
};

/** `fairlead plugin call`: one describe, one call with its binding, and the certainty of what happened. */
export async function pluginCall(context: CommandContext, flags: CallFlags): Promise<number> {
  const callArguments = await readArguments(context, flags.arguments ?? '{}');
  const send = await connectPluginTool(context, flags);
  const { runner = '', plugin = '', tool = '' } = flags;
  const described = await send({ action: 'describe', runner, plugin, tool });
  const description = outputOf(described);
  if (description === null) {
    return reportFailure(context, { action: 'describe', json: flags.json, answer: described });
  }
  const answer = await send({
    action: 'call',
    binding: description['binding'] ?? '',
    arguments: callArguments,
  });
  const result = outputOf(answer);
  if (result === null || answer.kind !== 'answered') {
    return reportFailure(context, { action: 'call', json: flags.json, answer });
  }
  const isError = result['isError'] === true;
  context.stdout(flags.json === true ? `${JSON.stringify(result)}\n` : renderResult(result));
  context.stderr(labelled('certainty', answer.envelope.dispatch_certainty));
  if (isError) context.stderr('fairlead: the plugin answered with an error of its own (plugin_tool_error)\n');
  return isError ? exitCodes.failed : exitCodes.done;
}

function renderResult(result: JsonObject): string {
  const texts = objectsIn(result['content']).map((item) => `${safeText(String(item['text'] ?? ''))}\n`);
  const structured: Json | undefined = result['structuredContent'];
  return texts.join('') + (structured === undefined ? '' : `structured:  ${schemaText(structured)}\n`);
}

async function readArguments(context: CommandContext, source: string): Promise<JsonObject> {
  const bytes = await argumentBytes(context, source);
  const parsed = parseJson(bytes, argumentBounds);
  if (!parsed.ok || !isJsonObject(parsed.value)) {
    throw new FairleadError('arguments_unreadable', 'the arguments are not a JSON object', {
      detail: { reason: parsed.ok ? 'not an object' : parsed.fault.replaceAll('_', ' ') },
    });
  }
  return parsed.value;
}

async function argumentBytes(context: CommandContext, source: string): Promise<Buffer> {
  if (source === '-') return context.readStdin(argumentBounds.maxBytes);
  if (!source.startsWith('@')) return Buffer.from(source);
  try {
    return await readFile(resolve(context.cwd, source.slice(1)));
  } catch (cause) {
    throw new FairleadError('arguments_unreadable', `the file ${source.slice(1)} cannot be read`, { cause });
  }
}
