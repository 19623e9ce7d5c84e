import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineExtension, type Extension } from '@fairlead/extension';
import { builtinSource } from '@fairlead/hub';
import { waitFor } from '@fairlead/testing';
import { RunningHost } from '../../src/host/running-host.ts';
import { newestSlots } from '../../src/routines/slot-rows.ts';
import { sayTurn } from '../host/gate-tool.ts';
import { type HostRoom, type HostRoomOptions, hostRoom } from '../host/host-room.ts';
import type { HostFloor } from '../host-floor.ts';

const HOUR = 3_600_000;

/** Notes whom each of its routines is called for. */
function keeper(seen: string[], cron = '0 * * * *'): Extension {
  return defineExtension({
    name: 'keeper',
    version: '1.0.0',
    routines: {
      note: { about: 'Notes.', cron, run: () => void seen.push('global') },
      never: { about: 'Fires only where a row says so.', run: () => void seen.push('never') },
    },
    agent: {
      routines: {
        daily: {
          about: 'Daily.',
          cron,
          run: (_payload, { agent }) => void seen.push(`agent ${agent?.name}`),
        },
      },
    },
    session: {
      routines: {
        tidy: {
          about: 'Tidies.',
          everyMs: 1_800_000,
          run: (_payload, { session }) => void seen.push(`session ${session?.id}`),
        },
      },
    },
  });
}

async function room(
  t: { after(hook: () => unknown): void },
  extensions: readonly Extension[],
  options: Partial<HostRoomOptions> = {},
): Promise<HostRoom & { readonly running: RunningHost; pass(ms: number): Promise<void> }> {
  const opened = await hostRoom(t, { scripts: {}, ...options, extensions: () => extensions });
  const { host, floor } = opened;
  assert.ok(host instanceof RunningHost);
  return {
    ...opened,
    running: host,
    async pass(ms) {
      for (let left = ms; left > 0; left -= 60_000) {
        await floor.clock.advance(Math.min(left, 60_000));
        await host.idle();
      }
    },
  };
}

/** Until the engine has heard of what was written. */
async function known(running: RunningHost, count: number): Promise<void> {
  const { engine } = running.routines;
  await waitFor(() => engine.list().length === count, { what: `${count} routines` });
}

async function slotsOf({ store }: HostFloor): Promise<readonly string[]> {
  const slots = await newestSlots(store, undefined, 100);
  return [...slots]
    .reverse()
    .map(({ due, routine, state, outcome, code }) =>
      [new Date(due).toISOString().slice(11, 16), routine, state, outcome, code].filter(Boolean).join(' '),
    );
}

test('what an extension declares fires at global scope, for each agent, and in each session that was opened', async (t) => {
  const seen: string[] = [];
  const { host, running, floor, pass, session } = await room(t, [keeper(seen)], {
    agents: [{ name: 'ann' }, { name: 'bob' }],
  });
  const opened = await session('ann');
  await known(running, 4);
  await pass(HOUR);
  assert.deepEqual(seen.toSorted(), [
    'agent ann',
    'agent bob',
    'global',
    `session ${opened}`,
    `session ${opened}`,
  ]);
  assert.deepEqual((await slotsOf(floor)).toSorted(), [
    '00:30 keeper/tidy fired completed',
    '01:00 keeper/daily fired completed',
    '01:00 keeper/daily fired completed',
    '01:00 keeper/note fired completed',
    '01:00 keeper/tidy fired completed',
  ]);
  await host.closeSession(opened);
  seen.length = 0;
  await pass(HOUR);
  assert.deepEqual(seen.toSorted(), ['agent ann', 'agent bob', 'global']);
});

test('after a restart a session’s routine fires too: the firing opens the session', async (t) => {
  const seen: string[] = [];
  const first = await room(t, [keeper(seen)]);
  const opened = await first.session('ann');
  await known(first.running, 3);
  await first.close();
  const next = await room(t, [keeper(seen)], { floor: first.floor, boot: 'boot_2' });
  await next.pass(HOUR / 2);
  assert.deepEqual(seen, [`session ${opened}`]);
});

test('a routine that was switched off stays off at the next start, and where the extension declares another time', async (t) => {
  const seen: string[] = [];
  const first = await room(t, [keeper(seen)]);
  const { id } = await first.host.agents.resolve('ann');
  const rows = async (of: HostRoom) => (await of.host.agents.open(id)).latest('routines');
  const row = (await (await rows(first)).get('keeper/daily'))?.value as object;
  await (await rows(first)).put('keeper/daily', { ...row, enabled: false });
  await first.close();
  const second = await room(t, [keeper(seen)], { floor: first.floor, boot: 'boot_2' });
  await second.pass(HOUR);
  assert.deepEqual(seen, ['global']);
  await second.close();
  seen.length = 0;
  const third = await room(t, [keeper(seen, '30 * * * *')], { floor: first.floor, boot: 'boot_3' });
  assert.deepEqual((await (await rows(third)).get('keeper/daily'))?.value, {
    ...row,
    enabled: false,
    trigger: { kind: 'cron', cron: '30 * * * *' },
  });
  await third.pass(HOUR);
  assert.deepEqual(seen, ['global']);
});

