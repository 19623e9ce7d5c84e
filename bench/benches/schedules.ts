import { join } from 'node:path';
// What computes a due time is not the package's face: it is measured by itself, because firing is the store's time.
import { dueSlots } from '../../packages/host/src/routines/due-slots.ts';
import { nextDue, readTrigger, type Trigger } from '../../packages/host/src/routines/trigger.ts';
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
const ZONE = 'Europe/Paris';
const A_ROUND = 100;
const DAYS_A_ROUND = 3;
/** An hour and a half before the clocks of that zone go forward. */
const FROM_MS = Date.parse('2026-03-28T23:30:00Z');
const UNTIL_MS = FROM_MS + 86_400_000;
/** Every five minutes of a day, its first and its last moment among them. */
const SLOTS_A_DAY = 289;

/** The croner that the host itself is built on, in the version that it pins. */
const HOST_FOLDER = join(import.meta.dirname, '../../packages/host');

export const schedules: Bench = {
  name: 'schedules',
  title: 'cron patterns in a time zone with summer time: a routine’s trigger, and croner alone',
  async run(context) {
    const { Cron } = (await importPeer(HOST_FOLDER, 'croner')) as Croner;
    const croner = (index: number) => new Cron(patternOf(index), { timezone: ZONE, paused: true });
    const triggers = PATTERNS.map((_, index) => triggerOf(index));
    // A croner object holds 80 KiB: these few are kept, those that are read are let go.
    const kept = PATTERNS.map((_, index) => croner(index));
    const from = new Date(FROM_MS);
    for (const [index, trigger] of triggers.entries())
      if (nextDue(trigger, FROM_MS) !== kept[index]?.nextRun(from)?.getTime())
        throw new Error(`two answers for ${patternOf(index)}`);
    const every = { trigger: triggerOf(0), missed: { policy: 'skip' }, jitterSecs: 0 } as const;
    const measured = await interleave(
      [
        variant('a trigger read', () => timed(A_ROUND, triggerOf)),
        variant('croner reads the pattern', () => timed(A_ROUND, croner)),
        variant('the next due time', () =>
          timed(A_ROUND, (index) => known(nextDue(of(triggers, index), FROM_MS))),
        ),
        variant('croner reads and says it', () =>
          timed(A_ROUND, (index) => known(croner(index).nextRun(from))),
        ),
        variant('a kept croner says it', () =>
          timed(A_ROUND, (index) => known(of(kept, index).nextRun(from))),
        ),
        variant('a day of slots', () =>
          timed(DAYS_A_ROUND, () => {
            const { run, missed, isMoreMissed } = dueSlots(every, FROM_MS, UNTIL_MS);
            // Of very many missed ones the newest are kept; the last is in time.
            if (run.length !== 1 || missed.length === 0 || !isMoreMissed)
              throw new Error(`${run.length} slots to run, ${missed.length} missed`);
          }),
        ),
        variant('croner says them', () => timed(DAYS_A_ROUND, () => dayOf(croner(0)))),
      ],
      context.plan(30, 2, 3),
    );
    return {
      measurements: Object.values(measured),
      rows: [
        reportRow(
          'reading a trigger, against croner reading its pattern',
          measured['a trigger read'],
          measured['croner reads the pattern'],
        ),
        reportRow(
          'its next due time, against croner reading the pattern and saying it',
          measured['the next due time'],
          measured['croner reads and says it'],
        ),
        reportRow(
          '… against an object of croner’s that is kept, 80 KiB each',
          measured['the next due time'],
          measured['a kept croner says it'],
        ),
        reportRow(
          `what is due of the ${SLOTS_A_DAY} slots of a day, against croner saying them one by one`,
          measured['a day of slots'],
          measured['croner says them'],
        ),
      ],
    };
  },
};

const variant = <const Name extends string>(name: Name, round: () => readonly number[]) => ({
  unit: 'µs' as const,
  round: async () => ({ [name]: round() }) as Record<Name, readonly number[]>,
});

function triggerOf(index: number): Trigger {
  const reading = readTrigger({ kind: 'cron', cron: patternOf(index), zone: ZONE }, 'UTC');
  if (!reading.ok) throw new Error(reading.problem);
  return reading.trigger;
}

function patternOf(index: number): string {
  return of(PATTERNS, index);
}

/** One after another, from the start again at the end. */
function of<T>(list: readonly T[], index: number): T {
  const one = list[index % list.length];
  if (one === undefined) throw new RangeError('an empty list');
  return one;
}

function known(due: number | Date | null): void {
  if (due === null) throw new Error('a pattern is never due');
}

/** Every moment of the day, and the one after it. */
function dayOf(cron: Cron): void {
  let slots = 0;
  for (let from = new Date(FROM_MS - 1); ; slots += 1) {
    const due = cron.nextRun(from);
    if (due === null || due.getTime() > UNTIL_MS) break;
    from = due;
  }
  if (slots !== SLOTS_A_DAY) throw new Error(`${slots} slots in a day`);
}

function timed(times: number, work: (index: number) => unknown): number[] {
  return Array.from({ length: times }, (_, index) => {
    const before = performance.now();
    work(index);
    return (performance.now() - before) * 1000;
  });
}
