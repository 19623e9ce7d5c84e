import assert from 'node:assert/strict';
import { waitFor } from '@fairlead/testing';
import { copyTo, peerTest, texts } from './peer-fixture.ts';

peerTest('a dropped database leaves no row behind and touches no other', async (_t, open) => {
  const { peer, store } = await open();
  const [gone, kept] = [await peer.create('session'), await peer.create('session')];
  for (const database of [gone, kept]) {
    await Promise.all(
      Array.from({ length: 600 }, (_, index) => database.table('entries').append(`word ${index}`)),
    );
    await database.latest('extensions').put('memory', 1);
    await database.doc('meta').set(['a'], 1);
    await database.table('entries').search('word');
  }
  const rows = async () =>
    Object.fromEntries(
      await Promise.all(
        [
          'databases',
          'chains',
          'commits',
          'places',
          'stores',
          'records',
          'latest',
          'registers',
          'searched',
          'words',
        ].map(async (table) => [
          table,
          (await store.read<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))[0]?.n,
        ]),
      ),
    );
  const both = await rows();
  await peer.drop(gone.root);
  const half = Object.fromEntries(Object.entries(both).map(([table, count]) => [table, Number(count) / 2]));
  assert.deepEqual(await rows(), half);
  await assert.rejects(peer.open(gone.root), { code: 'database_not_found' });
  await assert.rejects(gone.table('entries').append(1), { code: 'database_not_found' });
  await assert.rejects(gone.table('entries').tail(1), { code: 'database_not_found' });
  assert.equal(await kept.table('entries').count(), 600);
  await peer.drop(gone.root);
  await peer.drop('nonsense');
});

peerTest('arrival numbers of dropped databases never come back', async (_t, open) => {
  const first = await open();
  const database = await first.peer.create('session');
  await database.table('entries').append(1);
  await first.peer.drop(database.root);
  await first.close();
  const again = await open({ folder: first.folder });
  const cursors: number[] = [];
  await again.peer.onWrite('test', ({ cursor }) => void cursors.push(cursor), { from: 'start' });
  await again.peer.create('session');
  await waitFor(() => cursors.length > 0, { what: 'a write' });
  assert.deepEqual(cursors, [3]);
});

peerTest('a drop that was broken off is finished at the next start', async (_t, open) => {
  const first = await open();
  const database = await first.peer.create('session');
  await database.table('entries').append(1);
  await first.store.write([{ sql: "UPDATE databases SET dropped = 1, root = 'dropped:' || id" }]);
  await first.close();
  const again = await open({ folder: first.folder });
  assert.deepEqual(await again.store.read('SELECT * FROM databases'), []);
  assert.deepEqual(await again.store.read('SELECT * FROM commits'), []);
  await assert.rejects(again.peer.open(database.root), { code: 'database_not_found' });
});

peerTest('a database that comes back after its drop is written by a new author', async (_t, open) => {
  const [one, two] = [await open(), await open()];
  const mine = await one.peer.create('session', undefined, { grants: { [two.peer.peerId]: 'append' } });
  await mine.table('entries').append('sent');
  const theirs = await copyTo(two, mine);
  await mine.table('entries').append('never sent');
  const { author } = one.peer;
  await one.peer.drop(mine.root);
  const again = await copyTo(one, theirs);
  assert.notEqual(one.peer.author, author);
  await again.table('entries').append('after');
  await copyTo(two, again);
  assert.deepEqual(await texts(theirs), ['sent', 'after']);
  assert.deepEqual(
    one.reports.map((report) => (report.code === 'author_minted' ? report.why : report.code)),
    ['first', 'dropped'],
  );
});
