import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { defineCap, defineExtension, memory, s } from '@fairlead/extension';
import { hygiene, waitFor } from '@fairlead/testing';
import { callTool, type ToolRequest } from '../../src/dispatch/call-tool.ts';
import {
  fireAgentEnd,
  fireBeforeAgentStart,
  promptBlocks,
  statusSegments,
  tailBlocks,
} from '../../src/dispatch/fire-hooks.ts';
import { runCommand } from '../../src/dispatch/run-command.ts';
import { type TestTier, TIERS, testHub, tierSource } from '../test-hub.ts';

const Oven = defineCap<{ heat(input: { to: number }): Promise<{ reached: number }> }>('example.oven', {
  heat: true,
});
const Weather = defineCap<{ now(input: { city: string }): Promise<{ celsius: number }> }>('example.weather', {
  now: true,
});

/** What the fixture needs, and who asks it back: always one of the host's own. */
const pantry = defineExtension({
  name: 'pantry',
  version: '1.0.0',
  uses: { weather: Weather.optional },
  tools: {
    forecast: {
      about: 'Is judged.',
      args: { city: s.string() },
      run: async ({ city }, { caps }) => `${city} ${(await caps.weather?.now({ city }))?.celsius}`,
    },
    sunken: {
      about: 'Asks for what makes the cap throw.',
      async run(_args, { caps }) {
        try {
          return `${await caps.weather?.now({ city: 'Atlantis' })}`;
        } catch (error) {
          return (error as { code: string }).code;
        }
      },
    },
  },
  provides: {
    memory: {
      cap: memory,
      impl: {
        search: ({ query }, { session }) => [{ key: query, value: session?.id ?? '', score: 1 }],
        remember: () => null,
      },
    },
    oven: { cap: Oven, impl: { heat: ({ to }) => ({ reached: to }) } },
  },
});

const fixture = (name: string) =>
  new URL(`../../../extension/test/contract/fixtures/${name}.ts`, import.meta.url);

async function opened(t: TestContext, tier: TestTier, name: string) {
  hygiene(t);
  const world = await testHub(t, { extensions: [pantry] });
  const report = await world.hub.install([await tierSource(tier, fixture(name))]);
  assert.deepEqual(report.refused, []);
  const session = await world.newSession();
  const ann = await world.newAgent('ann');
  await world.hub.openSession(session);
  const set = await world.hub.liveSet({ session, agent: ann });
  t.after(() => set[Symbol.dispose]());
  let calls = 0;
  const call = (tool: string, args: object = {}, more: Partial<ToolRequest> = {}) => {
    calls += 1;
    return callTool(set, { tool, args: args as never, call: `call_${calls}`, ...more });
  };
  return { ...world, session, ann, set, call };
}

