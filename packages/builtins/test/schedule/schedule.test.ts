import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExtensionError } from '@fairlead/extension';
import { harness } from '@fairlead/extension/testing';
import type { PeerSchedule, SchedulesPeer } from '../../src/peer/schedules-peer.ts';
import { agentSchedule } from '../../src/schedule/agent-schedule.ts';
import { schedule } from '../../src/schedule/schedule.ts';
import { fakePeer } from '../fake-peer.ts';

const CRON = '0 9 * * 1-5';
const MOMENT = '2026-05-01T09:00:00Z';
const AT = Date.UTC(2026, 4, 1, 9);

/** It may touch the session’s own agent and `mate`, nobody else. */
async function opened(
  change: (peer: SchedulesPeer) => Partial<SchedulesPeer> = () => ({}),
  agents: readonly string[] = ['agent-1', 'mate'],
) {
  const peer = fakePeer({ workspace: '/' });
  const schedules = { ...peer.schedules, ...change(peer.schedules) };
  const h = await harness(schedule, {
    peer: { ...peer, schedules },
    agents: Object.fromEntries(agents.map((name) => [name, {}])),
  });
  const wish = () => peer.asked.findLast(([what]) => /^schedules\.(add|modify)$/.test(String(what)));
  return { h, asked: peer.asked, wish };
}

function refusing(code: string, message: string): () => Promise<never> {
  return async () => {
    throw new ExtensionError(code, message);
  };
}

/** As the host lists it. */
const PLANNED: PeerSchedule = {
  id: 'morning',
  schedule: {
    trigger: { kind: 'cron', cron: CRON, zone: 'Europe/Berlin' },
    task: 'Look at the\n calendar.',
    target: { kind: 'fresh' },
    enabled: true,
    maxFires: 5,
    expiresAt: AT,
  },
  next: Date.UTC(2026, 0, 2, 8),
  fires: 2,
  failures: 1,
  lastCode: 'model_failed',
};

test('it declares five tools, one command and what it asks for, and nothing that fires', () => {
  const { manifest } = schedule;
  assert.deepEqual(
    manifest.tools.map(({ name }) => name),
    ['schedule_add', 'schedule_modify', 'schedule_remove', 'schedule_list', 'schedule_once'],
  );
  assert.deepEqual(
    manifest.commands.map(({ name }) => name),
    ['schedule'],
  );
  assert.deepEqual(
    [...manifest.requests, ...manifest.requires].map(({ kind }) => kind),
    ['agent_state_admin', 'tool_registration', 'command_registration'],
  );
  assert.deepEqual(manifest.routines, []);
});

test('agent_schedule has the handler, at global scope, and no tools', async () => {
  const { manifest } = agentSchedule;
  assert.deepEqual(
    manifest.routines.map(({ id, scope }) => [id, scope]),
    [['fire', 'global']],
  );
  assert.deepEqual([manifest.tools, manifest.commands], [[], []]);
  const peer = fakePeer({ workspace: '/' });
  await using h = await harness(agentSchedule, { peer });
  await h.routine('fire', { agent: 'agt_1', schedule: 'morning', due: 7 });
  assert.deepEqual(peer.asked.at(-1), ['schedules.fire', { agent: 'agt_1', schedule: 'morning', due: 7 }]);
});

test('schedule_add plans in this session unless it says fresh, and schedule_list shows it', async () => {
  const { h, wish } = await opened();
  await using _ = h;
  const { text } = await h.tools.schedule_add({ id: 'morning', cron: CRON, zone: 'Asia/Tokyo', task: 'Go.' });
  assert.match(text, /^Planned\. morning: cron 0 9 \* \* 1-5 \(Asia\/Tokyo\); in its session; .* — Go\.$/);
  assert.deepEqual(wish()?.slice(2), [
    'morning',
    {
      trigger: { kind: 'cron', cron: CRON, zone: 'Asia/Tokyo' },
      task: 'Go.',
      target: { kind: 'pinned', session: 'session-1' },
    },
  ]);
  assert.match((await h.tools.schedule_list()).text, /^morning: cron /);
});

test('schedule_add takes an interval, a moment, a session of its own, and both bounds', async () => {
  const { h, wish } = await opened();
  await using _ = h;
  const rest = {
    task: 'Go.',
    target: 'fresh',
    max_fires: 3,
    expires_at: '2026-05-01T11:00:00+02:00',
  } as const;
  await h.tools.schedule_add({ id: 'a', every_secs: 3600, ...rest });
  assert.deepEqual(wish()?.at(-1), {
    ...{ trigger: { kind: 'every', secs: 3600 }, task: 'Go.', target: { kind: 'fresh' } },
    ...{ max_fires: 3, expires_at: AT },
  });
  await h.tools.schedule_add({ id: 'b', at: MOMENT, task: 'Go.' });
  assert.deepEqual(wish()?.at(-1), {
    ...{ trigger: { kind: 'at', at: AT }, task: 'Go.' },
    target: { kind: 'pinned', session: 'session-1' },
  });
});

