import type { Json, JsonObject } from '@fairlead/base';
import { ProtocolError, ProtocolErrorCode, type Result, Server } from '@modelcontextprotocol/server';
import { mcpLimits } from '../limits.ts';
import type { McpTool } from './mcp-tool.ts';
import { tellParamsFaults } from './params-fault.ts';

/**
 * Carries out one `tools/call` and answers its result; throws a `ProtocolError` where there is nothing to carry out. `signal` aborts when the
 * client cancels it.
 */
export type McpCallHandler = (params: Json | undefined, signal?: AbortSignal) => Promise<JsonObject>;

const INSTRUCTIONS = [
  'The tools here never change; the tools of plugins are found and called through plugin_tool:',
  'action list, then describe, then call with the binding that describe answered.',
  'After a reload a binding is refused: describe again.',
  'Sessions of the host: session_list, session_create, session_read, session_append. With recording_session_id a call is recorded in one, and call_runtime_tool reaches its tools.',
  'Every answer says what is known: not_started, completed or outcome_unknown. After outcome_unknown look before you repeat.',
].join(' ');

/**
 * The protocol's side of one connection or request: what the server is, its list of tools, and the way to `call`. The same over
 * HTTP and stdio, for every revision that the official package speaks. Without `call`, a `tools/call` has no handler.
 */
export function createMcpServer(parts: {
  readonly version: string;
  readonly tools: readonly McpTool[];
  readonly call?: McpCallHandler | undefined;
}): Server {
  const { version, tools, call } = parts;
  const server = new Server(
    { name: 'fairlead', title: 'Fairlead', version },
    {
      capabilities: { tools: {} },
      instructions: INSTRUCTIONS,
      cacheHints: {
        'tools/list': { ttlMs: mcpLimits.listTtlMs, cacheScope: 'public' },
        'server/discover': { ttlMs: mcpLimits.listTtlMs, cacheScope: 'public' },
      },
    },
  );
  server.setRequestHandler('tools/list', ({ params }) => {
    if (params?.cursor !== undefined)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        'There is one page of tools: leave cursor out.',
      );
    return { tools: [...tools] as never };
  });
  const connect = server.connect.bind(server);
  server.connect = (transport) => {
    tellParamsFaults(transport);
    return connect(transport);
  };
  // Not as a handler of its own: the package would read arguments and results into copies that lack keys such as
  // `__proto__`, and both are handed on here exactly as they came.
  if (call !== undefined) {
    server.fallbackRequestHandler = async ({ method, params }, ctx) => {
      if (method !== 'tools/call')
        throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
      return (await call(params as Json | undefined, ctx.mcpReq.signal)) as Result;
    };
  }
  return server;
}
