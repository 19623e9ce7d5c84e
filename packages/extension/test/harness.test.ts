import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { hygiene } from '@fairlead/testing';
import { memory } from '../src/authoring/cap.ts';
import type { Extension } from '../src/authoring/extension.ts';
import { defineExtension } from '../src/authoring/extension.ts';
import { definerFor } from '../src/builtin/definer.ts';
import { s } from '../src/schema/builder.ts';
import { harness } from '../src/testing/harness.ts';
import published from './fixtures/weather.ts';

// The fixture is written with the built package, as an author's is, and run by these sources.
const weather = published as unknown as Extension;
const module = new URL('./fixtures/weather.ts', import.meta.url);

for (const carrier of ['thread', 'json', 'worker'] as const) {
  test(`${carrier}: an extension runs under test as it runs under a host`, async (t) => {
    hygiene(t);
    const sent: unknown[] = [];
    await using h = await harness(weather, {
      carrier,
      module,
      settings: { unit: 'F' },
      caps: {
        chat: {
          send: async (message: unknown) => {
            sent.push(message);
            return null;
          },
        },
      },
      entries: [{ id: '1', type: 'message', at: 0, from: { kind: 'person', id: 'ann' }, text: 'first' }],
    });
    assert.deepEqual(await h.callTool('forecast', { city: 'Oslo' }), {
      certainty: 'completed',
      text: 'Oslo: 3 days of 21 F',
      isError: false,
    });
    assert.deepEqual(await h.toolCall({ tool: 'forecast', args: { city: 'Atlantis' } }), {
      block: 'There is no such city.',
    });
    assert.deepEqual(await h.toolCall({ tool: 'forecast', args: { city: 'Oslo' } }), {
      args: { city: 'Oslo', days: 3 },
    });
    assert.deepEqual(await h.toolCall({ tool: 'other', args: { city: 'Atlantis' }, owner: 'x' }), {
      args: { city: 'Atlantis' },
    });
    assert.equal(await h.command('/tell kitchen'), 'Sent to kitchen.');
    assert.deepEqual(sent, [{ target: 'kitchen', body: { text: 'It is fine in Oslo.' } }]);
    assert.equal(await h.command('tell'), 'room must be present\nusage: /tell <room> [city="Oslo"…]');
    assert.equal(await h.tail(['hi']), 'Cities known: Bergen');
    assert.equal(await h.prompt(['a', 'b']), 'Tools: a,b.');
    assert.deepEqual(await h.status(), { cities: '1' });
    assert.deepEqual(await h.beforeAgentStart(), [{ role: 'system', text: 'Be brief.' }]);
    assert.equal(await h.toolResult({ tool: 'x', text: 'loud' }), 'LOUD');
    await h.agentEnd('failed');
    await h.sessionStart();
    await h.sessionShutdown();
    assert.deepEqual(h.logs, ['info: ended failed', 'info: starts', 'debug: ends {"n":1}']);
    assert.deepEqual(await h.cap('example.weather', 'now', { city: 'Bergen' }), { celsius: 12 });
    await assert.rejects(h.cap('example.weather', 'now', { city: 'Oslo' }), { code: 'cap_failed' });
    await assert.rejects(h.cap('example.sun', 'now', {}), { code: 'cap_unavailable' });
    await h.routine('refresh');
    assert.equal(await h.tail(), 'Cities known: ');
    await assert.rejects(h.routine('fails'), { code: 'routine_failed' });
    await assert.rejects(h.routine('nope'), { code: 'routine_no_handler' });
    await assert.rejects(h.command('/nope'), { code: 'unknown_command' });
    await assert.rejects(h.command('/breaks'), { code: 'command_failed' });
    const prefer = await h.callTool('prefer', { unit: 'C' });
    assert.deepEqual(prefer.data, ['first', 'fairlead prefers C']);
    assert.deepEqual([h.settings, h.progress], [{ unit: 'C' }, ['saving']]);
    assert.deepEqual(
      h.entries.map(({ from, text }) => [from.kind, from.id, text]),
      [
        ['person', 'ann', 'first'],
        ['extension', 'weather', 'fairlead prefers C'],
      ],
    );
    assert.match((await h.callTool('forecast', { city: 'Oslo' })).text, / C$/);
    assert.equal((await h.callTool('deliver')).text, '1');
    assert.deepEqual(
      h.entriesOf('room-7').map(({ from }) => from),
      [{ kind: 'client', id: 'ext:weather/ann', name: 'Ann' }],
    );
    assert.deepEqual(h.entriesOf('nowhere'), []);
    assert.deepEqual(await h.callTool('forecast', { days: 0 } as never), {
      certainty: 'not_started',
      text: 'tool_arguments_invalid: The arguments do not fit the schema of the tool; nothing was started. (/city must be present)',
      isError: true,
    });
    assert.equal((await h.callTool('nope')).certainty, 'not_started');
    assert.deepEqual(await h.check(), []);
    assert.deepEqual(await h.close(), { leftOpen: [] });
    assert.deepEqual(await h.close(), { leftOpen: [] });
  });
}