test('a target that is neither pinned nor fresh is refused (elsewhere any word was pinned)', async () => {
  const { h, asked } = await opened();
  await using _ = h;
  const { isError, text } = await h.callTool('schedule_add', {
    ...{ id: 'a', cron: CRON, task: 'Go.', target: 'frsh' },
  });
  assert.equal(isError, true);
  assert.match(text, /^tool_arguments_invalid/);
  assert.deepEqual(asked, []);
});

test('an id that is taken is refused, and what was planned stays', async () => {
  const { h } = await opened();
  await using _ = h;
  await h.tools.schedule_add({ id: 'a', cron: CRON, task: 'First.' });
  const { isError, text } = await h.tools.schedule_add({ id: 'a', cron: CRON, task: 'Second.' });
  assert.deepEqual([isError, text], [true, 'schedule_exists: The agent has a schedule of this id already.']);
  assert.match((await h.tools.schedule_list()).text, /First\./);
});

test('a bad pattern is refused with the words of the host', async () => {
  const problem =
    'The schedule is not one that can be kept. (a cron pattern has 5, 6 or 7 fields, this one has 2)';
  const { h } = await opened(() => ({ add: refusing('schedule_invalid', problem) }));
  await using _ = h;
  const { isError, text } = await h.tools.schedule_add({ id: 'a', cron: 'every day', task: 'Go.' });
  assert.deepEqual([isError, text], [true, `schedule_invalid: ${problem}`]);
});

test('two ways to say when, and a moment without its offset, are refused before the host is asked', async () => {
  const { h, asked } = await opened();
  await using _ = h;
  for (const given of [
    { cron: CRON, every_secs: 60 },
    { every_secs: 60, at: MOMENT },
    { at: '2026-05-01T09:00:00' },
    { at: 'tomorrow' },
    { at: '2026-13-01T09:00:00Z' },
    { cron: CRON, expires_at: 'soon' },
  ]) {
    const { isError, text } = await h.tools.schedule_add({ id: 'a', task: 'Go.', ...given });
    assert.equal(isError, true, JSON.stringify(given));
    assert.match(text, /^schedule_time_invalid: /);
  }
  assert.deepEqual(asked, []);
});

test('an agent that is out of reach is answered like one that there is not, by every tool that takes one', async () => {
  const { h, asked } = await opened();
  await using _ = h;
  const calls: readonly (readonly [string, object])[] = [
    ['schedule_add', { id: 'a', cron: CRON, task: 'Go.' }],
    ['schedule_modify', { id: 'a', enabled: false }],
    ['schedule_remove', { id: 'a' }],
    ['schedule_list', {}],
  ];
  for (const [tool, args] of calls) {
    const { isError, text } = await h.callTool(tool, { ...args, agent: 'nobody' });
    assert.equal(isError, true);
    assert.equal(text, 'schedule_agent_unknown: No agent is here that this could plan for. (nobody)');
  }
  assert.deepEqual(asked, []);
});

test('an operator who lets it touch nobody keeps it from the agent itself, too', async () => {
  const { h, asked } = await opened(undefined, []);
  await using _ = h;
  for (const { isError, text } of [
    await h.tools.schedule_add({ id: 'a', cron: CRON, task: 'Go.' }),
    await h.tools.schedule_once({ after_seconds: 60, task: 'Go.' }),
    await h.tools.schedule_list(),
  ])
    assert.deepEqual(
      [isError, text],
      [true, 'schedule_agent_unknown: No agent is here that this could plan for.'],
    );
  assert.deepEqual(asked, []);
});

test('another agent’s schedules are changed where the operator lets it', async () => {
  const { h, asked } = await opened();
  await using _ = h;
  await h.tools.schedule_add({ id: 'a', cron: CRON, task: 'Go.', agent: 'mate' });
  await h.tools.schedule_modify({ id: 'a', task: 'Stay.', agent: 'mate' });
  await h.tools.schedule_remove({ id: 'a', agent: 'mate' });
  assert.deepEqual(
    asked.map(([what, agent]) => [what, agent]),
    [
      ['schedules.add', 'mate'],
      ['schedules.modify', 'mate'],
      ['schedules.remove', 'mate'],
    ],
  );
});

test('schedule_modify changes only what it names', async () => {
  const { h, wish } = await opened();
  await using _ = h;
  await h.tools.schedule_add({ id: 'a', cron: CRON, task: 'Go.', target: 'fresh' });
  await h.tools.schedule_modify({ id: 'a', task: 'Stay.' });
  assert.deepEqual(wish()?.slice(2), ['a', { task: 'Stay.' }]);
  assert.match((await h.tools.schedule_list()).text, /^a: cron .* own each time; .* — Stay\.$/);
});

