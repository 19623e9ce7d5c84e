import type { Bench } from '../harness/bench.ts';
import { interleave } from '../harness/interleave.ts';
import { importPeer } from '../harness/peer-packages.ts';
import { reportRow } from '../harness/row.ts';

type Cron = { nextRun(from?: Date): Date | null };
type Croner = {
  readonly Cron: new (
    pattern: string,
    options: { readonly timezone: string; readonly paused: boolean },
  ) => Cron;
};

const PATTERNS = ['*/5 * * * *', '0 9 * * MON-FRI', '30 2 1 * *', '15 6,18 * * *'] as const;
const A_ROUND = 100;
const FROM = new Date('2026-03-28T23:30:00Z');
const ROWS = { parse: 'croner: read a pattern', next: 'croner: the next due time' } as const;

/** What schedules cost with the library that the routines are to be built on: a floor until there are routines. */
export const schedules: Bench = {
  name: 'schedules',
  title: 'croner alone, in a time zone with summer time: what an engine for routines cannot do without',
  async run(context) {
    const packages = await context.peers();
    if (!packages.ok) {
      const skipped = Object.values(ROWS).map((name) => ({ name, reason: packages.reason }));
      return { measurements: [], rows: [], skipped };
    }
    const { Cron } = (await importPeer(packages.folder, 'croner')) as Croner;
    const read = (index: number) =>
      new Cron(PATTERNS[index % PATTERNS.length] ?? PATTERNS[0], { timezone: 'Europe/Paris', paused: true });
    // A croner object holds 80 KiB: these few are kept, those that are read are let go.
    const kept = PATTERNS.map((_, index) => read(index));
    const next = (index: number) => {
      if (kept[index % kept.length]?.nextRun(FROM) === null) throw new Error('a pattern is never due');
    };
    const measured = await interleave(
      [{ unit: 'µs', round: async () => ({ [ROWS.parse]: timed(read), [ROWS.next]: timed(next) }) }],
      context.plan(30, 2, 3),
    );
    return {
      measurements: Object.values(measured),
      rows: [reportRow(ROWS.parse, measured[ROWS.parse]), reportRow(ROWS.next, measured[ROWS.next])],
    };
  },
};

function timed(work: (index: number) => unknown): number[] {
  return Array.from({ length: A_ROUND }, (_, index) => {
    const before = performance.now();
    work(index);
    return (performance.now() - before) * 1000;
  });
}
