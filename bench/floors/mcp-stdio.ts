import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { childPath } from '../harness/bare-provider.ts';
import type { BenchContext } from '../harness/bench.ts';
import { callBlock } from '../harness/call-block.ts';
import type { Variant } from '../harness/interleave.ts';
import { checkSum, pairsOf } from './pairs.ts';

/** The same tool behind the official MCP SDK over stdio. `stack` closes the client, which ends its server. */
export async function mcpStdioFloor(
  context: BenchContext,
  calls: number,
  stack: AsyncDisposableStack,
): Promise<Variant & { readonly name: 'MCP SDK v2 stdio' }> {
  const client = new Client({ name: 'fairlead-bench', version: '1.0.0' });
  stack.defer(() => client.close());
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [childPath('mcp-add-server.mjs')] }),
  );
  await client.listTools();
  const pairAt = pairsOf(context.seed);
  return {
    name: 'MCP SDK v2 stdio',
    unit: 'µs',
    round: () =>
      callBlock(calls, async (index) => {
        const pair = pairAt(index);
        checkSum(await client.callTool({ name: 'add', arguments: { a: pair.a, b: pair.b } }), pair);
      }),
  };
}
