/** A second way to say when a cron pattern is due: every minute is looked at. Slow, and simple enough to be believed. */
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** One field: the values that it names, or a rule for days. */
export interface CronFields {
  readonly second: number;
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  /** Undefined: any day. */
  readonly days: DayRule | undefined;
  readonly months: ReadonlySet<number>;
  readonly weekdays: WeekdayRule | undefined;
  readonly years: ReadonlySet<number> | undefined;
}

export type DayRule =
  | { readonly kind: 'days'; readonly days: ReadonlySet<number> }
  | { readonly kind: 'last' }
  | { readonly kind: 'nearest'; readonly day: number };

export type WeekdayRule =
  | { readonly kind: 'weekdays'; readonly weekdays: ReadonlySet<number> }
  | { readonly kind: 'nth'; readonly weekday: number; readonly nth: number }
  | { readonly kind: 'last'; readonly weekday: number };

/** The offsets of a zone between two years, found by asking for each day and halving where it changed. */
export class ZoneOffsets {
  readonly #changes: { readonly at: number; readonly offsetMs: number }[] = [];

  constructor(zone: string, fromMs: number, untilMs: number) {
    const format = new Intl.DateTimeFormat('en-u-ca-iso8601', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
    const offsetAt = (ms: number): number => {
      const part = new Map(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
      const of = (type: string) => part.get(type as Intl.DateTimeFormatPartTypes) ?? 0;
      return (
        Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second')) -
        Math.floor(ms / 1000) * 1000
      );
    };
    let offsetMs = offsetAt(fromMs);
    this.#changes.push({ at: Number.NEGATIVE_INFINITY, offsetMs });
    for (let day = fromMs; day < untilMs; day += DAY_MS) {
      const after = offsetAt(day + DAY_MS);
      if (after === offsetMs) continue;
      let [before, behind] = [day, day + DAY_MS];
      while (behind - before > 1000) {
        const middle = Math.floor((before + behind) / 2000) * 1000;
        if (offsetAt(middle) === offsetMs) before = middle;
        else behind = middle;
      }
      this.#changes.push({ at: behind, offsetMs: after });
      offsetMs = after;
    }
  }

  at(ms: number): number {
    let low = 0;
    let high = this.#changes.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#changes[middle]?.at ?? 0) <= ms) low = middle;
      else high = middle - 1;
    }
    return this.#changes[low]?.offsetMs ?? 0;
  }

  /** The newest change at or before a moment by which the clocks went forward. */
  lastForward(ms: number): { readonly at: number; readonly byMs: number } | undefined {
    for (const [index, { at, offsetMs }] of [...this.#changes.entries()].reverse()) {
      const byMs = offsetMs - (this.#changes[index - 1]?.offsetMs ?? offsetMs);
      if (at <= ms && byMs > 0) return { at, byMs };
    }
    return undefined;
  }

  /** True for the second time of a local time that comes twice. */
  isRepeated(ms: number): boolean {
    return this.#changes.some(({ at, offsetMs }, index) => {
      const back = (this.#changes[index - 1]?.offsetMs ?? offsetMs) - offsetMs;
      return back > 0 && ms >= at && ms < at + back;
    });
  }
}

/**
 * What is wrong with `due` as the first moment after `afterMs` and before `untilMs` (undefined: there is none); undefined where nothing is.
 * The exceptions are those of the page about routines: what is left out in spring, and what comes twice in autumn.
 */
export function disagreement(of: {
  readonly fields: CronFields;
  readonly offsets: ZoneOffsets;
  readonly afterMs: number;
  readonly untilMs: number;
  readonly due: number | undefined;
}): string | undefined {
  const { fields, offsets, afterMs, untilMs, due } = of;
  let expected = nextByMinutes(fields, offsets, afterMs, untilMs);
  // The second time of a local time that comes twice may be left out.
  while (expected !== undefined && expected !== due && offsets.isRepeated(expected))
    expected = nextByMinutes(fields, offsets, expected, untilMs);
  if (expected === due) return undefined;
  if (due === undefined || (expected !== undefined && due > expected))
    return `${due} is late or never: ${expected}`;
  return isAfterGap(fields, offsets, due)
    ? undefined
    : `${new Date(due).toISOString()} is no moment of the pattern`;
}

/** A local time that the clocks left out is due no later after they went forward than they went. */
function isAfterGap(fields: CronFields, offsets: ZoneOffsets, due: number): boolean {
  const change = offsets.lastForward(due);
  if (change === undefined || due - change.at > change.byMs) return false;
  const begin = change.at + offsets.at(change.at) - change.byMs;
  for (let local = begin; local < begin + change.byMs; local += MINUTE_MS)
    if (matches(fields, local)) return true;
  return false;
}

/** True where a local time, given as if it were UTC, is one that the pattern names; its second is not looked at. */
function matches(fields: CronFields, localMs: number): boolean {
  const date = new Date(localMs);
  return (
    dayMatches(fields, localMs) &&
    fields.hours.has(date.getUTCHours()) &&
    fields.minutes.has(date.getUTCMinutes())
  );
}

/** The first moment after `afterMs` and before `untilMs`; undefined where there is none. */
function nextByMinutes(
  fields: CronFields,
  offsets: ZoneOffsets,
  afterMs: number,
  untilMs: number,
): number | undefined {
  const seconds = fields.second * 1000;
  let minute = Math.floor((afterMs - seconds) / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
  while (minute < untilMs) {
    const localMs = minute + offsets.at(minute + seconds);
    if (matches(fields, localMs)) return minute + seconds;
    minute += stepFrom(fields, offsets, minute, localMs);
  }
  return undefined;
}

/** A minute; or to the end of a day or hour in which nothing can be, where the clocks do not change in it. */
function stepFrom(fields: CronFields, offsets: ZoneOffsets, minute: number, localMs: number): number {
  const wholeMs = dayMatches(fields, localMs) ? HOUR_MS : DAY_MS;
  if (wholeMs === HOUR_MS && fields.hours.has(new Date(localMs).getUTCHours())) return MINUTE_MS;
  const leftMs = wholeMs - Math.floor((((localMs % wholeMs) + wholeMs) % wholeMs) / MINUTE_MS) * MINUTE_MS;
  return offsets.at(minute) === offsets.at(minute + leftMs) ? leftMs : MINUTE_MS;
}

function dayMatches({ days, months, weekdays, years }: CronFields, localMs: number): boolean {
  const date = new Date(localMs);
  if (years !== undefined && !years.has(date.getUTCFullYear())) return false;
  if (!months.has(date.getUTCMonth() + 1)) return false;
  const byDay = days !== undefined && matchesDay(days, date);
  const byWeekday = weekdays !== undefined && matchesWeekday(weekdays, date);
  // As cron has always had it: with both of them, either is enough.
  if (days !== undefined && weekdays !== undefined) return byDay || byWeekday;
  return (days === undefined || byDay) && (weekdays === undefined || byWeekday);
}

function matchesDay(rule: DayRule, date: Date): boolean {
  const day = date.getUTCDate();
  const last = lastDay(date);
  if (rule.kind === 'days') return rule.days.has(day);
  if (rule.kind === 'last') return day === last;
  if (rule.day > last) return false;
  const weekday = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), rule.day)).getUTCDay();
  if (weekday === 6) return day === (rule.day === 1 ? 3 : rule.day - 1);
  if (weekday === 0) return day === (rule.day === last ? rule.day - 2 : rule.day + 1);
  return day === rule.day;
}

function matchesWeekday(rule: WeekdayRule, date: Date): boolean {
  const weekday = date.getUTCDay();
  const day = date.getUTCDate();
  if (rule.kind === 'weekdays') return rule.weekdays.has(weekday);
  if (weekday !== rule.weekday) return false;
  return rule.kind === 'last' ? day + 7 > lastDay(date) : Math.ceil(day / 7) === rule.nth;
}

function lastDay(date: Date): number {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
}
