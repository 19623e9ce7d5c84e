import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { childPath } from '../harness/bare-provider.ts';
import type { BenchContext } from '../harness/bench.ts';
import type { Call } from '../harness/call-block.ts';
import { mcpClient } from '../harness/mcp-client.ts';
import type { McpRevision } from '../harness/mcp-poster.ts';
import { checkSum, pairsOf } from './pairs.ts';

/**
 * The same tool behind the official MCP SDK over stdio, in its oldest and fastest way of speaking or in the revision that is
 * given. `stack` closes the client, which ends its server.
 */
export async function mcpStdioFloor(
  context: BenchContext,
  stack: AsyncDisposableStack,
  revision?: McpRevision,
): Promise<Call> {
  const client = mcpClient(revision);
  stack.defer(() => client.close());
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [childPath('mcp-add-server.mjs')] }),
  );
  await client.listTools();
  const pairAt = pairsOf(context.seed);
  return async (index) => {
    const pair = pairAt(index);
    checkSum(await client.callTool({ name: 'add', arguments: { a: pair.a, b: pair.b } }), pair);
  };
}
