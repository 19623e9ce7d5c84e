import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heldBytes, manualClock } from '@fairlead/testing';
import { makeExtension } from '../src/authoring/extension.ts';
import type { Scope } from '../src/authoring/scope.ts';
import { ToolFault } from '../src/authoring/tool-fault.ts';
import type { CallRequest, Firing } from '../src/carrier/carrier.ts';
import { ThreadCarrier } from '../src/carrier/thread-carrier.ts';
import { Guest, type GuestOptions } from '../src/guest/guest.ts';
import { RecordingHost } from './contract/recording-host.ts';
import { CONTEXT } from './dispatching.ts';

const SETTINGS = Object.freeze({});

async function opened(literal: object, options: Partial<GuestOptions> = {}) {
  const host = new RecordingHost();
  const guest = new Guest(makeExtension({ name: 'one', version: '1', ...literal }, false), {
    host: host as never,
    ...options,
  });
  await guest.open({ instance: 'g', kind: 'global', key: '', settings: SETTINGS });
  return { guest, host };
}

let calls = 0;
function request(name: string, endpoint: CallRequest['endpoint'] = 'tool'): CallRequest {
  calls += 1;
  return { call: calls, instance: 'g', endpoint, name, input: {}, context: CONTEXT, running: undefined };
}

function firing(name: string, endpoint: Firing['endpoint'] = 'hook'): Firing {
  return { endpoint, name, input: {}, nextCall: () => 1, running: undefined };
}

test('only what defineExtension made has a guest', () => {
  const host = new RecordingHost() as never;
  for (const other of [null, {}, { manifest: {} }, 5])
    assert.throws(() => new Guest(other as never, { host }), { code: 'extension_not_defined' });
});

test('a guest whose settings are no schema says so', () => {
  const extension = makeExtension(
    { name: 'one', version: '1', settings: { a: { json: {}, presence: 'required' } } },
    false,
  );
  assert.throws(() => new Guest(extension, { host: new RecordingHost() as never }), {
    code: 'manifest_invalid',
  });
});

test('another thread can see which extension runs in this one', async () => {
  const activity = new Int32Array(new SharedArrayBuffer(8));
  const seen: number[] = [];
  const look = () => void seen.push(Atomics.load(activity, 0));
  const clock = manualClock();
  const { guest } = await opened(
    {
      async open(scope: Scope<object>) {
        look();
        scope.every(1000, look);
        await Promise.resolve();
        look();
      },
      moreTools: () => {
        look();
        return [];
      },
      tools: { look: { about: 'x', run: look } },
      on: {
        agentEnd: look,
        sessionStart: () => {
          throw new Error('no');
        },
      },
      close: look,
    },
    { activity, number: 7, clock },
  );
  assert.equal(activity[0], 0);
  guest.call(request('look'));
  guest.hook('g', 'agent_end').begin(firing('agent_end'), CONTEXT);
  assert.equal(activity[0], 0);
  assert.throws(() => guest.hook('g', 'session_start').begin(firing('session_start'), CONTEXT));
  assert.equal(activity[0], 0);
  // Within another extension's handler, its number stands again afterwards.
  activity[0] = 3;
  guest.call(request('look'));
  assert.equal(activity[0], 3);
  activity[0] = 0;
  await clock.advance(1000);
  await guest.end();
  assert.deepEqual(seen, [7, 7, 7, 7, 7, 7, 7, 7]);
  assert.equal(activity[0], 0);
});

test('an opening that was given up does not stand as running for ever', async () => {
  const activity = new Int32Array(new SharedArrayBuffer(4));
  const extension = makeExtension({ name: 'slow', version: '1', open: () => new Promise(() => {}) }, false);
  const host = new RecordingHost();
  const guest = new Guest(extension, { host, activity, number: 7 });
  void guest.open({ instance: 'g', kind: 'global', key: '', settings: {} });
  assert.equal(activity[0], 7);
  await guest.close('g');
  assert.equal(activity[0], 0);
});

