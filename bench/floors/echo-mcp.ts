import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { childPath } from '../harness/bare-provider.ts';
import { mcpClient } from '../harness/mcp-client.ts';

type Echo = (text: string) => Promise<unknown>;

/** Client and server of version 1 of the official SDK, over stdio. */
export async function echoMcpV1(stack: AsyncDisposableStack): Promise<Echo> {
  const client = new ClientV1({ name: 'fairlead-bench', version: '1.0.0' });
  stack.defer(() => client.close());
  const args = [childPath('mcp-v1-echo-server.mjs')];
  await client.connect(new StdioV1({ command: process.execPath, args }));
  await client.listTools();
  return (text) => client.callTool({ name: 'echo', arguments: { text } });
}

/** Client and server of version 2, in their default and fastest way of speaking. */
export async function echoMcpV2(stack: AsyncDisposableStack): Promise<Echo> {
  const client = mcpClient();
  stack.defer(() => client.close());
  const args = [childPath('mcp-v2-echo-server.mjs')];
  await client.connect(new StdioV2({ command: process.execPath, args }));
  await client.listTools();
  return (text) => client.callTool({ name: 'echo', arguments: { text } });
}
