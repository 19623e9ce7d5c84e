import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'smol-toml';
import { readSchedules } from '../../src/routines/read-schedules.ts';
import { hostRoom } from '../host/host-room.ts';

const read = (toml: string) => readSchedules(parse(toml), 'Europe/Berlin');
const SESSION = `ses_${'A'.repeat(43)}`;

const table = (keys: string, base = 'agent = "ann"\nid = "a"\ntask = "Go."\n') =>
  `[[schedules]]\n${base}${keys}\n`;

test('a file without schedules has none', () => {
  assert.deepEqual(read(''), { ok: true, value: [], notices: [] });
});

test('every key of a schedule is read into its row', () => {
  const toml = `
[[schedules]]
agent = "ann"
id = "morning"
cron = "0 9 * * 1-5"
zone = "Asia/Tokyo"
task = "Look at the calendar."
target = "pinned"
session = "${SESSION}"
enabled = false
max_fires = 5
expires_at = "2026-05-01T09:00:00+02:00"
missed = "run_once"
jitter_secs = 30
max_failures = 0

[[schedules]]
agent = "bob"
id = "morning"
every_secs = 3600
task = "Go."

[[schedules]]
agent = "bob"
id = "once"
at = "2026-05-01T09:00:00Z"
task = "Go."
`;
  const reading = read(toml);
  assert.ok(reading.ok);
  assert.deepEqual(reading.value, [
    {
      agent: 'ann',
      id: 'morning',
      row: {
        trigger: { kind: 'cron', cron: '0 9 * * 1-5', zone: 'Asia/Tokyo' },
        task: 'Look at the calendar.',
        target: { kind: 'pinned', session: SESSION },
        ...{ enabled: false, generation: 1, max_fires: 5, expires_at: Date.UTC(2026, 4, 1, 7) },
        ...{ missed: 'run_once', jitter_secs: 30, max_failures: 0 },
      },
    },
    {
      ...{ agent: 'bob', id: 'morning' },
      row: {
        trigger: { kind: 'every', secs: 3600 },
        ...{ task: 'Go.', target: { kind: 'fresh' }, enabled: true, generation: 1 },
      },
    },
    {
      ...{ agent: 'bob', id: 'once' },
      row: {
        trigger: { kind: 'at', at: Date.UTC(2026, 4, 1, 9) },
        ...{ task: 'Go.', target: { kind: 'fresh' }, enabled: true, generation: 1 },
      },
    },
  ]);
});

test('a file that says something else is refused, with the place', () => {
  const hourly = 'cron = "0 * * * *"';
  const wrong: readonly (readonly [string, string, RegExp])[] = [
    [table(`${hourly}\nmax_fire = 1`), 'max_fire', /max_fires/],
    [table(hourly, 'id = "a"\ntask = "Go."\n'), 'agent', /missing/],
    [table(hourly, 'agent = "ann"\ntask = "Go."\n'), 'id', /missing/],
    [table(hourly, 'agent = "ann"\nid = "a b"\ntask = "Go."\n'), 'id', /letters, digits/],
    [table(hourly, 'agent = "ann"\nid = "a"\n'), 'task', /missing/],
    [table(hourly, 'agent = "ann"\nid = "a"\ntask = " "\n'), 'task', /text/],
    [table(''), 'id', /needs one of cron/],
    [table(`${hourly}\nevery_secs = 60`), 'id', /needs one of cron/],
    [table('cron = "every day"'), 'id', /fields/],
    [table('every_secs = 0'), 'every_secs', /./],
    [table('at = 2026-05-01T09:00:00Z'), 'at', /in quotes/],
    [table('at = "tomorrow"'), 'at', /in quotes/],
    [table('at = "2026-13-01T09:00:00Z"'), 'at', /in quotes/],
    [table(`${hourly}\nzone = "Atlantis/Capital"`), 'id', /zone/],
    [table(`${hourly}\ntarget = "pinned"`), 'session', /missing/],
    [table(`${hourly}\ntarget = "pinned"\nsession = "mine"`), 'session', /id of a session/],
    [table(`${hourly}\ntarget = "frsh"`), 'target', /did you mean fresh/],
    [table(`${hourly}\nmissed = "catch_up"`), 'missed', /one of/],
    [table(`${hourly}\nmax_fires = 0`), 'max_fires', /./],
    [table(`${hourly}\njitter_secs = 3601`), 'jitter_secs', /./],
    [table(hourly) + table(hourly, 'agent = "Ann"\nid = "a"\ntask = "Go."\n'), 'id', /another schedule/],
  ];
  for (const [toml, key, problem] of wrong) {
    const reading = read(toml);
    assert.equal(reading.ok, false, toml);
    if (reading.ok) continue;
    assert.equal(reading.at.at(-1), key, toml);
    assert.match(reading.problem, problem);
  }
  const many = read(table(hourly).repeat(257));
  assert.equal(many.ok, false);
  const one = read('schedules = "daily"');
  assert.deepEqual(one.ok ? '' : one.problem, 'must be written as [[schedules]], once for each');
});

test('the file is written down once: what was changed stays changed, what was taken away stays away', async (t) => {
  const schedules = ['kept', 'changed', 'gone'].map((id) => ({
    ...{ agent: 'ANN', id, task: 'Go.', cron: '0 9 * * *', zone: 'UTC' },
  }));
  const first = await hostRoom(t, { scripts: {}, schedules });
  const { id } = await first.host.agents.resolve('ann');
  const rows = (await first.host.agents.open(id)).latest('schedules');
  assert.equal((await rows.all()).length, 3);
  const row = (await rows.get('changed'))?.value as object;
  await rows.put('changed', { ...row, task: 'Stay.' });
  await rows.put('gone', null);
  const before = await rows.all();
  await first.close();
  const next = await hostRoom(t, { scripts: {}, schedules, floor: first.floor, boot: 'boot_2' });
  assert.deepEqual(await (await next.host.agents.open(id)).latest('schedules').all(), before);
  assert.deepEqual(
    (await next.host.schedules()).map(({ line }) => [line.id, line.schedule?.task]),
    [
      ['changed', 'Stay.'],
      ['kept', 'Go.'],
    ],
  );
});

test('a schedule for an agent that is not here is told, and the others are written', async (t) => {
  const schedule = { id: 'a', task: 'Go.', every_secs: 3600 };
  const { host, reports } = await hostRoom(t, {
    scripts: {},
    schedules: [
      { ...schedule, agent: 'ghost' },
      { ...schedule, agent: 'ann' },
    ],
  });
  assert.equal((await host.schedules()).length, 1);
  assert.deepEqual(
    reports.filter(({ code }) => code === 'agent_unknown').map(({ message }) => message),
    ['A schedule of fairlead.toml is for ghost, who is not here.'],
  );
});