test('tools are called by their names, typed from the literal', async () => {
  const dice = defineExtension({
    name: 'dice',
    version: '1.0.0',
    tools: {
      roll: { about: 'Roll.', args: { sides: s.integer({ default: 6 }) }, run: ({ sides }) => `of ${sides}` },
      toss: { about: 'Toss.', run: () => ({ side: 'heads' }) },
    },
    session: { tools: { keep: { about: 'Keep.', args: { n: s.integer() }, run: ({ n }) => n } } },
  });
  await using h = await harness(dice);
  assert.equal((await h.tools.roll()).text, 'of 6');
  assert.equal((await h.tools.roll({ sides: 20 })).text, 'of 20');
  assert.deepEqual((await h.tools.toss({})).data, { side: 'heads' });
  assert.equal((await h.tools.keep({ n: 3 })).data, 3);
});

test('only one scope is opened where one is asked for', async () => {
  const extension = defineExtension({
    name: 'both',
    version: '1.0.0',
    tools: { where: { about: 'x', run: () => 'global' } },
    session: { tools: { where: { about: 'x', run: () => 'session' } } },
  });
  await using both = await harness(extension);
  assert.equal((await both.tools.where()).text, 'session');
  await using one = await harness(extension, { scope: 'global' });
  assert.equal((await one.tools.where()).text, 'global');
  await assert.rejects(harness(extension, { scope: 'agent' }), { code: 'instantiate_failed' });
});

test('the clock is the test’s: timers of the scope and budgets pass when it says so', async () => {
  for (const carrier of ['thread', 'json'] as const) {
    await using h = await harness(weather, { carrier, nowMs: 1000 });
    assert.equal(await h.tail(), 'Cities known: Bergen');
    await h.advance(60_000);
    assert.equal(await h.tail(), 'Cities known: ');
    const hanging = h.callTool('hangs');
    await h.advance(3000);
    assert.deepEqual(
      [(await hanging).certainty, (await hanging).text.split(':')[0]],
      ['outcome_unknown', 'tool_timeout'],
    );
    const command = assert.rejects(h.command('hangs'), { code: 'command_timeout' });
    await h.advance(61_000);
    await command;
  }
});

test('a call is cancelled by its signal', async () => {
  await using h = await harness(weather);
  const cancel = new AbortController();
  const hanging = h.callTool('hangs', {}, { signal: cancel.signal });
  cancel.abort();
  await h.advance(1000);
  assert.equal((await hanging).text.split(':')[0], 'call_cancelled');
});

test('agents that the test lists can be touched, others are unknown', async () => {
  const ann = { docs: { config: { lang: 'no' } }, tables: { schedules: { old: 1 } } };
  await using h = await harness(weather, { agents: { ann } });
  assert.deepEqual((await h.callTool('agent')).data, {
    bob: null,
    config: { lang: 'no', units: { rain: 'mm' } },
    schedules: [{ key: 'daily', value: { cron: '0 8 * * *' } }],
  });
});

