import type { Command } from 'commander';
import type { Execute } from '../execute.ts';
import { toGateway } from '../gateway-command.ts';

/** MCP over stdio. */
export function registerMcpCommand(program: Command, execute: Execute): void {
  toGateway(
    program,
    'mcp',
    'serve the gateway’s tools over MCP on stdin and stdout, for clients that start their servers',
  ).action((flags) => execute(async (context) => (await import('./mcp.ts')).mcp(context, flags)));
}
