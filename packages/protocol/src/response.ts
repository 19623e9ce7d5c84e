import { isJsonObject, type Json, type JsonObject, parseJson } from '@fairlead/base';
import { frameBounds, linkLimits } from './limits.ts';

/** Why a line is no answer to the request that is waiting. Each of them ends the provider instance. */
export type ResponseFault =
  | 'plugin_malformed_json'
  | 'plugin_protocol_error'
  | 'plugin_response_id_invalid'
  | 'plugin_duplicate_response_id'
  | 'plugin_unknown_response_id';

/** What one line says. `bytes` is the line's own size. An error's text is not kept: it is the plugin's. */
export type PluginResponse =
  | { readonly kind: 'result'; readonly result: Json; readonly bytes: number }
  | { readonly kind: 'rpc_error' }
  | { readonly kind: 'fault'; readonly code: ResponseFault };

/**
 * Reads one line as the answer to request `expectedId`, in the order of docs/reference/native-plugin-protocol.md §2:
 * JSON, envelope, id, exactly one of result and error, the error's form.
 */
export function readResponse(line: Uint8Array, expectedId: number): PluginResponse {
  const parsed = parseJson(line, frameBounds);
  if (!parsed.ok) return fault('plugin_malformed_json');
  const message = parsed.value;
  if (!isJsonObject(message) || message['jsonrpc'] !== '2.0' || Object.hasOwn(message, 'method')) {
    return fault('plugin_protocol_error');
  }
  const id = message['id'];
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 0) {
    return fault('plugin_response_id_invalid');
  }
  if (id < expectedId) return fault('plugin_duplicate_response_id');
  if (id > expectedId) return fault('plugin_unknown_response_id');
  const hasResult = Object.hasOwn(message, 'result');
  if (hasResult === Object.hasOwn(message, 'error')) return fault('plugin_protocol_error');
  if (hasResult) return { kind: 'result', result: message['result'] as Json, bytes: line.length };
  return isRpcError(message) ? { kind: 'rpc_error' } : fault('plugin_protocol_error');
}

function isRpcError(message: JsonObject): boolean {
  const error = message['error'];
  if (error === undefined || !isJsonObject(error) || !Number.isSafeInteger(error['code'])) return false;
  const text = error['message'];
  return typeof text === 'string' && text !== '' && Buffer.byteLength(text) <= linkLimits.messageMaxBytes;
}

function fault(code: ResponseFault): PluginResponse {
  return { kind: 'fault', code };
}
