import {
  checkJsonBounds,
  hasControlCharacter,
  isJsonObject,
  type Json,
  type JsonObject,
} from '@fairlead/base';
import type { AdmittedTool } from './admission.ts';
import { initializeBounds, PROTOCOL_VERSION, RESULT_MAX_ITEMS, resultBounds } from './limits.ts';

/** What a plugin answers a call with, exactly as it came. `isError` absent means false. */
export type CallResult = JsonObject & {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: JsonObject;
  readonly isError?: boolean;
};

/** A call's result, or how it breaks the contract. Both are `completed`; the second ends the instance. */
export type CheckedCallResult =
  | { readonly ok: true; readonly result: CallResult }
  | { readonly ok: false; readonly code: 'plugin_result_invalid' | 'plugin_output_schema_violation' };

/**
 * Holds the result of `initialize` against docs/reference/native-plugin-protocol.md §3: a bounded object whose
 * `protocolVersion` is ours; members beside it are tolerated. `sourceBytes` is the size of the line. Null is good.
 */
export function checkInitializeResult(
  result: Json,
  sourceBytes: number,
): null | 'plugin_protocol_version_mismatch' | 'plugin_initialize_invalid' {
  if (!isJsonObject(result) || checkJsonBounds(result, initializeBounds, sourceBytes) !== null) {
    return 'plugin_initialize_invalid';
  }
  return result['protocolVersion'] === PROTOCOL_VERSION ? null : 'plugin_protocol_version_mismatch';
}

/**
 * Holds a result of `tools/call` against docs/reference/native-plugin-protocol.md §5 and the tool's output schema,
 * which binds an `isError` result too. `sourceBytes` is the size of the line.
 */
export function checkCallResult(result: Json, tool: AdmittedTool, sourceBytes: number): CheckedCallResult {
  if (!isCallResult(result, sourceBytes)) return { ok: false, code: 'plugin_result_invalid' };
  const { output } = tool;
  if (output !== undefined) {
    const structured = result.structuredContent;
    if (structured === undefined || !output.matches(structured)) {
      return { ok: false, code: 'plugin_output_schema_violation' };
    }
  }
  return { ok: true, result };
}

/** True when a value has the form and the bounds of a call's result, whatever tool it came from. */
export function isCallResult(value: Json, sourceBytes?: number): value is CallResult {
  if (!isJsonObject(value)) return false;
  for (const key of Object.keys(value)) {
    if (key !== 'content' && key !== 'structuredContent' && key !== 'isError') return false;
  }
  const { content, structuredContent, isError } = value;
  if (!Array.isArray(content) || content.length > RESULT_MAX_ITEMS) return false;
  if (structuredContent !== undefined && !isJsonObject(structuredContent)) return false;
  if (isError !== undefined && typeof isError !== 'boolean') return false;
  for (const item of content as readonly Json[]) if (!isTextItem(item)) return false;
  // One text, all texts and the structured content are parts of the whole, so the whole's bound holds for each.
  return checkJsonBounds(value, resultBounds, sourceBytes) === null;
}

function isTextItem(item: Json): boolean {
  if (!isJsonObject(item) || item['type'] !== 'text') return false;
  const text = item['text'];
  if (typeof text !== 'string' || hasControlCharacter(text)) return false;
  return Object.keys(item).length === 2;
}
