import type { Json, JsonObject } from '@fairlead/base';
import { directTool, dispatchErrors, type Principal, type RuntimeTool } from '@fairlead/dispatch';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { gatewayErrors } from '../errors.ts';
import type { RunningRequests } from '../http/running-requests.ts';
import type { Log } from '../log/log.ts';
import { type McpCall, readMcpCall } from './mcp-call.ts';
import { mcpFailure, mcpResult } from './mcp-result.ts';

/** What `tools/call` works with. */
export type McpCallParts = {
  readonly tools: readonly RuntimeTool[];
  readonly running: RunningRequests;
  readonly log: Log;
};

/**
 * Carries out one `tools/call`. The client may go away, cancel, or the time limit pass: the tool goes on and the journal
 * gets its true outcome. Throws a `ProtocolError` for params that are none and for a tool that there is not.
 */
export async function callMcpTool(
  parts: McpCallParts,
  principal: Principal,
  params: Json | undefined,
): Promise<JsonObject> {
  const reading = readMcpCall(params);
  if (!reading.ok) {
    if (reading.kind === 'params') throw new ProtocolError(ProtocolErrorCode.InvalidParams, reading.problem);
    const { member, problem } = reading;
    const { message, next: recovery } = dispatchErrors.invalid_arguments;
    const detail = { member, problem };
    return mcpFailure({ code: 'invalid_arguments', message, recovery, detail, certainty: 'not_started' });
  }
  const tool = directTool(parts.tools, reading.call.tool);
  if (typeof tool === 'string') throw noSuchTool(tool);
  return await carryOut(parts, tool, reading.call, principal);
}

function carryOut(
  { running, log }: McpCallParts,
  tool: RuntimeTool,
  { tool: _name, ...asked }: McpCall,
  principal: Principal,
): Promise<JsonObject> {
  return new Promise((resolve) => {
    const entry = running.begin((why) => resolve(gatewayFailure(why)));
    tool.invoke({ ...asked, principal }).then(
      (invocation) => {
        if (running.done(entry)) resolve(mcpResult(invocation));
      },
      (error: unknown) => {
        log('error', 'call.failed', { reason: error instanceof Error ? error.message : 'unknown' });
        if (running.done(entry)) resolve(gatewayFailure('internal_error'));
      },
    );
  });
}

/** What the tool did before the gateway stopped waiting for it is not known here. */
function gatewayFailure(code: 'request_timeout' | 'gateway_stopping' | 'internal_error'): JsonObject {
  const { message, next: recovery } = gatewayErrors[code];
  return mcpFailure({ code, message, recovery, certainty: 'outcome_unknown' });
}

function noSuchTool(code: 'unknown_tool' | 'tool_route_gateway'): ProtocolError {
  const { message, next: recovery } = dispatchErrors[code];
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, { code, recovery });
}
