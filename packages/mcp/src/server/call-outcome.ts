import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { ExtensionError } from '@fairlead/extension/runtime';
import { type Mask, unmasked } from '../catalog/mask.ts';
import { type McpErrorCode, mcpErrors } from '../errors.ts';
import { wireLimits } from '../limits.ts';
import { schemaMismatch } from '../schema/schema-check.ts';
import type { CallEvidence } from '../transport/call-evidence.ts';
import { type CallResult, contentsResult, jsonResult, toolResult } from './call-result.ts';
import { foreignText, thrownWhole } from './foreign-text.ts';
import type { OfferedTool } from './offered-tool.ts';

/** A fault of a call, with what is known of its effect. */
export function mcpFault(
  certainty: ExtensionError['certainty'] & string,
  code: McpErrorCode,
  what = '',
  detail?: JsonObject,
): ExtensionError {
  const { message } = mcpErrors[code];
  const said = what === '' ? message : `${message} (${what})`;
  return new ExtensionError(code, said, { certainty, ...(detail === undefined ? {} : { detail }) });
}

/** What a call gives back, by what is known of it on the wire. Throws a fault where there is no answer, or one that is none. */
export function outcomeOf(
  evidence: CallEvidence,
  called: {
    readonly tool: OfferedTool;
    readonly maxBytes: number;
    readonly isLost: boolean;
    readonly mask?: Mask;
  },
): CallResult {
  const { answer, refusal, certainty } = evidence;
  const { mask = unmasked } = called;
  if (answer !== undefined) {
    if ('error' in answer) throw mcpFault('completed', 'mcp_error', errorText(answer.error, mask));
    try {
      return resultOf(answer.result, called.tool, called.maxBytes, mask);
    } catch (error) {
      if (error instanceof ExtensionError) throw error;
      // Whatever is in an answer, it was one.
      throw mcpFault('completed', 'mcp_protocol_failed', foreignText(mask(thrownWhole(error))));
    }
  }
  if (evidence.tooLarge) throw mcpFault('completed', 'mcp_output_too_large');
  if (refusal !== undefined && certainty === 'completed')
    throw mcpFault('completed', 'mcp_refused', `HTTP ${refusal.status}`, {
      status: refusal.status,
      ...(refusal.body === '' ? {} : { partial: foreignText(mask(refusal.body)) }),
    });
  if (certainty === 'not_started')
    throw mcpFault('not_started', called.isLost ? 'mcp_unavailable' : 'mcp_connect_failed');
  if (called.isLost && evidence.status === undefined) throw mcpFault('outcome_unknown', 'mcp_server_ended');
  const status = evidence.status;
  const isStatus = status !== undefined && status >= 300;
  throw mcpFault('outcome_unknown', 'mcp_answer_lost', isStatus ? `HTTP ${status}` : '');
}

function resultOf(
  result: Json,
  { method, definition }: OfferedTool,
  maxBytes: number,
  mask: Mask,
): CallResult {
  if (!isJsonObject(result)) throw mcpFault('completed', 'mcp_protocol_failed', 'the result is no object');
  if (result['resultType'] === 'input_required') throw mcpFault('completed', 'mcp_input_required');
  switch (method) {
    case 'resources/list':
    case 'prompts/list':
      return jsonResult(result, maxBytes, mask);
    case 'resources/read':
    case 'prompts/get':
      return contentsResult(result, maxBytes, mask);
    case 'tools/call':
      break;
  }
  const said = toolResult(result, maxBytes, mask);
  const schema = definition?.['outputSchema'];
  if (schema === undefined || said.isError || said.data === undefined) return said;
  const mismatch = schemaMismatch(schema, said.data);
  if (mismatch === undefined) return said;
  throw mcpFault('completed', 'mcp_output_invalid', `${mismatch.path} ${mismatch.message}`.trim(), {
    partial: said.text.slice(0, wireLimits.refusalBytes / 4).toWellFormed(),
  });
}

function errorText(error: Json, mask: Mask): string {
  const { code, message } = isJsonObject(error) ? error : {};
  const words = typeof message === 'string' ? foreignText(mask(message)) : '';
  return [typeof code === 'number' ? String(code) : '', words].filter((part) => part !== '').join(': ');
}
