import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import { readRoutine } from '../../src/routines/routine.ts';
import { routineOf, rowOf } from '../../src/routines/routine-rows.ts';
import { readSchedule, readScheduleRow } from '../../src/routines/schedule.ts';
import { readSlotName, slotName } from '../../src/routines/slot-rows.ts';
import { nextDue, readTrigger } from '../../src/routines/trigger.ts';

const HOURLY = { kind: 'cron', cron: '0 * * * *' };
const SCHEDULE = { trigger: HOURLY, task: 'Go.', target: { kind: 'fresh' } };

test('a schedule stands among the routines of its agent under schedule: and its id', () => {
  assert.deepEqual(rowOf('schedule:morning'), { table: 'schedules', key: 'morning' });
  assert.equal(routineOf('schedules', 'morning'), 'schedule:morning');
  assert.deepEqual(rowOf('keeper/daily'), { table: 'routines', key: 'keeper/daily' });
  assert.equal(routineOf('routines', 'keeper/daily'), 'keeper/daily');
  // A row of the other table cannot pass for one.
  assert.equal(routineOf('routines', 'schedule:morning'), undefined);
  assert.equal(routineOf('entries', 'morning'), undefined);
});

test('a schedule is the routine fire of agent_schedule, whose payload says only which it is', () => {
  const reading = readSchedule('agt_1', 'morning', { ...SCHEDULE, generation: 3 }, 'UTC');
  assert.ok(reading.ok);
  const { extension, name, payload } = reading.routine;
  assert.deepEqual(
    { extension, name, payload },
    {
      ...{ extension: 'agent_schedule', name: 'fire' },
      payload: { agent: 'agt_1', schedule: 'morning' },
    },
  );
});

test('what a row leaves out has its default', () => {
  assert.deepEqual(readRoutine({ extension: 'e', name: 'r', trigger: HOURLY }, 'Europe/Rome'), {
    ok: true,
    routine: {
      ...{ extension: 'e', name: 'r', payload: null, enabled: true, maxFailures: 3, overlap: 'skip' },
      ...{ trigger: { ...HOURLY, zone: 'Europe/Rome' }, missed: { policy: 'skip' }, jitterSecs: 0 },
    },
  });
  const once = readRoutine({ extension: 'e', name: 'r', trigger: { kind: 'at', at: 7 } }, 'UTC');
  assert.ok(once.ok);
  assert.deepEqual(once.routine.missed, { policy: 'run_once', withinSecs: 86_400 });
});

test('what a row says is read, and members that are not known are left alone', () => {
  const row = {
    ...{ extension: 'e', name: 'r', payload: [1], trigger: { kind: 'every', secs: 60 }, enabled: false },
    ...{ max_failures: 0, overlap: 'allow', jitter_secs: 9, colour: 'blue' },
    missed: { policy: 'catch_up', window_secs: 3600, most: 2 },
  };
  assert.deepEqual(readRoutine(row, 'UTC'), {
    ok: true,
    routine: {
      ...{ extension: 'e', name: 'r', payload: [1], trigger: { kind: 'every', secs: 60 }, enabled: false },
      ...{ maxFailures: 0, overlap: 'allow', jitterSecs: 9 },
      missed: { policy: 'catch_up', windowSecs: 3600, most: 2 },
    },
  });
});

