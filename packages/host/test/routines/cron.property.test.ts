import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cronProblem, nextOfCron } from '../../src/routines/cron-pattern.ts';
import {
  type CronFields,
  type DayRule,
  disagreement,
  type WeekdayRule,
  ZoneOffsets,
} from './cron-reference.ts';

const ZONES = [
  'UTC',
  'Europe/Paris',
  'America/New_York',
  'America/Sao_Paulo',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Pacific/Apia',
  'Africa/Casablanca',
  'America/St_Johns',
] as const;
const FROM = Date.UTC(2015, 0, 1);
const UNTIL = Date.UTC(2034, 0, 1);
const offsets = new Map<string, ZoneOffsets>();

function offsetsOf(zone: string): ZoneOffsets {
  const known = offsets.get(zone) ?? new ZoneOffsets(zone, FROM, UNTIL);
  offsets.set(zone, known);
  return known;
}

type Field<T> = { readonly text: string; readonly value: T };

const range = (min: number, max: number) => Array.from({ length: max - min + 1 }, (_, index) => min + index);

/** `*`, a value, a range, a step or a list, with the values that it names. */
function values(min: number, max: number): fc.Arbitrary<Field<ReadonlySet<number>>> {
  const one = fc.integer({ min, max });
  return fc.oneof(
    fc.constant({ text: '*', value: new Set(range(min, max)) }),
    one.map((value) => ({ text: String(value), value: new Set([value]) })),
    fc.tuple(one, one).map(([a, b]) => {
      const [from, to] = a < b ? [a, b] : [b, a];
      return { text: `${from}-${to}`, value: new Set(range(from, to)) };
    }),
    fc.integer({ min: 2, max: Math.max(2, (max - min) >> 1) }).map((step) => ({
      text: `*/${step}`,
      value: new Set(range(min, max).filter((value) => (value - min) % step === 0)),
    })),
    fc.uniqueArray(one, { minLength: 2, maxLength: 4 }).map((list) => ({
      text: list.join(','),
      value: new Set(list),
    })),
  );
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const months = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ text: '*', value: new Set(range(1, 12)) as ReadonlySet<number> }) },
  values(1, 12),
  fc
    .integer({ min: 1, max: 12 })
    .map((month) => ({ text: MONTHS[month - 1] ?? '', value: new Set([month]) })),
);
const days: fc.Arbitrary<Field<DayRule | undefined>> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ text: '*', value: undefined }) },
  fc.uniqueArray(fc.integer({ min: 1, max: 31 }), { minLength: 1, maxLength: 4 }).map((list) => ({
    text: list.join(','),
    value: { kind: 'days' as const, days: new Set(list) },
  })),
  fc.constant({ text: 'L', value: { kind: 'last' as const } }),
  fc
    .integer({ min: 1, max: 28 })
    .map((day) => ({ text: `${day}W`, value: { kind: 'nearest' as const, day } })),
);
const weekdays: fc.Arbitrary<Field<WeekdayRule | undefined>> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ text: '*', value: undefined }) },
  // Sunday is 0 and 7.
  fc.uniqueArray(fc.integer({ min: 0, max: 7 }), { minLength: 1, maxLength: 3 }).map((list) => ({
    text: list.join(','),
    value: { kind: 'weekdays' as const, weekdays: new Set(list.map((day) => day % 7)) },
  })),
  fc.integer({ min: 0, max: 6 }).map((day) => ({
    text: WEEKDAYS[day] ?? '',
    value: { kind: 'weekdays' as const, weekdays: new Set([day]) },
  })),
  fc.tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 1, max: 5 })).map(([weekday, nth]) => ({
    text: `${weekday}#${nth}`,
    value: { kind: 'nth' as const, weekday, nth },
  })),
  fc.integer({ min: 0, max: 6 }).map((weekday) => ({
    text: `${weekday}L`,
    value: { kind: 'last' as const, weekday },
  })),
);

type Pattern = { readonly text: string; readonly fields: CronFields };

const pattern: fc.Arbitrary<Pattern> = fc
  .record({
    minutes: values(0, 59),
    hours: values(0, 23),
    days,
    months,
    weekdays,
    second: fc.option(fc.integer({ min: 0, max: 59 })),
    years: fc.option(fc.uniqueArray(fc.integer({ min: 2016, max: 2030 }), { minLength: 1, maxLength: 5 }), {
      freq: 6,
    }),
  })
  .map(({ minutes, hours, days: day, months: month, weekdays: weekday, second, years }) => {
    const five = [minutes, hours, day, month, weekday].map(({ text }) => text).join(' ');
    const six = second === null && years === null ? five : `${second ?? 0} ${five}`;
    return {
      text: years === null ? six : `${six} ${years.join(',')}`,
      fields: {
        second: second ?? 0,
        minutes: minutes.value,
        hours: hours.value,
        days: day.value,
        months: month.value,
        weekdays: weekday.value,
        years: years === null ? undefined : new Set(years),
      },
    };
  });

/** Some moments lie around a change of the clocks or a leap day: that is where mistakes are. */
const moment = fc.oneof(
  fc.integer({ min: Date.UTC(2016, 0, 1), max: Date.UTC(2028, 0, 1) }),
  fc
    .tuple(
      fc.constantFrom(
        '2018-03-25',
        '2018-10-28',
        '2018-11-04',
        '2020-02-28',
        '2020-02-29',
        '2024-03-31',
        '2024-10-27',
        '2025-04-05',
        '2025-10-04',
        '2023-12-31',
      ),
      fc.integer({ min: 0, max: 86_399_999 }),
    )
    .map(([day, ms]) => Date.parse(`${day}T00:00:00Z`) + ms),
);

test('ten thousand patterns, zones and moments agree with a look at every minute', () => {
  fc.assert(
    fc.property(pattern, fc.constantFrom(...ZONES), moment, ({ text, fields }, zone, afterMs) => {
      assert.equal(cronProblem(text, zone), undefined, text);
      const until = Math.min(UNTIL, afterMs + 5 * 366 * 86_400_000);
      const said = nextOfCron(text, zone, afterMs);
      const due = said === null || said >= until ? undefined : said;
      assert.equal(
        disagreement({ fields, offsets: offsetsOf(zone), afterMs, untilMs: until, due }),
        undefined,
      );
    }),
    { numRuns: 10_000 },
  );
});
