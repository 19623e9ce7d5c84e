import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toolMessage } from '../../src/context/tool-message.ts';
import { TokenEstimate } from '../../src/models/token-estimate.ts';
import { bob, ELSEWHERE, MODEL, STEP, scout, Talk } from './talk.ts';

test('a session of 100,000 entries is read back to where the budget is full, not whole', async () => {
  const talk = new Talk();
  for (let count = 0; count < 100_000; count += 1) talk.say(`message ${count}`);
  const { messages, budget, estimatedInput } = await talk
    .context()
    .assemble({ ...STEP, maxContextTokens: 4096 });
  assert.equal(budget, 2816);
  assert.ok(estimatedInput <= budget && estimatedInput > budget - 28);
  assert.deepEqual(messages.at(-1), { role: 'user', text: 'message 99999' });
  assert.equal(messages.length, 233);
  // 32, 64, 128 and 200 rows.
  assert.equal(talk.read, 424);
});

test('where the window is huge, the reading stops after 4,000 entries', async () => {
  const talk = new Talk();
  for (let count = 0; count < 100_000; count += 1) talk.say('m');
  const model = { ...MODEL, contextWindow: 10_000_000 };
  const { messages } = await talk.context().assemble({ ...STEP, model });
  assert.equal(messages.length, 4024);
  assert.equal(talk.read, 4024);
});

test('a session of 100,000 entries with a summary near its end is read back to the summary’s reach', async () => {
  const talk = new Talk();
  for (let count = 0; count < 100_000; count += 1) talk.say('m');
  const upto = talk.say('the last of them');
  talk.write({ type: 'summary', text: 'all of it', upto });
  talk.say('new');
  const { messages } = await talk.context().assemble(STEP);
  assert.deepEqual(
    messages.map(({ text }) => text),
    ['[Summary of what came before this point, by Ada]\nall of it', 'new'],
  );
  assert.equal(talk.read, 32);
});

test('what a turn answers is sent however much was written since, and last', async () => {
  const talk = new Talk();
  const asked = talk.say('the question');
  for (let count = 0; count < 20_000; count += 1) talk.say('noise', bob, ELSEWHERE);
  talk.ack('trn_1', [asked]);
  const { messages } = await talk.context({ turn: 'trn_1', asked: [asked] }).assemble({
    ...STEP,
    maxContextTokens: 4096,
  });
  assert.deepEqual(messages.at(-1), { role: 'user', text: 'the question' });
  assert.ok(talk.read < 1000);
});

test('the session is read once for all steps of a turn, and what arrives in it is not seen', async () => {
  const talk = new Talk();
  const asked = talk.say('look');
  talk.ack('trn_1', [asked]);
  const context = talk.context({ turn: 'trn_1', asked: [asked] });
  await context.assemble(STEP);
  const { read } = talk;
  talk.say('wait!');
  talk.call('call_1');
  talk.result('call_1', 'X');
  const steps = [
    {
      role: 'assistant',
      text: 'hm',
      reasoning: [{ text: 'think', metadata: { signature: 's' } }],
      calls: [{ id: 'c', name: 'look', arguments: {}, metadata: { thought: 't' } }],
    },
    toolMessage({ call: 'c', tool: 'look', certainty: 'completed', text: 'X', isError: false }),
  ] as const;
  const { messages } = await context.assemble({ ...STEP, steps });
  assert.deepEqual(messages, [{ role: 'user', text: 'look' }, ...steps]);
  // What was written since, looked at for a summary.
  assert.equal(talk.read - read, 3);
  await context.assemble({ ...STEP, steps });
  assert.equal(talk.read - read, 3);
});

test('a summary that is made in a turn holds from its next step on, and the turn keeps its own steps', async () => {
  const talk = new Talk();
  talk.say('old');
  const asked = talk.say('compact yourself');
  talk.ack('trn_1', [asked]);
  const context = talk.context({ turn: 'trn_1', asked: [asked] });
  assert.equal((await context.assemble(STEP)).messages.length, 2);
  talk.call('call_1', { tool: 'compact' });
  talk.write({ type: 'summary', text: 'old stood here', upto: asked, turn: 'trn_1' }, scout);
  talk.result('call_1', 'done');
  const steps = [
    { role: 'assistant', text: '', calls: [{ id: 'c', name: 'compact', arguments: {} }] },
    toolMessage({ call: 'c', tool: 'compact', certainty: 'completed', text: 'done', isError: false }),
  ] as const;
  const { messages } = await context.assemble({ ...STEP, steps });
  assert.deepEqual(messages, [
    { role: 'user', text: '[Summary of what came before this point]\nold stood here' },
    { role: 'user', text: 'compact yourself' },
    ...steps,
  ]);
});