test('a timer that is still at work is not started again', async () => {
  const clock = manualClock();
  let runs = 0;
  let release = (): void => {};
  const { guest, host } = await opened(
    {
      open(scope: Scope<object>) {
        scope.every(1000, () => {
          runs += 1;
          return runs === 1
            ? new Promise<void>((resolve) => {
                release = resolve;
              })
            : undefined;
        });
        scope.after(1500, () => {
          throw new Error('once, badly');
        });
      },
    },
    { clock },
  );
  await clock.advance(5000);
  assert.equal(runs, 1);
  release();
  await clock.advance(2000);
  assert.equal(runs, 3);
  assert.deepEqual(host.messages, ['a timer failed: once, badly']);
  await guest.end();
  await clock.advance(5000);
  assert.equal(runs, 3);
  assert.equal(clock.pendingTimers, 0);
});

test('a timer that throws an error without a text goes on', async () => {
  const clock = manualClock();
  const odd = Object.assign(new Error('x'), { message: { code: 1 } });
  let runs = 0;
  const { guest, host } = await opened(
    {
      open(scope: Scope<object>) {
        scope.every(1000, () => {
          runs += 1;
          if (runs === 1) throw odd;
          return runs === 2 ? Promise.reject(odd) : undefined;
        });
      },
    },
    { clock },
  );
  await clock.advance(4000);
  assert.equal(runs, 4);
  assert.deepEqual(host.messages, Array(2).fill('a timer failed: [object Object]'));
  await guest.end();
});

test('an instance that still opens when its extension leaves does nothing by itself either', async () => {
  const clock = manualClock();
  let scope: Scope<object> | undefined;
  let runs = 0;
  let release = (): void => {};
  const open = (given: Scope<object>) => {
    scope = given;
    given.every(1000, () => {
      runs += 1;
    });
    return new Promise<void>((resolve) => {
      release = resolve;
    });
  };
  const extension = makeExtension({ name: 'slow', version: '1', open }, false);
  const guest = new Guest(extension, { host: new RecordingHost(), clock });
  const opening = guest.open({ instance: 'g', kind: 'global', key: '', settings: {} });
  guest.quiet();
  assert.equal(scope?.signal.aborted, true);
  release();
  await opening;
  await clock.advance(5000);
  assert.equal(runs, 0);
  await guest.close('g');
  assert.equal(clock.pendingTimers, 0);
});

test('a scope that has ended, or that owns too much, takes nothing more and ends what it is given', async () => {
  let scope: Scope<object> | undefined;
  const disposed: string[] = [];
  const resource = (name: string) => ({ [Symbol.dispose]: () => void disposed.push(name) });
  const clock = manualClock();
  const keep = (given: Scope<object>): void => {
    scope = given;
  };
  const { guest, host } = await opened({ open: keep }, { clock });
  assert.ok(scope !== undefined);
  const { own, every, after, listen, sessions, changed, signal } = scope;
  for (let count = 0; count < 1024; count += 1) own(resource('kept'));
  assert.throws(() => own(resource('over')), RangeError);
  assert.deepEqual(disposed, ['over']);
  assert.throws(() => every(5, () => {}), RangeError);
  assert.throws(() => after(2 ** 31, () => {}), RangeError);
  assert.throws(() => own(5 as never), TypeError);
  await guest.close('g');
  assert.equal(disposed.length, 1025);
  assert.equal(signal.aborted, true);

  assert.throws(() => own(resource('late')), { code: 'extension_ended' });
  assert.equal(disposed.at(-1), 'late');
  assert.throws(() => every(1000, () => {}), { code: 'extension_ended' });
  assert.throws(() => after(1000, () => {}), { code: 'extension_ended' });
  const target = new EventTarget();
  assert.throws(() => listen(target, 'x', () => assert.fail()), { code: 'extension_ended' });
  target.dispatchEvent(new Event('x'));
  await assert.rejects(sessions.open('s'), { code: 'extension_ended' });
  changed();
  assert.deepEqual(host.changes, []);
  assert.equal(clock.pendingTimers, 0);
});