test('schedule_modify with nothing to change is refused, as the host says it', async () => {
  const { h, wish } = await opened(() => ({
    modify: refusing('schedule_unchanged', 'The change names nothing to change.'),
  }));
  await using _ = h;
  const { isError, text } = await h.tools.schedule_modify({ id: 'a' });
  assert.deepEqual([isError, text], [true, 'schedule_unchanged: The change names nothing to change.']);
  assert.equal(wish(), undefined);
});

test('schedule_modify pins to the calling session, and switches off and on', async () => {
  const { h, wish } = await opened();
  await using _ = h;
  await h.tools.schedule_add({ id: 'a', cron: CRON, task: 'Go.', target: 'fresh' });
  await h.tools.schedule_modify({ id: 'a', target: 'pinned' });
  assert.deepEqual(wish()?.at(-1), { target: { kind: 'pinned', session: 'session-1' } });
  assert.match((await h.tools.schedule_modify({ id: 'a', enabled: false })).text, /; off; /);
  assert.match((await h.tools.schedule_modify({ id: 'a', enabled: true })).text, /; next /);
});

test('schedule_modify takes a bound away with 0 and none (elsewhere it could only be replaced)', async () => {
  const { h, wish } = await opened();
  await using _ = h;
  await h.tools.schedule_add({ id: 'a', cron: CRON, task: 'Go.', max_fires: 2, expires_at: MOMENT });
  await h.tools.schedule_modify({ id: 'a', max_fires: 0, expires_at: 'none' });
  assert.deepEqual(wish()?.at(-1), { max_fires: null, expires_at: null });
});

test('an id that there is not is schedule_unknown, to change and to take away', async () => {
  const { h } = await opened();
  await using _ = h;
  for (const answer of [
    await h.tools.schedule_modify({ id: 'zz', enabled: true }),
    await h.tools.schedule_remove({ id: 'zz' }),
  ])
    assert.equal(answer.text, 'schedule_unknown: The agent has no schedule of this id.');
});

test('schedule_remove takes it away', async () => {
  const { h } = await opened();
  await using _ = h;
  await h.tools.schedule_add({ id: 'a', cron: CRON, task: 'Go.' });
  assert.equal((await h.tools.schedule_remove({ id: 'a' })).text, 'Taken away: a');
  assert.match((await h.tools.schedule_list()).text, / has nothing planned\.$/);
});

test('schedule_list says the fires, the bounds, the failures, and what is off or cannot be read', async () => {
  const lines: readonly PeerSchedule[] = [
    PLANNED,
    { id: 'odd', problem: 'a schedule is an object', next: null, fires: 0, failures: 0, lastCode: null },
    {
      id: 'tick',
      schedule: {
        ...{ trigger: { kind: 'every', secs: 60 }, task: 'é'.repeat(90), enabled: false },
        target: { kind: 'pinned', session: 's' },
      },
      ...{ next: null, fires: 7, failures: 0, lastCode: null },
    },
    {
      id: 'once',
      schedule: {
        ...{ trigger: { kind: 'at', at: AT }, task: 'Go.', enabled: true },
        target: { kind: 'pinned', session: 's' },
      },
      ...{ next: null, fires: 0, failures: 1, lastCode: null },
    },
  ];
  const { h } = await opened(() => ({ list: async () => lines }));
  await using _ = h;
  assert.deepEqual((await h.tools.schedule_list()).text.split('\n'), [
    `morning: cron ${CRON} (Europe/Berlin); in a session of its own each time; next 2026-01-02T08:00:00Z; fired 2 of 5; until ${MOMENT}; failed 1 in a row (model_failed) — Look at the calendar.`,
    'odd: cannot be read (a schedule is an object)',
    `tick: every 60 s; in its session; off; fired 7 — ${'é'.repeat(80)}…`,
    `once: at ${MOMENT}; in its session; nothing due; fired 0; failed 1 in a row — Go.`,
  ]);
});

test('schedule_once wakes the agent itself in this session, once', async () => {
  const { h, wish } = await opened();
  await using _ = h;
  const at = Date.UTC(2026, 0, 1, 0, 0, 30);
  const { text } = await h.tools.schedule_once({ after_seconds: 30, task: 'Look again.' });
  assert.equal(text, `You will be woken at 2026-01-01T00:00:30Z (wakeup-${at}).`);
  assert.deepEqual(wish()?.slice(2), [
    `wakeup-${at}`,
    {
      trigger: { kind: 'at', at },
      task: 'Look again.',
      target: { kind: 'pinned', session: 'session-1' },
    },
  ]);
});

