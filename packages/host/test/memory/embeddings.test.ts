import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noRoomForRows } from '../no-room.ts';
import { fakeEmbedder, memoryRoom } from './memory-room.ts';

test('each memory gets a vector, of its key, value and tags', async (t) => {
  const embedder = fakeEmbedder();
  const { memory, ann, room } = await memoryRoom(t, { embedder });
  await memory.remember({ agent: ann }, { key: 'plan', value: 'the ferry leaves', tags: ['port', 'noon'] });
  await memory.caughtUp();
  assert.deepEqual(embedder.asked, ['plan\nthe ferry leaves\nport, noon']);
  const rows = await room.store.read<{ model: string; key: string; bytes: number }>(
    'SELECT model, key, length(vector) AS bytes FROM embeddings LIMIT 10',
  );
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [{ model: 'local/tiny', key: 'plan', bytes: 5 }],
  );
  assert.deepEqual(await memory.standing(), { model: 'local/tiny', waiting: 0 });
});

test('what means the same is found without a word in common', async (t) => {
  const { memory, ann, keys } = await memoryRoom(t, { embedder: fakeEmbedder() });
  await memory.remember({ agent: ann }, { key: 'morning', value: 'coffee first' });
  await memory.remember({ agent: ann }, { key: 'crossing', value: 'the ferry' });
  await memory.caughtUp();
  const { memories, by } = await memory.recall({ agent: ann }, { query: 'a vessel' });
  assert.equal(by, 'words and meaning');
  assert.equal(memories[0]?.key, 'crossing');
  assert.equal((await keys({ agent: ann }, { query: 'beverage' }))[0], 'morning');
});

test('what both searches find stands before what one of them finds', async (t) => {
  const { memory, ann, keys } = await memoryRoom(t, { embedder: fakeEmbedder() });
  const agent = { agent: ann };
  await memory.remember(agent, { key: 'word', value: 'a vessel for tea, coffee or another drink' });
  await memory.remember(agent, { key: 'meaning', value: 'boat boat boat boat' });
  await memory.remember(agent, { key: 'both', value: 'ship vessel' });
  await memory.remember(agent, { key: 'neither', value: 'tea' });
  await memory.caughtUp();
  assert.equal((await keys(agent, { query: 'vessel' }))[0], 'both');
});

test('without an embedder words alone are looked for, and it says so', async (t) => {
  const { memory, ann, keys } = await memoryRoom(t);
  await memory.remember({ agent: ann }, { key: 'k', value: 'ferry' });
  assert.deepEqual(await keys({ agent: ann }, { query: 'vessel' }), []);
  assert.equal((await memory.recall({ agent: ann }, { query: 'ferry' })).by, 'words');
  assert.deepEqual(await memory.standing(), { waiting: 0 });
  assert.equal(memory.residentBytes, 0);
});

test('an embedder that fails keeps nothing from being remembered; what is waiting gets its vector later', async (t) => {
  const embedder = fakeEmbedder();
  embedder.fault = { code: 'embedding_unavailable', reason: 'ECONNREFUSED' };
  const { memory, ann, keys, room, faults } = await memoryRoom(t, { embedder });
  await memory.remember({ agent: ann }, { key: 'k', value: 'the ferry at nine' });
  await memory.caughtUp();
  assert.deepEqual(await keys({ agent: ann }, { query: 'ferry' }), ['k']);
  assert.deepEqual(await memory.standing(), { model: 'local/tiny', waiting: 1 });
  assert.deepEqual(faults, [{ code: 'embedding_unavailable', reason: 'ECONNREFUSED' }]);
  embedder.fault = undefined;
  await room.host.clock.advance(1000);
  await memory.caughtUp();
  assert.equal((await memory.standing()).waiting, 0);
  assert.deepEqual(await keys({ agent: ann }, { query: 'vessel' }), ['k']);
});

test('vectors are made once the disk has room again, and the embedder is asked less and less often until then', async (t) => {
  const embedder = fakeEmbedder();
  const { memory, ann, keys, room } = await memoryRoom(t, { embedder });
  const { store, host } = room;
  const disk = noRoomForRows(t, store, (sql) => sql.startsWith('UPDATE embeddings SET vector'));
  const afterSecond = async () => {
    await host.clock.advance(1000);
    await memory.caughtUp();
    return embedder.asked.length;
  };
  await memory.remember({ agent: ann }, { key: 'k', value: 'the ferry at nine' });
  await memory.caughtUp();
  assert.deepEqual([embedder.asked.length, await afterSecond(), await afterSecond()], [1, 2, 2]);
  disk.mock.restore();
  assert.equal(await afterSecond(), 3);
  assert.equal((await memory.standing()).waiting, 0);
  assert.deepEqual(await keys({ agent: ann }, { query: 'vessel' }), ['k']);
});

