import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeEmbedder, memoryRoom } from './memory-room.ts';

const code = (expected: string) => (error: unknown) => (error as { code?: string }).code === expected;

test('what an agent remembers stands in its own database and is recalled', async (t) => {
  const { memory, ann, room } = await memoryRoom(t);
  await memory.remember(
    { agent: ann, session: 'ses_1' },
    { key: 'harbour', value: 'Berth nine', tags: ['port'] },
  );
  const { memories, by } = await memory.recall({ agent: ann }, { query: 'berth' });
  assert.equal(by, 'words');
  assert.deepEqual(
    memories.map(({ key, value, tags, at, bank }) => ({ key, value, tags, at, bank })),
    [{ key: 'harbour', value: 'Berth nine', tags: ['port'], at: 1_767_225_600_000, bank: undefined }],
  );
  const row = await (await room.agents.open(ann)).latest('memory').get('harbour');
  assert.deepEqual(row?.value, {
    key: 'harbour',
    value: 'Berth nine',
    tags: ['port'],
    agent: ann,
    session: 'ses_1',
    at: 1_767_225_600_000,
  });
});

test('no agent recalls what another remembered', async (t) => {
  const { memory, ann, bob, keys } = await memoryRoom(t);
  await memory.remember({ agent: ann }, { key: 'mine', value: 'the combination is twelve' });
  assert.deepEqual(await keys({ agent: bob }, { query: 'combination' }), []);
  assert.deepEqual(await keys({ agent: bob }, { query: '' }), []);
  assert.deepEqual(await keys({ agent: ann }, { query: 'combination' }), ['mine']);
});

test('a bank is written and read by those to whom it is granted', async (t) => {
  const { memory, ann, bob, keys } = await memoryRoom(t);
  await memory.banks.create('team');
  await memory.banks.grant('team', ann, 'write');
  await memory.banks.grant('team', bob, 'read');
  await memory.remember({ agent: ann, bank: 'team' }, { key: 'standup', value: 'at nine in the galley' });
  assert.deepEqual(await keys({ agent: bob, bank: 'team' }, { query: 'galley' }), ['standup']);
  assert.deepEqual(await keys({ agent: ann, bank: 'TEAM' }, { query: 'galley' }), ['standup']);
  const [found] = (await memory.recall({ agent: bob, bank: 'team' }, { query: 'galley' })).memories;
  assert.equal(found?.bank, 'team');
  assert.deepEqual(await keys({ agent: ann }, { query: 'galley' }), []);
});

test('a bank that is granted for reading refuses a write with a code, and nothing is written', async (t) => {
  const { memory, ann, bob, keys } = await memoryRoom(t);
  await memory.banks.create('team');
  await memory.banks.grant('team', ann, 'read');
  const place = { agent: ann, bank: 'team' };
  await assert.rejects(memory.remember(place, { key: 'k', value: 'v' }), code('bank_read_only'));
  assert.deepEqual(await keys(place, { query: '' }), []);
  await assert.rejects(
    memory.remember({ agent: bob, bank: 'team' }, { key: 'k', value: 'v' }),
    code('bank_unknown'),
  );
});

test('an unknown bank is refused with the names of those that there are for the agent, and no others', async (t) => {
  const { memory, ann } = await memoryRoom(t);
  for (const name of ['team', 'crew', 'private']) await memory.banks.create(name);
  await memory.banks.grant('team', ann, 'read');
  await memory.banks.grant('crew', ann, 'read');
  for (const bank of ['nowhere', 'private'])
    await assert.rejects(memory.recall({ agent: ann, bank }, { query: '' }), {
      code: 'bank_unknown',
      message: 'There is no such bank here for this agent. (there is crew, team)',
    });
});

test('tags are kept, and only what has all of them is found, whatever their case', async (t) => {
  const { memory, ann, keys } = await memoryRoom(t);
  const agent = { agent: ann };
  await memory.remember(agent, {
    key: 'a',
    value: 'rope in the locker',
    tags: ['Deck', 'gear', 'gear', ' '],
  });
  await memory.remember(agent, { key: 'b', value: 'rope on the pier', tags: ['deck'] });
  await memory.remember(agent, { key: 'c', value: 'rope, deck and gear in the text only' });
  assert.deepEqual(await keys(agent, { query: 'rope', tags: ['DECK', 'Gear'] }), ['a']);
  assert.deepEqual((await keys(agent, { query: 'rope', tags: ['deck'] })).toSorted(), ['a', 'b']);
  assert.deepEqual(await keys(agent, { query: '', tags: ['deck'] }), ['b', 'a']);
  assert.deepEqual(await keys(agent, { query: 'rope', tags: ['none'] }), []);
  const [a] = (await memory.recall(agent, { query: 'locker' })).memories;
  assert.deepEqual(a?.tags, ['Deck', 'gear']);
});

test('no more is found than was asked for', async (t) => {
  const { memory, ann, keys } = await memoryRoom(t);
  for (let index = 0; index < 15; index += 1)
    await memory.remember({ agent: ann }, { key: `k${index}`, value: 'anchor' });
  assert.equal((await keys({ agent: ann }, { query: 'anchor', limit: 4 })).length, 4);
  assert.equal((await keys({ agent: ann }, { query: 'anchor' })).length, 10);
  assert.equal((await keys({ agent: ann }, { query: '', limit: 3 })).length, 3);
  assert.equal((await keys({ agent: ann }, { query: 'anchor', limit: 0 })).length, 0);
});

test('an empty query finds the newest first, each key once', async (t) => {
  const { memory, ann, keys } = await memoryRoom(t);
  for (const key of ['one', 'two', 'three', 'one'])
    await memory.remember({ agent: ann }, { key, value: `${key}!` });
  assert.deepEqual(await keys({ agent: ann }, { query: '  ' }), ['one', 'three', 'two']);
  assert.equal((await memory.recall({ agent: ann }, { query: '' })).by, 'time');
});

