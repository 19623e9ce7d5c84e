import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dueSlots } from '../../src/routines/due-slots.ts';
import type { MissedPolicy } from '../../src/routines/routine.ts';
import type { Trigger } from '../../src/routines/trigger.ts';

const at = (text: string) => Date.parse(`2026-03-${text}Z`);
const hourly: Trigger = { kind: 'cron', cron: '0 * * * *', zone: 'UTC' };
const skip: MissedPolicy = { policy: 'skip' };
const once: MissedPolicy = { policy: 'run_once', withinSecs: 86_400 };

function slots(
  of: { readonly trigger?: Trigger; readonly missed?: MissedPolicy; readonly jitterSecs?: number },
  due: string,
  now: string,
  pausedUntil?: string,
) {
  const routine = { trigger: hourly, missed: skip, jitterSecs: 0, ...of };
  const { run, missed, next } = dueSlots(
    routine,
    at(due),
    at(now),
    pausedUntil === undefined ? undefined : at(pausedUntil),
  );
  const text = (ms: number) => new Date(ms).toISOString().slice(8, 19);
  return { run: run.map(text), missed: missed.map(text), next: next === null ? null : text(next) };
}

test('what is due a minute ago at most still runs', () => {
  assert.deepEqual(slots({}, '01T10:00:00', '01T10:01:00'), {
    run: ['01T10:00:00'],
    missed: [],
    next: '01T11:00:00',
  });
});

test('what is later than that is passed over, and written down', () => {
  assert.deepEqual(slots({}, '01T10:00:00', '01T12:01:01'), {
    run: [],
    missed: ['01T10:00:00', '01T11:00:00', '01T12:00:00'],
    next: '01T13:00:00',
  });
});

test('after a long sleep the newest missed one runs, once', () => {
  assert.deepEqual(slots({ missed: once }, '01T10:00:00', '01T12:30:00'), {
    run: ['01T12:00:00'],
    missed: ['01T10:00:00', '01T11:00:00'],
    next: '01T13:00:00',
  });
});

test('catching up runs the newest few within the window, oldest first', () => {
  const missed: MissedPolicy = { policy: 'catch_up', windowSecs: 4 * 3600, most: 3 };
  assert.deepEqual(slots({ missed }, '01T02:00:00', '01T10:30:00').run, [
    '01T08:00:00',
    '01T09:00:00',
    '01T10:00:00',
  ]);
  const narrow: MissedPolicy = { policy: 'catch_up', windowSecs: 3600, most: 3 };
  assert.deepEqual(slots({ missed: narrow }, '01T02:00:00', '01T10:30:00').run, ['01T10:00:00']);
});

test('a wake-up from a day ago still comes, one from longer ago does not', () => {
  const trigger: Trigger = { kind: 'at', at: at('01T10:00:00') };
  assert.deepEqual(slots({ trigger, missed: once }, '01T10:00:00', '02T10:00:00'), {
    run: ['01T10:00:00'],
    missed: [],
    next: null,
  });
  assert.deepEqual(slots({ trigger, missed: once }, '01T10:00:00', '02T10:00:01'), {
    run: [],
    missed: ['01T10:00:00'],
    next: null,
  });
});

test('what was due while everything was paused is missed, however short the pause', () => {
  assert.deepEqual(slots({}, '01T10:00:00', '01T10:00:10', '01T10:00:10'), {
    run: [],
    missed: ['01T10:00:00'],
    next: '01T11:00:00',
  });
});

test('a year of minutes is not gone through one by one', () => {
  const trigger: Trigger = { kind: 'cron', cron: '* * * * *', zone: 'UTC' };
  const { run, missed, next, isMoreMissed } = dueSlots(
    { trigger, missed: once, jitterSecs: 0 },
    at('01T10:00:00'),
    at('31T23:59:30'),
  );
  assert.equal(isMoreMissed, true);
  assert.deepEqual(run, [at('31T23:59:00')]);
  assert.equal(missed.length, 20);
  assert.equal(missed.at(-1), at('31T23:58:00'));
  assert.equal(next, at('31T23:59:00') + 60_000);
});

test('a delay that was asked for is not lateness', () => {
  assert.deepEqual(slots({ jitterSecs: 600 }, '01T10:00:00', '01T10:09:00').run, ['01T10:00:00']);
});
