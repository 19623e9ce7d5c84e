import { childPath } from '../harness/bare-provider.ts';
import type { BenchContext } from '../harness/bench.ts';
import type { Call } from '../harness/call-block.ts';
import { firstLine } from '../harness/first-line.ts';
import { McpPoster, type McpRevision } from '../harness/mcp-poster.ts';
import { checkSum, pairsOf } from './pairs.ts';

/** The same tool behind the official MCP packages over HTTP, called over one kept connection. */
export async function mcpHttpFloor(
  context: BenchContext,
  stack: AsyncDisposableStack,
  revision: McpRevision,
): Promise<Call> {
  const server = context.children.start(process.execPath, [childPath('mcp-http-add-server.mjs'), revision]);
  const port = await firstLine(server, 'the MCP server', context.signal);
  const url = `http://127.0.0.1:${port}`;
  const poster = stack.use(new McpPoster({ url, path: '/mcp', tool: 'add', revision }));
  const pairAt = pairsOf(context.seed);
  return async (index) => {
    const pair = pairAt(index);
    checkSum(await poster.call({ a: pair.a, b: pair.b }), pair);
  };
}
