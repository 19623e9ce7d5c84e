import type { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { mcpStdioFloor } from '../floors/mcp-stdio.ts';
import { checkSum, pairsOf } from '../floors/pairs.ts';
import type { Bench, BenchContext } from '../harness/bench.ts';
import { type Call, callBlock } from '../harness/call-block.ts';
import { benchEnvironment } from '../harness/environment.ts';
import { launcher } from '../harness/fairlead-host.ts';
import { callOverRoute, type FairleadPlugin, startFairleadAdd } from '../harness/fairlead-plugin.ts';
import { interleave } from '../harness/interleave.ts';
import { mcpClient } from '../harness/mcp-client.ts';
import { type Measurement, measurementOf } from '../harness/measurement.ts';
import { ratioRow, reportRow } from '../harness/row.ts';

const CALLS_A_ROUND = 100;
const REVISION = '2026-07-28';

export const mcpStdio: Bench = {
  name: 'mcp-stdio',
  title: 'one tools/call of plugin_tool through `fairlead mcp`, in the revision of the SDK’s own, 2026-07-28',
  async run(context) {
    await using stack = new AsyncDisposableStack();
    const add = await startFairleadAdd(context, stack);
    const client = await connect(stack, add);
    const echo = await mcpStdioFloor(context, stack, REVISION);
    const block = <const Name extends string>(name: Name, one: Call) => ({
      unit: 'µs' as const,
      round: async () => ({ [name]: await callBlock(CALLS_A_ROUND, one) }) as Record<Name, number[]>,
    });
    const measured = await interleave(
      [
        block('fairlead mcp, list', listing(client)),
        block('/api/tools/call, list', listingOverRoute(add)),
        block('fairlead mcp, call', calling(context, client, add)),
        block('/api/tools/call, call', callOverRoute(context, add)),
        block('MCP SDK v2 stdio', echo),
      ],
      context.plan(40, 4, 8),
    );
    const list = measured['fairlead mcp, list'];
    const call = measured['fairlead mcp, call'];
    const floor = measured['MCP SDK v2 stdio'];
    return {
      measurements: Object.values(measured),
      rows: [
        ratioRow(
          'list over stdio against the MCP SDK’s echo and the HTTP route',
          list,
          sumOf('echo and list over HTTP', floor, measured['/api/tools/call, list']),
          2,
        ),
        ratioRow(
          'call over stdio against the MCP SDK’s echo and the HTTP route',
          call,
          sumOf('echo and call over HTTP', floor, measured['/api/tools/call, call']),
          1.5,
        ),
        reportRow('list over stdio against the MCP SDK’s echo alone', list, floor),
        reportRow('call over stdio against the MCP SDK’s echo alone', call, floor),
      ],
    };
  },
};

/** The echo never leaves its process; what is behind `fairlead mcp` costs what it costs over HTTP. */
function sumOf(name: string, echo: Measurement, route: Measurement): Measurement {
  const rounds = echo.perRound.map((figure, round) => [figure + (route.perRound[round] ?? Number.NaN)]);
  return measurementOf(name, 'µs', rounds);
}

async function connect(stack: AsyncDisposableStack, { stateDirectory }: FairleadPlugin): Promise<Client> {
  const client = mcpClient(REVISION);
  stack.defer(() => client.close());
  const env = Object.fromEntries(
    Object.entries(benchEnvironment()).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  await client.connect(
    new StdioClientTransport({ command: launcher, args: ['mcp', '--state-dir', stateDirectory], env }),
  );
  return client;
}

const LIST = { action: 'list' };

function listing(client: Client): Call {
  return async () => {
    const answer = await client.callTool({ name: 'plugin_tool', arguments: LIST });
    if (answer['isError'] === true) throw new Error(`no answer: ${JSON.stringify(answer)}`);
  };
}

function listingOverRoute({ client }: FairleadPlugin): Call {
  return async () => void (await client.plugin(LIST));
}

function calling(context: BenchContext, client: Client, { binding }: FairleadPlugin): Call {
  const pairAt = pairsOf(context.seed);
  return async (index) => {
    const pair = pairAt(index);
    const given = { action: 'call', binding, arguments: { a: pair.a, b: pair.b } };
    checkSum(await client.callTool({ name: 'plugin_tool', arguments: given }), pair);
  };
}
