import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineExtension, s } from '@fairlead/extension';
import { hygiene } from '@fairlead/testing';
import { callTool } from '../../src/dispatch/call-tool.ts';
import { runCommand } from '../../src/dispatch/run-command.ts';
import { resolveSecrets } from '../../src/settings/secrets.ts';
import { testHub } from '../test-hub.ts';

const counter = defineExtension({
  name: 'counter',
  version: '1.0.0',
  settings: { step: s.integer({ default: 1, minimum: 1 }), key: s.optional(s.string()) },
  tools: {
    step: { about: 'Says the step.', run: (_input, ctx) => `step ${ctx.settings.step}` },
    save_all: {
      about: 'Saves everything that it was given.',
      run: async (_input, ctx) => {
        await ctx.save({ ...ctx.settings, step: 9 });
        return 'saved';
      },
    },
  },
  commands: {
    step: {
      about: 'Sets the step.',
      args: { to: s.integer() },
      run: async ({ to }, ctx) => {
        await ctx.save({ step: to });
        return `step is ${to}`;
      },
    },
  },
  on: {
    agentEnd: async (_event, ctx) => {
      await ctx.save({ step: ctx.settings.step + 1 });
    },
  },
});

test('what a handler saves through its context is read by the next call, in that session alone (framework test 11)', async (t) => {
  hygiene(t);
  const { hub, newSession, newAgent, peer } = await testHub(t, { extensions: [counter] });
  const [first, second] = [await newSession(), await newSession()];
  for (const session of [first, second]) await hub.openSession(session);
  const ann = await newAgent('ann');
  const step = async (session: string) => {
    using set = await hub.liveSet({ session, agent: ann });
    const outcome = await callTool(set, { tool: 'step', args: {}, call: 'call_1' });
    return outcome.text;
  };
  assert.equal(await step(first), 'step 1');
  using set = await hub.liveSet({ session: first, agent: ann });
  assert.equal((await runCommand(set, { line: '/step 5' })).certainty, 'completed');
  // The very set that stood before: settings are no part of it.
  const outcome = await callTool(set, { tool: 'step', args: {}, call: 'call_2' });
  assert.equal(outcome.text, 'step 5');
  assert.equal(await step(second), 'step 1');
  const refused = await runCommand(set, { line: '/step 0' });
  assert.ok('fault' in refused);
  assert.match(refused.fault.message, /step/);
  assert.deepEqual(await (await peer.open(first)).doc('extension_settings').get(), { counter: { step: 5 } });
});

test('a handler that saves all it was given does not store what the environment gave', async (t) => {
  hygiene(t);
  const table = { counter: { key: ['$', '{COUNTER_KEY}'].join('') } };
  const settings = resolveSecrets(table, { COUNTER_KEY: 'hunter2-hunter2' });
  const { hub, newSession, newAgent, peer } = await testHub(t, { extensions: [counter], settings });
  const session = await newSession();
  await hub.openSession(session);
  using set = await hub.liveSet({ session, agent: await newAgent('ann') });
  const outcome = await callTool(set, { tool: 'save_all', args: {}, call: 'call_1' });
  assert.equal(outcome.text, 'saved');
  assert.deepEqual(await (await peer.open(session)).doc('extension_settings').get(), {
    counter: { step: 9 },
  });
});
