import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { coreFloor, coreOver } from './core-floor.ts';

const caller = (tool: string, args: JsonObject) => ({ session: 'session-1', agent: 'agent-1', tool, args });

test('an agent is given a task, and its last words are the answer', async (t) => {
  const { tools, peer } = await coreFloor(t);
  assert.deepEqual(await tools.spawn_agent({ agent_ref: 'ann', task: 'Count.', context: 'To ten.' }), {
    certainty: 'completed',
    text: 'Done.',
    data: { session: 'ses_child' },
    isError: false,
  });
  const request = { task: 'Count.', context: 'To ten.', async: false, kind: 'agent', name: 'ann' };
  const given = { agent_ref: 'ann', task: 'Count.', context: 'To ten.', async: false };
  assert.deepEqual(peer.asked, [['spawn', caller('spawn_agent', given), request]]);
});

test('a worker is given its task, its tools, its model and its bounds', async (t) => {
  const { tools, peer } = await coreFloor(t);
  const args = { name: 'scout', task: 'Look.', tools: ['read_*'], model: 'local/small', async: true };
  await tools.spawn_worker({ ...args, max_iterations: 3 });
  assert.deepEqual(peer.asked, [
    [
      ...['spawn', caller('spawn_worker', { ...args, max_iterations: 3 })],
      { ...args, kind: 'worker', maxIterations: 3 },
    ],
  ]);
});

test('a task without words, a bound of no step and an unknown member never reach the host', async (t) => {
  const { tools, peer } = await coreFloor(t);
  for (const args of [
    { name: 'scout', task: '' },
    { name: 'scout', task: 'x', max_iterations: 0 },
    { name: 'scout', task: 'x', preset: 'fast' },
    { task: 'x' },
  ])
    assert.equal((await tools.spawn_worker(args as never)).text.split(':')[0], 'tool_arguments_invalid');
  assert.deepEqual(peer.asked, []);
});

test('a child whose turn failed has ended, and its code is told', async (t) => {
  const spawnEnd = {
    certainty: 'completed',
    session: 'ses_1',
    code: 'ceiling_reached',
    text: 'It was stopped.',
  } as const;
  const { tools } = await coreFloor(t, { spawnEnd });
  assert.deepEqual(await tools.spawn_agent({ agent_ref: 'ann', task: 'x' }), {
    certainty: 'completed',
    text: 'ceiling_reached: It was stopped.',
    data: { session: 'ses_1' },
    isError: true,
  });
});

test('a child that was not made was not started', async (t) => {
  const spawnEnd = { certainty: 'not_started', code: 'spawn_too_deep', text: 'Deeper than 3.' } as const;
  const { tools } = await coreFloor(t, { spawnEnd });
  assert.deepEqual(await tools.spawn_worker({ name: 'scout', task: 'x' }), {
    certainty: 'not_started',
    text: 'spawn_too_deep: Deeper than 3.',
    isError: true,
    detail: {},
  });
  const refuse = { code: 'agent_unknown', message: 'Nobody of this name.' };
  const refusing = await coreOver(t, { workspace: '/', refuse });
  const answer = await refusing.tools.spawn_agent({ agent_ref: 'nobody', task: 'x' });
  assert.deepEqual([answer.certainty, answer.text], ['not_started', 'agent_unknown: Nobody of this name.']);
});

test('a wait that is over leaves an unknown outcome that names the session', async (t) => {
  const spawnEnd = { certainty: 'outcome_unknown', session: 'ses_1', text: 'It still runs.' } as const;
  const { tools } = await coreFloor(t, { spawnEnd });
  assert.deepEqual(await tools.spawn_agent({ agent_ref: 'ann', task: 'x' }), {
    certainty: 'outcome_unknown',
    text: 'tool_failed: It still runs.',
    isError: true,
    detail: { session: 'ses_1' },
  });
});

test('a summary is written for the turn that it stands in; one without words is not', async (t) => {
  const { tools, peer } = await coreFloor(t);
  assert.deepEqual(await tools.compact({ summary: 'We counted to ten.' }), {
    certainty: 'completed',
    text: 'Summarised: the summary now stands for what came before this turn.',
    isError: false,
  });
  assert.deepEqual(peer.asked, [
    ['compact', caller('compact', { summary: 'We counted to ten.' }), 'We counted to ten.'],
  ]);
  for (const summary of ['', ' \n '])
    assert.deepEqual(
      [(await tools.compact({ summary })).certainty, (await tools.compact({ summary })).text.split(':')[0]],
      ['not_started', 'summary_empty'],
    );
  assert.equal(peer.asked.length, 1);
});