for (const tier of TIERS)
  describe(`an extension ${tier}, through its hub`, () => {
    test('answers calls in one form, with what it is told', async (t) => {
      const { set, call, session, ann } = await opened(t, tier, 'everything');
      assert.equal(set.tools.get('add')?.tier, tier === 'in a worker' ? 'worker' : 'in_process');
      const { text, data, isError, certainty, args, changedBy } = await call('add', { a: 2 });
      // Its own result hook adds to the text, and the data no longer fits.
      assert.deepEqual(
        [text, data, isError, certainty, args, changedBy],
        ['3!', undefined, false, 'completed', { a: 2, b: 1 }, ['everything']],
      );
      assert.equal((await call('later', { text: 'hi' })).text, 'hi!');
      assert.equal((await call('frozen', { list: [{ n: 1 }] })).text, 'refused!');
      const told = JSON.parse((await call('told')).text.slice(0, -1)) as { now: number };
      const { now: _now, ...rest } = told;
      assert.deepEqual(rest, {
        settings: { unit: 'C', limit: 5 },
        agent: { id: ann.id, name: 'ann' },
        session,
        caps: [true, 'function', 'function'],
      });
      assert.equal((await call('add', { a: 'two' })).code, 'tool_arguments_invalid');
      assert.equal((await call('whose')).text, `${session}!`);
    });

    test('ends a call that throws or answers garbage with the certainty that it proves', async (t) => {
      const { call } = await opened(t, tier, 'everything');
      const ends = [];
      for (const how of ['sync', 'async', 'odd', 'started', 'ended']) {
        const { code, certainty } = await call('throws', { how });
        ends.push([how, code, certainty]);
      }
      for (const what of ['date', 'function', 'nan', 'deep', 'large']) {
        const { code, certainty } = await call('garbage', { what });
        ends.push([what, code, certainty]);
      }
      assert.deepEqual(ends, [
        ['sync', 'tool_failed', 'outcome_unknown'],
        ['async', 'tool_failed', 'outcome_unknown'],
        ['odd', 'tool_failed', 'outcome_unknown'],
        ['started', 'tool_failed', 'not_started'],
        ['ended', 'oven_empty', 'completed'],
        ['date', 'tool_output_invalid', 'completed'],
        ['function', 'tool_output_invalid', 'completed'],
        ['nan', 'tool_output_invalid', 'completed'],
        ['deep', 'tool_output_invalid', 'completed'],
        ['large', 'tool_output_invalid', 'completed'],
      ]);
    });

    test('is told when a call is cancelled, and may still say how it ended', async (t) => {
      const { call, said } = await opened(t, tier, 'everything');
      const cancel = new AbortController();
      const waiting = call('waits', { ending: 'answer' }, { signal: cancel.signal });
      await waitFor(() => said().includes('everything: waiting'), { what: 'the tool to wait' });
      cancel.abort();
      assert.equal((await waiting).text, 'said so itself!');
    });

    test('judges the tools of others', async (t) => {
      const { call } = await opened(t, tier, 'everything');
      const ends = [];
      for (const city of ['Bergen', 'oslo', 'Atlantis', 'later', 'throw', 'garbage']) {
        const { text, code } = await call('forecast', { city });
        ends.push([city, code, text]);
      }
      assert.deepEqual(ends.slice(0, 4), [
        ['Bergen', undefined, 'Bergen 6!'],
        ['oslo', undefined, 'Oslo 4!'],
        ['Atlantis', 'tool_blocked', 'blocked by everything: There is no such city.'],
        ['later', 'tool_blocked', 'blocked by everything: Later.'],
      ]);
      assert.deepEqual(
        ends.slice(4).map(([city, code]) => [city, code]),
        [
          ['throw', 'hook_failed'],
          ['garbage', 'verdict_invalid'],
        ],
      );
      for (const [, , text] of ends.slice(4)) assert.match(text ?? '', /^blocked by everything: /);
    });

    test('adds to what a model reads, and hears what happens', async (t) => {
      const { hub, set, call, said, session } = await opened(t, tier, 'everything');
      assert.deepEqual(await fireBeforeAgentStart(set), [
        { owner: 'everything', role: 'system', text: 'Be brief.' },
      ]);
      assert.deepEqual(await promptBlocks(set), [
        { owner: 'everything', text: `There are ${set.tools.size} tools.` },
      ]);
      assert.deepEqual(await tailBlocks(set, { recent: ['a', 'b'] }), [
        { owner: 'everything', text: 'a b in C' },
      ]);
      await call('count');
      assert.deepEqual(await statusSegments(set), [{ owner: 'everything', segments: { calls: '1' } }]);
      await fireAgentEnd(set, { status: 'failed' });
      await hub.closeSession(session);
      await waitFor(() => said().includes('everything: session ends'), { what: 'the last word' });
      assert.deepEqual(said(), [
        'everything: opened global',
        'everything: session starts',
        'everything: ended failed',
        'everything: session ends',
      ]);
    });

    test('reads and writes its session, saves settings, reaches caps and agents', async (t) => {
      const { call, peer, session, hub } = await opened(t, tier, 'everything');
      const wrote = await call('session');
      assert.deepEqual(Object.keys(JSON.parse(wrote.text.slice(0, -1))), ['ids', 'id']);
      const database = await peer.open(session);
      assert.equal(await database.table('entries').count(), 1);
      assert.equal((await call('save', { unit: 'F' })).text, 'C!');
      assert.match((await call('told')).text, /"settings":\{"unit":"F","limit":5\}/);
      assert.equal((await call('save', { unit: 'K' })).code, 'tool_failed');
      assert.equal(
        (await call('recall', { query: 'q' })).text,
        `[{"key":"q","value":"${session}","score":1}]!`,
      );
      assert.equal((await call('send')).text, 'no messenger!');
      assert.equal((await call('agents', { agent: 'ann' })).text, '{"name":"ann","rows":[]}!');
      assert.equal((await call('agents', { agent: 'bob' })).text, 'unknown!');
      const lines: string[] = [];
      await call('progress', {}, { onProgress: (line) => lines.push(line) });
      await waitFor(() => lines.length > 0, { what: 'the progress' });
      assert.deepEqual(lines, ['half way']);
      await hub.closeSession(session);
    });

    test('provides a cap to others, and its throw is theirs by code', async (t) => {
      const { hub, session, set, call } = await opened(t, tier, 'everything');
      assert.deepEqual(
        set.caps.get('example.weather')?.map(({ owner }) => owner),
        ['everything'],
      );
      assert.equal((await call('forecast', { city: 'Rome' })).text, 'Rome 4!');
      assert.equal((await call('sunken')).text, 'cap_failed!');
      // A turn that began with its gates does not go on without them; the next one has none of it.
      await hub.unload('everything');
      assert.equal((await call('forecast', { city: 'Rome' })).code, 'gate_unavailable');
      using next = await hub.liveSet({ session });
      const end = await callTool(next, { tool: 'forecast', args: { city: 'Rome' }, call: 'call_9' });
      assert.equal(end.text, 'Rome undefined');
    });

    test('answers commands and routines', async (t) => {
      const { hub, set, said } = await opened(t, tier, 'everything');
      assert.deepEqual(await runCommand(set, { line: '/greet Ann' }), {
        certainty: 'completed',
        value: { text: 'Hello, Ann.', data: { agent: 'ann' } },
      });
      const broken = await runCommand(set, { line: '/breaks' });
      assert.equal('fault' in broken && broken.fault.code, 'command_failed');
      const fire = (routine: string) =>
        hub.dispatchRoutine({
          extension: 'everything',
          routine,
          scope: { kind: 'global' },
          payload: { n: 1 },
        });
      assert.deepEqual(await fire('hourly'), { certainty: 'completed', value: null });
      const failed = await fire('broken');
      assert.equal('fault' in failed && failed.fault.code, 'routine_failed');
      await waitFor(() => said().includes('everything: hourly'), { what: 'the routine' });
    });

    test('learns tools at run time', async (t) => {
      const { hub, call, session } = await opened(t, tier, 'runtime-tools');
      assert.equal((await call('first', { n: 3 })).text, 'first 3');
      await call('learn', { name: 'second' });
      await waitFor(
        async () => {
          using next = await hub.liveSet({ session });
          return next.tools.has('second');
        },
        { what: 'the second tool' },
      );
      using next = await hub.liveSet({ session });
      assert.equal((await callTool(next, { tool: 'second', args: {}, call: 'call_9' })).text, 'second 2');
    });

    test('ends with its hub, and a later call says so', async (t) => {
      const { hub, call } = await opened(t, tier, 'everything');
      await hub.close();
      const end = await call('nothing');
      assert.deepEqual([end.certainty, end.code], ['not_started', 'session_not_open']);
    });
  });
