import type { Json, JsonObject } from '@fairlead/base';
import {
  type Caller,
  directTool,
  dispatchErrors,
  type Principal,
  type RuntimeTool,
} from '@fairlead/dispatch';
import { type CutShort, cutShort } from '../calls/cut-short.ts';
import type { RunningRequests } from '../calls/running-requests.ts';
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

/** Who calls, and who waits for the answer. */
export type McpCaller = { readonly principal: Principal; readonly caller: Caller };

/**
 * Carries out one `tools/call`. The client may go away, cancel, or the time limit pass: the tool goes on and the journal
 * gets its true outcome. Throws a `ProtocolError` for params that are none and for a tool that there is not.
 */
export async function callMcpTool(
  parts: McpCallParts,
  by: McpCaller,
  params: Json | undefined,
): Promise<JsonObject> {
  const admitted = admitMcpCall(params);
  if ('failure' in admitted) return admitted.failure;
  const tool = directTool(parts.tools, admitted.call.tool);
  if (typeof tool === 'string') {
    const { message, next: recovery } = dispatchErrors[tool];
    throw noSuchTool({ code: tool, message, recovery });
  }
  return await carryOut(parts, tool, admitted.call, by);
}

function carryOut(
  { running, log }: McpCallParts,
  tool: RuntimeTool,
  call: McpCall,
  { principal, caller }: McpCaller,
): Promise<JsonObject> {
  const { tool: _name, ...asked } = call;
  const failure = (why: CutShort) => mcpFailure(cutShort(why, call));
  return new Promise((resolve) => {
    const entry = running.begin((why) => resolve(failure(why)));
    tool.invoke({ ...asked, principal, caller }).then(
      (invocation) => {
        if (running.done(entry)) resolve(mcpResult(invocation));
      },
      (error: unknown) => {
        log('error', 'call.failed', { reason: error instanceof Error ? error.message : 'unknown' });
        if (running.done(entry)) resolve(failure('internal_error'));
      },
    );
  });
}
