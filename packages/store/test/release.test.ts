import assert from 'node:assert/strict';
import { waitFor } from '@fairlead/testing';
import { OpenDatabase } from '../src/peer/open-database.ts';
import { overTheWire, peerTest, texts } from './peer-fixture.ts';

peerTest(
  'a handle that is released while another is open does not split the database in two',
  async (_t, open) => {
    const { peer } = await open();
    const first = await peer.create('session');
    const second = await peer.open(first.root);
    second.release();
    second.release();
    const third = await peer.open(first.root);
    await Promise.all([first.table('entries').append('a'), third.table('entries').append('b')]);
    assert.deepEqual(first.version(), third.version());
    const version = third.version();
    first.release();
    third.release();
    const read = await peer.open(first.root);
    assert.deepEqual(read.version(), version);
    assert.deepEqual((await texts(read)).sort(), ['a', 'b']);
    assert.deepEqual(await read.forks(), []);
  },
);

peerTest(
  'a release in the middle of writes takes nothing from them, and the next opening sees them all',
  async (_t, open) => {
    const { peer } = await open();
    for (let round = 0; round < 30; round += 1) {
      const database = await peer.create('session');
      const { root } = database;
      const writes = [1, 2, 3].map((value) => database.table('entries').append(value));
      const together = peer.transaction((tx) => void tx.on({ root }).append('entries', 4));
      await Promise.resolve();
      database.release();
      const again = await peer.open(root);
      const late = again.table('entries').append(5);
      const ends = await Promise.allSettled([...writes, together, late]);
      const done = ends.filter(({ status }) => status === 'fulfilled').length;
      assert.equal((await texts(again)).length, done, `round ${round}`);
      const version = again.version();
      again.release();
      const read = await peer.open(root);
      assert.deepEqual(read.version(), version);
      assert.equal((await texts(read)).length, done, `round ${round}, read again`);
      assert.deepEqual(await read.forks(), []);
      read.release();
    }
  },
);

peerTest('foreign commits that arrive while a handle is released are applied once', async (_t, open) => {
  const [one, two] = [await open(), await open()];
  const source = await one.peer.create('session', undefined, { grants: { [two.peer.peerId]: 'write' } });
  await two.peer.apply(source.root, overTheWire(await source.since({})));
  for (let round = 0; round < 20; round += 1) {
    await source.table('entries').append(round);
    const copy = await two.peer.open(source.root);
    const applying = two.peer.apply(source.root, overTheWire(await source.since(copy.version())));
    copy.release();
    const again = await two.peer.open(source.root);
    const own = again.table('entries').append(`own ${round}`);
    await Promise.all([applying, own]);
    assert.equal((await texts(again)).length, 2 * (round + 1));
    assert.deepEqual(await again.forks(), []);
    again.release();
  }
});

peerTest('a released handle refuses everything but its name', async (_t, open) => {
  const { peer } = await open();
  const database = await peer.create('session');
  const entries = database.table('entries');
  database.release();
  assert.match(database.root, /^ses_/);
  assert.equal(database.kind, 'session');
  const released = { code: 'database_released' };
  await assert.rejects(entries.append('x'), released);
  await assert.rejects(
    database.commit((tx) => tx.append('entries', 'x')),
    released,
  );
  assert.throws(() => database.changes('entries'), released);
  assert.throws(() => database.version(), released);
  assert.throws(() => database.access.mine(), released);
});

peerTest('with the last handle of a database its memory is given back, and not before', async (_t, open) => {
  const { peer } = await open();
  const first = await peer.create('session');
  assert.ok(first instanceof OpenDatabase);
  const { core, root } = first;
  const second = await peer.open(root);
  const state = core.openState(root);
  assert.ok(state !== undefined);
  first.release();
  first.release();
  assert.equal(core.openState(root), state);
  second.release();
  assert.equal(core.openState(root), undefined);
  const again = await peer.open(root);
  const written = again.table('entries').append('in flight');
  again.release();
  assert.notEqual(core.openState(root), undefined, 'somebody still writes');
  await written;
  await waitFor(() => core.openState(root) === undefined, { what: 'the memory to be given back' });
});
