import assert from 'node:assert/strict';
import { copyTo, peerTest, texts } from './peer-fixture.ts';

peerTest('the newest record of each key shows, and all of them are the history', async (_t, open) => {
  const { peer, clock } = await open();
  const database = await peer.create('session');
  const active = database.latest('extensions');
  const first = await active.put('memory', { kind: 'activated' });
  await clock.advance(1);
  await active.put('files', { kind: 'activated' });
  const second = await active.put('memory', { kind: 'deactivated' });
  assert.deepEqual(
    (await active.all()).map(({ key, value, id }) => [key, value, id === second]),
    [
      ['files', { kind: 'activated' }, false],
      ['memory', { kind: 'deactivated' }, true],
    ],
  );
  assert.equal((await active.get('memory'))?.id, second);
  assert.equal(await active.get('none'), undefined);
  const history = await database.table('extensions').tail(10);
  assert.deepEqual(
    history.rows.map(({ key, id }) => [key, id === first || id === second]),
    [
      ['memory', true],
      ['files', false],
      ['memory', true],
    ],
  );
});

peerTest('as of a point in history the newest up to it shows', async (_t, open) => {
  const { peer, clock } = await open();
  const active = (await peer.create('session')).latest('extensions');
  await active.put('a', 1);
  const early = clock.wallMs();
  await clock.advance(100);
  await active.put('a', 2);
  await active.put('b', 1);
  const shown = async (asOf: { atMs: number } | { hlc: number }) =>
    (await active.all(asOf)).map(({ key, value }) => [key, value]);
  assert.deepEqual(await shown({ atMs: early - 1 }), []);
  assert.deepEqual(await shown({ atMs: early }), [['a', 1]]);
  assert.deepEqual(await shown({ atMs: early + 100 }), [
    ['a', 2],
    ['b', 1],
  ]);
  const newest = (await active.get('a'))?.hlc ?? 0;
  assert.deepEqual(await shown({ hlc: newest - 1 }), [['a', 1]]);
  assert.deepEqual((await active.get('a', { atMs: early }))?.value, 1);
});

peerTest('the newest record of a key by one peer is found among others', async (_t, open) => {
  const [one, two] = [await open(), await open()];
  const mine = await one.peer.create('session', undefined, { grants: { [two.peer.peerId]: 'append' } });
  await mine.latest('extensions').put('memory', 'mine 1');
  await mine.latest('extensions').put('memory', 'mine 2');
  const theirs = await copyTo(two, mine);
  await theirs.latest('extensions').put('memory', 'theirs');
  await copyTo(one, theirs);
  const active = mine.latest('extensions');
  assert.equal((await active.get('memory'))?.value, 'theirs');
  assert.equal((await active.by(one.peer.peerId, 'memory'))?.value, 'mine 2');
  assert.equal((await active.by(two.peer.peerId, 'memory'))?.value, 'theirs');
  assert.equal(await active.by('nobody', 'memory'), undefined);
  assert.equal(await active.by(one.peer.peerId, 'other'), undefined);
});

peerTest('a key is one line of at most 1,024 bytes', async (_t, open) => {
  const active = (await (await open()).peer.create('session')).latest('extensions');
  for (const key of ['', 'a\n', 'x'.repeat(1_025), 'é'.repeat(513), '\ud800'])
    await assert.rejects(active.put(key, 1), { code: 'commit_malformed', detail: { part: 'key' } });
  await active.put(`${'é'.repeat(512)}`, 1);
  assert.equal((await active.all()).length, 1);
});

peerTest('a put that arrives late does not show over a newer one', async (_t, open) => {
  const [one, two] = [await open(), await open({ skewMs: -60_000 })];
  const mine = await one.peer.create('session', undefined, { grants: { [two.peer.peerId]: 'append' } });
  const theirs = await copyTo(two, mine);
  await theirs.latest('t').put('k', 'older');
  await one.clock.advance(1_000);
  await mine.latest('t').put('k', 'newer');
  await copyTo(one, theirs);
  await copyTo(two, mine);
  for (const database of [mine, theirs]) {
    assert.equal((await database.latest('t').get('k'))?.value, 'newer');
    assert.deepEqual(await texts(database, 't'), ['older', 'newer']);
  }
});