test('schedule_once is refused below half a minute and beyond thirty days', async () => {
  const { h, asked } = await opened();
  await using _ = h;
  for (const seconds of [29, 0, -1, 2_592_001, 30.5]) {
    const { isError, text } = await h.callTool('schedule_once', { after_seconds: seconds, task: 'Go.' });
    assert.equal(isError, true);
    assert.match(text, /^tool_arguments_invalid/);
  }
  assert.deepEqual(asked, []);
  assert.equal((await h.tools.schedule_once({ after_seconds: 2_592_000, task: 'Go.' })).isError, false);
});

test('schedule_once with an empty task is refused by the host, and nothing waits', async () => {
  const { h } = await opened(() => ({ add: refusing('schedule_invalid', 'The task is empty.') }));
  await using _ = h;
  const { isError, text } = await h.tools.schedule_once({ after_seconds: 60, task: ' ' });
  assert.deepEqual([isError, text], [true, 'schedule_invalid: The task is empty.']);
});

test('/schedule plans, lists, switches, shows the history and takes away', async () => {
  const slots = [
    { due: AT, state: 'fired', outcome: 'failed', code: 'model_failed', session: 'ses_1' },
    { due: AT - 1000, state: 'missed', outcome: null, code: null, session: null },
  ];
  const { h, wish } = await opened((peer) => ({
    history: async (agent, id) => (id === 'a' ? slots : peer.history(agent, id)),
  }));
  await using _ = h;
  const planned = await h.command('/schedule add zone:Europe/Rome a "0 9 * * *" Look around');
  assert.match(
    planned,
    /^Planned\. a: cron 0 9 \* \* \* \(Europe\/Rome\); in its session; .* — Look around$/,
  );
  assert.deepEqual(wish()?.slice(2), [
    'a',
    {
      trigger: { kind: 'cron', cron: '0 9 * * *', zone: 'Europe/Rome' },
      task: 'Look around',
      target: { kind: 'pinned', session: 'session-1' },
    },
  ]);
  assert.match(
    await h.command('/schedule add b "every 3600" --fresh Go'),
    /b: every 3600 s; in a session of/,
  );
  assert.match(await h.command(`/schedule add c "at ${MOMENT}" Go`), new RegExp(`c: at ${MOMENT}; `));
  assert.match(await h.command('/schedule off a'), /^Changed\. a: .*; off; /);
  assert.match(await h.command('/schedule on a'), /^Changed\. a: .*; next /);
  assert.equal(
    await h.command('/schedule history a'),
    `${MOMENT} fired failed model_failed in ses_1\n2026-05-01T08:59:59Z missed`,
  );
  assert.equal(await h.command('/schedule history b'), 'b was never due.');
  assert.equal(await h.command('/schedule remove a'), 'Taken away: a');
  assert.deepEqual(
    (await h.command('/schedule')).split('\n').map((line) => line.slice(0, 2)),
    ['b:', 'c:'],
  );
});

test('/schedule list is about the session’s own agent, or the one that it names', async () => {
  const { h } = await opened();
  await using _ = h;
  await h.command('/schedule add agent:mate a "0 9 * * *" Go');
  assert.match(await h.command('/schedule'), / has nothing planned\.$/);
  assert.match(await h.command('/schedule list agent:mate'), /^a: cron /);
  await assert.rejects(h.command('/schedule list agent:nobody'), {
    message: /No agent is here that this could plan for\. \(nobody\)/,
  });
});

test('/schedule add of an id that is taken is refused (elsewhere it was overwritten without a word)', async () => {
  const { h } = await opened();
  await using _ = h;
  await h.command('/schedule add a "0 9 * * *" First');
  await assert.rejects(h.command('/schedule add a "0 9 * * *" Second'), {
    message: /has a schedule of this id already/,
  });
  assert.match(await h.command('/schedule'), /First$/);
});

test('/schedule says what a line lacks, and shows its usage for a word that it does not know', async () => {
  const { h, asked } = await opened();
  await using _ = h;
  const lacking: Readonly<Record<string, string>> = {
    '/schedule add': 'the id is missing',
    '/schedule remove': 'the id is missing',
    '/schedule history': 'the id is missing',
    '/schedule add a': 'the time is missing',
    '/schedule add a "0 9 * * *"': 'the task is missing',
    '/schedule remove a b': 'there is a word too many',
    '/schedule list a': 'there is a word too many',
  };
  for (const [line, what] of Object.entries(lacking))
    await assert.rejects(h.command(line), { message: new RegExp(`needs\\. \\(${what}\\)`) }, line);
  assert.match(await h.command('/schedule fly'), /\nusage: \/schedule /);
  assert.deepEqual(asked, []);
});
