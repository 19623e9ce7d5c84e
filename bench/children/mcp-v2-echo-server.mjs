// The `echo` tool as an MCP server on version 2 of the official TypeScript SDK, its arguments and its result checked by zod.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

serveStdio(() => {
  const server = new McpServer({ name: 'echo', version: '1.0.0' });
  server.registerTool(
    'echo',
    {
      description: 'Gives back what it got.',
      inputSchema: z.object({ text: z.string() }),
      outputSchema: z.object({ text: z.string() }),
    },
    async ({ text }) => ({ content: [], structuredContent: { text } }),
  );
  return server;
});
