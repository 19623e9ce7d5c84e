import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CalendarDays, isZone } from '../../src/usage/calendar-day.ts';

const at = (iso: string) => Date.parse(iso);
const iso = (ms: number) => new Date(ms).toISOString();

test('a day is that of the zone', () => {
  assert.equal(new CalendarDays('UTC').dayOf(at('2026-03-01T23:59:59.999Z')), '2026-03-01');
  assert.equal(new CalendarDays('Europe/Berlin').dayOf(at('2026-03-01T23:00:00Z')), '2026-03-02');
  assert.equal(new CalendarDays('America/Los_Angeles').dayOf(at('2026-03-01T07:59:59Z')), '2026-02-28');
  assert.equal(new CalendarDays('Pacific/Kiritimati').dayOf(at('2026-03-01T10:00:00Z')), '2026-03-02');
});

test('a day ends at the midnight of its zone, 23, 24 or 25 hours after it began', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['UTC', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00.000Z'],
    // Clocks go forward and back at night …
    ['Europe/Berlin', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00.000Z'],
    ['Europe/Berlin', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00.000Z'],
    // … at midnight itself, where the day begins at one …
    ['Africa/Cairo', '2026-04-23T23:30:00Z', '2026-04-24T21:00:00.000Z'],
    // … or where its last hour comes twice …
    ['Africa/Cairo', '2026-10-29T12:00:00Z', '2026-10-29T22:00:00.000Z'],
    // … by half an hour …
    ['Australia/Lord_Howe', '2026-04-04T20:00:00Z', '2026-04-05T13:30:00.000Z'],
    // … and once a whole day was left out.
    ['Pacific/Apia', '2011-12-30T09:59:59Z', '2011-12-30T10:00:00.000Z'],
  ];
  for (const [zone, from, end] of cases) {
    const days = new CalendarDays(zone);
    assert.equal(iso(days.endMs(at(from))), end, `${zone} ${from}`);
    const day = days.dayOf(at(from));
    assert.equal(days.dayOf(at(end) - 1), day);
    assert.notEqual(days.dayOf(at(end)), day);
  }
});

test('a clock that is set back gives the earlier day again', () => {
  const days = new CalendarDays('UTC');
  assert.equal(days.dayOf(at('2026-01-02T00:00:00Z')), '2026-01-02');
  assert.equal(days.dayOf(at('2026-01-01T23:59:59Z')), '2026-01-01');
  assert.equal(days.dayOf(at('2026-01-02T12:00:00Z')), '2026-01-02');
  assert.equal(iso(days.endMs(at('2026-01-01T12:00:00Z'))), '2026-01-02T00:00:00.000Z');
});

test('a zone is known by its name or not at all', () => {
  assert.deepEqual(['Europe/Berlin', 'UTC', 'Mars/Olympus', ''].map(isZone), [true, true, false, false]);
});