test('a cap that the test plays is plain data, and what it throws is told', async () => {
  const remembers = defineExtension({
    name: 'remembers',
    version: '1.0.0',
    uses: { store: memory },
    tools: {
      find: {
        about: 'x',
        run: async (_args, { caps }) => {
          try {
            return String(await caps.store.search({ query: 'q', scope: { scope: 'agent' } }));
          } catch (error) {
            return (error as { code: string }).code;
          }
        },
      },
    },
  });
  const find = async (search: (input: never) => Promise<unknown>): Promise<string> => {
    await using h = await harness(remembers, { caps: { store: { search: search as never } } });
    return (await h.tools.find()).text;
  };
  assert.equal(await find(async () => []), '');
  assert.equal(await find(async () => new Date(0)), 'cap_failed');
  assert.equal(
    await find(() => {
      throw new Error('no');
    }),
    'cap_failed',
  );
  assert.equal(
    await find(async () => Promise.reject(Object.assign(new Error('x'), { code: 'bank_revoked' }))),
    'bank_revoked',
  );
  await using none = await harness(remembers);
  assert.equal((await none.tools.find()).text, 'cap_unavailable');
});

test('an invalid extension, setting or opening is refused with its code', async () => {
  await assert.rejects(harness(defineExtension({ name: 'Bad Name', version: '1' })), {
    code: 'manifest_invalid',
    message: /name: \/name must be a small letter/,
  });
  await assert.rejects(harness({ manifest: {} } as never), { code: 'extension_not_defined' });
  const opens = (open: () => unknown) => defineExtension({ name: 'opens', version: '1', open });
  await assert.rejects(harness(opens(() => Promise.reject(new Error('no disk')))), {
    code: 'instantiate_failed',
    message: /no disk/,
  });
  await assert.rejects(harness(weather, { settings: { unit: new Date(0) } as never }), {
    code: 'settings_invalid',
  });
  await assert.rejects(harness(weather, { carrier: 'worker' }), {
    code: 'extension_load_failed',
    message: /needs the option `module`/,
  });
});

test('what is wrong with what it contributes is listed', async () => {
  const extension = defineExtension({
    name: 'sloppy',
    version: '1.0.0',
    settings: { token: s.string(), n: s.integer({ default: 1 }) },
    gates: ['shell', 'fs_*', 'own'],
    on: { toolCall: () => {} },
    tools: { own: { about: 'x', run: () => 'x' } },
    open: (scope) => scope.log.warn('low on paper'),
  });
  await using h = await harness(extension, { settings: { n: 'x' as never } });
  assert.deepEqual(await h.check(), [
    'gates: shell is no tool of its own; see that the name is right',
    'settings_invalid: n must be an integer',
    'settings_invalid: token has no default and is not set',
    'warn: low on paper',
  ]);
});

test('what was opened behind the context is named at the end, with its place', async () => {
  const leaks: (() => void)[] = [];
  const extension = defineExtension({
    name: 'leaky',
    version: '1.0.0',
    async open(scope) {
      const timer = setInterval(() => {}, 60_000);
      leaks.push(() => clearInterval(timer));
      const owned = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => owned.once('listening', resolve));
      scope.own({
        [Symbol.asyncDispose]: () => new Promise<void>((resolve) => owned.close(() => resolve())),
      });
      scope.every(1000, () => {});
      return { timer, sockets: [] as { close(): void }[] };
    },
    tools: {
      listen: {
        about: 'Opens a server.',
        async run(_args, { state }) {
          await Promise.resolve();
          const server = createServer().listen(0, '127.0.0.1');
          state.sockets.push(server);
          leaks.push(() => server.close());
        },
      },
      tidy: { about: 'Clears the timer.', run: (_args, { state }) => clearInterval(state.timer) },
      later: { about: 'x', run: () => void setTimeout(() => {}, 1) },
    },
  });
  const h = await harness(extension);
  await h.tools.listen();
  await h.tools.later();
  const { leftOpen } = await h.close();
  assert.equal(leftOpen.length, 2);
  assert.match(leftOpen[0] ?? '', /^timer opened at harness\.test\.ts:\d+:\d+$/);
  assert.match(leftOpen[1] ?? '', /^TCP server opened at harness\.test\.ts:\d+:\d+$/);
  for (const close of leaks) close();

  const tidy = await harness(extension);
  await tidy.tools.tidy();
  assert.deepEqual(await tidy.close(), { leftOpen: [] });
});

