import { join } from 'node:path';
import { floorsInLoops, floorsInTurn, openCallFloors } from '../floors/call-floors.ts';
import { checkSum, pairsOf } from '../floors/pairs.ts';
import { childPath } from '../harness/bare-provider.ts';
import type { Bench, BenchContext } from '../harness/bench.ts';
import { type Call, callBlock } from '../harness/call-block.ts';
import { startHost } from '../harness/fairlead-host.ts';
import { HostClient } from '../harness/host-client.ts';
import { interleave } from '../harness/interleave.ts';
import { writeRunnerConfig } from '../harness/provider-config.ts';
import { ratioRow, reportRow } from '../harness/row.ts';

const CALLS_A_ROUND = 100;

export const httpCall: Bench = {
  name: 'http',
  title: 'one tool call through /api/tools/call, gateway and Runner to the plugin',
  async run(context) {
    await using stack = new AsyncDisposableStack();
    const call = await throughFairlead(context, stack);
    const floors = await openCallFloors(context, stack);
    const measured = await interleave(
      [
        { unit: 'µs', round: async () => ({ '/api/tools/call': await callBlock(CALLS_A_ROUND, call) }) },
        floorsInTurn(floors, CALLS_A_ROUND),
        floorsInLoops(floors, CALLS_A_ROUND),
      ],
      context.plan(40, 4, 8),
    );
    const through = measured['/api/tools/call'];
    return {
      measurements: Object.values(measured),
      rows: [
        ratioRow('/api/tools/call against the sum of its floors', through, measured['floors in turn'], 1.6),
        reportRow(
          '… against the same floors, each in a loop of its own',
          through,
          measured['floors in loops'],
        ),
      ],
    };
  },
};

async function throughFairlead(context: BenchContext, stack: AsyncDisposableStack): Promise<Call> {
  const runnerConfig = join(context.folder, 'runner.toml');
  const providers = [{ id: 'add', args: [childPath('add-plugin.mjs')] }];
  await writeRunnerConfig(runnerConfig, { runner: 'bench', cwd: context.folder, providers });
  const host = await startHost(context, { stateDirectory: join(context.folder, 'state'), runnerConfig });
  stack.defer(() => host.stop());
  const client = stack.use(await HostClient.of(host));
  const described = await client.plugin({ action: 'describe', runner: 'bench', plugin: 'add', tool: 'add' });
  const { binding } = described as { readonly binding: string };
  const pairAt = pairsOf(context.seed);
  return async (index) => {
    const pair = pairAt(index);
    checkSum(await client.plugin({ action: 'call', binding, arguments: { a: pair.a, b: pair.b } }), pair);
  };
}
