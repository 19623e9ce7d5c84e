import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bareStart } from '../floors/bare-start.ts';
import { childPath } from '../harness/bare-provider.ts';
import type { Bench, BenchContext } from '../harness/bench.ts';
import { startHost } from '../harness/fairlead-host.ts';
import { interleave } from '../harness/interleave.ts';
import { writeRunnerConfig } from '../harness/provider-config.ts';
import { differenceRow } from '../harness/row.ts';

const PROVIDERS = ['one', 'two', 'three'];

export const upReady: Bench = {
  name: 'up',
  title: 'fairlead up on an empty state directory, from the launcher to the ready line',
  async run(context) {
    const runnerConfig = join(context.folder, 'runner.toml');
    const args = [childPath('add-plugin.mjs')];
    const providers = PROVIDERS.map((id) => ({ id, args }));
    await writeRunnerConfig(runnerConfig, { runner: 'bench', cwd: context.folder, providers });
    const measured = await interleave(
      [
        { unit: 'ms', round: async (round) => ({ 'fairlead up': [await up(context, runnerConfig, round)] }) },
        {
          unit: 'ms',
          round: async () => ({
            'slowest provider alone': [
              await bareStart(
                context,
                PROVIDERS.map(() => args),
              ),
            ],
          }),
        },
      ],
      context.plan(11, 3, 1),
    );
    return {
      measurements: Object.values(measured),
      rows: [
        differenceRow(
          'fairlead up ready, beyond its slowest provider',
          measured['fairlead up'],
          measured['slowest provider alone'],
          800,
        ),
      ],
    };
  },
};

async function up(context: BenchContext, runnerConfig: string, round: number): Promise<number> {
  const stateDirectory = join(context.folder, `state${round}`);
  const running = await startHost(context, { stateDirectory, runnerConfig });
  await running.stop();
  await rm(stateDirectory, { recursive: true });
  return running.readyMs;
}
