import { Cron } from 'croner';
import { routineLimits } from '../limits.ts';

/** What people write instead of five fields. */
const NICKNAMES: ReadonlySet<string> = new Set([
  '@yearly',
  '@annually',
  '@monthly',
  '@weekly',
  '@daily',
  '@hourly',
]);

/**
 * What is wrong with a pattern, in words that can be shown; undefined where nothing is. Five fields (minute, hour, day of month, month, day
 * of week), six with seconds in front, seven with the year behind. Sunday is 0 or 7.
 */
export function cronProblem(pattern: string, zone: string): string | undefined {
  if (pattern.length > routineLimits.patternLength)
    return `a cron pattern has at most ${routineLimits.patternLength} characters`;
  const fields = pattern.trim().split(/\s+/);
  if (
    fields.length === 1
      ? !NICKNAMES.has(pattern.trim().toLowerCase())
      : fields.length < 5 || fields.length > 7
  )
    return `a cron pattern has 5, 6 or 7 fields, this one has ${fields.length}`;
  try {
    parse(pattern, zone);
    return undefined;
  } catch (error) {
    const said = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : '';
    return `the cron pattern cannot be read (${said.slice(0, routineLimits.reason)})`;
  }
}

/**
 * The first moment after `afterMs` that a pattern names in a zone, to the second; null where there is none any more. A local time that
 * the clocks leave out in spring is due when they have gone forward; one that comes twice in autumn is due the first time.
 * `pattern` was read before.
 */
export function nextOfCron(pattern: string, zone: string, afterMs: number): number | null {
  return parse(pattern, zone).nextRun(new Date(afterMs))?.getTime() ?? null;
}

/** The moments after `afterMs`, one by one, without end where the pattern has none. */
export function* slotsOfCron(pattern: string, zone: string, afterMs: number): Generator<number, void> {
  const cron = parse(pattern, zone);
  for (let from = new Date(afterMs); ; ) {
    const next = cron.nextRun(from);
    if (next === null) return;
    yield next.getTime();
    from = next;
  }
}

/** Nothing is kept: an object of the parser takes 80 KB, and a hundred thousand of them the whole memory. */
function parse(pattern: string, zone: string): Cron {
  return new Cron(pattern.trim(), { timezone: zone, paused: true });
}