test('a routine that cannot be read says what is wrong with it', () => {
  const good = { extension: 'e', name: 'r', trigger: HOURLY };
  const wrong: readonly (readonly [Json, RegExp])[] = [
    ['text', /^a routine is an object$/],
    [{ ...good, extension: '' }, /names its extension/],
    [{ ...good, name: 7 }, /names its extension/],
    [{ ...good, trigger: null }, /^a trigger is/],
    [{ ...good, trigger: { kind: 'daily' } }, /^the kind of a trigger/],
    [{ ...good, trigger: { kind: 'cron' } }, /under cron$/],
    [{ ...good, trigger: { kind: 'cron', cron: 'x y z a b' } }, /cannot be read/],
    [{ ...good, trigger: { kind: 'cron', cron: '0 * * *' } }, /this one has 4$/],
    [{ ...good, trigger: { kind: 'cron', cron: '@sometimes' } }, /this one has 1$/],
    [{ ...good, trigger: { kind: 'cron', cron: `0${' '.repeat(300)}* * * *` } }, /at most 256 characters$/],
    [{ ...good, trigger: { ...HOURLY, zone: 'Atlantis/Capital' } }, /no IANA time zone$/],
    [{ ...good, trigger: { kind: 'every', secs: 0 } }, /^secs is a whole number/],
    [{ ...good, trigger: { kind: 'every', secs: 1.5 } }, /^secs is a whole number/],
    [{ ...good, trigger: { kind: 'every', secs: 31_622_401 } }, /^secs is a whole number/],
    [{ ...good, trigger: { kind: 'at', at: '2026' } }, /^at is a moment/],
    [{ ...good, trigger: { kind: 'at', at: -1 } }, /^at is a moment/],
    [{ ...good, enabled: 'yes' }, /^enabled is true or false$/],
    [{ ...good, max_failures: -1 }, /^max_failures is/],
    [{ ...good, overlap: 'both' }, /^overlap is skip or allow$/],
    [{ ...good, jitter_secs: 3601 }, /^jitter_secs is/],
    [{ ...good, missed: 'later' }, /^missed is skip/],
    [{ ...good, missed: { policy: 'run_once', within_secs: 0 } }, /^missed is skip/],
    [{ ...good, missed: { policy: 'catch_up', window_secs: 60 } }, /^missed is skip/],
  ];
  for (const [row, problem] of wrong) {
    const reading = readRoutine(row, 'UTC');
    assert.equal(reading.ok, false, JSON.stringify(row));
    if (!reading.ok) assert.match(reading.problem, problem);
  }
});

test('a schedule that cannot be read says what is wrong with it', () => {
  const wrong: readonly (readonly [Json, RegExp])[] = [
    [[], /^a schedule is an object$/],
    [{ ...SCHEDULE, trigger: 'daily' }, /^a trigger is/],
    [{ ...SCHEDULE, task: ' \n' }, /^the task is text/],
    [{ ...SCHEDULE, task: 'é'.repeat(8193) }, /at most 16384 bytes$/],
    [{ ...SCHEDULE, target: null }, /^the target is/],
    [{ ...SCHEDULE, target: { kind: 'pinned' } }, /^the target is/],
    [{ ...SCHEDULE, max_fires: 0 }, /^max_fires is/],
    [{ ...SCHEDULE, expires_at: 'soon' }, /^expires_at is/],
    [{ ...SCHEDULE, generation: 0 }, /^generation is/],
  ];
  for (const [row, problem] of wrong) {
    const reading = readScheduleRow(row, 'UTC');
    assert.equal(reading.ok, false, JSON.stringify(row));
    if (!reading.ok) assert.match(reading.problem, problem);
    assert.equal(readSchedule('agt_1', 'a', row, 'UTC').ok, false);
  }
});

test('a one-shot is due at its moment, a pattern that names no moment never', () => {
  const due = (value: JsonObject, afterMs: number) => {
    const reading = readTrigger(value, 'UTC');
    assert.ok(reading.ok);
    return nextDue(reading.trigger, afterMs);
  };
  assert.equal(due({ kind: 'at', at: 5 }, 1_000_000), 5);
  assert.equal(due({ kind: 'every', secs: 2 }, 1000), 3000);
  assert.equal(due({ kind: 'cron', cron: '0 0 0 1 1 * 2020' }, Date.UTC(2026, 0, 1)), null);
});

test('a slot’s name is read back, whatever the routine is called', () => {
  for (const routine of ['schedule:a', 'keeper/daily', 'odd@7/x@1']) {
    const slot = { database: 'agt_1', routine, due: 1_767_225_600_000 };
    assert.deepEqual(readSlotName(slotName(slot)), slot);
  }
  for (const name of ['', 'agt_1', 'agt_1/x', 'agt_1/x@', 'agt_1/x@soon', '/x@1'])
    assert.equal(readSlotName(name), undefined, name);
});
