import { httpFloor } from '../floors/http.ts';
import { mcpHttpFloor } from '../floors/mcp-http.ts';
import { checkSum, pairsOf } from '../floors/pairs.ts';
import type { Bench, BenchContext } from '../harness/bench.ts';
import { type Call, callBlock } from '../harness/call-block.ts';
import { callOverRoute, type FairleadPlugin, startFairleadAdd } from '../harness/fairlead-plugin.ts';
import { interleave } from '../harness/interleave.ts';
import { McpPoster, type McpRevision } from '../harness/mcp-poster.ts';
import { type Measurement, measurementOf } from '../harness/measurement.ts';
import { ratioRow, reportRow } from '../harness/row.ts';

const CALLS_A_ROUND = 100;
/** What a call may cost over `/mcp`, besides what the official packages themselves cost. */
const HTTP_ROUTES = 1.5;

export const mcpHttp: Bench = {
  name: 'mcp-http',
  title: 'one tools/call of plugin_tool through /mcp, gateway and Runner to the plugin',
  async run(context) {
    await using stack = new AsyncDisposableStack();
    const add = await startFairleadAdd(context, stack);
    const route = callOverRoute(context, add);
    const echo = await httpFloor(context, stack);
    const ofEra = async (revision: McpRevision) => ({
      fairlead: overMcp(context, stack, add, revision),
      official: await mcpHttpFloor(context, stack, revision),
    });
    const modern = await ofEra('2026-07-28');
    const legacy = await ofEra('2025-11-25');
    const block = <const Name extends string>(name: Name, call: Call) => ({
      unit: 'µs' as const,
      round: async () => ({ [name]: await callBlock(CALLS_A_ROUND, call) }) as Record<Name, number[]>,
    });
    const measured = await interleave(
      [
        block('/mcp, 2026-07-28', modern.fairlead),
        block('/mcp, 2025-11-25', legacy.fairlead),
        block('/api/tools/call', route),
        block('official MCP server, 2026-07-28', modern.official),
        block('official MCP server, 2025-11-25', legacy.official),
        block('HTTP echo', echo),
      ],
      context.plan(40, 4, 8),
    );
    const http = measured['/api/tools/call'];
    const allowed = (official: Measurement) => allowance(http, official, measured['HTTP echo']);
    return {
      measurements: Object.values(measured),
      rows: [
        ratioRow(
          '/mcp, 2026-07-28, against 1.5 HTTP routes and the official packages',
          measured['/mcp, 2026-07-28'],
          allowed(measured['official MCP server, 2026-07-28']),
          1,
        ),
        ratioRow(
          '/mcp, 2025-11-25, against 1.5 HTTP routes and the official packages',
          measured['/mcp, 2025-11-25'],
          allowed(measured['official MCP server, 2025-11-25']),
          1,
        ),
        reportRow('… and the HTTP route alone', measured['/mcp, 2026-07-28'], http),
      ],
    };
  },
};

/** Round by round: the route's own cost and a half more, and what the official packages add to a bare HTTP server. */
function allowance(http: Measurement, official: Measurement, echo: Measurement): Measurement {
  const rounds = http.perRound.map((figure, round) => {
    const packages = (official.perRound[round] ?? Number.NaN) - (echo.perRound[round] ?? Number.NaN);
    return [HTTP_ROUTES * figure + packages];
  });
  return measurementOf('what a call may cost', 'µs', rounds);
}

function overMcp(
  context: BenchContext,
  stack: AsyncDisposableStack,
  { host, token, binding }: FairleadPlugin,
  revision: McpRevision,
): Call {
  const headers = { authorization: `Bearer ${token}` };
  const poster = stack.use(
    new McpPoster({ url: host.url, path: '/mcp', tool: 'plugin_tool', revision, headers }),
  );
  const pairAt = pairsOf(context.seed);
  return async (index) => {
    const pair = pairAt(index);
    checkSum(await poster.call({ action: 'call', binding, arguments: { a: pair.a, b: pair.b } }), pair);
  };
}
