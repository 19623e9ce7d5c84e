import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { defineCap, defineExtension, type Extension, type Json } from '@fairlead/extension';
import { hygiene } from '@fairlead/testing';
import { deactivate } from '../../src/activation/switch.ts';
import { FakeExtension, held } from '../fake-extension.ts';
import { type TestHub, testHub } from '../test-hub.ts';

async function opened(t: TestContext, extensions: readonly Extension[]) {
  hygiene(t);
  const world = await testHub(t, { extensions });
  const session = await world.newSession();
  await world.hub.openSession(session);
  return { ...world, session };
}

const GLOBAL = { kind: 'global' } as const;

const fire = ({ hub }: Pick<TestHub, 'hub'>, extension: string, routine: string, payload: Json = null) =>
  hub.dispatchRoutine({ extension, routine, scope: GLOBAL, payload });

const keeper = (seen: unknown[]) =>
  defineExtension({
    name: 'keeper',
    version: '1.0.0',
    routines: {
      note: {
        about: 'Notes.',
        cron: '0 * * * *',
        run: async (payload, { session, agent }) => void seen.push([payload, session?.id, agent?.name]),
      },
    },
    agent: {
      open: (scope) => scope.key,
      routines: {
        daily: {
          about: 'Of an agent.',
          everyMs: 86_400_000,
          run: (payload, { state, agent }) => void seen.push([payload, state, agent?.name]),
        },
      },
    },
    session: {
      open: (scope) => scope.key,
      routines: {
        tidy: {
          about: 'Of a session.',
          run: (payload, { state, session }) => void seen.push([payload, state, session?.id]),
        },
      },
    },
  });

test('a handler gets its payload, at the scope that the routine targets, which is instantiated first', async (t) => {
  const seen: unknown[] = [];
  const world = await opened(t, [keeper(seen)]);
  const { hub, session, newAgent } = world;
  const ann = await newAgent('ann');
  const payload = { list: [1, { deep: true }] };
  const done = { certainty: 'completed', value: null };
  assert.deepEqual(await fire(world, 'keeper', 'note', payload), done);
  const daily = (agent: string | typeof ann) =>
    hub.dispatchRoutine({
      extension: 'keeper',
      routine: 'daily',
      scope: { kind: 'agent', agent },
      payload: 1,
    });
  assert.deepEqual(await daily('ann'), done);
  assert.deepEqual(await daily(ann), done);
  assert.deepEqual(
    await hub.dispatchRoutine({
      extension: 'keeper',
      routine: 'tidy',
      scope: { kind: 'session', session },
      payload: 'x',
    }),
    done,
  );
  assert.deepEqual(seen, [
    [payload, undefined, undefined],
    [1, ann.id, 'ann'],
    [1, ann.id, 'ann'],
    ['x', session, session],
  ]);
});

test('what is not installed, has no such routine, or no such place, is never started', async (t) => {
  const world = await opened(t, [keeper([])]);
  const { hub, session } = world;
  const refusals = [
    await fire(world, 'nobody', 'note'),
    await fire(world, 'keeper', 'nothing'),
    // Declared, at another scope.
    await fire(world, 'keeper', 'tidy'),
    await hub.dispatchRoutine({
      extension: 'keeper',
      routine: 'daily',
      scope: { kind: 'agent', agent: 'nobody' },
      payload: null,
    }),
    await hub.dispatchRoutine({
      extension: 'keeper',
      routine: 'tidy',
      scope: { kind: 'session', session: 'ses_none' },
      payload: null,
    }),
    await fire(world, 'keeper', 'note', { text: 'x'.repeat(1024 * 1024) }),
  ];
  assert.deepEqual(
    refusals.map((outcome) => [outcome.certainty, 'fault' in outcome && outcome.fault.code]),
    [
      ['not_started', 'extension_unknown'],
      ['not_started', 'routine_no_handler'],
      ['not_started', 'routine_no_handler'],
      ['not_started', 'agent_not_here'],
      ['not_started', 'session_not_open'],
      ['not_started', 'frame_too_large'],
    ],
  );
  await hub.closeSession(session);
  await hub.close();
  const closed = await fire(world, 'keeper', 'note');
  assert.equal('fault' in closed && closed.fault.code, 'hub_closed');
});

test('a handler that throws, at once or later, is a fault of its own, and ends nothing else', async (t) => {
  const rough = defineExtension({
    name: 'rough',
    version: '1.0.0',
    routines: {
      now: {
        about: 'Throws.',
        run() {
          throw new Error('out of order');
        },
      },
      later: { about: 'Rejects.', run: () => Promise.reject(new Error('out of order')) },
      fine: { about: 'Is fine.', run: () => {} },
    },
  });
  const world = await opened(t, [rough]);
  for (const routine of ['now', 'later']) {
    const outcome = await fire(world, 'rough', routine);
    assert.equal('fault' in outcome && outcome.fault.code, 'routine_failed');
    assert.match('fault' in outcome ? outcome.fault.message : '', /out of order/);
  }
  assert.equal((await fire(world, 'rough', 'fine')).certainty, 'completed');
});

