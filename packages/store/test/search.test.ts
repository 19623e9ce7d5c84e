import assert from 'node:assert/strict';
import { copyTo, peerTest } from './peer-fixture.ts';

peerTest('records are found by all of their words, whatever the case and accents', async (_t, open) => {
  const { peer } = await open();
  const database = await peer.create('memory_bank');
  const memory = database.table('memory');
  await memory.append({ key: 'harbour', value: 'The Fairlead guides a line', tags: ['rope'] });
  await memory.append({ key: 'food', value: 'Zwei Äpfel und ein Fairlead' });
  await database.table('other').append({ value: 'fairlead' });
  const found = async (words: string, limit?: number) =>
    (await memory.search(words, limit)).map(({ value }) => (value as { key: string }).key).sort();
  assert.deepEqual(await found('fairlead'), ['food', 'harbour']);
  assert.deepEqual(await found('FAIRLEAD line'), ['harbour']);
  assert.deepEqual(await found('apfel'), ['food']);
  assert.deepEqual(await found('rop*'), ['harbour']);
  assert.deepEqual(await found('rop'), []);
  assert.deepEqual(await found('harbour'), ['harbour']);
  assert.deepEqual(await found('fairlead', 1).then((all) => all.length), 1);
  assert.deepEqual(await found('  '), []);
  assert.deepEqual(await database.table('nothing').search('fairlead'), []);
});

peerTest('what looks like a query is only words', async (_t, open) => {
  const memory = (await (await open()).peer.create('memory_bank')).table('memory');
  await memory.append('say "hello" AND goodbye NOT place s1 (or) near* col:umn');
  for (const words of ['"hello"', 'AND goodbye', 'NOT', 'place', '(or)', 'col:umn', '"'])
    assert.equal((await memory.search(words)).length >= 0, true);
  assert.equal((await memory.search('hello goodbye')).length, 1);
  assert.equal((await memory.search('place:s1')).length, 1);
  assert.equal((await memory.search('-hello')).length, 1);
});

peerTest('later records are found too, and those put under a key by the key', async (_t, open) => {
  const database = await (await open()).peer.create('skill_bank');
  const skills = database.table('skills');
  assert.deepEqual(await skills.search('deploy'), []);
  await database.latest('skills').put('deploy', { body: 'ship it' });
  await Promise.all(Array.from({ length: 700 }, (_, index) => skills.append({ body: `number${index}` })));
  assert.equal((await skills.search('deploy'))[0]?.key, 'deploy');
  assert.equal((await skills.search('number699')).length, 1);
  assert.equal((await skills.search('number*', 1_000)).length, 700);
});

peerTest('what was retracted is found no more, and found again when it counts again', async (_t, open) => {
  const [one, two] = [await open(), await open()];
  const mine = await one.peer.create('session', undefined, { grants: { [two.peer.peerId]: 'append' } });
  const theirs = await copyTo(two, mine);
  await theirs.table('entries').append('a needle of theirs');
  await copyTo(one, theirs);
  const entries = mine.table('entries');
  assert.equal((await entries.search('needle')).length, 1);
  await mine.access.revoke(two.peer.peerId, { cuts: { [two.peer.author]: 0 } });
  assert.equal((await entries.search('needle')).length, 0);
});

peerTest(
  'any of several words will do, the best first, and only what is the newest of its key',
  async (_t, open) => {
    const bank = await (await open()).peer.create('memory_bank');
    const memory = bank.latest('memory');
    await memory.put('berth', { value: 'the ferry lies at berth nine', tags: ['port'] });
    await memory.put('ferry', { value: 'the ferry leaves at noon', tags: ['port'] });
    await memory.put('ferry', { value: 'the ship leaves at two', tags: ['port'] });
    await memory.put('tea', { value: 'two spoons of sugar', tags: ['kitchen'] });
    const found = async (words: { readonly all?: string; readonly any?: string }, limit?: number) =>
      (await memory.search(words, limit)).map(({ key }) => key);
    assert.deepEqual(await found({ any: 'ship sugar noon' }), ['tea', 'ferry']);
    assert.deepEqual(await found({ any: 'leaves two' }), ['ferry', 'tea']);
    assert.deepEqual(await found({ all: 'port', any: 'two berth' }), ['berth', 'ferry']);
    assert.deepEqual(await found({ all: 'ferry nine' }), ['berth']);
    assert.deepEqual(await found({ any: 'two' }, 1), ['tea']);
    assert.deepEqual(await found({ any: 'two' }, 0), []);
    assert.deepEqual(await found({}), []);
    assert.deepEqual(await bank.latest('nothing').search({ any: 'two' }), []);
  },
);

peerTest('a word that stands nearly everywhere says little beside one that is rare', async (_t, open) => {
  const bank = await (await open()).peer.create('memory_bank');
  for (let from = 0; from < 12_000; from += 400)
    await bank.commit((tx) => {
      for (let index = from; index < from + 400; index += 1)
        tx.put('memory', `key${index}`, { value: index % 3000 === 7 ? 'common needle' : 'common' });
    });
  const memory = bank.latest('memory');
  const keys = async (any: string, limit: number) =>
    (await memory.search({ any }, limit)).map(({ key }) => key);
  assert.deepEqual(await keys('common needle', 4), ['key9007', 'key6007', 'key3007', 'key7']);
  assert.deepEqual(await keys('common', 2), ['key11999', 'key11998']);
  assert.equal((await keys('common', 5000)).length, 1000);
  assert.deepEqual((await memory.search({ all: 'needle' }, 9)).map(({ key }) => key).length, 4);
});

peerTest('a search gives the thread back between its steps', async (_t, open) => {
  const bank = await (await open()).peer.create('memory_bank');
  for (let from = 0; from < 8000; from += 400)
    await bank.commit((tx) => {
      for (let index = from; index < from + 400; index += 1)
        tx.put('memory', `key${index}`, { value: Array.from({ length: 20 }, (_, at) => `w${at}`).join(' ') });
    });
  const memory = bank.latest('memory');
  await memory.search({ any: 'w1' }, 1);
  let turns = 0;
  const count = () => {
    turns += 1;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  const any = Array.from({ length: 20 }, (_, at) => `w${at}`).join(' ');
  assert.equal((await memory.search({ any }, 500)).length, 500);
  clearImmediate(timer);
  assert.equal(turns >= 2, true, String(turns));
});