test('a view of a session that a scope opened ends with it', async () => {
  let scope: Scope<object> | undefined;
  const { guest, host } = await opened({
    access: ['session_write'],
    open(given: Scope<object>) {
      scope = given;
    },
  });
  const view = await scope?.sessions.open('room');
  assert.equal(view?.id, 'room');
  await guest.close('g');
  await assert.rejects(view?.append({ type: 'message', text: 'x' }) ?? Promise.resolve(), {
    code: 'extension_ended',
  });
  assert.equal(host.asks.length, 1);
});

test('a log line is cut, and data that is none is left out', async () => {
  const { guest, host } = await opened({
    tools: {
      log: {
        about: 'x',
        run: (_args: unknown, { log }: { log: { debug(m: string, d?: unknown): void } }) => {
          log.debug('x'.repeat(2000));
          log.debug('date', new Date(0));
          log.debug('large', 'y'.repeat(8192));
          log.debug('pair 😀'.padEnd(1005, '😀'));
        },
      },
    },
  });
  await guest.call(request('log'));
  const [long, date, large, pairs] = host.lines;
  assert.equal(long?.message.length, 1000);
  assert.equal(long?.message.endsWith('x…'), true);
  assert.equal(date?.data, '[left out: it is a Date, which JSON cannot hold]');
  assert.equal(large?.data, '[left out: it is 8192 bytes of JSON or more]');
  assert.equal(pairs?.message.isWellFormed(), true);
});

test('a call that is given up while its arguments are parsed never enters its handler', async () => {
  let parsed = (): void => {};
  const args = {
    '~standard': {
      validate: () =>
        new Promise((resolve) => {
          parsed = () => resolve({ value: {} });
        }),
      jsonSchema: { input: () => ({ type: 'object' }) },
    },
  };
  const { guest } = await opened({ tools: { t: { about: 'x', args, run: () => assert.fail() } } });
  const asked = request('t');
  const refused = assert.rejects(Promise.resolve(guest.call(asked)), {
    code: 'call_cancelled',
    certainty: 'not_started',
  });
  asked.running?.['~abort']();
  parsed();
  await refused;
});

test('a place of an agent’s state is plain data', async () => {
  const { guest, host } = await opened({
    access: ['agent_state_admin'],
    tools: {
      t: {
        about: 'x',
        run: async (
          _args: unknown,
          { agents }: { agents: { resolve(a: string): Promise<{ read(p: unknown): Promise<unknown> }> } },
        ) => (await agents.resolve('ann')).read(() => 1),
      },
    },
  });
  host.answer = () => ({ id: 'a', name: 'ann' });
  await assert.rejects(Promise.resolve(guest.call(request('t'))), /a place is plain JSON/);
});

test('a command that knows how it ended keeps its code, as a tool does', async () => {
  const run = () => {
    throw new ToolFault('not_started', 'there is no such berth', { code: 'berth_unknown' });
  };
  const { guest } = await opened({ commands: { c: { about: 'x', run } } });
  assert.throws(() => guest.call(request('c', 'command')), {
    code: 'berth_unknown',
    certainty: 'not_started',
    message: /no such berth/,
  });
});

test('an answer of a command that is none is its failure', async () => {
  const { guest } = await opened({ commands: { c: { about: 'x', run: () => new Map() } } });
  assert.throws(() => guest.call(request('c', 'command')), {
    code: 'command_failed',
    certainty: 'completed',
  });
});

test('a hook that the part does not have answers nothing', async () => {
  const { guest } = await opened({});
  for (const [kind, endpoint] of [
    ['tool_call', 'hook'],
    ['status', 'status'],
    ['tail', 'tail'],
    ['nonsense', 'hook'],
  ] as const) {
    assert.equal(guest.hook('g', kind as 'tail').begin(firing(kind, endpoint), CONTEXT), undefined);
    assert.equal(await guest.call(request(endpoint === 'hook' ? kind : '', endpoint)), null);
  }
  assert.throws(() => guest.hook('nobody', 'tail'), { code: 'extension_ended' });
});

