import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunnerPayload, RunnerRequest } from '@fairlead/protocol';
import type { Runner } from '@fairlead/runner';
import { mcpStdioFloor } from '../floors/mcp-stdio.ts';
import { checkSum, pairsOf } from '../floors/pairs.ts';
import { pipeFloor } from '../floors/pipe.ts';
import { childPath } from '../harness/bare-provider.ts';
import type { Bench, BenchContext } from '../harness/bench.ts';
import { startBenchRunner } from '../harness/bench-runner.ts';
import { type Call, callBlock } from '../harness/call-block.ts';
import { within } from '../harness/deadline.ts';
import { interleave } from '../harness/interleave.ts';
import { startLinkStub } from '../harness/link-stub.ts';
import { writeRunnerConfig } from '../harness/provider-config.ts';
import { ratioRow } from '../harness/row.ts';

const CALLS_A_ROUND = 200;
const DEADLINE_MS = 30_000;

export const runnerCall: Bench = {
  name: 'calls',
  title: 'one tool call of a Runner to a real child',
  async run(context) {
    await using stack = new AsyncDisposableStack();
    const runner = await throughRunner(context, stack);
    const pipe = await pipeFloor(context);
    const mcp = await mcpStdioFloor(context, stack);
    const measured = await interleave(
      [
        { unit: 'µs', round: async () => ({ 'Runner call': await callBlock(CALLS_A_ROUND, runner) }) },
        { unit: 'µs', round: async () => ({ 'bare pipe': await callBlock(CALLS_A_ROUND, pipe) }) },
        { unit: 'µs', round: async () => ({ 'MCP SDK v2 stdio': await callBlock(CALLS_A_ROUND, mcp) }) },
      ],
      context.plan(60, 6, 8),
    );
    const call = measured['Runner call'];
    return {
      measurements: Object.values(measured),
      rows: [
        ratioRow('Runner call against a bare pipe', call, measured['bare pipe'], 1.5),
        ratioRow('Runner call against the MCP SDK', call, measured['MCP SDK v2 stdio'], 0.5),
      ],
    };
  },
};

async function throughRunner(context: BenchContext, stack: AsyncDisposableStack): Promise<Call> {
  const configPath = join(context.folder, 'runner.toml');
  const providers = [{ id: 'add', args: [childPath('add-plugin.mjs')] }];
  await writeRunnerConfig(configPath, { runner: 'bench', cwd: context.folder, providers });
  const stateDirectory = join(context.folder, 'state');
  await mkdir(stateDirectory, { mode: 0o700 });
  const gateway = stack.use(await startLinkStub());
  const runner = stack.use(await startBenchRunner({ configPath, stateDirectory, gatewayUrl: gateway.url }));
  await within(runner.settled, DEADLINE_MS, 'starting the Runner', context.signal);
  const catalog = await ask(runner, { kind: 'tools_list', provider: 'add' });
  const tool = catalog.kind === 'tools_list' ? catalog.tools[0] : undefined;
  if (catalog.kind !== 'tools_list' || catalog.provider_instance === null || tool === undefined) {
    throw new Error(`the Runner has no tool: ${JSON.stringify(catalog)}`);
  }
  const { observation } = tool;
  const { provider_instance } = catalog;
  const pairAt = pairsOf(context.seed);
  return async (index) => {
    const pair = pairAt(index);
    const payload = await ask(runner, {
      kind: 'tools_call',
      provider: 'add',
      provider_instance,
      tool: 'add',
      observation,
      arguments: { a: pair.a, b: pair.b },
    });
    checkSum(payload.kind === 'tools_call' ? payload.result : null, pair);
  };
}

async function ask(runner: Runner, request: RunnerRequest): Promise<RunnerPayload> {
  const response = await runner.handleRequest(request, DEADLINE_MS);
  if (!('payload' in response)) throw new Error(`the Runner refused: ${JSON.stringify(response)}`);
  return response.payload;
}
