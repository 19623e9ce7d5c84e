import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { defineCap, defineExtension, type Extension, memory } from '@fairlead/extension';
import { hygiene } from '@fairlead/testing';
import { deactivate } from '../../src/activation/switch.ts';
import { callTool, type ToolRequest } from '../../src/dispatch/call-tool.ts';
import { fireAgentEnd } from '../../src/dispatch/fire-hooks.ts';
import { runCommand } from '../../src/dispatch/run-command.ts';
import type { LiveSet } from '../../src/live/live-set.ts';
import { held } from '../fake-extension.ts';
import { testHub } from '../test-hub.ts';

type Echo = {
  say(input: { text: string }): Promise<string>;
  later(input: object): Promise<string>;
};
const Echo = defineCap<Echo>('example.echo', { say: true, later: true });

async function opened(t: TestContext, extensions: readonly Extension[]) {
  hygiene(t);
  const world = await testHub(t, { extensions });
  const session = await world.newSession();
  await world.hub.openSession(session);
  const set = await world.hub.liveSet({ session });
  t.after(() => set[Symbol.dispose]());
  return { ...world, session, set };
}

const call = (set: LiveSet, tool: string, more: Partial<ToolRequest> = {}) =>
  callTool(set, { tool, args: {}, call: 'call_1', ...more });

const echo = (name: string, more: Partial<{ later: () => Promise<string> }> = {}) =>
  defineExtension({
    name,
    version: '1.0.0',
    provides: {
      echo: {
        cap: Echo,
        impl: {
          say: ({ text }, ctx) => `${name} hears ${text} in ${ctx.session?.id ?? 'no session'}`,
          later: more.later ?? (async () => 'later'),
        },
      },
    },
  });

const asker = defineExtension({
  name: 'asker',
  version: '1.0.0',
  uses: { echo: Echo.optional, own: Echo.from('second').optional },
  tools: {
    ask: {
      about: 'Asks.',
      run: async (_args, { caps }) => (await caps.echo?.say({ text: 'hi' })) ?? 'nobody',
    },
    own: {
      about: 'Asks one provider.',
      run: async (_args, { caps }) => (await caps.own?.say({ text: 'hi' })) ?? 'nobody',
    },
    later: {
      about: 'Asks and waits.',
      timeoutMs: 40_000,
      async run(_args, { caps }) {
        try {
          return (await caps.echo?.later({})) ?? 'nobody';
        } catch (error) {
          return (error as { code: string }).code;
        }
      },
    },
  },
  commands: {
    ask: {
      about: 'Asks.',
      run: async (_args, { caps }) => (await caps.echo?.say({ text: 'hi' })) ?? 'nobody',
    },
  },
});

test('a cap is found in the live set, and its provider acts in the session of its caller', async (t) => {
  const { set, session } = await opened(t, [asker, echo('first'), echo('second')]);
  assert.equal((await call(set, 'ask')).text, `first hears hi in ${session}`);
  assert.equal((await call(set, 'own')).text, `second hears hi in ${session}`);
});

test('a cap of the session’s instance comes before the agent’s, and that before a global one', async (t) => {
  const at = (name: string, where: 'agent' | 'session') =>
    defineExtension({
      name,
      version: '1.0.0',
      [where]: {
        provides: {
          echo: { cap: Echo, impl: { say: () => `${name} at ${where}`, later: async () => '' } },
        },
      },
    });
  const { hub, set, session, newAgent } = await opened(t, [
    asker,
    echo('first'),
    at('second', 'agent'),
    at('third', 'session'),
    at('fourth', 'session'),
  ]);
  const ann = await newAgent('ann');
  assert.equal((await call(set, 'ask')).text, 'third at session');
  using withAgent = await hub.liveSet({ session, agent: ann });
  assert.deepEqual(
    withAgent.caps.get('example.echo')?.map(({ owner }) => owner),
    ['third', 'fourth', 'second', 'first'],
  );
  assert.equal((await call(withAgent, 'own')).text, 'second at agent');
});

test('an agent’s opt-out takes a cap from its turns, and not from what a person types', async (t) => {
  const { hub, peer, clock, session, newAgent } = await opened(t, [asker, echo('first')]);
  const ann = await newAgent('ann');
  await deactivate(await peer.open(ann.id), 'first', clock);
  using set = await hub.liveSet({ session, agent: ann });
  assert.equal((await call(set, 'ask')).text, 'nobody');
  const answer = await runCommand(set, { line: '/ask' });
  assert.equal('value' in answer && answer.value.text, `first hears hi in ${session}`);
});

