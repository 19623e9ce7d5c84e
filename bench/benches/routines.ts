import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { childPath } from '../harness/bare-provider.ts';
import type { Bench, BenchContext } from '../harness/bench.ts';
import { firstLine } from '../harness/first-line.ts';
import { interleave } from '../harness/interleave.ts';
import { limitRow, reportRow } from '../harness/row.ts';
import { quantile } from '../harness/statistics.ts';

const SCHEDULES = 100_000;
const QUICK_SCHEDULES = 2000;
const MAX_LOAD_MS = 1500;
const MAX_MIB = 60;
const MAX_LATE_MS = 20;
const MAX_ADD_MS = 1;

export const routines: Bench = {
  name: 'routines',
  title: '100,000 routines in one database, loaded in a process of its own, and 50 one-shots due each second',
  async run(context) {
    const plan = context.plan(3, 1, 0);
    const agent = await prepared(context, plan.rounds === 1 ? QUICK_SCHEDULES : SCHEDULES);
    const measured = await interleave(
      [
        {
          unit: { load: 'ms', kept: 'MiB', resident: 'MiB', 'late p99': 'ms', late: 'ms', add: 'ms' },
          round: async () => {
            const { loadMs, kept, resident, lateMs, addMs } = await roundOf(context, agent);
            return {
              load: [loadMs],
              kept: [kept / 2 ** 20],
              resident: [resident / 2 ** 20],
              'late p99': [quantile(lateMs, 0.99)],
              late: lateMs,
              add: addMs,
            };
          },
        },
      ],
      plan,
    );
    return {
      measurements: Object.values(measured),
      rows: [
        limitRow('loading 100,000 routines', measured.load, MAX_LOAD_MS),
        limitRow('what they keep of memory', measured.kept, MAX_MIB),
        reportRow('… what the process grew by, room for garbage with it', measured.resident),
        limitRow(
          'lateness at 50 firings a second, the slowest of a hundred',
          measured['late p99'],
          MAX_LATE_MS,
        ),
        reportRow('… of one firing', measured.late),
        limitRow('taking in one more, beyond its commit', measured.add, MAX_ADD_MS),
      ],
    };
  },
};

interface Round {
  readonly loadMs: number;
  readonly kept: number;
  readonly resident: number;
  readonly lateMs: readonly number[];
  readonly addMs: readonly number[];
}

async function prepared(context: BenchContext, count: number): Promise<string> {
  await mkdir(join(context.folder, 'routines'), { recursive: true });
  return (await lineOf(context, ['prepare', String(count)])).trim();
}

async function roundOf(context: BenchContext, agent: string): Promise<Round> {
  return JSON.parse(await lineOf(context, ['measure', '0', agent])) as Round;
}

async function lineOf(
  context: BenchContext,
  [mode = '', count = '', agent = '']: readonly string[],
): Promise<string> {
  const args = [
    '--expose-gc',
    childPath('routines.ts'),
    mode,
    join(context.folder, 'routines'),
    count,
    agent,
  ];
  const child = context.children.start(process.execPath, args);
  const line = await firstLine(child, mode, context.signal);
  await context.children.end(child);
  return line;
}
