import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { callFloors } from '../floors/call-floors.ts';
import { JsonPoster } from '../floors/json-post.ts';
import { checkSum, pairsOf } from '../floors/pairs.ts';
import { childPath } from '../harness/bare-provider.ts';
import type { Bench, BenchContext } from '../harness/bench.ts';
import { type Call, callBlock } from '../harness/call-block.ts';
import { startUp } from '../harness/fairlead-up.ts';
import { interleave } from '../harness/interleave.ts';
import { writeRunnerConfig } from '../harness/provider-config.ts';
import { ratioRow } from '../harness/row.ts';

const CALLS_A_ROUND = 100;

export const httpCall: Bench = {
  name: 'http',
  title: 'one tool call through /api/tools/call, gateway and Runner to the plugin',
  async run(context) {
    await using stack = new AsyncDisposableStack();
    const call = await throughFairlead(context, stack);
    const floors = await callFloors(context, stack, CALLS_A_ROUND);
    const measured = await interleave(
      [
        { unit: 'µs', round: async () => ({ '/api/tools/call': await callBlock(CALLS_A_ROUND, call) }) },
        floors,
      ],
      context.plan(40, 4, 12),
    );
    return {
      measurements: Object.values(measured),
      rows: [
        ratioRow(
          '/api/tools/call against the sum of its floors',
          measured['/api/tools/call'],
          measured['sum of its floors'],
          1.6,
        ),
      ],
    };
  },
};

type Envelope = { readonly success: boolean; readonly output: unknown };

async function throughFairlead(context: BenchContext, stack: AsyncDisposableStack): Promise<Call> {
  const runnerConfig = join(context.folder, 'runner.toml');
  const providers = [{ id: 'add', args: [childPath('add-plugin.mjs')] }];
  await writeRunnerConfig(runnerConfig, { runner: 'bench', cwd: context.folder, providers });
  const up = await startUp(context, { stateDirectory: join(context.folder, 'state'), runnerConfig });
  stack.defer(() => up.stop());
  const token = (await readFile(up.tokenFile, 'utf8')).trim();
  const poster = stack.use(new JsonPoster(up.url, { authorization: `Bearer ${token}` }));
  const plugin = async (params: Readonly<Record<string, unknown>>): Promise<unknown> => {
    const envelope = (await poster.post('/api/tools/call', { tool: 'plugin_tool', params })) as Envelope;
    if (!envelope.success) throw new Error(`${String(params['action'])} failed: ${JSON.stringify(envelope)}`);
    return envelope.output;
  };
  const described = await plugin({ action: 'describe', runner: up.runner, plugin: 'add', tool: 'add' });
  const { binding } = described as { readonly binding: string };
  const pairAt = pairsOf(context.seed);
  return async (index) => {
    const pair = pairAt(index);
    checkSum(await plugin({ action: 'call', binding, arguments: { a: pair.a, b: pair.b } }), pair);
  };
}
