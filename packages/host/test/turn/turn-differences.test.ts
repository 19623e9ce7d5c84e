// Where Fairlead does otherwise than what it grew out of, or where that was known to fail.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineExtension, s, ToolFault } from '@fairlead/extension';
import { saidModel } from './said-model.ts';
import { turnRoom } from './turn-room.ts';

const look = (at: string) => ({ name: 'look', given: { at } });

function counting() {
  const ran: string[] = [];
  const extension = defineExtension({
    name: 'counting',
    version: '1.0.0',
    tools: {
      look: {
        about: 'Looks.',
        args: { at: s.string() },
        effect: 'read',
        run: ({ at }) => {
          ran.push(at);
          return `saw ${at}`;
        },
      },
      fetch: {
        about: 'Fetches.',
        args: {},
        effect: 'read',
        run: () => {
          ran.push('fetch');
          throw new ToolFault('completed', 'connection reset', { code: 'network_unreachable' });
        },
      },
      rare: { about: 'Rarely.', args: {}, effect: 'read', perMinute: 1, run: () => 'once' },
      asked: { about: 'Asks.', args: {}, approval: 'always', run: () => 'did' },
    },
  });
  return { ran, extension };
}

test('a tool whose network failed is never run again by the host (“network errors of a tool retried once after 500 ms”)', async (t) => {
  const { ran, extension } = counting();
  const model = saidModel({ calls: [{ name: 'fetch' }] }, { text: 'It failed.' });
  const room = await turnRoom(t, { model, extensions: [extension] });
  const report = await room.ask('Go');
  assert.deepEqual(ran, ['fetch']);
  assert.equal(report.calls[0]?.code, 'network_unreachable');
  assert.equal(report.status, 'completed');
});

test('fifty steps with tools are allowed where nobody says otherwise (“ten iterations”)', async (t) => {
  const { ran, extension } = counting();
  const steps = Array.from({ length: 60 }, (_, at) => ({ calls: [look(String(at))] }));
  const room = await turnRoom(t, { model: saidModel(...steps), extensions: [extension] });
  const report = await room.ask('Go');
  assert.equal(ran.length, 50);
  assert.deepEqual([report.code, report.steps], ['turn_iterations', 51]);
});

test('a refused call has both its entries, and the hooks of results hear of it (“denied calls leave no result”)', async (t) => {
  const heard: string[] = [];
  const listening = defineExtension({
    name: 'listening',
    version: '1.0.0',
    on: { toolResult: ({ tool, isError }) => void heard.push(`${tool} ${isError}`) },
  });
  const { extension } = counting();
  const model = saidModel({ calls: [{ name: 'asked' }] }, { text: 'ok' });
  const room = await turnRoom(t, { model, extensions: [extension, listening] });
  await room.ask('Go', { attended: () => false });
  assert.deepEqual(heard, ['asked true']);
  const told = await room.told();
  assert.match(told[2] ?? '', /^call asked/);
  assert.match(told[3] ?? '', /^result not_started approval_unattended/);
});

test('a tool’s limit of rate holds over turns (a limiter that was new in each)', async (t) => {
  const { extension } = counting();
  const model = saidModel({ calls: [{ name: 'rare' }] }, { text: 'ok' });
  const room = await turnRoom(t, { model, extensions: [extension] });
  assert.equal((await room.ask('Go')).calls[0]?.text, 'once');
  assert.equal((await room.ask('Again')).calls[0]?.code, 'rate_limited');
});

test('hooks, blocks and tails that throw cost themselves, and the turn goes on (a hook that panics killed it)', async (t) => {
  const fail = () => {
    throw new Error('no');
  };
  const throwing = defineExtension({
    name: 'throwing',
    version: '1.0.0',
    on: { beforeAgentStart: fail, toolResult: fail, agentEnd: fail },
    prompt: fail,
    tail: fail,
    status: fail,
  });
  const { extension } = counting();
  const model = saidModel({ calls: [look('a')] }, { text: 'ok' });
  const room = await turnRoom(t, { model, extensions: [throwing, extension] });
  const report = await room.ask('Go');
  assert.deepEqual([report.status, report.text, report.calls[0]?.text], ['completed', 'ok', 'saw a']);
});

test('an extension that is turned off is gone from the next turn: tools, hooks, blocks (prompt and tail ignored the active set)', async (t) => {
  const speaking = defineExtension({
    name: 'speaking',
    version: '1.0.0',
    tools: { say: { about: 'Says.', args: {}, effect: 'read', run: () => 'said' } },
    on: { beforeAgentStart: () => 'added by speaking' },
    prompt: () => 'block of speaking',
    tail: () => 'tail of speaking',
  });
  const model = saidModel({ calls: [{ name: 'say' }] }, { text: 'ok' });
  const room = await turnRoom(t, { model, extensions: [speaking] });
  await room.ask('Go');
  assert.match(JSON.stringify(model.requests[0]), /added by speaking.*|block of speaking/);
  const log = (await room.sessions.open(room.session)).latest('extensions');
  await log.put('speaking', { kind: 'deactivated', name: 'speaking', timestamp_ms: 1 });
  const report = await room.ask('Again');
  const off = model.requests[2];
  assert.deepEqual(off?.tools, []);
  for (const words of ['added by speaking', 'block of speaking', 'tail of speaking'])
    assert.ok(!JSON.stringify(off?.messages).includes(words), words);
  assert.equal(report.calls[0]?.code, 'tool_inactive');
  assert.match(report.calls[0]?.text ?? '', /\/extensions add speaking/);
});

test('an extension that one agent opted out of is gone for that agent alone', async (t) => {
  const { extension } = counting();
  const model = saidModel({ calls: [look('a')] }, { text: 'ok' });
  const room = await turnRoom(t, { model, extensions: [extension] });
  const bob = await room.agents.create('bob');
  await room.sessions.attach(room.session, 'bob');
  const log = (await room.agents.open(bob.id)).latest('extensions');
  await log.put('counting', { kind: 'deactivated', name: 'counting', timestamp_ms: 1 });
  const ann = await room.ask('Go');
  const other = await room.ask('Go', { agent: bob });
  assert.equal(ann.calls[0]?.text, 'saw a');
  assert.equal(other.calls[0]?.code, 'tool_inactive');
  assert.deepEqual(model.requests[2]?.tools, []);
});

for (const mode of ['inspect', 'read_only'] as const)
  test(`in ${mode === 'inspect' ? 'an' : 'a'} ${mode} session a call that it does not allow is refused by name`, async (t) => {
    const { extension } = counting();
    const model = saidModel({ calls: [{ name: 'asked' }, look('a')] }, { text: 'ok' });
    const room = await turnRoom(t, { model, extensions: [extension] });
    await room.sessions.setMode(room.session, mode, { scopes: ['admin'] });
    const report = await room.ask('Go');
    assert.deepEqual(
      report.calls.map(({ code }) => code),
      ['session_guard_denied', mode === 'inspect' ? 'session_guard_denied' : undefined],
    );
  });
