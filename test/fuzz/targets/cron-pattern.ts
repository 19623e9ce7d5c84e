import { cronProblem, nextOfCron, slotsOfCron } from '../../../packages/host/src/routines/cron-pattern.ts';
import { readTrigger } from '../../../packages/host/src/routines/trigger.ts';
import {
  type CronFields,
  type DayRule,
  disagreement,
  type WeekdayRule,
  ZoneOffsets,
} from '../../../packages/host/test/routines/cron-reference.ts';
import { hold, type Target } from '../engine/target.ts';

const ZONES = ['UTC', 'Europe/Paris', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia'];
const FROM = Date.UTC(2020, 0, 1);
const SPAN = 12 * 366 * 86_400_000;
const DAY_MS = 86_400_000;
/** How far each minute is looked at. */
const LOOKED_AT_MS = 10 * DAY_MS;

/** An input is a pattern; its length and first bytes choose the zone and the moment. */
export const target: Target = {
  name: 'cron-pattern',
  holds:
    'a pattern is refused with a reason, or is due when a look at each minute of the next days says so, at whole seconds, later and later; no pattern takes long',
  covers: [
    'packages/host/src/routines/cron-pattern.ts',
    'packages/host/src/routines/trigger.ts',
    'node_modules/croner/dist/croner.js',
  ],
  form: 'text',
  maxBytes: 400,
  words: [
    ...[
      '*',
      '*/5',
      '0',
      '59',
      '23',
      '31',
      '7',
      '1-5',
      '5-1',
      '0/15',
      'L',
      '15W',
      'LW',
      '5#2',
      '5L',
      '?',
      '+',
      ',',
    ],
    ...[
      'JAN',
      'FEB-DEC',
      'mon',
      'SUN#5',
      '@daily',
      '@reboot',
      '2024',
      '2024-2030/2',
      '9999',
      '\t',
      '\n',
      '29',
      'W',
    ],
  ],
  seeds: () => [
    '*/5 * * * *',
    '0 9 * * MON-FRI',
    '30 2 29 2 *',
    '0 0 0 L * 5#2 2026-2030',
    '15 30 2 15W */3 SUN',
    '@monthly',
    // Due within the days that are looked at, each length in another zone.
    '30 2 * * *',
    '15 7 * * 1-5',
    '0 9 * * MON,WED',
    '5 0,12 * * *',
    '20 5 4 * * SUN',
    '@daily',
  ],
  open: async () => ({ run: judge }),
};

function judge(input: Uint8Array): void {
  const pattern = Buffer.from(input).toString('utf8');
  const zone = ZONES[pattern.length % ZONES.length] ?? 'UTC';
  const at = FROM + (((input[0] ?? 0) * 65_536 + (input[1] ?? 0) * 256 + (input[2] ?? 0)) / 2 ** 24) * SPAN;
  const after = Math.floor(at);
  const problem = cronProblem(pattern, zone);
  const reading = readTrigger({ kind: 'cron', cron: pattern }, zone);
  hold(reading.ok === (problem === undefined), 'a trigger is read as its pattern is');
  if (problem !== undefined) {
    hold(problem.length > 0 && problem.length < 400, 'a refusal has a short reason', () => problem);
    return;
  }
  const due = nextOfCron(pattern, zone, after);
  const fields = fieldsOf(pattern);
  if (fields !== null) {
    const untilMs = after + LOOKED_AT_MS;
    // Two days more: a change of the clocks counts for what is due around it.
    const offsets = new ZoneOffsets(zone, after - 2 * DAY_MS, untilMs + 2 * DAY_MS);
    const within = due === null || due >= untilMs ? undefined : due;
    const wrong = disagreement({ fields, offsets, afterMs: after, untilMs, due: within });
    hold(
      wrong === undefined,
      'due when a look at each minute says so',
      () => `${pattern} ${zone} ${after}: ${wrong}`,
    );
  }
  if (due === null) return;
  hold(due > after, 'due later than asked', () => `${pattern} ${after} ${due}`);
  hold(due % 1000 === 0, 'due at a whole second', () => `${pattern} ${due}`);
  hold(
    nextOfCron(pattern, zone, due - 1) === due,
    'the moment before gives the same',
    () => `${pattern} ${zone} ${due}`,
  );
  let before = after;
  let count = 0;
  for (const slot of slotsOfCron(pattern, zone, after)) {
    hold(slot > before, 'later and later', () => `${pattern} ${zone} ${before} ${slot}`);
    before = slot;
    count += 1;
    if (count === 5) break;
  }
}

const NICKNAMES: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

/** A pattern read a second time, as far as the page about routines describes it; null where it says more than that. */
function fieldsOf(pattern: string): CronFields | null {
  const text = pattern.trim();
  const written = (NICKNAMES[text.toLowerCase()] ?? text).toUpperCase().split(/\s+/);
  const [second = '', minute = '', hour = '', day = '', month = '', weekday = '', year = '*'] =
    written.length === 5 ? ['0', ...written] : written;
  const minutes = valuesOf(minute, 0, 59, true);
  const hours = valuesOf(hour, 0, 23, true);
  const months = valuesOf(named(month, MONTHS, 1), 1, 12, true);
  const days = dayRule(day);
  const weekdays = weekdayRule(named(weekday, WEEKDAYS, 0));
  const years = year === '*' ? undefined : valuesOf(year, 1970, 2200, false);
  if (minutes === null || hours === null || months === null) return null;
  if (days === null || weekdays === null || years === null || !/^\d{1,2}$/.test(second)) return null;
  return { second: Number(second), minutes, hours, days, months, weekdays, years };
}

/** Names as their numbers, where they stand alone, in lists or in ranges. */
function named(text: string, names: readonly string[], first: number): string {
  return text.replaceAll(/[A-Z]{3}/g, (name) =>
    names.includes(name) ? String(names.indexOf(name) + first) : name,
  );
}

/** `*`, values, ranges, steps over all or over a range, and lists of them. */
function valuesOf(text: string, min: number, max: number, mayStep: boolean): ReadonlySet<number> | null {
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const [, star, from, to, step] = /^(?:(\*)|(\d{1,4})(?:-(\d{1,4}))?)(?:\/(\d{1,2}))?$/.exec(part) ?? [];
    if (star === undefined && from === undefined) return null;
    if (step !== undefined && (!mayStep || Number(step) === 0 || (star === undefined && to === undefined)))
      return null;
    const first = star === undefined ? Number(from) : min;
    const last = star === undefined ? Number(to ?? from) : max;
    if (first < min || last > max || first > last) return null;
    for (let value = first; value <= last; value += Number(step ?? 1)) values.add(value);
  }
  return values;
}

function dayRule(text: string): DayRule | undefined | null {
  if (text === '*') return undefined;
  if (text === 'L') return { kind: 'last' };
  const [, nearest] = /^(\d{1,2})W$/.exec(text) ?? [];
  if (nearest !== undefined) return { kind: 'nearest', day: Number(nearest) };
  const days = text.includes('*') ? null : valuesOf(text, 1, 31, false);
  return days === null ? null : { kind: 'days', days };
}

function weekdayRule(text: string): WeekdayRule | undefined | null {
  if (text === '*') return undefined;
  const [, day, how] = /^(\d)(#[1-5]|L)$/.exec(text) ?? [];
  if (day !== undefined && how !== undefined && Number(day) <= 7) {
    const weekday = Number(day) % 7;
    return how === 'L' ? { kind: 'last', weekday } : { kind: 'nth', weekday, nth: Number(how.slice(1)) };
  }
  const days = text.includes('*') ? null : valuesOf(text, 0, 7, false);
  return days === null ? null : { kind: 'weekdays', weekdays: new Set([...days].map((one) => one % 7)) };
}
