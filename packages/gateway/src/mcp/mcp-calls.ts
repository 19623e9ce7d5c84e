import type { Json, JsonObject } from '@fairlead/base';
import { directTool, dispatchErrors, type Principal, type RuntimeTool } from '@fairlead/dispatch';
import { gatewayErrors } from '../errors.ts';
import type { RunningRequests } from '../http/running-requests.ts';
import type { Log } from '../log/log.ts';
import { admitMcpCall, noSuchTool } from './mcp-admission.ts';
import type { McpCall } from './mcp-call.ts';
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
  const admitted = admitMcpCall(params);
  if ('failure' in admitted) return admitted.failure;
  const tool = directTool(parts.tools, admitted.call.tool);
  if (typeof tool === 'string') {
    const { message, next: recovery } = dispatchErrors[tool];
    throw noSuchTool({ code: tool, message, recovery });
  }
  return await carryOut(parts, tool, admitted.call, principal);
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
