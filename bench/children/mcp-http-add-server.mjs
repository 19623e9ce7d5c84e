// The `add` tool as an MCP server over HTTP on the official packages alone, its arguments and result checked by zod. The first
// argument is the revision that it serves. Prints its port. It ends when its stdin does.
import { createServer } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

function addServer() {
  const server = new McpServer({ name: 'add', version: '1.0.0' });
  server.registerTool(
    'add',
    {
      description: 'Adds two numbers.',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
    },
    async ({ a, b }) => ({
      content: [{ type: 'text', text: String(a + b) }],
      structuredContent: { sum: a + b },
    }),
  );
  return server;
}

// Each as its package shows it for a server without sessions.
const modern = toNodeHandler(createMcpHandler(addServer, { legacy: 'reject' }));
const legacy = async (request, response) => {
  const transport = new NodeStreamableHTTPServerTransport({ enableJsonResponse: true });
  await addServer().connect(transport);
  await transport.handleRequest(request, response);
};

const handler = process.argv[2] === '2026-07-28' ? modern : legacy;
const server = createServer((request, response) => void handler(request, response));
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.resume().on('end', () => process.exit(0));
