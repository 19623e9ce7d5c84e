import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { httpLimits } from '../limits.ts';

/** What `POST /api/tools/call` asks for. */
export type CallRequest = {
  readonly tool: string;
  readonly params: Json;
  readonly recordingSessionId?: string;
  readonly context?: readonly string[];
};

/** The request, or which member of the body is wrong. */
export type CallReading =
  | { readonly ok: true; readonly request: CallRequest }
  | { readonly ok: false; readonly member: string; readonly problem: string };

/**
 * Reads the body of a call: `{tool, params | arguments | members of the tool itself, recording_session_id?, context?}`.
 * `params` wins over `arguments`, `arguments` over the tool's own members; a wrapper that is null counts as absent. When
 * the body has `action` at top level nothing but `params` is a wrapper, because `arguments` then belongs to the action.
 * What the parameters hold is for the tool to judge.
 */
export function readCallBody(body: Json): CallReading {
  if (!isJsonObject(body)) return wrong('body', 'must be a JSON object');
  const { tool } = body;
  if (typeof tool !== 'string' || tool === '') return wrong('tool', 'must be the name of a tool');
  const session = body['recording_session_id'] ?? null;
  if (session !== null && !isSessionId(session)) {
    return wrong('recording_session_id', `must be 1 to ${httpLimits.recordingSessionIdBytes} bytes`);
  }
  const context = body['context'] ?? null;
  if (context !== null && !isContext(context)) {
    return wrong('context', `must be a list of at most ${httpLimits.contextEntries} names`);
  }
  return {
    ok: true,
    request: {
      tool,
      params: readParams(body),
      ...(session === null ? {} : { recordingSessionId: session }),
      ...(context === null ? {} : { context }),
    },
  };
}

function readParams(body: JsonObject): Json {
  const params = body['params'] ?? null;
  if (params !== null) return params;
  const wrapped = body['arguments'] ?? null;
  if (wrapped !== null && !Object.hasOwn(body, 'action')) return wrapped;
  return Object.fromEntries(
    Object.entries(body).filter(
      ([name, value]) => !ENVELOPE_MEMBERS.has(name) && !(name === 'arguments' && value === null),
    ),
  );
}

const ENVELOPE_MEMBERS: ReadonlySet<string> = new Set(['tool', 'params', 'recording_session_id', 'context']);

/** True for what a session could be called by; whether there is one is asked later. */
export function isSessionId(value: Json): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    Buffer.byteLength(value) <= httpLimits.recordingSessionIdBytes
  );
}

/** True for a list of names of sidecars. */
export function isContext(value: Json): value is readonly string[] {
  const isList = Array.isArray(value) && value.length <= httpLimits.contextEntries;
  return isList && value.every(isContextName);
}

function isContextName(value: Json): boolean {
  return typeof value === 'string' && value.length <= httpLimits.contextNameCharacters;
}

function wrong(member: string, problem: string): CallReading {
  return { ok: false, member, problem };
}
