import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { echoExtism } from '../floors/echo-extism.ts';
import { echoGateway } from '../floors/echo-gateway.ts';
import { echoMcpV1, echoMcpV2 } from '../floors/echo-mcp.ts';
import { echoPipe } from '../floors/echo-pipe.ts';
import { checkEcho, textsOf } from '../floors/texts.ts';
import { childPath } from '../harness/bare-provider.ts';
import type { Bench, BenchContext, SkippedRow } from '../harness/bench.ts';
import { closedLoop, type LaneCall } from '../harness/closed-loop.ts';
import { benchEnvironment } from '../harness/environment.ts';
import { launcher } from '../harness/fairlead-host.ts';
import { type FairleadPlugin, startFairleadPlugin } from '../harness/fairlead-plugin.ts';
import { HostClient } from '../harness/host-client.ts';
import { interleave, type Variant } from '../harness/interleave.ts';
import { mcpClient } from '../harness/mcp-client.ts';
import { McpPoster } from '../harness/mcp-poster.ts';
import { peerFigures, peerLanes, peerNames } from '../harness/peer-figures.ts';
import { type Row, reportRow } from '../harness/row.ts';
import { throughRunner } from '../harness/through-runner.ts';

/** In a round, of each variant and each number of lanes. */
const CALLS = 100;
const QUICK_CALLS = 20;
/** As many of the eight as the one in flight leave may wait for it. */
const QUEUED = 16;

export const peers: Bench = {
  name: 'peers',
  title: 'one echo of 1 KiB through Fairlead and through others, one call at a time and eight at once',
  async run(context) {
    await using stack = new AsyncDisposableStack();
    const packages = await context.peers();
    const calls = await everyCall(context, stack, packages.ok ? packages.folder : null);
    const measured = await interleave(
      Object.entries(calls).map(([name, call]) => variant(name, call, context.quick ? QUICK_CALLS : CALLS)),
      context.plan(30, 2, 4),
    );
    const rows: Row[] = [];
    const skipped: SkippedRow[] = [];
    for (const [ours, theirs] of comparisons) {
      for (const lanes of Object.values(peerLanes)) {
        const name = `${peerFigures.latency(ours, lanes)}, against ${theirs}`;
        const [own, peer] = [ours, theirs].map((each) => measured[peerFigures.latency(each, lanes)]);
        if (own !== undefined && peer !== undefined) rows.push(reportRow(name, own, peer));
        else if (!packages.ok) skipped.push({ name, reason: packages.reason });
      }
    }
    return { measurements: Object.values(measured), rows, skipped };
  },
};

/** What has the same way to go: over pipes to a child, and over HTTP to a child. */
const comparisons = [
  [peerNames.runner, peerNames.pipe],
  [peerNames.runner, peerNames.mcpV1],
  [peerNames.runner, peerNames.mcpV2],
  [peerNames.runner, peerNames.extism],
  [peerNames.http, peerNames.gateway],
  [peerNames.mcpHttp, peerNames.gateway],
] as const;

function variant(name: string, call: LaneCall, calls: number): Variant<string> {
  const { one, several } = peerLanes;
  return {
    unit: {
      [peerFigures.latency(name, one)]: 'µs',
      [peerFigures.rate(name, one)]: '1/s',
      [peerFigures.latency(name, several)]: 'µs',
      [peerFigures.rate(name, several)]: '1/s',
    },
    async round() {
      const alone = await closedLoop({ calls, inFlight: one }, call);
      const together = await closedLoop({ calls, inFlight: several }, call);
      return {
        [peerFigures.latency(name, one)]: alone.samplesUs,
        [peerFigures.rate(name, one)]: [alone.perSecond],
        [peerFigures.latency(name, several)]: together.samplesUs,
        [peerFigures.rate(name, several)]: [together.perSecond],
      };
    },
  };
}

async function everyCall(
  context: BenchContext,
  stack: AsyncDisposableStack,
  peersFolder: string | null,
): Promise<Readonly<Record<string, LaneCall>>> {
  const provider = { id: 'echo', args: [childPath('echo-plugin.mjs')], maxQueued: QUEUED };
  const host = await startFairleadPlugin(context, stack, provider);
  const runner = await throughRunner(context, stack, provider);
  const calls: Record<string, (text: string, lane: number) => Promise<unknown>> = {
    [peerNames.pipe]: await echoPipe(context),
    [peerNames.runner]: (text) => runner({ text }),
    [peerNames.mcpV1]: await echoMcpV1(stack),
    [peerNames.mcpV2]: await echoMcpV2(stack),
    [peerNames.http]: await overRoute(stack, host),
    [peerNames.mcpHttp]: overMcp(stack, host),
    [peerNames.mcpStdio]: await overMcpStdio(stack, host),
  };
  if (peersFolder !== null) {
    calls[peerNames.extism] = await echoExtism(peersFolder, stack);
    calls[peerNames.gateway] = await echoGateway(context, peersFolder, stack);
  }
  const textAt = textsOf(context.seed);
  return Object.fromEntries(
    Object.entries(calls).map(([name, call]): [string, LaneCall] => [
      name,
      async (index, lane) => {
        const text = textAt(index);
        checkEcho(await call(text, lane), text);
      },
    ]),
  );
}

/** One kept connection a lane. */
async function overRoute(stack: AsyncDisposableStack, { host, binding }: FairleadPlugin) {
  const lanes: HostClient[] = [];
  for (let lane = 0; lane < peerLanes.several; lane += 1) lanes.push(stack.use(await HostClient.of(host)));
  return async (text: string, lane: number) =>
    await lanes[lane]?.plugin({ action: 'call', binding, arguments: { text } });
}

function overMcp(stack: AsyncDisposableStack, { host, token, binding }: FairleadPlugin) {
  const headers = { authorization: `Bearer ${token}` };
  const options = {
    url: host.url,
    path: '/mcp',
    tool: 'plugin_tool',
    revision: '2026-07-28',
    headers,
  } as const;
  const lanes = Array.from({ length: peerLanes.several }, () => stack.use(new McpPoster(options)));
  return async (text: string, lane: number) =>
    await lanes[lane]?.call({ action: 'call', binding, arguments: { text } });
}

async function overMcpStdio(stack: AsyncDisposableStack, { stateDirectory, binding }: FairleadPlugin) {
  const client = mcpClient('2026-07-28');
  stack.defer(() => client.close());
  const args = ['mcp', '--state-dir', stateDirectory];
  await client.connect(new StdioClientTransport({ command: launcher, args, env: benchEnvironment() }));
  return (text: string) =>
    client.callTool({ name: 'plugin_tool', arguments: { action: 'call', binding, arguments: { text } } });
}
