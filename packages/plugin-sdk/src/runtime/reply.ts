import { Plugin } from '../authoring/plugin.ts';
import type { ToolHandler } from '../authoring/tool.ts';
import { pluginSdkError } from '../errors.ts';
import type { Frame } from './frame-splitter.ts';
import {
  errorLine,
  isObject,
  parseRequest,
  type Request,
  RPC_INVALID_PARAMS,
  RPC_METHOD_NOT_FOUND,
  resultLine,
} from './json-rpc.ts';

/** The one protocol version that this package speaks. Source: docs/reference/native-plugin-protocol.md. */
const PROTOCOL_VERSION = 'webcodex-plugin-v1';

/**
 * The response line for one frame; a promise of it only where a tool answers with a promise.
 *
 * @throws `sdk_tool_threw` and `sdk_result_unsendable`: there is no line that would be true.
 */
export function reply(plugin: Plugin, frame: Frame): string | Promise<string> {
  const parsed = parseRequest(frame);
  if ('refusal' in parsed) return parsed.refusal;
  const { request } = parsed;
  const { id, params } = request;
  switch (request.method) {
    case 'initialize':
      return isObject(params) && params.protocolVersion === PROTOCOL_VERSION
        ? resultLine(id, { protocolVersion: PROTOCOL_VERSION })
        : errorLine(id, RPC_INVALID_PARAMS, 'unsupported protocol version');
    case 'tools/list':
      return params === undefined || isObject(params)
        ? resultLine(id, { tools: Plugin.definitions(plugin) })
        : errorLine(id, RPC_INVALID_PARAMS, 'params is not an object');
    case 'tools/call':
      return replyToCall(plugin, request);
    default:
      return errorLine(id, RPC_METHOD_NOT_FOUND, 'method not found');
  }
}

function replyToCall(plugin: Plugin, { id, params }: Request): string | Promise<string> {
  if (!isObject(params) || typeof params.name !== 'string' || !isObject(params.arguments)) {
    return errorLine(id, RPC_INVALID_PARAMS, 'params has no name and arguments');
  }
  const handler = Plugin.handler(plugin, params.name);
  if (handler === undefined) return errorLine(id, RPC_INVALID_PARAMS, 'unknown tool');
  const answer = callTool(handler, params.arguments);
  return isThenable(answer)
    ? Promise.resolve(answer).then(
        (result) => sendable(id, result),
        (cause: unknown) => {
          throw pluginSdkError('sdk_tool_threw', Error, { cause });
        },
      )
    : sendable(id, answer);
}

function callTool(handler: ToolHandler, args: object): unknown {
  try {
    return handler(args);
  } catch (cause) {
    throw pluginSdkError('sdk_tool_threw', Error, { cause });
  }
}

function sendable(id: Request['id'], result: unknown): string {
  if (!isObject(result)) throw pluginSdkError('sdk_result_unsendable', TypeError);
  try {
    return resultLine(id, result);
  } catch (cause) {
    throw pluginSdkError('sdk_result_unsendable', TypeError, { cause });
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
