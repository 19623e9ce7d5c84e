import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Json, JsonObject } from '@fairlead/extension';
import {
  abortCall,
  type CallContext,
  type CallRequest,
  type Carrier,
  type EndpointKind,
  endCall,
  type Firing,
  type HostSide,
} from '@fairlead/extension/runtime';
import { RecordingHost } from './recording-host.ts';

/** How a tier starts one of the fixtures: the file `fixtures/NAME.ts`, whose default export is the extension. */
export type StartCarrier = (module: URL, host: HostSide, t: TestContext) => Promise<Carrier>;

const CONTEXT: CallContext = Object.freeze({
  agent: { id: 'agt_1', name: 'fairlead' },
  session: 'ses_1',
  settings: { unit: 'C', limit: 5 },
  caps: { store: ['search', 'remember'], oven: ['heat'] },
});

const USES = [
  { alias: 'chat', kind: 'messenger', provider: 'noticeboard', optional: true },
  { alias: 'store', kind: 'memory', optional: false },
  { alias: 'oven', kind: 'example.oven', optional: false },
];

/**
 * What the hub relies on, of every tier alike. It needs Node's own time in a worker, so it never waits for a time, only for
 * what is said.
 */
export function carrierContract(tier: string, start: StartCarrier): void {
  describe(`an extension ${tier}`, () => {
    let calls = 0;

    async function started(
      t: TestContext,
      fixture: string,
    ): Promise<{ carrier: Carrier; host: RecordingHost }> {
      const host = new RecordingHost();
      const carrier = await start(new URL(`./fixtures/${fixture}.ts`, import.meta.url), host, t);
      t.after(() => carrier.end());
      return { carrier, host };
    }

    async function opened(t: TestContext, fixture: string, settings: JsonObject = CONTEXT.settings) {
      const { carrier, host } = await started(t, fixture);
      const contributions = await carrier.open({ instance: 'g', kind: 'global', key: '', settings });
      return { carrier, host, contributions };
    }

    function request(
      endpoint: EndpointKind,
      name: string,
      input: Json = {},
      more: Partial<CallRequest> = {},
    ): CallRequest {
      calls += 1;
      return {
        call: calls,
        instance: 'g',
        endpoint,
        name,
        input,
        context: CONTEXT,
        running: undefined,
        ...more,
      };
    }

    /** What a call comes to, whether it answers at once, throws at once, or either later. */
    async function outcome(carrier: Carrier, asked: CallRequest): Promise<unknown> {
      try {
        return await carrier.call(asked);
      } catch (error) {
        const { code, certainty, detail } = error as { code?: string; certainty?: string; detail?: object };
        return {
          code,
          ...(certainty === undefined ? {} : { certainty }),
          ...(detail === undefined ? {} : { detail }),
        };
      }
    }

    async function fired(
      carrier: Carrier,
      { endpoint, name, input, context }: CallRequest,
      kind: string,
    ): Promise<unknown> {
      const nextCall = () => {
        calls += 1;
        return calls;
      };
      const firing: Firing = { endpoint, name, input, nextCall, running: undefined };
      try {
        return (await carrier.hook('g', kind as 'tool_call').begin(firing, context)) ?? null;
      } finally {
        firing.running?.['~end']();
      }
    }

    test('shows its manifest before anything is opened', async (t) => {
      const { carrier } = await started(t, 'bare');
      assert.deepEqual(carrier.manifest, {
        api: 1,
        name: 'bare',
        version: '0.0.1',
        scopes: ['global'],
        hooks: [],
        requires: [],
        requests: [],
        provides: [],
        settings: { type: 'object', properties: {}, required: [], additionalProperties: false },
        tools: [],
        commands: [],
        routines: [],
      });
      assert.equal(carrier.dead, undefined);
    });

    test('contributes, at each scope, what its literal says there', async (t) => {
      const { carrier, contributions } = await opened(t, 'everything');
      assert.deepEqual(
        contributions.tools.find(({ name }) => name === 'add'),
        {
          name: 'add',
          about: 'Adds two numbers.',
          args: {
            type: 'object',
            properties: { a: { type: 'number' }, b: { type: 'number', default: 1 } },
            required: ['a'],
            additionalProperties: false,
          },
          risk: 'medium',
          approval: 'always',
          timeout_ms: 5000,
          per_minute: 10,
          sensitive: ['a'],
          effect: 'read',
          runtime: false,
        },
      );
      const { tools: _tools, ...rest } = contributions;
      assert.deepEqual(rest, {
        commands: [
          {
            name: 'greet',
            about: 'Greets.',
            args: {
              type: 'object',
              properties: { name: { type: 'string', default: 'you' } },
              required: [],
              additionalProperties: false,
            },
          },
          {
            name: 'quiet',
            about: 'Says nothing.',
            args: { type: 'object', properties: {}, required: [], additionalProperties: false },
          },
          {
            name: 'breaks',
            about: 'Throws.',
            args: { type: 'object', properties: {}, required: [], additionalProperties: false },
          },
        ],
        hooks: [
          'before_agent_start',
          'tool_call',
          'tool_result',
          'agent_end',
          'session_start',
          'session_shutdown',
        ],
        gates: ['forecast', 'fs_*'],
        prompt: true,
        tail: true,
        status: true,
        caps: [{ kind: 'example.weather', methods: ['now'] }],
        routines: [
          { id: 'hourly', about: 'Each hour.', cron: '0 * * * *' },
          { id: 'broken', about: 'Fails.', every_ms: 60_000 },
        ],
        uses: USES,
      });
      assert.equal(Object.isFrozen(contributions.tools), true);
      const session = await carrier.open({
        instance: 's',
        kind: 'session',
        key: 'ses_1',
        settings: CONTEXT.settings,
      });
      assert.deepEqual(
        session.tools.map(({ name, effect, risk }) => [name, effect, risk]),
        [['whose', 'write', 'low']],
      );
      // What it needs is said once for the whole literal, and holds at every scope.
      assert.deepEqual(session.uses, USES);
      assert.equal('gates' in session, false);
      assert.deepEqual(await outcome(carrier, request('tool', 'whose', {}, { instance: 's' })), {
        text: 'ses_1',
        isError: false,
      });
    });

    test('answers a tool call in one form, whenever and whatever its handler answers', async (t) => {
      const { carrier } = await opened(t, 'everything');
      assert.deepEqual(await outcome(carrier, request('tool', 'add', { a: 2, b: 3 })), {
        text: '5',
        data: 5,
        isError: false,
      });
      assert.deepEqual(await outcome(carrier, request('tool', 'later', { text: 'hi' })), {
        text: 'hi',
        data: ['hi'],
        isError: false,
      });
      assert.deepEqual(await outcome(carrier, request('tool', 'nothing')), { text: '', isError: false });
    });

    test('keeps the state of an instance, and of no other', async (t) => {
      const { carrier } = await opened(t, 'everything');
      await carrier.open({ instance: 'h', kind: 'global', key: '', settings: CONTEXT.settings });
      const count = async (instance: string) =>
        ((await outcome(carrier, request('tool', 'count', {}, { instance }))) as { text: string }).text;
      assert.deepEqual([await count('g'), await count('g'), await count('h')], ['1', '2', '1']);
    });

    test('tells a handler what the host says of its call', async (t) => {
      const { carrier } = await opened(t, 'everything');
      const before = Date.now();
      const answer = (await outcome(carrier, request('tool', 'told'))) as { data: { now: number } };
      const { now, ...told } = answer.data;
      assert.deepEqual(told, {
        settings: { unit: 'C', limit: 5 },
        agent: { id: 'agt_1', name: 'fairlead' },
        session: 'ses_1',
        caps: [true, 'function', 'function'],
      });
      assert.ok(now >= before && now <= Date.now() + 1);
    });

    test('hands over frozen input', async (t) => {
      const { carrier } = await opened(t, 'everything');
      const input = Object.freeze({ list: Object.freeze([Object.freeze({ n: 1 })]) });
      assert.deepEqual(await outcome(carrier, request('tool', 'frozen', input)), {
        text: 'refused',
        isError: false,
      });
    });

    test('a throw says what became of the effect: unknown for a tool that writes, ended for one that reads', async (t) => {
      const { carrier } = await opened(t, 'everything');
      const of = (how: string) => outcome(carrier, request('tool', 'throws', { how }));
      assert.deepEqual(await of('sync'), { code: 'tool_failed', certainty: 'outcome_unknown' });
      assert.deepEqual(await of('async'), { code: 'tool_failed', certainty: 'outcome_unknown' });
      assert.deepEqual(await of('odd'), { code: 'tool_failed', certainty: 'outcome_unknown' });
      assert.deepEqual(await of('started'), { code: 'tool_failed', certainty: 'not_started' });
      assert.deepEqual(await of('ended'), { code: 'oven_empty', certainty: 'completed' });
      assert.deepEqual(await of('partly'), {
        code: 'tool_failed',
        certainty: 'outcome_unknown',
        detail: { partial: 'half\na loaf', at: 7 },
      });
      // What a fault adds never hides the fault.
      assert.deepEqual(await of('large'), { code: 'tool_failed', certainty: 'completed' });
      assert.deepEqual(await outcome(carrier, request('tool', 'throws_reading')), {
        code: 'tool_failed',
        certainty: 'completed',
      });
    });

    test('a foreign message is cut to one line of 200 characters', async (t) => {
      const { carrier } = await opened(t, 'everything');
      await assert.rejects(
        async () => carrier.call(request('tool', 'throws', { how: 'sync' })),
        ({ message }: Error) => {
          const [, foreign = ''] = /\((.*)\)$/s.exec(message) ?? [];
          return foreign.startsWith('trouble with xxx') && foreign.length === 200;
        },
      );
    });

    test('an answer that JSON cannot hold, or of 1 MiB, is refused and the call has ended', async (t) => {
      const { carrier } = await opened(t, 'everything');
      for (const what of ['date', 'function', 'nan', 'deep', 'large']) {
        assert.deepEqual(
          await outcome(carrier, request('tool', 'garbage', { what })),
          { code: 'tool_output_invalid', certainty: 'completed' },
          what,
        );
      }
    });

    test('what does not exist was never started', async (t) => {
      const { carrier } = await opened(t, 'everything');
      const not = (code: string) => ({ code, certainty: 'not_started' });
      assert.deepEqual(await outcome(carrier, request('tool', 'toString')), not('tool_not_found'));
      assert.deepEqual(await outcome(carrier, request('command', 'nope')), not('unknown_command'));
      assert.deepEqual(await outcome(carrier, request('routine', 'nope')), not('routine_no_handler'));
      assert.deepEqual(
        await outcome(carrier, request('cap', 'example.weather', {}, { method: 'then' })),
        not('cap_unavailable'),
      );
      assert.deepEqual(
        await outcome(carrier, request('cap', 'example.sun', {}, { method: 'now' })),
        not('cap_unavailable'),
      );
      assert.deepEqual(
        await outcome(carrier, request('tool', 'add', {}, { instance: 'nobody' })),
        not('extension_ended'),
      );
    });

    test('arguments of another library are parsed where its code is', async (t) => {
      const { carrier } = await opened(t, 'foreign-schema', {});
      assert.deepEqual(await outcome(carrier, request('tool', 'when', { date: '2026-05-01' })), {
        text: '2026 1',
        isError: false,
      });
      assert.deepEqual(await outcome(carrier, request('tool', 'even', { n: 4 })), {
        text: '4',
        isError: false,
      });
      assert.deepEqual(await outcome(carrier, request('tool', 'even', { n: 3 })), {
        code: 'tool_arguments_invalid',
        certainty: 'not_started',
      });
      assert.deepEqual(await outcome(carrier, request('command', 'even', { n: 3 })), {
        code: 'tool_arguments_invalid',
        certainty: 'not_started',
      });
    });

    test('a command answers text, a routine nothing, a cap what its method gives', async (t) => {
      const { carrier, host } = await opened(t, 'everything');
      assert.deepEqual(await outcome(carrier, request('command', 'greet', { name: 'Ann' })), {
        text: 'Hello, Ann.',
        data: { agent: 'fairlead' },
      });
      const { agent: _agent, ...alone } = CONTEXT;
      assert.deepEqual(
        await outcome(carrier, request('command', 'greet', { name: 'Ann' }, { context: alone })),
        { text: 'Hello, Ann.', data: { agent: null } },
      );
      assert.deepEqual(await outcome(carrier, request('command', 'quiet')), { text: '' });
      assert.deepEqual(await outcome(carrier, request('command', 'breaks')), {
        code: 'command_failed',
        certainty: 'outcome_unknown',
      });
      assert.equal(await outcome(carrier, request('routine', 'hourly', { n: 1 })), null);
      assert.deepEqual(host.lines.at(-1), { level: 'info', message: 'hourly', data: { n: 1 } });
      assert.deepEqual(await outcome(carrier, request('routine', 'broken', null)), {
        code: 'routine_failed',
        certainty: 'outcome_unknown',
      });
      const now = (city: string) =>
        outcome(carrier, request('cap', 'example.weather', { city }, { method: 'now' }));
      assert.deepEqual(await now('Oslo'), { celsius: 4 });
      assert.deepEqual(await now('Atlantis'), { code: 'cap_failed', certainty: 'outcome_unknown' });
    });

    test('hooks answer what their handlers return', async (t) => {
      const { carrier, host } = await opened(t, 'everything');
      const judge = (city: string) =>
        fired(
          carrier,
          request('hook', 'tool_call', { tool: 'forecast', owner: 'w', args: { city } }),
          'tool_call',
        );
      assert.equal(await judge('Paris'), null);
      assert.deepEqual(await judge('Atlantis'), { block: 'There is no such city.' });
      assert.deepEqual(await judge('oslo'), { args: { city: 'Oslo' } });
      assert.deepEqual(await judge('later'), { block: 'Later.' });
      await assert.rejects(judge('throw'), /cannot judge/);
      assert.equal(
        await fired(carrier, request('hook', 'before_agent_start'), 'before_agent_start'),
        'Be brief.',
      );
      const end = { tool: 't', owner: 'w', args: {}, text: 'fine', isError: false };
      assert.equal(await fired(carrier, request('hook', 'tool_result', end), 'tool_result'), 'fine!');
      await fired(carrier, request('hook', 'agent_end', { status: 'failed' }), 'agent_end');
      await fired(carrier, request('hook', 'session_start'), 'session_start');
      await fired(carrier, request('hook', 'session_shutdown'), 'session_shutdown');
      assert.deepEqual(host.messages.slice(1), ['ended failed', 'session starts', 'session ends']);
      assert.equal(
        await fired(carrier, request('prompt', '', { tools: ['a', 'b'] }), 'prompt'),
        'There are 2 tools.',
      );
      assert.equal(await fired(carrier, request('tail', '', { recent: ['a', 'b'] }), 'tail'), 'a b in C');
      assert.deepEqual(await fired(carrier, request('status', ''), 'status'), { calls: '0' });
    });

    test('a context is valid for its own call alone', async (t) => {
      const { carrier } = await opened(t, 'everything');
      await outcome(carrier, request('tool', 'leak'));
      const answer = (await outcome(carrier, request('tool', 'misuse'))) as { data: string[] };
      assert.deepEqual(answer.data, Array(12).fill('context_expired'));
    });

    test('an aborted call may still say how it ended', async (t) => {
      const { carrier, host } = await opened(t, 'everything');
      for (const [ending, expected] of [
        ['answer', { text: 'said so itself', isError: false }],
        ['throw', { code: 'tool_failed', certainty: 'outcome_unknown' }],
      ] as const) {
        host.lines.length = 0;
        const asked = request('tool', 'waits', { ending });
        const answer = outcome(carrier, asked);
        await host.until(() => host.messages.includes('waiting'));
        abortCall(asked);
        assert.deepEqual(await answer, expected);
        assert.deepEqual(host.messages, ['waiting', 'aborted']);
      }
    });

    test('an ended call is no longer in flight, and its handler can say nothing more', async (t) => {
      const { carrier, host } = await opened(t, 'everything');
      const asked = request('tool', 'waits', { ending: 'never' });
      void outcome(carrier, asked);
      await host.until(() => host.messages.includes('waiting'));
      let idle = false;
      const settled = carrier.idle('g').then(() => {
        idle = true;
      });
      assert.equal(idle, false);
      abortCall(asked);
      endCall(asked);
      endCall(asked);
      await settled;
      await carrier.idle();
      assert.deepEqual(await outcome(carrier, request('tool', 'nothing')), { text: '', isError: false });
    });

    test('reads and writes the session through the host', async (t) => {
      const { carrier, host } = await opened(t, 'everything');
      host.answer = (ask) => (ask.op === 'session.read' ? [{ id: 'e7' }, { id: 'e8' }] : { id: 'new' });
      const answer = (await outcome(carrier, request('tool', 'session'))) as { data: unknown };
      assert.deepEqual(answer.data, { ids: ['e7', 'e8'], id: 'new' });
      assert.deepEqual(
        host.asks.map(({ caller }) => caller?.context.session),
        ['ses_1', 'ses_1'],
      );
      assert.deepEqual(
        host.asks.map(({ ask }) => ask),
        [
          { op: 'session.read', session: 'ses_1', last: 2, before: 'e9' },
          {
            op: 'session.append',
            session: 'ses_1',
            type: 'message',
            text: 'hello',
            from: { id: 'ann', name: 'Ann' },
          },
        ],
      );
      const bad = (await outcome(carrier, request('tool', 'bad_session'))) as { data: unknown };
      assert.deepEqual(bad.data, ['RangeError', 'RangeError', 'RangeError']);
      assert.equal(host.asks.length, 2);
    });

    test('saves settings that fit, in a session', async (t) => {
      const { carrier, host } = await opened(t, 'everything');
      const save = (input: JsonObject, context: CallContext = CONTEXT) =>
        outcome(carrier, request('tool', 'save', input, { context }));
      // The merge of a call stays as it is.
      assert.deepEqual(await save({ unit: 'F' }), { text: 'C', isError: false });
      await save({ clear: true, limit: 7 });
      assert.deepEqual(
        host.asks.map(({ ask }) => ask),
        [
          { op: 'settings.save', session: 'ses_1', patch: { unit: 'F' } },
          { op: 'settings.save', session: 'ses_1', patch: { unit: null, limit: 7 } },
        ],
      );
      for (const bad of [{ unit: 'K' }, { limit: 10 }]) {
        assert.deepEqual(await save(bad), { code: 'tool_failed', certainty: 'outcome_unknown' });
      }
      const { session: _session, ...nowhere } = CONTEXT;
      await assert.rejects(
        async () => carrier.call(request('tool', 'save', { unit: 'F' }, { context: nowhere })),
        /belongs to none/,
      );
      assert.equal(host.asks.length, 2);
    });

    test('calls a cap with the request of its caller, and hears its faults by code', async (t) => {
      const { carrier, host } = await opened(t, 'everything');
      host.answer = () => [{ key: 'k', value: 'v', score: 1 }];
      const asked = request('tool', 'recall', { query: 'q' });
      const answer = (await outcome(carrier, asked)) as { data: unknown };
      assert.deepEqual(answer.data, [{ key: 'k', value: 'v', score: 1 }]);
      assert.deepEqual(host.asks[0]?.ask, {
        op: 'cap.call',
        call: asked.call,
        alias: 'store',
        method: 'search',
        input: { query: 'q', scope: { scope: 'agent' } },
      });
      assert.equal(host.asks[0]?.caller, asked);

      const recall = async (context: CallContext) =>
        ((await outcome(carrier, request('tool', 'recall', { query: 'q' }, { context }))) as { text: string })
          .text;
      host.answer = () => Promise.reject(Object.assign(new Error('gone'), { code: 'cap_timeout' }));
      assert.equal(await recall(CONTEXT), 'cap_timeout');
      assert.equal(await recall({ ...CONTEXT, caps: {} }), 'cap_unavailable');
      assert.equal(await recall({ ...CONTEXT, depth: 8 }), 'cap_depth_exceeded');
      assert.equal(host.asks.length, 2);
    });

    test('whoever answers a question is told when its caller is cancelled', async (t) => {
      const { carrier, host } = await opened(t, 'everything');
      for (const isRead of [true, false]) {
        host.asks.length = 0;
        const signals: (AbortSignal | undefined)[] = [];
        host.answer = (_ask, caller) => {
          if (isRead) signals.push(caller?.running?.['~signal']);
          return new Promise<Json>(() => {});
        };
        const aborted = () => signals.map((signal) => signal?.aborted);
        const asked = request('tool', 'recall', { query: 'q' });
        void outcome(carrier, asked);
        await host.until(() => host.asks.length === 1);
        assert.deepEqual(aborted(), isRead ? [false] : []);
        abortCall(asked);
        // Also where it is looked at only now.
        signals.push(asked.running?.['~signal']);
        assert.deepEqual(aborted(), isRead ? [true, true] : [true]);
        endCall(asked);
      }
    });

    test('an optional cap is undefined where nobody provides it', async (t) => {
      const { carrier, host } = await opened(t, 'everything');
      const send = (context: CallContext) => outcome(carrier, request('tool', 'send', {}, { context }));
      assert.deepEqual(await send(CONTEXT), { text: 'no messenger', isError: false });
      assert.deepEqual(await send({ ...CONTEXT, caps: { ...CONTEXT.caps, chat: ['send'] } }), {
        text: 'sent',
        isError: false,
      });
      assert.equal(host.asks.length, 1);
    });

    test('has 256 questions in flight at most', async (t) => {
      const { carrier, host } = await opened(t, 'everything');
      let answerAll = (): void => {};
      const later = new Promise<Json>((resolve) => {
        answerAll = () => resolve([]);
      });
      host.answer = () => later;
      const answer = outcome(carrier, request('tool', 'flood', { asks: 300 }));
      await host.until(() => host.asks.length === 256);
      answerAll();
      assert.deepEqual(((await answer) as { data: unknown }).data, { refused: 44, code: 'too_many_asks' });
      assert.equal(host.asks.length, 256);
    });

    test('touches agents that the host resolves, and is refused what it did not declare', async (t) => {
      const { carrier, host } = await opened(t, 'everything');
      host.answer = (ask) => {
        if (ask.op === 'agent_state.resolve')
          return ask.agent === 'ann' ? { id: 'agt_2', name: 'ann' } : null;
        return ask.op === 'agent_state.read' ? [] : null;
      };
      const touch = async (agent: string) => outcome(carrier, request('tool', 'agents', { agent }));
      assert.deepEqual(((await touch('ann')) as { data: unknown }).data, { name: 'ann', rows: [] });
      assert.deepEqual(await touch('bob'), { text: 'unknown', isError: false });
      assert.deepEqual(host.asks[1]?.ask, {
        op: 'agent_state.write',
        agent: 'agt_2',
        place: { doc: 'config', path: ['a'], value: 1 },
      });

      const modest = await opened(t, 'modest', {});
      const refused = (await outcome(modest.carrier, request('tool', 'ask'))) as { data: unknown };
      assert.deepEqual(refused.data, Array(4).fill('capability_not_declared'));
      assert.equal(modest.host.asks.length, 0);
    });

    test('shows progress as one line, which nobody waits for', async (t) => {
      const { carrier, host } = await opened(t, 'everything');
      host.answer = () => Promise.reject(new Error('no screen'));
      const asked = request('tool', 'progress');
      assert.deepEqual(await outcome(carrier, asked), { text: 'done', isError: false });
      await host.until(() => host.asks.length === 1);
      assert.deepEqual(host.asks[0]?.ask, { op: 'progress', call: asked.call, text: 'half way' });
    });

    test('a scope runs timers and listeners, tells what fails in them, and ends all of it in reverse', async (t) => {
      const { carrier, host } = await opened(t, 'scoped', {});
      await host.until(
        () => host.messages.includes('tick 3') && host.messages.includes('once, aborted: false'),
      );
      assert.ok(host.messages.includes('a timer failed: a bad tick'));
      await outcome(carrier, request('tool', 'ring'));
      await host.until(() => host.messages.includes('rung'));
      assert.deepEqual(await outcome(carrier, request('tool', 'speak')), {
        text: '1',
        data: 1,
        isError: false,
      });
      await host.until(() => host.messages.includes('a listener of any failed: a bad ear'));
      assert.deepEqual(await outcome(carrier, request('tool', 'short')), {
        text: 'RangeError',
        isError: false,
      });

      host.lines.length = 0;
      await carrier.close('g');
      // Nothing of the scope runs while it closes: the bell that `close` rings is not heard.
      assert.deepEqual(host.messages, ['scope aborted', 'closed', 'second disposed', 'first disposed']);
      await carrier.close('g');
      assert.equal(host.messages.length, 4);
    });

    test('falls silent when it leaves, while its calls go on', async (t) => {
      const { carrier, host } = await opened(t, 'scoped', {});
      await host.until(
        () => host.messages.includes('tick 3') && host.messages.includes('once, aborted: false'),
      );
      host.lines.length = 0;
      carrier.quiet?.();
      await host.until(() => host.messages.includes('scope aborted'));
      assert.deepEqual(await outcome(carrier, request('tool', 'ring')), { text: '', isError: false });
      await outcome(carrier, request('tool', 'deliver', { session: 'room 7' }));
      assert.deepEqual(host.asks, []);
      await assert.rejects(carrier.open({ instance: 'h', kind: 'global', key: '', settings: {} }), {
        code: 'extension_ended',
      });
      await carrier.close('g');
      assert.deepEqual(host.messages, ['scope aborted', 'closed', 'second disposed', 'first disposed']);
    });

    test('a call that runs when its extension leaves may still own what it opens, and that is disposed after close', async (t) => {
      const { carrier, host } = await opened(t, 'scoped', {});
      await host.until(
        () => host.messages.includes('tick 3') && host.messages.includes('once, aborted: false'),
      );
      host.lines.length = 0;
      const connecting = outcome(carrier, request('tool', 'connect'));
      carrier.quiet?.();
      assert.deepEqual(await connecting, { text: 'connected', isError: false });
      await outcome(carrier, request('tool', 'ring'));
      await carrier.close('g');
      assert.deepEqual(host.messages, [
        'scope aborted',
        'closed',
        'connection disposed',
        'second disposed',
        'first disposed',
      ]);
    });

    test('delivers into a session that its scope opened', async (t) => {
      const { carrier, host } = await opened(t, 'scoped', {});
      host.answer = (ask) => (ask.op === 'session.open' ? { id: 'ses_9' } : { id: 'e1' });
      assert.deepEqual(await outcome(carrier, request('tool', 'deliver', { session: 'room 7' })), {
        text: 'ses_9',
        isError: false,
      });
      assert.deepEqual(
        host.asks.map(({ ask, caller }) => [ask, caller]),
        [
          [{ op: 'session.open', id: 'room 7' }, undefined],
          [
            {
              op: 'session.append',
              session: 'ses_9',
              type: 'message',
              text: 'from outside',
              from: { id: 'ann' },
            },
            undefined,
          ],
        ],
      );
    });

    test('an opening that fails leaves nothing open, and says why', async (t) => {
      const { carrier, host } = await started(t, 'scoped');
      await assert.rejects(
        carrier.open({ instance: 'g', kind: 'global', key: '', settings: { fail: 'open' } }),
        (error: { code?: string; message: string }) =>
          error.code === 'instantiate_failed' && error.message.includes('no space left'),
      );
      assert.deepEqual(host.messages, ['first disposed']);
      await assert.rejects(
        carrier.open({ instance: 'g', kind: 'global', key: '', settings: { fail: 'own' } }),
        /Symbol\.dispose/,
      );
      await assert.rejects(carrier.open({ instance: 's', kind: 'session', key: 'k', settings: {} }), {
        code: 'instantiate_failed',
      });
      assert.deepEqual(await outcome(carrier, request('tool', 'ring')), {
        code: 'extension_ended',
        certainty: 'not_started',
      });
    });

    test('an ending that fails is told, and the rest ends', async (t) => {
      for (const [fail, told] of [
        ['close', 'close failed to end: the lock jams'],
        ['dispose', 'a resource of its scope failed to end: stuck lid'],
      ] as const) {
        const { carrier, host } = await opened(t, 'scoped', { fail });
        await carrier.close('g');
        assert.ok(host.messages.includes(told), host.messages.join());
        assert.equal(host.messages.at(-1), 'first disposed');
      }
    });

    test('opens an instance once for all who ask, and answers anew what stands open', async (t) => {
      const { carrier, host } = await started(t, 'openings');
      await carrier.open({ instance: 'g', kind: 'global', key: '', settings: {} });
      const open = () => carrier.open({ instance: 's', kind: 'session', key: 'slow', settings: {} });
      const both = Promise.all([open(), open()]);
      await host.until(() => host.messages.includes('opening'));
      await outcome(carrier, request('tool', 'release'));
      const [first, second] = await both;
      assert.deepEqual(first, second);
      assert.deepEqual(await open(), first);
      assert.deepEqual(await outcome(carrier, request('tool', 'opened')), { text: '1', isError: false });
    });

    test('an opening that is given up ends what it still makes', async (t) => {
      const { carrier, host } = await started(t, 'openings');
      await carrier.open({ instance: 'g', kind: 'global', key: '', settings: {} });
      const opening = carrier.open({ instance: 's', kind: 'session', key: 'slow', settings: {} });
      const failed = assert.rejects(opening, { code: 'extension_ended' });
      await host.until(() => host.messages.includes('opening'));
      await carrier.close('s');
      await outcome(carrier, request('tool', 'release'));
      await failed;
      assert.deepEqual(host.messages, ['opening', 'closed slow']);
      assert.deepEqual(await outcome(carrier, request('tool', 'key', {}, { instance: 's' })), {
        code: 'extension_ended',
        certainty: 'not_started',
      });
    });

    test('ends its instances, the last one first, and then answers nothing', async (t) => {
      const { carrier, host } = await started(t, 'openings');
      for (const instance of ['a', 'b'])
        await carrier.open({ instance, kind: 'session', key: 'quick', settings: {} });
      await carrier.end();
      assert.deepEqual(host.messages.slice(2), ['closed quick', 'closed quick']);
      assert.equal(carrier.dead?.code, 'extension_ended');
      assert.deepEqual(await outcome(carrier, request('tool', 'key', {}, { instance: 'a' })), {
        code: 'extension_ended',
        certainty: 'not_started',
      });
      await assert.rejects(carrier.open({ instance: 'c', kind: 'session', key: 'quick', settings: {} }), {
        code: 'extension_ended',
      });
      await carrier.end();
    });

    test('a tool of run time that became another one since it was looked at is not started', async (t) => {
      const { carrier, contributions } = await opened(t, 'runtime-tools', {});
      const again = () => carrier.open({ instance: 'g', kind: 'global', key: '', settings: {} });
      const revisionOf = ({ tools }: typeof contributions, tool: string): number => {
        const revision = tools.find(({ name }) => name === tool)?.revision;
        assert.ok(revision !== undefined, tool);
        return revision;
      };
      const first = (revision: number) => outcome(carrier, request('tool', 'first', { n: 3 }, { revision }));
      const answer = { text: 'first 3', isError: false };
      const seen = revisionOf(contributions, 'first');
      await outcome(carrier, request('tool', 'learn', { name: 'second' }));
      const more = await again();
      // What stayed as it was is the same tool.
      assert.equal(revisionOf(more, 'first'), seen);
      assert.notEqual(revisionOf(more, 'second'), seen);
      assert.deepEqual(await first(seen), answer);
      await outcome(carrier, request('tool', 'reword'));
      const now = revisionOf(await again(), 'first');
      assert.deepEqual(await first(seen), { code: 'tool_not_found', certainty: 'not_started' });
      assert.deepEqual(await first(now), answer);
      assert.equal(
        contributions.tools.some(({ runtime, revision }) => !runtime && revision !== undefined),
        false,
      );
    });

    test('a tool that was away for one reading and is the same again is called by who looked at it before, and another one under its name is not', async (t) => {
      const { carrier, contributions } = await opened(t, 'runtime-tools', {});
      const again = () => carrier.open({ instance: 'g', kind: 'global', key: '', settings: {} });
      const seen = contributions.tools.find(({ name }) => name === 'first')?.revision;
      assert.ok(seen !== undefined);
      const first = () => outcome(carrier, request('tool', 'first', { n: 3 }, { revision: seen }));
      const refused = { code: 'tool_not_found', certainty: 'not_started' };
      const away = async () => {
        await outcome(carrier, request('tool', 'sulk', { mood: 'throws' }));
        await again();
        assert.deepEqual(await first(), refused);
        await outcome(carrier, request('tool', 'sulk', { mood: 'good' }));
      };
      await away();
      await again();
      assert.deepEqual(await first(), { text: 'first 3', isError: false });
      await away();
      await outcome(carrier, request('tool', 'reword'));
      await again();
      assert.deepEqual(await first(), refused);
    });

    test('tools of run time come and go, and the bad ones are left out and told', async (t) => {
      const { carrier, host, contributions } = await opened(t, 'runtime-tools', {});
      const names = (list: typeof contributions) =>
        list.tools.filter(({ runtime }) => runtime).map(({ name }) => name);
      assert.deepEqual(names(contributions), ['first']);
      assert.deepEqual(host.messages, [
        'a tool of moreTools was left out: declared stands twice',
        'a tool of moreTools was left out: its name does not fit the pattern of tool names',
        'a tool of moreTools was left out: bad_schema: args/anyOf is a keyword that this dialect does not have',
        'a tool of moreTools was left out: bad_policy: risk must be low, medium or high',
        'a tool of moreTools was left out: bad_run: run is no function',
        'a tool of moreTools was left out: bad_about: about must be 1 to 1024 characters',
        'a tool of moreTools was left out: bad_root: args must be a schema of an object',
        'a tool of moreTools was left out: it is no object',
      ]);
      assert.deepEqual(await outcome(carrier, request('tool', 'first', { n: 3 })), {
        text: 'first 3',
        isError: false,
      });
      await outcome(carrier, request('tool', 'learn', { name: 'second' }));
      await host.until(() => host.changes.length === 1);
      assert.deepEqual(host.changes, ['g']);
      const again = () => carrier.open({ instance: 'g', kind: 'global', key: '', settings: {} });
      assert.deepEqual(names(await again()), ['first', 'second']);
      for (const [mood, told] of [
        ['throws', 'moreTools failed: the server is away'],
        ['no list', 'moreTools returned something that is no list'],
      ] as const) {
        await outcome(carrier, request('tool', 'sulk', { mood }));
        const sulking = await again();
        assert.deepEqual(names(sulking), []);
        assert.equal(
          sulking.tools.some(({ name }) => name === 'declared'),
          true,
        );
        assert.ok(host.messages.includes(told));
      }
      assert.deepEqual(await outcome(carrier, request('tool', 'first', { n: 3 })), {
        code: 'tool_not_found',
        certainty: 'not_started',
      });
    });
  });
}
