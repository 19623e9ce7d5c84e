import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineExtension, s } from '@fairlead/extension';
import { extensionError, type HostSide } from '@fairlead/extension/runtime';
import { hygiene } from '@fairlead/testing';
import { callTool } from '../../src/dispatch/call-tool.ts';
import { FakeExtension } from '../fake-extension.ts';
import { testHub } from '../test-hub.ts';

test('an extension reads and appends to the session of its call, and delivers into one that it opened', async (t) => {
  hygiene(t);
  const scribe = defineExtension({
    name: 'scribe',
    version: '1.0.0',
    access: ['session_read', 'session_write'],
    open: (scope) => scope.sessions,
    tools: {
      write: {
        about: 'Writes.',
        async run(_args, { session }) {
          await session.append({ type: 'message', text: 'hello' });
          return (await session.read({ last: 5 })).map((entry) => `${entry.from.kind} ${entry['text']}`);
        },
      },
      deliver: {
        about: 'Delivers.',
        args: { to: s.string() },
        async run({ to }, { state }) {
          const view = await state.open(to);
          await view.append({ type: 'message', text: 'from outside', from: { id: 'room', name: 'Ann' } });
          return (await view.read()).map((entry) => entry.from.id);
        },
      },
    },
  });
  const { hub, peer, newSession } = await testHub(t, { extensions: [scribe] });
  const [session, other] = [await newSession(), await newSession()];
  await hub.openSession(session);
  using set = await hub.liveSet({ session });
  const wrote = await callTool(set, { tool: 'write', args: {}, call: 'call_1' });
  assert.deepEqual(wrote.data, ['extension hello']);
  const delivered = await callTool(set, { tool: 'deliver', args: { to: other }, call: 'call_2' });
  assert.deepEqual(delivered.data, ['ext:scribe/room']);
  assert.equal(await (await peer.open(other)).table('entries').count(), 1);
});

test('saved settings stand in the session of the call, and in no other', async (t) => {
  hygiene(t);
  const mood = defineExtension({
    name: 'mood',
    version: '1.0.0',
    settings: { word: s.string({ default: 'calm' }) },
    tools: { change: { about: 'Changes.', run: (_args, ctx) => ctx.save({ word: 'wild' }) } },
  });
  const { hub, peer, newSession } = await testHub(t, { extensions: [mood] });
  const session = await newSession();
  await hub.openSession(session);
  using set = await hub.liveSet({ session });
  assert.equal((await callTool(set, { tool: 'change', args: {}, call: 'call_1' })).certainty, 'completed');
  assert.deepEqual(await (await peer.open(session)).doc('extension_settings').get(), {
    mood: { word: 'wild' },
  });
  const database = await peer.open(session);
  const installed = hub.commandPorts.installed()[0];
  assert.ok(installed !== undefined);
  assert.deepEqual(await hub.settings.for(installed, { session: database }), { word: 'wild' });
});

test('the state of agents is answered within what the operator allows', async (t) => {
  hygiene(t);
  const clerk = (name: string) =>
    defineExtension({
      name,
      version: '1.0.0',
      access: ['agent_state_admin'],
      tools: {
        [name]: {
          about: 'Looks.',
          args: { agent: s.string() },
          async run({ agent }, { agents }) {
            const state = await agents.resolve(agent as string);
            return state === null ? 'unknown' : state.name;
          },
        },
      },
    });
  const { hub, newSession, newAgent } = await testHub(t, {
    extensions: [clerk('listed'), clerk('none'), clerk('free')],
    agentState: { listed: ['ann'], none: [] },
  });
  const session = await newSession();
  await newAgent('ann');
  await newAgent('bob');
  await hub.openSession(session);
  using set = await hub.liveSet({ session });
  const ask = async (tool: string, agent: string) =>
    (await callTool(set, { tool, args: { agent }, call: 'call_1' })).text;
  assert.deepEqual(
    await Promise.all(
      ['listed', 'none', 'free'].flatMap((tool) => ['ann', 'bob', 'eve'].map((name) => ask(tool, name))),
    ),
    ['ann', 'unknown', 'unknown', 'unknown', 'unknown', 'unknown', 'ann', 'bob', 'unknown'],
  );
});

test('what an extension logs comes with its name, its level and its data', async (t) => {
  hygiene(t);
  const chatty = defineExtension({
    name: 'chatty',
    version: '1.0.0',
    open: (scope) => scope.log.warn('hot', { degrees: 99 }),
  });
  const { lines } = await testHub(t, { extensions: [chatty] });
  assert.deepEqual(lines, [{ extension: 'chatty', level: 'warn', message: 'hot', data: { degrees: 99 } }]);
});

test('what does not belong to a call that runs is answered with a code, whoever asks', async (t) => {
  hygiene(t);
  const { hub, newSession } = await testHub(t);
  let host: HostSide | undefined;
  const raw = new FakeExtension('raw', { tools: ['x'] });
  await hub.install([
    {
      ...raw.source(),
      start: (given, onDeath) => {
        host = given;
        return raw.source().start(given, onDeath);
      },
    },
  ]);
  const session = await newSession();
  await hub.openSession(session);
  const ask = async (op: Parameters<HostSide['ask']>[0], caller?: Parameters<HostSide['ask']>[1]) => {
    try {
      return await host?.ask(op, caller);
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  const foreign = {
    call: 1,
    instance: 'x',
    endpoint: 'tool' as const,
    name: 'x',
    input: {},
    context: { settings: {}, caps: {}, session },
  };
  assert.equal(await ask({ op: 'cap.call', call: 1, alias: 'a', method: 'm', input: {} }), 'context_expired');
  assert.equal(
    await ask({ op: 'cap.call', call: 1, alias: 'a', method: 'm', input: {} }, foreign),
    'context_expired',
  );
  assert.equal(await ask({ op: 'progress', call: 1, text: 'x' }), 'context_expired');
  assert.equal(await ask({ op: 'settings.save', session, patch: {} }), 'session_not_here');
  assert.equal(
    await ask({ op: 'settings.save', session: 'ses_other', patch: {} }, foreign),
    'session_not_here',
  );
  assert.equal(await ask({ op: 'session.read', session, last: 1 }), 'session_not_here');
  assert.equal(await ask({ op: 'nonsense' } as never), extensionError('capability_not_declared').code);
  await hub.unload('raw');
  assert.equal(await ask({ op: 'agent_state.resolve', agent: 'ann' }), 'extension_unknown');
});