test('an entry that is taken back during a turn does not end it', async () => {
  const talk = new Talk();
  const old = talk.say('old');
  const context = talk.context();
  await context.assemble(STEP);
  talk.retract(old);
  talk.say('new');
  assert.deepEqual((await context.assemble(STEP)).messages, [{ role: 'user', text: 'new' }]);
});

test('tails stand in the newest message of a user, marked and unable to end their mark, and are never stored', async () => {
  const talk = new Talk();
  talk.say('earlier');
  const asked = talk.say('now');
  talk.ack('trn_1', [asked]);
  const tails = [
    { owner: 'memory', text: 'Ada likes </context> tea' },
    { owner: 'empty', text: ' \n' },
    { owner: 'weather', text: 'rain' },
  ];
  const context = talk.context({ turn: 'trn_1', asked: [asked] });
  const steps = [{ role: 'assistant', text: 'hm' }] as const;
  const { messages } = await context.assemble({ ...STEP, tails, steps });
  assert.deepEqual(messages, [
    { role: 'user', text: 'earlier' },
    {
      role: 'user',
      text: [
        'now\n',
        '<context name="memory">\nAda likes &lt;/context&gt; tea\n</context>',
        '<context name="weather">\nrain\n</context>',
      ].join('\n'),
    },
    { role: 'assistant', text: 'hm' },
  ]);
  assert.doesNotMatch(JSON.stringify(talk.rows), /tea/);
});

test('nothing found is no tail', async () => {
  const talk = new Talk();
  talk.say('now');
  const { messages } = await talk.context().assemble({ ...STEP, tails: [{ owner: 'memory', text: '' }] });
  assert.deepEqual(messages, [{ role: 'user', text: 'now' }]);
});

test('a tail without any message of a user is one by itself', async () => {
  const { messages } = await new Talk().context().assemble({ ...STEP, tails: [{ owner: 'm', text: 't' }] });
  assert.deepEqual(messages, [{ role: 'user', text: '<context name="m">\nt\n</context>' }]);
});

test('system parts are one instruction in their order; what extensions add stands in front of it or of the question', async () => {
  const talk = new Talk();
  talk.say('earlier');
  const asked = talk.say('now');
  talk.ack('trn_1', [asked]);
  const { messages } = await talk.context({ turn: 'trn_1', asked: [asked] }).assemble({
    ...STEP,
    system: ['You are scout.', '', 'Block of a', 'Block of b'],
    added: [
      { owner: 'a', role: 'user', text: 'added' },
      { owner: 'b', role: 'system', text: 'rule' },
    ],
  });
  assert.deepEqual(messages, [
    { role: 'system', text: 'You are scout.\n\nBlock of a\n\nBlock of b' },
    { role: 'system', text: 'rule' },
    { role: 'user', text: 'earlier' },
    { role: 'user', text: 'added' },
    { role: 'user', text: 'now' },
  ]);
});

test('system, tools and tails have their room first, and the estimate is of all that is sent', async () => {
  const talk = new Talk();
  for (let count = 0; count < 400; count += 1) talk.say('x'.repeat(40));
  const tools = [{ name: 'look', description: 'd'.repeat(2000), schema: { type: 'object', properties: {} } }];
  const request = {
    ...STEP,
    maxContextTokens: 4096,
    system: ['s'.repeat(2000)],
    tails: [{ owner: 'm', text: 't'.repeat(2000) }],
    tools,
  };
  const { messages, estimatedInput, budget, left } = await talk.context().assemble(request);
  assert.ok(estimatedInput <= budget && estimatedInput > budget - 36);
  const sent = new TokenEstimate().ofPrompt(messages, tools);
  // The tail was estimated as a message of its own.
  assert.ok(Math.abs(sent - estimatedInput) < 10);
  assert.deepEqual(left, { results: 0, entries: 27 });
});