test('a provider that went away after the call began answers cap_unavailable', async (t) => {
  const begun = held();
  const go = held();
  const late = defineExtension({
    name: 'late',
    version: '1.0.0',
    uses: { echo: Echo },
    tools: {
      ask: {
        about: 'Asks late.',
        async run(_args, { caps }) {
          begun.settle();
          await go.promise;
          try {
            return await caps.echo.say({ text: 'hi' });
          } catch (error) {
            return (error as { code: string }).code;
          }
        },
      },
    },
  });
  const { hub, set } = await opened(t, [late, echo('first')]);
  const asking = call(set, 'ask');
  await begun.promise;
  await hub.unload('first');
  go.settle();
  assert.equal((await asking).text, 'cap_unavailable');
});

test('a provider that throws, hangs or answers garbage is its caller’s fault by code', async (t) => {
  const asked = held();
  const { set, clock } = await opened(t, [
    asker,
    echo('first', {
      later() {
        asked.settle();
        return new Promise(() => {});
      },
    }),
  ]);
  const waiting = call(set, 'later');
  await asked.promise;
  // Its own budget, and the second in which it may say how it ended.
  await clock.advance(31_000);
  assert.equal((await waiting).text, 'cap_timeout');
  const rough = await opened(t, [
    asker,
    echo('first', {
      later() {
        throw new Error('no voice');
      },
    }),
  ]);
  assert.equal((await call(rough.set, 'later')).text, 'cap_failed');
});

test('a cap has no more time than what is left of its caller', async (t) => {
  const asked = [held(), held()];
  let calls = 0;
  const seen: string[] = [];
  const hurried = defineExtension({
    name: 'hurried',
    version: '1.0.0',
    uses: { echo: Echo },
    tools: {
      ask: {
        about: 'Has 5 s.',
        timeoutMs: 5000,
        effect: 'read',
        run: (_args, { caps }) => caps.echo.later({}),
      },
    },
    on: {
      async agentEnd(_event, { caps }) {
        await caps.echo.later({});
      },
    },
  });
  const { set, clock } = await opened(t, [
    hurried,
    defineExtension({
      name: 'first',
      version: '1.0.0',
      provides: {
        echo: {
          cap: Echo,
          impl: {
            say: () => '',
            later(_input, { signal }) {
              signal.addEventListener('abort', () => seen.push(`aborted at ${clock.monotonicMs()}`));
              asked[calls++]?.settle();
              return new Promise<string>(() => {});
            },
          },
        },
      },
    }),
  ]);
  const waiting = call(set, 'ask');
  await asked[0]?.promise;
  await clock.advance(6000);
  assert.deepEqual(seen, ['aborted at 5000']);
  assert.equal((await waiting).certainty, 'outcome_unknown');
  const firing = fireAgentEnd(set, { status: 'completed' });
  await asked[1]?.promise;
  await clock.advance(11_000);
  await firing;
  // A hook of 10 s began at 6,000.
  assert.deepEqual(seen, ['aborted at 5000', 'aborted at 16000']);
});

/** A provider whose `later` ends when its signal aborts, and says so. */
function heeding(aborted: () => void, asked: () => void) {
  return defineExtension({
    name: 'first',
    version: '1.0.0',
    provides: {
      echo: {
        cap: Echo,
        impl: {
          say: () => '',
          later: (_input, { signal }) =>
            new Promise<string>((_resolve, reject) => {
              signal.addEventListener('abort', () => {
                aborted();
                reject(new Error('it was stopped'));
              });
              asked();
            }),
        },
      },
    },
  });
}

test('a cancelled call cancels the cap that it waits for', async (t) => {
  const asked = held();
  let aborted = 0;
  const provider = heeding(() => {
    aborted += 1;
  }, asked.settle);
  const { set } = await opened(t, [asker, provider]);
  const cancel = new AbortController();
  const waiting = call(set, 'later', { signal: cancel.signal });
  await asked.promise;
  cancel.abort();
  assert.equal(aborted, 1);
  assert.equal((await waiting).text, 'call_cancelled');
});