test('an embedder that fails at a query falls back to words, and is not asked again at once', async (t) => {
  const embedder = fakeEmbedder();
  const { memory, ann, room } = await memoryRoom(t, { embedder });
  await memory.remember({ agent: ann }, { key: 'k', value: 'the ferry at nine' });
  await memory.caughtUp();
  embedder.fault = { code: 'embedding_unavailable', reason: 'status 503' };
  const before = embedder.asked.length;
  for (const query of ['ferry', 'nine ferry']) {
    const { memories, by } = await memory.recall({ agent: ann }, { query });
    assert.deepEqual([memories.map(({ key }) => key), by], [['k'], 'words']);
  }
  assert.equal(embedder.asked.length, before + 1);
  embedder.fault = undefined;
  await room.host.clock.advance(1000);
  assert.equal((await memory.recall({ agent: ann }, { query: 'vessel' })).by, 'words and meaning');
});

test('a text that the model refuses keeps the others from nothing', async (t) => {
  const embedder = fakeEmbedder();
  embedder.refuses = (text) => text.includes('refuse');
  const { memory, ann, keys, faults, room } = await memoryRoom(t, { embedder });
  const agent = { agent: ann };
  await (await room.agents.open(ann)).commit((tx) => {
    for (const [key, value] of [
      ['a', 'ferry'],
      ['b', 'refuse this'],
      ['c', 'tea'],
    ] as const)
      tx.put('memory', key, { key, value });
  });
  await memory.caughtUp();
  assert.equal((await memory.standing()).waiting, 1);
  assert.equal((await keys(agent, { query: 'boat' }))[0], 'a');
  assert.equal((await keys(agent, { query: 'drink' }))[0], 'c');
  assert.deepEqual(await keys(agent, { query: 'refuse' }).then((all) => all.includes('b')), true);
  assert.deepEqual(
    faults.map(({ code }) => code),
    ['embedding_refused'],
  );
  for (let round = 0; round < 5; round += 1) {
    await memory.remember(agent, { key: `more${round}`, value: 'x' });
    await memory.caughtUp();
  }
  assert.equal(embedder.asked.filter((text) => text === 'b\nrefuse this').length <= 8, true);
});

test('vectors of several models stand side by side, and each is asked with its own', async (t) => {
  const first = fakeEmbedder('local/first');
  const one = await memoryRoom(t, { embedder: first });
  await one.memory.remember({ agent: one.ann }, { key: 'k', value: 'ferry' });
  await one.memory.caughtUp();
  await one.memory.close();
  const second = fakeEmbedder('local/second');
  const two = await one.again(second);
  await two.memory.caughtUp();
  assert.deepEqual(second.asked, ['k\nferry']);
  assert.deepEqual(await two.keys({ agent: two.ann }, { query: 'vessel' }), ['k']);
  const rows = await two.room.store.read<{ model: string }>(
    'SELECT model FROM embeddings ORDER BY model LIMIT 10',
  );
  assert.deepEqual(
    rows.map(({ model }) => model),
    ['local/first', 'local/second'],
  );
  await two.memory.close();
  const again = fakeEmbedder('local/first');
  const three = await two.again(again);
  await three.memory.caughtUp();
  assert.deepEqual(again.asked, []);
  assert.deepEqual(await three.keys({ agent: three.ann }, { query: 'vessel' }), ['k']);
});

test('remembering again takes the old vector away, whatever it was near to', async (t) => {
  const { memory, ann, keys } = await memoryRoom(t, { embedder: fakeEmbedder() });
  const agent = { agent: ann };
  await memory.remember(agent, { key: 'other', value: 'password' });
  await memory.remember(agent, { key: 'k', value: 'ferry' });
  await memory.caughtUp();
  assert.equal((await keys(agent, { query: 'vessel' }))[0], 'k');
  await memory.remember(agent, { key: 'k', value: 'coffee' });
  assert.equal((await keys(agent, { query: 'vessel' })).includes('k'), false);
  await memory.caughtUp();
  assert.equal((await keys(agent, { query: 'beverage' }))[0], 'k');
});

test('what was remembered before the model was configured gets vectors too', async (t) => {
  const before = await memoryRoom(t);
  for (let index = 0; index < 130; index += 1)
    await before.memory.remember(
      { agent: before.ann },
      { key: `k${index}`, value: index === 77 ? 'ferry' : 'x' },
    );
  await before.memory.close();
  const { memory, ann, keys } = await before.again(fakeEmbedder());
  await memory.caughtUp();
  assert.equal((await memory.standing()).waiting, 0);
  assert.equal((await keys({ agent: ann }, { query: 'vessel', limit: 1 }))[0], 'k77');
});

test('what a dropped bank leaves behind is gone at the next start', async (t) => {
  const one = await memoryRoom(t, { embedder: fakeEmbedder() });
  const { id } = await one.memory.banks.create('team');
  await one.memory.remember({ agent: one.ann }, { key: 'k', value: 'ferry' });
  await one.memory.banks.grant('team', one.ann, 'write');
  await one.memory.remember({ agent: one.ann, bank: id }, { key: 'k', value: 'ferry' });
  await one.memory.caughtUp();
  const databases = async () =>
    (
      await one.room.store.read<{ database: string }>('SELECT database FROM embeddings ORDER BY seq LIMIT 10')
    ).map(({ database }) => database);
  assert.deepEqual((await databases()).toSorted(), [one.ann, id].toSorted());
  await one.memory.close();
  await one.room.peer.drop(id);
  const two = await one.again(fakeEmbedder());
  await two.memory.caughtUp();
  assert.deepEqual(await databases(), [one.ann]);
});
