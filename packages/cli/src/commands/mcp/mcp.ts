import { createMcpServer } from '@fairlead/gateway/mcp';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { GatewayFlags } from '../../client/find-gateway.ts';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { McpGateway } from '../../mcp/mcp-gateway.ts';
import { StdioTransport } from '../../mcp/stdio-transport.ts';
import { readVersion } from '../../version.ts';

/**
 * `fairlead mcp`: the gateway's MCP over stdin and stdout, for clients that start their servers themselves. Only the protocol
 * goes to stdout. It ends when its input does; what the gateway carries out then goes on there, and stands in its journal.
 */
export async function mcp(context: CommandContext, flags: GatewayFlags): Promise<number> {
  using gateway = await McpGateway.connect(context, flags);
  const transport = new StdioTransport(context.streams());
  const version = readVersion();
  const ended = new Promise<void>((resolve) => {
    const factory = () =>
      createMcpServer({
        version,
        tools: gateway.tools,
        call: (params, signal) => gateway.call(params, signal),
      });
    serveStdio(factory, { transport });
    const close = transport.onclose;
    transport.onclose = () => {
      close?.();
      resolve();
    };
  });
  await ended;
  return exitCodes.done;
}