test('an ending that hangs passes in the test’s time', async () => {
  const extension = defineExtension({
    name: 'stuck',
    version: '1.0.0',
    open: (scope) => {
      scope.own({ [Symbol.asyncDispose]: () => new Promise<void>(() => {}) });
    },
    close: () => new Promise<void>(() => {}),
  });
  const h = await harness(extension);
  await h.close();
  assert.deepEqual(h.logs, [
    'warn: close did not end in time',
    'warn: a resource of its scope did not end in time',
  ]);
});

test('an opening that hangs is given up after 30 s of real time', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const hanging = defineExtension({
    name: 'slow',
    version: '1.0.0',
    open: () => new Promise<undefined>(() => {}),
  });
  const refused = assert.rejects(harness(hanging), { code: 'instantiate_timeout' });
  await new Promise((resolve) => setImmediate(resolve));
  t.mock.timers.tick(30_000);
  await refused;
});

test('tools of run time are called by their names, and come when they are told to', async () => {
  const learns = defineExtension({
    name: 'learns',
    version: '1.0.0',
    open: (scope) => ({ names: ['first'], changed: () => scope.changed() }),
    tools: {
      learn: {
        about: 'x',
        args: { name: s.string() },
        run({ name }, { state }) {
          state.names.push(name);
          state.changed();
        },
      },
    },
    moreTools: ({ names }) =>
      names.map((name) => ({
        name,
        about: 'x',
        args: { type: 'object', properties: { n: { type: 'integer', default: 2 } } } as const,
        run: (args: { readonly n?: unknown }) => `${name} ${String(args.n)}`,
      })),
  });
  for (const carrier of ['thread', 'json'] as const) {
    await using h = await harness(learns, { carrier });
    assert.equal((await h.callTool('first')).text, 'first 2');
    assert.equal((await h.callTool('second')).certainty, 'not_started');
    await h.tools.learn({ name: 'second' });
    assert.equal((await h.callTool('second', { n: 5 })).text, 'second 5');
  }
});

test('in a worker time is real, and nobody waits for more than 5 s of it', async (t) => {
  hygiene(t);
  await using h = await harness(weather, { carrier: 'worker', module });
  await h.advance(1);
  await assert.rejects(h.advance(5001), RangeError);
});

test('a session is opened by the id that was given, and again', async () => {
  const delivers = defineExtension({
    name: 'delivers',
    version: '1.0.0',
    access: ['session_write', 'session_read'],
    open: (scope) => scope,
    tools: {
      deliver: {
        about: 'x',
        async run(_args, { state }) {
          for (const text of ['one', 'two']) {
            const view = await state.sessions.open('room');
            await view.append({ type: 'directive', text });
          }
        },
      },
    },
  });
  await using h = await harness(delivers);
  await h.tools.deliver();
  assert.deepEqual(
    h.entriesOf('room').map(({ type, text }) => `${type} ${String(text)}`),
    ['directive one', 'directive two'],
  );
});

test('a built-in’s scope has the peer that the host gives, and nobody else’s has', async () => {
  const defineBuiltin = definerFor<{ readonly greeting: string }>();
  const builtin = defineBuiltin({
    name: 'core',
    version: '1.0.0',
    open: (scope) => ({ hello: scope.peer.greeting }),
    tools: { hello: { about: 'x', run: (_args, ctx) => ctx.state.hello } },
  });
  await using h = await harness(builtin, { peer: { greeting: 'Hello.' } });
  assert.equal((await h.tools.hello()).text, 'Hello.');
  const other = defineExtension({
    name: 'other',
    version: '1.0.0',
    open: (scope) => ({ peer: 'peer' in scope }),
    tools: { peer: { about: 'x', run: (_args, ctx) => String(ctx.state.peer) } },
  });
  await using o = await harness(other, { peer: { greeting: 'Hello.' } });
  assert.equal((await o.tools.peer()).text, 'false');
});
