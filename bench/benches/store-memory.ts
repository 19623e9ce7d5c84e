import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { childPath } from '../harness/bare-provider.ts';
import type { Bench, BenchContext } from '../harness/bench.ts';
import { firstLine } from '../harness/first-line.ts';
import { interleave } from '../harness/interleave.ts';
import { limitRow } from '../harness/row.ts';

const MAX_MIB_A_SESSION = 100 / 1_024;

export const storeMemory: Bench = {
  name: 'sessions',
  title: 'resident memory of open sessions, in a process of their own',
  async run(context) {
    const measured = await interleave(
      [
        {
          unit: 'MiB',
          round: async (round) => ({ 'one open session': [await mibOfOne(context, round)] }),
        },
      ],
      context.plan(3, 1, 0),
    );
    const one = measured['one open session'];
    return {
      measurements: [one],
      rows: [limitRow('one of 1,000 open sessions: 100 KiB', one, MAX_MIB_A_SESSION)],
    };
  },
};

async function mibOfOne(context: BenchContext, round: number): Promise<number> {
  const folder = join(context.folder, `round${round}`);
  await mkdir(folder);
  const program = childPath('open-sessions.ts');
  const child = context.children.start(process.execPath, ['--expose-gc', program, folder]);
  const bytes = await firstLine(child, 'opening sessions', context.signal);
  await context.children.end(child);
  return Number(bytes) / 2 ** 20;
}
