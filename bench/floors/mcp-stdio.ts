import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { childPath } from '../harness/bare-provider.ts';
import type { BenchContext } from '../harness/bench.ts';
import type { Call } from '../harness/call-block.ts';
import { checkSum, pairsOf } from './pairs.ts';

/** The same tool behind the official MCP SDK over stdio. `stack` closes the client, which ends its server. */
export async function mcpStdioFloor(context: BenchContext, stack: AsyncDisposableStack): Promise<Call> {
  const client = new Client({ name: 'fairlead-bench', version: '1.0.0' });
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
