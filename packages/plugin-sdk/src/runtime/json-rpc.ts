import type { JsonObject } from '../authoring/json.ts';
import type { Frame } from './frame-splitter.ts';

/** A request that can be answered under its own id. */
export interface Request {
  readonly id: string | number;
  readonly method: string;
  readonly params: unknown;
}

/** A request, or the line that refuses it. */
export type ParsedRequest = { readonly request: Request } | { readonly refusal: string };

/** The error codes of JSON-RPC 2.0, section 5.1, that a plugin answers with. */
const RPC_PARSE_ERROR = -32_700;
const RPC_INVALID_REQUEST = -32_600;
export const RPC_METHOD_NOT_FOUND = -32_601;
export const RPC_INVALID_PARAMS = -32_602;

/** The response line of a success. Throws what `JSON.stringify` throws. */
export function resultLine(id: Request['id'], result: object): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`;
}

/** The response line of an error. `id` is null where the request's own could not be read. */
export function errorLine(id: Request['id'] | null, code: number, message: string): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`;
}

/** Whether `value` is a JSON object: neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads one frame as a JSON-RPC 2.0 request. A notification (no id) and a batch (an array) are refused. */
export function parseRequest(frame: Frame): ParsedRequest {
  if ('fault' in frame) {
    return frame.fault === 'too_large'
      ? refuse(null, RPC_INVALID_REQUEST, 'request too large')
      : refuse(null, RPC_PARSE_ERROR, 'request is not UTF-8');
  }
  let value: unknown;
  try {
    value = JSON.parse(frame.text);
  } catch {
    return refuse(null, RPC_PARSE_ERROR, 'request is not JSON');
  }
  if (!isObject(value) || value.jsonrpc !== '2.0') {
    return refuse(null, RPC_INVALID_REQUEST, 'not a JSON-RPC 2.0 request');
  }
  const { id, method, params } = value;
  if (!(typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id)))) {
    return refuse(null, RPC_INVALID_REQUEST, 'request without a usable id');
  }
  if (typeof method !== 'string' || method === '') {
    return refuse(id, RPC_INVALID_REQUEST, 'request without a method');
  }
  return { request: { id, method, params } };
}

function refuse(id: Request['id'] | null, code: number, message: string): ParsedRequest {
  return { refusal: errorLine(id, code, message) };
}
