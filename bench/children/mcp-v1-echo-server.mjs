// The `echo` tool as an MCP server on version 1 of the official TypeScript SDK, its arguments and its result checked by zod.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const server = new McpServer({ name: 'echo', version: '1.0.0' });
server.registerTool(
  'echo',
  {
    description: 'Gives back what it got.',
    inputSchema: { text: z.string() },
    outputSchema: { text: z.string() },
  },
  async ({ text }) => ({ content: [], structuredContent: { text } }),
);
await server.connect(new StdioServerTransport());