test('a session that closes cancels the caps that its calls wait for', async (t) => {
  const asked = held();
  let aborted = 0;
  const provider = heeding(() => {
    aborted += 1;
  }, asked.settle);
  const { hub, set, session } = await opened(t, [asker, provider]);
  const waiting = call(set, 'later');
  await asked.promise;
  await hub.closeSession(session);
  assert.equal(aborted, 1);
  assert.equal((await waiting).text, 'call_cancelled');
});

test('a cap that a cancelled call asks for is not started', async (t) => {
  const begun = held();
  const go = held();
  const tidy = defineExtension({
    name: 'tidy',
    version: '1.0.0',
    uses: { echo: Echo },
    tools: {
      ask: {
        about: 'Asks late.',
        async run(_args, { caps }) {
          begun.settle();
          await go.promise;
          try {
            return await caps.echo.say({ text: 'hi' });
          } catch (error) {
            const { code, certainty } = error as { code: string; certainty?: string };
            return `${code} ${certainty}`;
          }
        },
      },
    },
  });
  const { set } = await opened(t, [tidy, echo('first')]);
  const cancel = new AbortController();
  const asking = call(set, 'ask', { signal: cancel.signal });
  await begun.promise;
  cancel.abort();
  go.settle();
  assert.equal((await asking).text, 'call_cancelled not_started');
});

test('a hook that is late cancels the cap that it waits for', async (t) => {
  const [begun, asked, go] = [held(), held(), held()];
  const seen: number[] = [];
  const slow = defineExtension({
    name: 'slow',
    version: '1.0.0',
    uses: { echo: Echo },
    on: {
      async agentEnd(_event, { caps }) {
        begun.settle();
        await go.promise;
        await caps.echo.later({});
      },
    },
  });
  const provider = heeding(() => void seen.push(clock.monotonicMs()), asked.settle);
  const { set, clock } = await opened(t, [slow, provider]);
  const firing = fireAgentEnd(set, { status: 'completed' });
  await begun.promise;
  await clock.advance(4000);
  go.settle();
  await asked.promise;
  await clock.advance(6000);
  await firing;
  // Its own 10 s, and not 10 s from when it asked.
  assert.deepEqual(seen, [10_000]);
});

test('caps that call each other in a circle end at a depth of 8', async (t) => {
  type Deep = { down(input: { depth: number }): Promise<number> };
  const Deep = defineCap<Deep>('example.deep', { down: true });
  const deep = defineExtension({
    name: 'deep',
    version: '1.0.0',
    uses: { deep: Deep },
    provides: {
      deep: {
        cap: Deep,
        impl: {
          async down({ depth }, { caps }) {
            try {
              return await caps.deep.down({ depth: depth + 1 });
            } catch (error) {
              assert.equal((error as { code: string }).code, 'cap_depth_exceeded');
              return depth;
            }
          },
        },
      },
    },
    tools: {
      dive: { about: 'Dives.', run: async (_args, { caps }) => caps.deep.down({ depth: 1 }) },
    },
  });
  const { set } = await opened(t, [deep]);
  assert.equal((await call(set, 'dive')).data, 8);
});

test('progress of a provider reaches whoever made the call', async (t) => {
  const { set } = await opened(t, [
    asker,
    defineExtension({
      name: 'first',
      version: '1.0.0',
      provides: {
        echo: {
          cap: Echo,
          impl: {
            async say(_input, { progress }) {
              progress('listening');
              await Promise.resolve();
              return 'heard';
            },
            later: async () => '',
          },
        },
      },
    }),
  ]);
  const lines: string[] = [];
  await call(set, 'ask', { onProgress: (line) => lines.push(line) });
  assert.deepEqual(lines, ['listening']);
});

test('memory, as the seed has it, is found by whoever needs it', async (t) => {
  const bank = defineExtension({
    name: 'bank',
    version: '1.0.0',
    provides: {
      memory: {
        cap: memory,
        impl: {
          search: ({ query }) => [{ key: query, value: 'v', score: 1 }],
          remember: () => null,
        },
      },
    },
  });
  const user = defineExtension({
    name: 'user',
    version: '1.0.0',
    uses: { store: memory },
    tools: {
      recall: {
        about: 'Recalls.',
        run: (_args, { caps }) => caps.store.search({ query: 'q', scope: { scope: 'agent' } }),
      },
    },
  });
  const { set } = await opened(t, [user, bank]);
  assert.deepEqual((await call(set, 'recall')).data, [{ key: 'q', value: 'v', score: 1 }]);
});
