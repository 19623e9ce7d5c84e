import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completed } from '@fairlead/base';
import { definerFor } from '@fairlead/extension/builtin';
import type { HostPeer } from '../../src/host/host-peer.ts';
import { clientRoom, waiter } from '../clients/client-room.ts';
import { saidModel } from '../turn/said-model.ts';
import { ALLOWED, gateTool, passTurn, sayTurn } from './gate-tool.ts';
import { hostRoom } from './host-room.ts';

const by = { id: 'tok_1', scopes: ['session:read', 'session:write'] };

test('/compact has the model sum up, writes that in the place of what stood there, and it costs what it costs', async (t) => {
  const usage = { input: 100, output: 10 };
  const room = await hostRoom(t, {
    scripts: {
      default: [sayTurn('One.'), sayTurn('Two.'), { steps: [{ text: 'Three.', expect: { last: 'third' } }] }],
      'worker:compact': [{ steps: [{ text: 'They counted.', usage }] }, sayTurn('They went on.')],
    },
  });
  const session = await room.session('ann');
  await assert.rejects(room.host.compact(session), { code: 'nothing_to_compact' });
  await room.ask(session, 'first');
  await assert.rejects(room.host.compact(session), { code: 'nothing_to_compact' });
  await room.ask(session, 'second');
  const answer = await room.host.command({ session, line: '/compact', by });
  assert.ok('text' in answer, JSON.stringify(answer));
  const entries = await room.entries(session);
  const summary = entries.at(-1);
  assert.ok(summary?.type === 'summary');
  assert.equal(summary.text, 'They counted.');
  assert.equal(summary.upto, entries.at(-2)?.id);
  assert.equal(
    (await room.host.ledger.costs(session)).reduce((sum, { input }) => sum + input, 0) >= 100,
    true,
  );
  await room.ask(session, 'third');
  assert.equal((await room.told(session)).at(-2), 'ann: Three.');
  await assert.rejects(room.host.compact(session), { code: 'nothing_to_compact' });
  await room.ask(session, 'fourth');
  assert.equal((await room.host.compact(session)).summary, 'They went on.');
});

test('a session without an agent is summed up by nobody, and none while a turn runs', async (t) => {
  const { extension, entered, open } = gateTool();
  const room = await hostRoom(t, {
    scripts: { default: [passTurn] },
    extensions: () => [extension],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  await room.say(session, 'go');
  await entered;
  await assert.rejects(room.host.compact(session), { code: 'turn_running' });
  open();
  await room.host.idle();
  await room.host.sessions.detach(session, 'ann');
  await assert.rejects(room.host.compact(session), { code: 'agent_required' });
});

test('a summary that the model cannot give is the fault of the model, and nothing is written', async (t) => {
  const room = await hostRoom(t, {
    scripts: {
      default: [sayTurn('One.'), sayTurn('Two.')],
      'worker:compact': [{ steps: [{ faults: [{ status: 400 }] }] }],
    },
  });
  const session = await room.session('ann');
  await room.ask(session, 'first');
  await room.ask(session, 'second');
  await assert.rejects(room.host.compact(session), { code: 'model_request_refused' });
  const signal = AbortSignal.abort();
  await assert.rejects(room.host.compact(session, { signal }), { code: 'model_cancelled' });
  assert.equal((await room.told(session)).at(-1), 'end completed');
});

test('a call that ends after a summary was written is still read', async (t) => {
  const room = await clientRoom(t);
  const session = await room.session('ann');
  const { models } = room.host;
  const model = saidModel({ text: 'Fine.' });
  const resolve = models.resolve.bind(models);
  models.resolve = (ref) => ({ ...resolve(ref), model, load: async () => {} });
  await room.ask(session, 'first');
  await room.ask(session, 'second');
  const entered = Promise.withResolvers<void>();
  const said = Promise.withResolvers<string>();
  room.runner.answer = async () => {
    entered.resolve();
    const text = await said.promise;
    return completed({ kind: 'tools_call', result: { content: [{ type: 'text', text }] } });
  };
  const params = { action: 'call', binding: await room.bind(), arguments: {} };
  const call = room.call('plugin_tool', params, { session, caller: waiter() });
  await entered.promise;
  const before = (await room.entries(session)).at(-2);
  assert.equal((await room.host.compact(session)).upto, before?.id);
  said.resolve('done at last');
  assert.equal((await call).certainty, 'completed');
  await room.ask(session, 'third');
  const read = JSON.stringify(model.requests.at(-1)?.messages);
  assert.match(read, /desk called plugin_tool/);
  assert.doesNotMatch(read, /second/);
  // What has ended is stood for by the next one.
  await room.ask(session, 'fourth');
  assert.equal((await room.host.compact(session)).upto, (await room.entries(session)).at(-2)?.id);
});

test('a call that began before a turn and ends in it is not stood for by the summary of that turn', async (t) => {
  const entered = Promise.withResolvers<void>();
  const said = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const sums = definerFor<HostPeer>()({
    name: 'sums',
    version: '1.0.0',
    open: (scope) => scope.peer,
    tools: {
      sum: {
        about: 'Sums up, once the call has ended.',
        args: {},
        async run(_args, { state, session, agent }) {
          said.resolve();
          await ended.promise;
          const caller = { session: session?.id ?? '', agent: agent?.id ?? '', tool: 'sum' };
          await state.compact(caller, 'We began.');
          return 'summed up';
        },
      },
    },
  });
  const sumTurn = { steps: [{ calls: [{ tool: 'sum', arguments: {} }] }, { text: 'Summed.' }] };
  const room = await clientRoom(t, {
    scripts: { default: [sayTurn('One.'), sumTurn] },
    extensions: () => [sums],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  await room.ask(session, 'first');
  room.runner.answer = async () => {
    entered.resolve();
    await said.promise;
    return completed({ kind: 'tools_call', result: { content: [{ type: 'text', text: 'done' }] } });
  };
  const params = { action: 'call', binding: await room.bind(), arguments: {} };
  const call = room.call('plugin_tool', params, { session, caller: waiter() });
  await entered.promise;
  const before = (await room.entries(session)).at(-2);
  await room.say(session, 'Sum up.');
  await call;
  ended.resolve();
  await room.host.idle();
  const entries = await room.entries(session);
  const summary = entries.find((entry) => entry.type === 'summary');
  assert.ok(summary?.type === 'summary' && before !== undefined);
  assert.equal(summary.upto, before.id);
});
