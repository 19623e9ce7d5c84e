import assert from 'node:assert/strict';
import { copyFileSync, cpSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@fairlead/testing';
import { peerTest, texts } from './peer-fixture.ts';

peerTest('a new installation makes its keys, for its owner alone', async (_t, open) => {
  const { peer, folder, reports } = await open();
  const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
  for (const name of ['peer.key', 'author.key'])
    assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600);
  assert.deepEqual(Object.keys(read('peer.key')), ['format', 'id', 'seed']);
  assert.equal(read('peer.key').id, peer.peerId);
  const author = read('author.key');
  assert.deepEqual(Object.keys(author), [
    'format',
    'id',
    'seed',
    'peer',
    'certificate',
    'device',
    'inode',
    'born',
    'arrivals',
  ]);
  assert.equal(author.id, peer.author);
  assert.equal(author.peer, peer.peerId);
  assert.equal(author.inode, String(statSync(join(folder, 'fairlead.db')).ino));
  assert.notEqual(peer.author, peer.peerId);
  assert.deepEqual(reports, [{ code: 'author_minted', author: peer.author, why: 'first' }]);
});

peerTest('the same folder keeps its peer and author', async (_t, open) => {
  const first = await open();
  await first.close();
  const again = await open({ folder: first.folder });
  assert.deepEqual([again.peer.peerId, again.peer.author], [first.peer.peerId, first.peer.author]);
  assert.deepEqual(again.reports, []);
});

peerTest(
  'a copied folder is the same peer with another author, and never uses a number twice',
  async (t, open) => {
    const first = await open();
    const database = await first.peer.create('session');
    await database.table('entries').append('before');
    await first.close();
    const copy = temporaryFolder(t);
    cpSync(first.folder, copy, { recursive: true });
    const [original, second] = [await open({ folder: first.folder }), await open({ folder: copy })];
    assert.equal(original.peer.author, first.peer.author);
    assert.equal(second.peer.peerId, first.peer.peerId);
    assert.notEqual(second.peer.author, first.peer.author);
    assert.deepEqual(second.reports, [{ code: 'author_minted', author: second.peer.author, why: 'moved' }]);
    const [mine, theirs] = [await original.peer.open(database.root), await second.peer.open(database.root)];
    await mine.table('entries').append('in the original');
    await theirs.table('entries').append('in the copy');
    await original.peer.apply(database.root, await theirs.since(mine.version()));
    await second.peer.apply(database.root, await mine.since(theirs.version()));
    assert.deepEqual((await texts(mine)).toSorted(), ['before', 'in the copy', 'in the original']);
    assert.deepEqual(await texts(mine), await texts(theirs));
  },
);

peerTest('an older content in the same file is noticed by what had been seen', async (_t, open) => {
  const first = await open();
  const database = await first.peer.create('session');
  await first.close();
  const path = join(first.folder, 'fairlead.db');
  const old = readFileSync(path);
  const second = await open({ folder: first.folder });
  await (await second.peer.open(database.root)).table('entries').append('later');
  await second.close();
  // Written into the same file: device, inode and birth time stay.
  writeFileSync(path, old);
  const third = await open({ folder: first.folder });
  assert.deepEqual(third.reports, [{ code: 'author_minted', author: third.peer.author, why: 'older' }]);
});

peerTest('a database file put in the place of another makes a new author', async (_t, open) => {
  const first = await open();
  await first.close();
  const path = join(first.folder, 'fairlead.db');
  copyFileSync(path, `${path}.copy`);
  rmSync(path);
  copyFileSync(`${path}.copy`, path);
  const again = await open({ folder: first.folder });
  assert.equal(again.peer.peerId, first.peer.peerId);
  assert.equal(again.reports[0]?.code === 'author_minted' && again.reports[0].why, 'moved');
});

peerTest('a damaged author.key costs a new author, a damaged peer.key stops the start', async (_t, open) => {
  const first = await open();
  await first.close();
  const author = join(first.folder, 'author.key');
  for (const content of ['', '{"format":"fairlead-author-key-v1"}', 'not json', '[]', ' '.repeat(5_000)]) {
    writeFileSync(author, content);
    const again = await open({ folder: first.folder });
    assert.equal(again.peer.peerId, first.peer.peerId);
    assert.equal(again.reports.length, 1);
    await again.close();
  }
  const peer = join(first.folder, 'peer.key');
  const good = readFileSync(peer, 'utf8');
  const other = JSON.parse(good);
  for (const content of [
    '',
    'x',
    '[]',
    good.replace('key-v1', 'key-v2'),
    JSON.stringify({ ...other, seed: 'AA' }),
  ]) {
    writeFileSync(peer, content);
    await assert.rejects(open({ folder: first.folder }), { code: 'key_file_invalid' });
  }
});

peerTest('a key file that others could read is narrowed', async (_t, open) => {
  const first = await open();
  await first.close();
  const { chmodSync } = await import('node:fs');
  for (const name of ['peer.key', 'author.key']) chmodSync(join(first.folder, name), 0o644);
  await open({ folder: first.folder });
  for (const name of ['peer.key', 'author.key'])
    assert.equal(statSync(join(first.folder, name)).mode & 0o777, 0o600);
});