test('an extension that is installed while the host runs fires from then on, in sessions that are open already, too', async (t) => {
  const seen: string[] = [];
  const { hub, floor, running, pass, session } = await room(t, []);
  const opened = await session('ann');
  await hub.install([builtinSource(keeper(seen), { version: '1.0.0', clock: floor.clock })]);
  await known(running, 3);
  await pass(HOUR);
  assert.deepEqual([...new Set(seen)].toSorted(), ['agent ann', 'global', `session ${opened}`]);
});

test('a handler that throws is a failure of its slot, and three switch the routine off for good (elsewhere a restart switched it on again)', async (t) => {
  let calls = 0;
  const broken = () =>
    defineExtension({
      name: 'broken',
      version: '1.0.0',
      routines: {
        fail: {
          about: 'Fails.',
          cron: '0 * * * *',
          run() {
            calls += 1;
            throw new Error('no');
          },
        },
      },
    });
  const first = await room(t, [broken()]);
  await known(first.running, 1);
  await first.pass(5 * HOUR);
  assert.equal(calls, 3);
  await first.close();
  const next = await room(t, [broken()], { floor: first.floor, boot: 'boot_2' });
  await next.pass(3 * HOUR);
  assert.equal(calls, 3);
  const [line] = next.running.routines.engine.list();
  assert.deepEqual([line?.failures, line?.next], [3, null]);
});

test('a firing whose extension is gone is missed and says so, and is not lost without a trace', async (t) => {
  const seen: string[] = [];
  const first = await room(t, [keeper(seen)]);
  await known(first.running, 2);
  await first.close();
  const next = await room(t, [], { floor: first.floor, boot: 'boot_2' });
  await next.pass(HOUR + 5 * 60_000);
  assert.deepEqual((await slotsOf(first.floor)).toSorted(), [
    '01:00 keeper/daily missed extension_unknown',
    '01:00 keeper/note missed extension_unknown',
  ]);
  const told = next.reports.flatMap(({ code, message }) => (code === 'routine_unfired' ? [message] : []));
  assert.deepEqual(told.toSorted(), [
    'The routine keeper/daily did not run: extension_unknown',
    'The routine keeper/note did not run: extension_unknown',
  ]);
});

test('a routine whose extension was away for an hour fires when it is loaded again', async (t) => {
  const seen: string[] = [];
  const often = keeper(seen, '*/5 * * * *');
  const first = await room(t, [often]);
  await known(first.running, 2);
  await first.close();
  const next = await room(t, [], { floor: first.floor, boot: 'boot_2' });
  await next.pass(HOUR);
  assert.deepEqual(seen, []);
  await next.hub.install([builtinSource(often, { version: '1.0.0', clock: first.floor.clock })]);
  await next.pass(HOUR / 4);
  assert.deepEqual([...new Set(seen)].toSorted(), ['agent ann', 'global']);
});

test('a routine that its extension does not have any more fails, and three switch it off', async (t) => {
  const seen: string[] = [];
  const first = await room(t, [keeper(seen)]);
  await known(first.running, 2);
  await first.close();
  const bare = defineExtension({ name: 'keeper', version: '2.0.0' });
  const next = await room(t, [bare], { floor: first.floor, boot: 'boot_2' });
  await next.pass(4 * HOUR);
  assert.deepEqual(
    (await slotsOf(first.floor)).filter((slot) => slot.includes('note')),
    [
      '01:00 keeper/note fired failed routine_no_handler',
      '02:00 keeper/note fired failed routine_no_handler',
      '03:00 keeper/note fired failed routine_no_handler',
    ],
  );
});

test('a ceiling of an agent holds back its routines and nobody else’s', async (t) => {
  const seen: string[] = [];
  const used = { input: 1000, cached: 0, written: 0, output: 0, reasoning: 0 };
  const { running, floor, pass, ask, session } = await room(t, [keeper(seen)], {
    scripts: { default: [{ steps: [{ text: 'Yes.', usage: used }] }, sayTurn('More.')] },
    agents: [{ name: 'ann' }, { name: 'bob' }],
    limits: { agent_day_tokens: 1000, zone: 'UTC' },
  });
  const opened = await session('ann');
  await ask(opened, 'Hello.');
  await known(running, 4);
  await pass(HOUR);
  assert.deepEqual(seen.toSorted(), ['agent bob', 'global', `session ${opened}`, `session ${opened}`]);
  assert.deepEqual(
    (await slotsOf(floor)).filter((slot) => slot.includes('skipped')),
    ['01:00 keeper/daily skipped ceiling_reached'],
  );
});

test('a ceiling of a session holds back what is its own', async (t) => {
  const seen: string[] = [];
  const used = { input: 1000, cached: 0, written: 0, output: 0, reasoning: 0 };
  const { running, floor, pass, ask, session } = await room(t, [keeper(seen)], {
    scripts: { default: [{ steps: [{ text: 'Yes.', usage: used }] }] },
    limits: { session_tokens: 1000 },
  });
  const opened = await session('ann');
  const other = await session('ann');
  await ask(opened, 'Hello.');
  await known(running, 4);
  await pass(HOUR / 2);
  assert.deepEqual(seen, [`session ${other}`]);
  assert.deepEqual(await slotsOf(floor).then((slots) => slots.toSorted()), [
    '00:30 keeper/tidy fired completed',
    '00:30 keeper/tidy skipped ceiling_reached',
  ]);
});