test('a handler that never answers is given up after 10 minutes', async (t) => {
  const begun = held();
  const hangs = defineExtension({
    name: 'hangs',
    version: '1.0.0',
    routines: {
      wait: {
        about: 'Waits.',
        run() {
          begun.settle();
          return new Promise(() => {});
        },
      },
    },
  });
  const world = await opened(t, [hangs]);
  const waiting = fire(world, 'hangs', 'wait');
  await begun.promise;
  await world.clock.advance(601_000);
  const outcome = await waiting;
  assert.deepEqual(
    [outcome.certainty, 'fault' in outcome && outcome.fault.code],
    ['outcome_unknown', 'routine_timeout'],
  );
});

test('a routine fires where its extension is off', async (t) => {
  const seen: unknown[] = [];
  const { hub, peer, clock, session } = await opened(t, [keeper(seen)]);
  await deactivate(await peer.open(session), 'keeper', clock);
  using set = await hub.liveSet({ session });
  assert.equal(set.tools.size, 0);
  const outcome = await hub.dispatchRoutine({
    extension: 'keeper',
    routine: 'tidy',
    scope: { kind: 'session', session },
    payload: 7,
  });
  assert.equal(outcome.certainty, 'completed');
  assert.deepEqual(seen, [[7, session, session]]);
});

test('a scope that cannot be instantiated is the reason that is told', async (t) => {
  const broken = defineExtension({
    name: 'broken',
    version: '1.0.0',
    session: {
      open() {
        throw new Error('no key');
      },
      routines: { tidy: { about: 'x', run: () => {} } },
    },
  });
  const { hub, session } = await opened(t, [broken]);
  const outcome = await hub.dispatchRoutine({
    extension: 'broken',
    routine: 'tidy',
    scope: { kind: 'session', session },
    payload: null,
  });
  assert.deepEqual(
    [outcome.certainty, 'fault' in outcome && outcome.fault.code],
    ['not_started', 'instantiate_failed'],
  );
  assert.match('fault' in outcome ? outcome.fault.message : '', /no key/);
});

test('a reload while a routine’s instance opens loses no slot', async (t) => {
  const begun = held();
  const gate = held();
  const fired: string[] = [];
  const slow = (version: string, open: () => Promise<void>) =>
    defineExtension({
      name: 'slow',
      version,
      agent: { open, routines: { tidy: { about: 'x', run: () => void fired.push(version) } } },
    });
  const opens = async () => {
    begun.settle();
    await gate.promise;
  };
  const { hub, source, newAgent } = await opened(t, [slow('1.0.0', opens)]);
  const agent = await newAgent('ann');
  const firing = hub.dispatchRoutine({
    extension: 'slow',
    routine: 'tidy',
    scope: { kind: 'agent', agent },
    payload: null,
  });
  await begun.promise;
  assert.equal((await hub.replace('slow', source(slow('2.0.0', async () => {})))).ok, true);
  const outcome = await firing;
  gate.settle();
  assert.deepEqual([outcome.certainty, fired], ['completed', ['2.0.0']]);
});

test('an extension that is installed and does not run says why', async (t) => {
  const world = await opened(t, []);
  const absent = new FakeExtension('absent', { requires: [{ kind: 'example.x' }] });
  await world.hub.install([absent.source()]);
  const outcome = await fire(world, 'absent', 'any');
  assert.equal('fault' in outcome && outcome.fault.code, 'capability_missing');
});

test('a routine reaches the caps of where it fires', async (t) => {
  const Clock = defineCap<{ tick(input: object): Promise<string> }>('example.clock', { tick: true });
  const heard: string[] = [];
  const ticker = defineExtension({
    name: 'ticker',
    version: '1.0.0',
    provides: { clock: { cap: Clock, impl: { tick: () => 'global tick' } } },
    session: { provides: { clock: { cap: Clock, impl: { tick: () => 'session tick' } } } },
  });
  const run = async (
    _payload: unknown,
    { caps }: { caps: { clock: { tick(i: object): Promise<string> } } },
  ) => void heard.push(await caps.clock.tick({}));
  const user = defineExtension({
    name: 'user',
    version: '1.0.0',
    uses: { clock: Clock },
    routines: { wide: { about: 'x', run } },
    session: { routines: { near: { about: 'x', run } } },
  });
  const world = await opened(t, [ticker, user]);
  await fire(world, 'user', 'wide');
  await world.hub.dispatchRoutine({
    extension: 'user',
    routine: 'near',
    scope: { kind: 'session', session: world.session },
    payload: null,
  });
  assert.deepEqual(heard, ['global tick', 'session tick']);
});
