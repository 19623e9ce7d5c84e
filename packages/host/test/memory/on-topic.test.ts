import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeEmbedder, memoryRoom } from './memory-room.ts';

const TOPIC = { limit: 3, attached: [], leastNear: 0.4 };

test('nothing comes up where nothing has to do with the conversation', async (t) => {
  const { memory, ann } = await memoryRoom(t, { embedder: fakeEmbedder() });
  await memory.remember({ agent: ann }, { key: 'tea', value: 'two spoons of sugar' });
  await memory.caughtUp();
  for (const recent of [[], [''], ['and then?'], ['the weather in Oslo'], ['AND', 'The', 'IS']])
    assert.deepEqual(await memory.onTopic(ann, { ...TOPIC, recent }), [], JSON.stringify(recent));
});

test('the newest texts say first what a conversation is about, whatever the case of their words', async (t) => {
  const { memory, ann } = await memoryRoom(t);
  await memory.remember({ agent: ann }, { key: 'ferry', value: 'leaves at nine' });
  const words = Array.from({ length: 40 }, (_, index) => `word${index}`).join(' ');
  const found = await memory.onTopic(ann, { ...TOPIC, recent: [words, 'THE FERRY AND The Pier?'] });
  assert.deepEqual(
    found.map(({ key }) => key),
    ['ferry'],
  );
});

test('granted banks are recalled too, those that are named or all, and attached ones from the next turn on', async (t) => {
  const { memory, ann } = await memoryRoom(t);
  for (const name of ['crew', 'port', 'other']) {
    const { id } = await memory.banks.create(name);
    await memory.banks.grant(name, ann, 'write');
    await memory.remember({ agent: ann, bank: id }, { key: `ferry of ${name}`, value: 'ferry' });
  }
  await memory.remember({ agent: ann }, { key: 'own', value: 'ferry' });
  const recent = ['the ferry'];
  const keys = async (more: { readonly banks?: readonly string[]; readonly attached?: readonly string[] }) =>
    (await memory.onTopic(ann, { ...TOPIC, limit: 9, recent, ...more })).map(({ key }) => key).toSorted();
  assert.deepEqual(await keys({}), ['ferry of crew', 'ferry of other', 'ferry of port', 'own']);
  assert.deepEqual(await keys({ banks: ['CREW'] }), ['ferry of crew', 'own']);
  const port = (await memory.banks.find('port')).id;
  assert.deepEqual(await keys({ banks: [], attached: [port] }), ['ferry of port', 'own']);
  assert.deepEqual(await keys({ banks: [] }), ['own']);
});

test('an attached bank that the agent was not granted stays closed', async (t) => {
  const { memory, ann, bob } = await memoryRoom(t);
  const { id } = await memory.banks.create('team');
  await memory.banks.grant('team', ann, 'write');
  await memory.remember({ agent: ann, bank: 'team' }, { key: 'k', value: 'ferry' });
  const topic = { ...TOPIC, recent: ['ferry'], attached: [id] };
  assert.deepEqual(await memory.onTopic(bob, topic), []);
  assert.equal((await memory.onTopic(ann, topic)).length, 1);
});

test('no more comes up than was asked for, the best of all memories', async (t) => {
  const { memory, ann } = await memoryRoom(t);
  for (let index = 0; index < 9; index += 1)
    await memory.remember({ agent: ann }, { key: `k${index}`, value: 'ferry' });
  assert.equal((await memory.onTopic(ann, { ...TOPIC, recent: ['ferry'], limit: 2 })).length, 2);
  assert.equal((await memory.onTopic(ann, { ...TOPIC, recent: ['ferry'], limit: 0 })).length, 0);
});

test('meaning brings up what is near enough and nothing else', async (t) => {
  const { memory, ann } = await memoryRoom(t, { embedder: fakeEmbedder() });
  await memory.remember({ agent: ann }, { key: 'boat', value: 'the boat' });
  await memory.remember({ agent: ann }, { key: 'zero', value: 'nothing of the kind' });
  await memory.caughtUp();
  const found = async (leastNear: number) =>
    (await memory.onTopic(ann, { ...TOPIC, recent: ['a vessel'], leastNear })).map(({ key }) => key);
  assert.deepEqual(await found(0.4), ['boat']);
  assert.deepEqual(await found(0), ['boat']);
});
