import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { isContext, isSessionId } from '../calls/call-body.ts';
import { httpLimits } from '../limits.ts';
import { RECORDING_SESSION_ARGUMENT } from './mcp-tool.ts';

/** The one key of `_meta` that a request may carry for the gateway: the names of the sidecars it would like. */
export const CONTEXT_META_KEY = 'fairlead/context';

/** What a `tools/call` asks for. */
export type McpCall = {
  readonly tool: string;
  readonly params: JsonObject;
  readonly recordingSessionId?: string;
  readonly context?: readonly string[];
};

/** The call, or what is wrong: `params` are not those of `tools/call`, or a member that the gateway itself reads is not right. */
export type McpCallReading =
  | { readonly ok: true; readonly call: McpCall }
  | { readonly ok: false; readonly kind: 'params'; readonly problem: string }
  | { readonly ok: false; readonly kind: 'arguments'; readonly member: string; readonly problem: string };

/**
 * Reads the params of `tools/call`: name and arguments, `recording_session_id` taken out of these, and the context of
 * `_meta`. What the other arguments hold is for the tool to judge.
 */
export function readMcpCall(params: Json | undefined): McpCallReading {
  if (params === undefined || !isJsonObject(params)) return badParams('params must be an object');
  const { name: tool, arguments: given = {}, _meta: meta = {} } = params;
  if (typeof tool !== 'string' || tool === '') return badParams('name must be the name of a tool');
  if (!isJsonObject(given)) return badParams('arguments must be an object');
  if (!isJsonObject(meta)) return badParams('_meta must be an object');
  const session = given[RECORDING_SESSION_ARGUMENT] ?? null;
  if (session !== null && !isSessionId(session))
    return badArgument(
      RECORDING_SESSION_ARGUMENT,
      `must be 1 to ${httpLimits.recordingSessionIdBytes} bytes`,
    );
  const context = meta[CONTEXT_META_KEY] ?? null;
  if (context !== null && !isContext(context))
    return badArgument(
      `_meta.${CONTEXT_META_KEY}`,
      `must be a list of at most ${httpLimits.contextEntries} names`,
    );
  return {
    ok: true,
    call: {
      tool,
      params: Object.hasOwn(given, RECORDING_SESSION_ARGUMENT) ? withoutSession(given) : given,
      ...(session === null ? {} : { recordingSessionId: session }),
      ...(context === null ? {} : { context }),
    },
  };
}

function withoutSession(given: JsonObject): JsonObject {
  const { [RECORDING_SESSION_ARGUMENT]: _session, ...rest } = given;
  return rest;
}

function badParams(problem: string): McpCallReading {
  return { ok: false, kind: 'params', problem };
}

function badArgument(member: string, problem: string): McpCallReading {
  return { ok: false, kind: 'arguments', member, problem };
}
