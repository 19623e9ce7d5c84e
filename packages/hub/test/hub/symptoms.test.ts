import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { defineExtension, type Extension, s } from '@fairlead/extension';
import { WorkerCarrier } from '@fairlead/extension/runtime';
import { hygiene } from '@fairlead/testing';
import { callTool } from '../../src/dispatch/call-tool.ts';
import { fireBeforeAgentStart, promptBlocks } from '../../src/dispatch/fire-hooks.ts';
import { runCommand } from '../../src/dispatch/run-command.ts';
import { testHub } from '../test-hub.ts';

// What users of the framework that this one follows ran into, each named as they would see it.

const fine = defineExtension({
  name: 'fine',
  version: '1.0.0',
  tools: { fine: { about: 'x', run: () => 'fine' }, judged: { about: 'x', run: () => 'ran' } },
  on: { beforeAgentStart: () => 'fine' },
  prompt: () => 'fine',
});

/** Throws at once, wherever it is entered. */
const boom = (): never => {
  throw new Error('at once');
};

test('an extension that throws at once, at any scope, in any part, takes nothing else down', async (t) => {
  hygiene(t);
  const part = {
    commands: { 'of-global': { about: 'x', run: boom } },
    on: {
      beforeAgentStart: boom,
      sessionStart: boom,
      agentEnd: boom,
      toolResult: boom,
      sessionShutdown: boom,
    },
    prompt: boom,
    tail: boom,
    status: boom,
    moreTools: boom,
    close: boom,
  };
  const thrower: Extension = defineExtension({
    name: 'thrower',
    version: '1.0.0',
    ...part,
    routines: { now: { about: 'x', run: boom } },
    agent: { ...part, commands: { 'of-agent': { about: 'x', run: boom } } },
    session: { ...part, commands: { 'of-session': { about: 'x', run: boom } } },
  });
  const opener: Extension = defineExtension({
    name: 'opener',
    version: '1.0.0',
    open: boom,
    prompt: () => 'never',
    agent: { open: boom, prompt: () => 'never' },
    session: { open: boom, prompt: () => 'never' },
  });
  const { hub, newSession, newAgent } = await testHub(t, { extensions: [opener, thrower, fine] });
  const session = await newSession();
  const ann = await newAgent('ann');
  await hub.openSession(session);
  using set = await hub.liveSet({ session, agent: ann });
  assert.deepEqual(await promptBlocks(set), [{ owner: 'fine', text: 'fine' }]);
  assert.deepEqual(await fireBeforeAgentStart(set), [{ owner: 'fine', role: 'system', text: 'fine' }]);
  assert.equal((await callTool(set, { tool: 'fine', args: {}, call: 'call_1' })).text, 'fine');
  for (const line of ['/of-global', '/of-agent', '/of-session']) {
    const outcome = await runCommand(set, { line });
    assert.equal('fault' in outcome && outcome.fault.code, 'command_failed', line);
  }
  const outcome = await hub.dispatchRoutine({
    extension: 'thrower',
    routine: 'now',
    scope: { kind: 'global' },
    payload: null,
  });
  assert.equal('fault' in outcome && outcome.fault.code, 'routine_failed');
  // Every failure is on record, at the scope that it belongs to.
  assert.deepEqual(
    hub.failures().map(({ name, scope, code }) => [name, scope, code]),
    [
      ['opener', 'global', 'instantiate_failed'],
      ['opener', 'session', 'instantiate_failed'],
      ['opener', 'agent', 'instantiate_failed'],
    ],
  );
  await hub.closeSession(session);
});

test('of two commands of one name the first installed is called', async (t) => {
  hygiene(t);
  const named = (name: string) =>
    defineExtension({ name, version: '1.0.0', commands: { same: { about: 'x', run: () => name } } });
  const { hub, newSession } = await testHub(t, { extensions: [named('first'), named('second')] });
  const session = await newSession();
  await hub.openSession(session);
  using set = await hub.liveSet({ session });
  assert.deepEqual(await runCommand(set, { line: '/same' }), {
    certainty: 'completed',
    value: { text: 'first' },
  });
});

test('what a person approved is what runs: nothing changes arguments after they were decided', async (t) => {
  hygiene(t);
  const ran: unknown[] = [];
  const oven = defineExtension({
    name: 'oven',
    version: '1.0.0',
    tools: { heat: { about: 'x', args: { to: s.integer() }, run: (args) => void ran.push(args) } },
  });
  const meddled: string[] = [];
  const meddler = defineExtension({
    name: 'meddler',
    version: '1.0.0',
    on: {
      toolCall() {
        const args = { to: 2 };
        // It keeps what it returned, and changes it later.
        queueMicrotask(() => {
          args.to = 999;
          meddled.push('changed');
        });
        return { args };
      },
      toolResult: ({ args }) => {
        try {
          (args as { to: number }).to = 999;
        } catch {
          meddled.push('refused');
        }
      },
    },
  });
  const { hub, newSession } = await testHub(t, { extensions: [oven, meddler] });
  const session = await newSession();
  await hub.openSession(session);
  using set = await hub.liveSet({ session });
  const shown: unknown[] = [];
  await callTool(set, {
    tool: 'heat',
    args: { to: 1 },
    call: 'call_1',
    async decide({ args }) {
      await nextTurn();
      shown.push(args);
      return { kind: 'run' };
    },
  });
  assert.deepEqual([shown, ran, meddled], [[{ to: 2 }], [{ to: 2 }], ['changed', 'refused']]);
});

test('a gate in a worker that died denies what it judges in this turn and the next, and only that', async (t) => {
  hygiene(t);
  const { hub, newSession } = await testHub(t, { extensions: [fine] });
  const module = new URL('../fixtures/dying-gate.ts', import.meta.url);
  let starts = 0;
  const died = Promise.withResolvers<void>();
  await hub.install([
    {
      ref: { kind: 'path', name: 'dying-gate', digest: 'd' },
      tier: 'worker',
      builtin: false,
      start(host, onDeath) {
        starts += 1;
        if (starts > 1) return Promise.reject(new Error('the machine is full'));
        return WorkerCarrier.start({
          module,
          host,
          onDeath() {
            onDeath();
            died.resolve();
          },
        });
      },
    },
  ]);
  const session = await newSession();
  await hub.openSession(session);
  using set = await hub.liveSet({ session });
  const call = (live: typeof set, tool: string) => callTool(live, { tool, args: {}, call: `call_${tool}` });
  assert.equal((await call(set, 'judged')).text, 'ran');
  // It goes while the call runs: nobody knows what became of the call.
  const lost = await call(set, 'leave');
  assert.deepEqual([lost.certainty, lost.code], ['outcome_unknown', 'extension_crashed']);
  await died.promise;
  using next = await hub.liveSet({ session });
  for (const turn of [set, next]) {
    const refused = await call(turn, 'judged');
    assert.deepEqual([refused.certainty, refused.code], ['not_started', 'gate_unavailable']);
    assert.match(refused.text, /^blocked by dying-gate: /);
    assert.equal((await call(turn, 'fine')).text, 'fine');
  }
  assert.equal((await call(set, 'leave')).code, 'extension_crashed');
  assert.equal((await call(next, 'leave')).code, 'tool_inactive');
});