test('1,000 openings and endings with timers and listeners retain at most 5 MiB and no handle', async () => {
  // Not under the hygiene guard: to name what is left, it holds every timer for a while.
  // The runner's own writes come and go meanwhile.
  const resources = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const open = resources();
  const target = new EventTarget();
  const extension = makeExtension(
    {
      name: 'cycles',
      version: '1',
      session: {
        open(scope: Scope<object>) {
          const ballast = new Uint8Array(64 * 1024);
          scope.every(1000, () => ballast.length);
          scope.after(60_000, () => ballast.length);
          scope.listen(target, 'tick', () => ballast.length);
          scope.signal.addEventListener('abort', () => ballast.length);
          return ballast;
        },
        tools: {
          t: {
            about: 'x',
            run: async (_args: unknown, ctx: { signal: AbortSignal }) => String(ctx.signal.aborted),
          },
        },
      },
    },
    false,
  );
  const carrier = new ThreadCarrier(extension, { host: new RecordingHost() as never });
  const cycle = async (count: number): Promise<void> => {
    const instance = `s${count}`;
    await carrier.open({ instance, kind: 'session', key: instance, settings: SETTINGS });
    await carrier.call({ ...request('t'), instance });
    await carrier.close(instance);
  };
  for (let count = 0; count < 100; count += 1) await cycle(count);
  const before = await heldBytes();
  for (let count = 0; count < 1000; count += 1) await cycle(count);
  const retained = (await heldBytes()) - before;
  assert.ok(retained < 5 * 1024 * 1024, `${retained} bytes are retained`);
  await carrier.end();
  assert.equal(resources(), open);
});

test('who was entered and has not answered is seen while it waits', async () => {
  const activity = new Int32Array(new SharedArrayBuffer(4));
  let release = (): void => {};
  const waits = () =>
    new Promise<void>((resolve) => {
      release = resolve;
    });
  const { guest } = await opened(
    { tools: { waits: { about: 'x', run: waits } }, on: { agentEnd: waits } },
    { activity, number: 7 },
  );
  const waiting = guest.call(request('waits'));
  assert.equal(activity[0], 7);
  release();
  await waiting;
  assert.equal(activity[0], 0);
  const fired = firing('agent_end');
  const hook = guest.hook('g', 'agent_end').begin(fired, CONTEXT);
  assert.equal(activity[0], 7);
  release();
  await hook;
  fired.running?.['~end']();
  assert.equal(activity[0], 0);
  await guest.idle();
});

test('an instance that is closed while its tools are asked for is not opened', async () => {
  let answer = (_tools: readonly never[]): void => {};
  const closed: string[] = [];
  const guest = new Guest(
    makeExtension(
      {
        name: 'one',
        version: '1',
        open: () => 'state',
        moreTools: () =>
          new Promise<readonly never[]>((resolve) => {
            answer = resolve;
          }),
        close: (state: string) => void closed.push(state),
      },
      false,
    ),
    { host: new RecordingHost() as never },
  );
  const opening = assert.rejects(guest.open({ instance: 'g', kind: 'global', key: '', settings: SETTINGS }), {
    code: 'extension_ended',
  });
  await new Promise((resolve) => setImmediate(resolve));
  await guest.end();
  answer([]);
  await opening;
  assert.deepEqual(closed, ['state']);
  await assert.rejects(guest.open({ instance: 'h', kind: 'global', key: '', settings: SETTINGS }), {
    code: 'extension_ended',
  });
});

test('a tool of another program is handed what its caller was shown, and nothing else that took its name', async () => {
  let target: string | undefined = 'x#1';
  const handed: unknown[] = [];
  const { guest } = await opened({
    moreTools: () => [
      {
        name: 'far',
        about: 'Is far.',
        args: { type: 'object', properties: {}, additionalProperties: false },
        ...(target === undefined ? {} : { foreign: { target, tool: 'far', hints: {} } }),
        run: (_args: unknown, _ctx: unknown, shown: unknown) => void handed.push([target, shown]),
      },
    ],
  });
  const again = () => guest.open({ instance: 'g', kind: 'global', key: '', settings: SETTINGS });
  target = 'x#2';
  await again();
  guest.call({ ...request('far'), target: 'x#1' });
  guest.call({ ...request('far'), target: 'x#2' });
  guest.call(request('far'));
  assert.deepEqual(handed.splice(0), [
    ['x#2', 'x#1'],
    ['x#2', 'x#2'],
    ['x#2', undefined],
  ]);
  target = undefined;
  const { tools } = await again();
  const refused = { code: 'tool_not_found', certainty: 'not_started' };
  assert.throws(() => guest.call({ ...request('far'), target: 'x#2' }), refused);
  target = 'x#3';
  await again();
  assert.throws(() => guest.call({ ...request('far'), revision: tools[0]?.revision ?? 0 }), refused);
  assert.deepEqual(handed, []);
});