test('what has more of the words, and rarer ones, stands before the rest', async (t) => {
  const { memory, ann, keys } = await memoryRoom(t);
  for (let index = 0; index < 20; index += 1)
    await memory.remember({ agent: ann }, { key: `log${index}`, value: `the weather on day ${index}` });
  await memory.remember({ agent: ann }, { key: 'storm', value: 'the weather turned to a storm' });
  await memory.remember({ agent: ann }, { key: 'rope', value: 'a storm and its rope' });
  assert.deepEqual((await keys({ agent: ann }, { query: 'weather storm', limit: 2 })).toSorted(), [
    'rope',
    'storm',
  ]);
  assert.equal((await keys({ agent: ann }, { query: 'weather storm', limit: 2 }))[0], 'storm');
});

test('a word that nobody wrote finds nothing', async (t) => {
  const { memory, ann, keys } = await memoryRoom(t);
  await memory.remember({ agent: ann }, { key: 'k', value: 'keel' });
  assert.deepEqual(await keys({ agent: ann }, { query: 'zebra' }), []);
  assert.deepEqual(await keys({ agent: ann }, { query: '!?' }), []);
});

test('remembering again never shows the old value', async (t) => {
  const { memory, ann, keys } = await memoryRoom(t);
  await memory.remember({ agent: ann }, { key: 'berth', value: 'seventeen' });
  await memory.remember({ agent: ann }, { key: 'berth', value: 'twenty' });
  const agent = { agent: ann };
  assert.deepEqual(await keys(agent, { query: 'seventeen' }), []);
  assert.deepEqual(await keys(agent, { query: 'twenty' }), ['berth']);
  assert.deepEqual(
    (await memory.recall(agent, { query: '' })).memories.map(({ value }) => value),
    ['twenty'],
  );
});

test('what was forgotten is recalled no more, and can be remembered anew', async (t) => {
  const embedder = fakeEmbedder();
  const { memory, ann, keys } = await memoryRoom(t, { embedder });
  const agent = { agent: ann };
  await memory.remember(agent, { key: 'brew', value: 'coffee at ten' });
  await memory.caughtUp();
  await memory.forget(agent, 'brew');
  for (const query of ['coffee', 'beverage', 'brew', ''])
    assert.deepEqual(await keys(agent, { query }), [], query);
  await assert.rejects(memory.forget(agent, 'brew'), code('memory_unknown'));
  await assert.rejects(memory.forget(agent, 'never'), code('memory_unknown'));
  await memory.remember(agent, { key: 'brew', value: 'tea' });
  assert.deepEqual(await keys(agent, { query: 'tea' }), ['brew']);
});

test('what does not fit is refused, and says why', async (t) => {
  const { memory, ann, keys } = await memoryRoom(t);
  const agent = { agent: ann };
  for (const [given, reason] of [
    [{ key: '', value: 'v' }, 'the key is one line of at most 256 bytes'],
    [{ key: 'a\nb', value: 'v' }, 'the key is one line of at most 256 bytes'],
    [{ key: 'é'.repeat(129), value: 'v' }, 'the key is one line of at most 256 bytes'],
    [{ key: 'k', value: ' \n' }, 'the value is empty'],
    [{ key: 'k', value: 'x'.repeat(65_537) }, 'the value has 65536 bytes at most'],
    [{ key: 'k', value: 'v', tags: ['a\nb'] }, 'a tag is one line of at most 64 bytes'],
    [
      { key: 'k', value: 'v', tags: Array.from({ length: 33 }, (_, index) => `t${index}`) },
      'at most 32 tags',
    ],
  ] as const)
    await assert.rejects(memory.remember(agent, given), {
      code: 'memory_invalid',
      message: `What was to be remembered does not fit; nothing was written. (${reason})`,
    });
  await memory.remember(agent, { key: 'é'.repeat(128), value: 'x'.repeat(65_536) });
  assert.equal((await keys(agent, { query: '' })).length, 1);
});

test('a record that somebody else wrote otherwise shows nothing, and hides what stood under its key', async (t) => {
  const { memory, ann, keys, room } = await memoryRoom(t);
  const table = (await room.agents.open(ann)).latest('memory');
  await memory.remember({ agent: ann }, { key: 'k', value: 'good' });
  await table.put('odd', { key: 'other', value: 'of another key' });
  await table.put('number', { key: 'number', value: 7 });
  await table.put('list', ['list']);
  await table.put('bare', { key: 'bare', value: 'without the rest', tags: ['t', 7], at: 'noon' });
  assert.deepEqual((await keys({ agent: ann }, { query: '' })).toSorted(), ['bare', 'k']);
  const bare = (await memory.recall({ agent: ann }, { query: 'rest' })).memories[0];
  assert.deepEqual([bare?.tags, bare?.at], [['t'], 0]);
  await table.put('k', { key: 'k' });
  assert.deepEqual(await keys({ agent: ann }, { query: 'good' }), []);
});

test('tags that somebody else wrote longer, or over several lines, are left out', async (t) => {
  const { memory, ann, room } = await memoryRoom(t);
  const table = (await room.agents.open(ann)).latest('memory');
  const tags = ['a\nb', 'a\u2028b', 'a\u2029b', 'a\u0085b', 'x'.repeat(65), '', 'port'];
  await table.put('k', { key: 'k', value: 'ferry', tags });
  const { memories } = await memory.recall({ agent: ann }, { query: 'ferry' });
  assert.deepEqual(memories[0]?.tags, ['port']);
});
