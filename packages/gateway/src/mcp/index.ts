export { readsOnly } from '@fairlead/dispatch';
export { admitMcpCall, noSuchTool } from './mcp-admission.ts';
export type { McpCall } from './mcp-call.ts';
export { MCP_RESULT_TYPE, type McpFailure, mcpFailure } from './mcp-result.ts';
export { createMcpServer, type McpCallHandler } from './mcp-server.ts';
export { type McpTool, mcpTool } from './mcp-tool.ts';
