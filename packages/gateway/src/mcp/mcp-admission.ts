import type { Json, JsonObject } from '@fairlead/base';
import { dispatchErrors } from '@fairlead/dispatch';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { type McpCall, readMcpCall } from './mcp-call.ts';
import { mcpFailure } from './mcp-result.ts';

/**
 * The call that the params of `tools/call` ask for, or the failure that answers them. Throws a `ProtocolError` where they are no
 * params of `tools/call` at all.
 */
export function admitMcpCall(
  params: Json | undefined,
): { readonly call: McpCall } | { readonly failure: JsonObject } {
  const reading = readMcpCall(params);
  if (reading.ok) return { call: reading.call };
  if (reading.kind === 'params') throw new ProtocolError(ProtocolErrorCode.InvalidParams, reading.problem);
  const { member, problem } = reading;
  const { message, next: recovery } = dispatchErrors.invalid_arguments;
  const detail = { member, problem };
  return {
    failure: mcpFailure({ code: 'invalid_arguments', message, recovery, detail, certainty: 'not_started' }),
  };
}

/** The protocol's own fault for a name that no tool in the list has. */
export function noSuchTool(error: {
  readonly code: string;
  readonly message: string;
  readonly recovery?: string;
}): ProtocolError {
  const { code, message, recovery } = error;
  const data = recovery === undefined ? { code } : { code, recovery };
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, data);
}
