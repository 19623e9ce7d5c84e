import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { childPath } from '../harness/bare-provider.ts';
import type { Bench, BenchContext } from '../harness/bench.ts';
import { firstLine } from '../harness/first-line.ts';
import { interleave } from '../harness/interleave.ts';
import { limitRow, reportRow } from '../harness/row.ts';
import { quantile } from '../harness/statistics.ts';

const MAX_MIB_A_SESSION = 1;

export const turnsAtOnce: Bench = {
  name: 'turns-at-once',
  title: '200 sessions that take turns at once with the scripted model, in a process of their own',
  async run(context) {
    const measured = await interleave(
      [
        {
          unit: { 'turns a second': '1/s', 'a turn': 'ms', 'one in a hundred': 'ms', 'one session': 'MiB' },
          round: async (round) => {
            const { bytes, perSecond, ms } = await roundOf(context, round);
            return {
              'turns a second': [perSecond],
              'a turn': ms,
              'one in a hundred': [quantile(ms, 0.99)],
              'one session': [bytes / 2 ** 20],
            };
          },
        },
      ],
      context.plan(5, 1, 0),
    );
    return {
      measurements: Object.values(measured),
      rows: [
        reportRow('turns in a second, 200 sessions at once', measured['turns a second']),
        reportRow('one of those turns', measured['a turn']),
        reportRow('… the slowest of a hundred', measured['one in a hundred']),
        limitRow(
          'memory of one of 200 sessions inside a call, beyond its open database',
          measured['one session'],
          MAX_MIB_A_SESSION,
        ),
      ],
    };
  },
};

interface Round {
  readonly bytes: number;
  readonly perSecond: number;
  readonly ms: readonly number[];
}

async function roundOf(context: BenchContext, round: number): Promise<Round> {
  const folder = join(context.folder, `round${round}`);
  await mkdir(folder);
  const program = childPath('turns-at-once.ts');
  const child = context.children.start(process.execPath, ['--expose-gc', program, folder]);
  const line = await firstLine(child, 'taking turns', context.signal);
  await context.children.end(child);
  return JSON.parse(line) as Round;
}