test('of tools that are away the numbers of 256 are kept, and the oldest goes first', async () => {
  let names: readonly string[] = [];
  const { guest } = await opened({
    moreTools: () =>
      names.map((name) => ({
        name,
        about: 'Is there.',
        args: { type: 'object', properties: {}, additionalProperties: false },
        run: () => name,
      })),
  });
  const revisions = async (from: number, count: number) => {
    names = Array.from({ length: count }, (_, index) => `tool_${from + index}`);
    const { tools } = await guest.open({ instance: 'g', kind: 'global', key: '', settings: SETTINGS });
    return tools.map(({ revision }) => revision);
  };
  for (const from of [1, 65, 129, 193]) assert.equal((await revisions(from, 64))[0], from);
  assert.deepEqual(await revisions(1, 1), [1]);
  assert.deepEqual(await revisions(257, 1), [257]);
  assert.deepEqual(await revisions(1, 1), [1]);
  assert.deepEqual(await revisions(2, 2), [258, 259]);
});

test('of two lists the one asked for last counts, whichever comes first', async () => {
  const given: ((does: string) => void)[] = [];
  const { guest } = await opened({
    open: () => ({ first: true }),
    async moreTools(state: { first: boolean }) {
      const does = state.first ? 'reads' : await new Promise<string>((resolve) => given.push(resolve));
      state.first = false;
      return [
        {
          name: 'far',
          about: `It ${does}.`,
          args: { type: 'object', properties: {}, additionalProperties: false },
          run: () => does,
        },
      ];
    },
  });
  const again = () => guest.open({ instance: 'g', kind: 'global', key: '', settings: SETTINGS });
  const called = (revision: number | undefined) => {
    assert.ok(revision !== undefined);
    return guest.call({ ...request('far'), revision });
  };
  const older = again();
  const newer = again();
  given[1]?.('deletes');
  const [newest] = (await newer).tools;
  assert.equal(newest?.about, 'It deletes.');
  given[0]?.('writes');
  assert.deepEqual((await older).tools, [newest]);
  assert.deepEqual(called(newest?.revision), { text: 'deletes', isError: false });

  const [first, second] = [again(), again()];
  given[2]?.('writes');
  const [between] = (await first).tools;
  assert.deepEqual(called(between?.revision), { text: 'writes', isError: false });
  given[3]?.('sends');
  const [last] = (await second).tools;
  assert.deepEqual(called(last?.revision), { text: 'sends', isError: false });
});

test('what a handler throws is told, whatever it is', async () => {
  const thrown: readonly [unknown, RegExp][] = [
    [new Error(''), /no reason given/],
    [
      {
        toString() {
          throw new Error('no');
        },
      },
      /something that has no text/,
    ],
    [Symbol('x'), /Symbol\(x\)/],
    [Object.assign(new Error('x'), { message: { code: 1 } }), /\[object Object\]/],
    [Object.assign(new Error('x'), { message: Object.create(null) }), /something that has no text/],
  ];
  for (const [value, text] of thrown) {
    const { guest } = await opened({
      tools: {
        t: {
          about: 'x',
          run: () => {
            throw value;
          },
        },
      },
    });
    assert.throws(() => guest.call(request('t')), text);
  }
});

test('a cap’s answer that JSON cannot hold is its failure', async () => {
  const cap = { kind: 'example.odd', methods: ['odd'] };
  const { guest } = await opened({ provides: { odd: { cap, impl: { odd: () => ({ at: new Date(0) }) } } } });
  const asked = { ...request('example.odd', 'cap'), method: 'odd' };
  assert.throws(() => guest.call(asked), { code: 'cap_failed', message: /its answer\/at is a Date/ });
});
