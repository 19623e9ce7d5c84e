import { encodeJson, isJsonObject, type Json } from '@fairlead/base';
import { ToolFault, type ToolResult } from '@fairlead/extension';
import { pluginsLimits } from '../limits.ts';
import type { PluginEnd } from '../peer/plugins-peer.ts';

/** What an invocation gave, for a model. A fault is thrown with the executor's own certainty. */
export function pluginOutput({ certainty, output, isProviderResult, error }: PluginEnd): ToolResult {
  if (output !== undefined)
    return isProviderResult === true
      ? providerResult(output)
      : { text: encodeJson(output), ...dataOf(output) };
  const { code, message, recovery, detail } = error ?? FAILED;
  throw new ToolFault(certainty, recovery === undefined ? message : `${message} ${recovery}`, {
    code,
    ...(isJsonObject(detail ?? null) ? { detail: detail as { readonly [name: string]: Json } } : {}),
  });
}

const FAILED: NonNullable<PluginEnd['error']> = {
  code: 'dispatch_failed',
  message: 'The executor said nothing.',
};

/** A plugin's own result: its texts, and for programs what it says in structure. */
function providerResult(result: NonNullable<PluginEnd['output']>): ToolResult {
  const { content, structuredContent, isError } = result;
  const parts = Array.isArray(content) ? content.map(partText).filter((part) => part !== '') : [];
  const text =
    parts.length === 0 && structuredContent !== undefined ? encodeJson(structuredContent) : parts.join('\n');
  return {
    text,
    ...dataOf(structuredContent),
    ...(isError === true ? { isError: true } : {}),
  };
}

/** What is large is said once, as text: no entry holds it in structure, and twice a mebibyte is more than a tool may answer. */
function dataOf(data: Json | undefined): { readonly data?: Json } {
  return data === undefined || encodeJson(data).length > pluginsLimits.data ? {} : { data };
}

function partText(part: Json): string {
  if (!isJsonObject(part)) return '';
  const { type, text } = part;
  return type === 'text' && typeof text === 'string'
    ? text
    : `[content of type ${String(type).slice(0, 64)}, left out]`;
}