test('what extensions add has half of what prompt and tools leave; what goes beyond is left out whole and told', async () => {
  const talk = new Talk();
  const asked = talk.say('now');
  talk.ack('trn_1', [asked]);
  const request = {
    ...STEP,
    maxContextTokens: 4096,
    system: ['You are scout.'],
    blocks: [{ owner: 'list', text: 'b'.repeat(1200) }],
    added: ['k', 'l', 'm'].map((letter) => {
      return { owner: 'hoard', role: 'user' as const, text: letter.repeat(2400) };
    }),
    tails: [{ owner: 'note', text: 'noon' }],
  };
  const context = talk.context({ turn: 'trn_1', asked: [asked] });
  const { messages, beyond, budget, estimatedInput } = await context.assemble(request);
  assert.equal(budget, 2816);
  assert.deepEqual(beyond, Array(2).fill({ owner: 'hoard', kind: 'message', tokens: 608 }));
  assert.deepEqual(messages, [
    { role: 'system', text: `You are scout.\n\n${'b'.repeat(1200)}` },
    { role: 'user', text: 'k'.repeat(2400) },
    { role: 'user', text: 'now\n\n<context name="note">\nnoon\n</context>' },
  ]);
  assert.ok(estimatedInput < budget / 2);
  // The agent's own prompt is never left out: with it alone there is no room for anything else.
  const full = await context.assemble({ ...request, system: ['s'.repeat(12_000)] });
  assert.deepEqual(
    full.messages.map(({ role, text }) => `${role} ${text.length}`),
    ['system 12000', 'user 3'],
  );
  assert.equal(full.beyond.length, 5);
});

test('a conversation never begins with the assistant: some back ends refuse that', async () => {
  const talk = new Talk();
  talk.say('x'.repeat(12_000));
  const said = { type: 'message', text: 'short', mentions: [], turn: 'trn_0', step: 0 } as const;
  talk.write(said, scout);
  const asked = talk.say('now');
  talk.ack('trn_1', [asked]);
  const { messages, estimatedInput } = await talk
    .context({ turn: 'trn_1', asked: [asked] })
    .assemble({ ...STEP, maxContextTokens: 4096 });
  assert.deepEqual(messages, [
    { role: 'user', text: '[What came before is left out.]' },
    { role: 'assistant', text: 'short' },
    { role: 'user', text: 'now' },
  ]);
  assert.equal(estimatedInput, new TokenEstimate().ofPrompt(messages, []));
});

test('a turn that resumes another one is told so', async () => {
  const talk = new Talk();
  const asked = talk.say('do it');
  talk.ack('trn_1', [asked]);
  talk.call('call_1');
  talk.result('call_1', 'half');
  talk.ack('trn_2', []);
  const { messages } = await talk.context({ turn: 'trn_2', resumes: true }).assemble(STEP);
  assert.deepEqual(
    messages.map(({ role, text }) => `${role}: ${text}`),
    [
      'user: do it',
      'assistant: ',
      'tool: half',
      'user: [Your turn before this one was cut short. Go on where it stopped; a call whose outcome is unknown may have had its effect.]',
    ],
  );
});

test('tails are told the newest texts, oldest first, what is asked among them, and no half character', async () => {
  const talk = new Talk();
  for (let count = 0; count < 300; count += 1) talk.say(`m${count}`);
  const asked = talk.say(`${'x'.repeat(4095)}😀`);
  talk.ack('trn_1', [asked]);
  const recent = await talk.context({ turn: 'trn_1', asked: [asked] }).recent();
  assert.deepEqual(recent, [
    'm293',
    'm294',
    'm295',
    'm296',
    'm297',
    'm298',
    'm299',
    `${'x'.repeat(4095)}\uFFFD`,
  ]);
  assert.equal(talk.read, 32);
});

test('what is asked and was taken back meanwhile is not sent', async () => {
  const talk = new Talk();
  talk.say('here');
  const { messages } = await talk.context({ asked: ['author:99:0'] }).assemble(STEP);
  assert.deepEqual(messages, [{ role: 'user', text: 'here' }]);
});

test('a model with another count has its own estimates', async () => {
  const talk = new Talk();
  talk.say('x'.repeat(400));
  const context = talk.context();
  const few = await context.assemble(STEP);
  const exact = new TokenEstimate(async () => (text) => text.length);
  await exact.load();
  const many = await context.assemble({ ...STEP, model: { ...MODEL, tokens: exact } });
  assert.deepEqual([few.estimatedInput, many.estimatedInput], [108, 408]);
});
