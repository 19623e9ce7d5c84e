import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandRoom } from './command-room.ts';

test('/model shows which model each agent has, and who says so', async (t) => {
  const { done, sessions, session, ann, bob, host } = await commandRoom(t);
  await host.clock.advance(1);
  await sessions.attach(session, 'bob');
  const { text, data } = await done('/model');
  assert.equal(
    text,
    [
      'This session has no model of its own; this host’s is local/small.',
      'ann  local/small  by the host',
      'bob  local/large  by the agent',
    ].join('\n'),
  );
  assert.deepEqual(data, {
    session,
    model: null,
    default: 'local/small',
    agents: [
      { id: ann, name: 'ann', model: 'local/small', from: 'host' },
      { id: bob, name: 'bob', model: 'local/large', from: 'agent' },
    ],
    models: ['local/small', 'local/large'],
  });
  assert.equal(
    (await done('/model local/large')).text,
    'This session has local/large from the next turn on.',
  );
  await done('/model bob local/small');
  assert.equal(
    (await done('/model')).text,
    [
      'This session has local/large; this host’s is local/small.',
      'ann  local/large  by the session',
      'bob  local/small  by the agent in this session',
    ].join('\n'),
  );
});

test('clear takes the model of the session, or of one agent in it, away', async (t) => {
  const { done, sessions, session } = await commandRoom(t);
  await done('/model local/large');
  await done('/agent model ann local/small');
  assert.equal((await done('/model clear')).text, 'This session has no model of its own any more.');
  assert.equal((await done('/model ann clear')).text, 'ann has no model of its own any more.');
  const { model, models } = await sessions.meta(session);
  assert.deepEqual([model, models.size], [undefined, 0]);
});

test('/model refuses what is no model, who takes no part, three words, and an agent alone', async (t) => {
  const { refused } = await commandRoom(t);
  assert.match(await refused('/model local/smal'), /^model_unknown: .*did you mean local\/small\?/);
  assert.match(await refused('/model zzzzzzzz'), /^model_unknown: [^(]*$/);
  assert.match(await refused('/model bob local/small'), /^agent_not_attached: /);
  const usage = '/model [<model>|clear]\n/model <agent> <model>|clear';
  const three = await refused('/model ann local/small now');
  assert.ok(three.startsWith('command_usage: ') && three.endsWith(usage), three);
  const alone = await refused('/model ann');
  assert.ok(alone.includes('say which model ann is to have') && alone.endsWith(usage), alone);
});

test('/backends shows back ends, models and whether a key is there, and no path of this machine', async (t) => {
  const { done } = await commandRoom(t);
  const { text, data } = await done('/backends');
  assert.equal(
    text,
    [
      'local  openai_compatible  http://127.0.0.1:1234/v1  key: missing',
      '       local/small        8,192 tokens              no price',
      '       local/large        131,072 tokens, no tools',
      'told   scripted           a script',
    ].join('\n'),
  );
  assert.doesNotMatch(JSON.stringify(data), /home\/ada/);
  assert.equal((data as { default: string }).default, 'local/small');
});

test('a host without back ends says how to add one', async (t) => {
  const { ports, session } = await commandRoom(t);
  const { runHostCommand } = await import('../../src/commands/run-host-command.ts');
  const bare = { ...ports, models: { list: () => [], refs: [], default: undefined } };
  const say = async (line: string) => {
    const answer = await runHostCommand(bare, { session, line, by: { id: 'p', scopes: ['session:read'] } });
    return 'text' in answer ? answer.text : '';
  };
  assert.match(await say('/backends'), /fairlead model add/);
  assert.equal(
    await say('/model'),
    'This session has no model of its own; this host has none: fairlead model add.\nann  no model  by the host',
  );
  assert.match(await say('/agent'), /no model$/);
});

test('/costs adds up what the session spent, says what has no price, and the ceilings', async (t) => {
  const { done, ledger, session, ann } = await commandRoom(t);
  assert.equal((await done('/costs')).text, 'No model was asked here yet.\nA turn stops at 2.00 USD.');
  const price = { input: 1_000_000, output: 2_000_000, cached: 0, written: 0 };
  const spend = async (ref: string, priced: boolean, known: boolean) => {
    const subject = { turn: 'trn_1', root: 'trn_1', session, agent: ann };
    const opened = await ledger.attempts(subject, priced ? { ref, price } : { ref }).open({ input: 1000 });
    assert.ok(opened.ok);
    const usage = { input: 1000, output: 500, cached: 0, written: 0, reasoning: 0 };
    await opened.attempt.settle(known ? { known, usage } : { known, output: 500 });
  };
  await spend('local/small', true, true);
  assert.equal(
    (await done('/costs')).text,
    'local/small  1 request  1,000 in  500 out  0.0000 USD\nA turn stops at 2.00 USD.',
  );
  await spend('local/small', true, false);
  await spend('local/large', false, true);
  const { text, data } = await done('/usage');
  assert.equal(
    text,
    [
      'local/small  2 requests  2,000 in  1,000 out  0.0000 USD                     1 estimated',
      'local/large  1 request   1,000 in  500 out    no price',
      'all          3 requests  3,000 in  1,500 out  0.0000 USD, 1 without a price  1 estimated',
      'A turn stops at 2.00 USD.',
    ].join('\n'),
  );
  assert.deepEqual((data as { total: unknown }).total, {
    attempts: 3,
    input: 3000,
    output: 1500,
    nanousd: 4000,
    unpriced: 1,
    estimated: 1,
  });
});
