import assert from 'node:assert/strict';
import { waitFor } from '@fairlead/testing';
import type { Write } from '../src/index.ts';
import { copyTo, peerTest } from './peer-fixture.ts';

/** A consumer that keeps what it is handed. */
function keeper() {
  const writes: Write[] = [];
  const consume = (write: Write) => void writes.push(write);
  const have = (count: number) => waitFor(() => writes.length >= count, { what: `${count} writes` });
  return { writes, consume, have };
}

peerTest('a consumer is handed each write after its commit, in order, with its origin', async (_t, open) => {
  const [one, two] = [await open(), await open()];
  const { writes, consume, have } = keeper();
  await one.peer.onWrite('test', consume);
  const mine = await one.peer.create('session', undefined, { grants: { [two.peer.peerId]: 'append' } });
  await mine.table('entries').append({ text: 'mine' });
  const theirs = await copyTo(two, mine);
  await theirs.table('entries').append({ text: 'theirs' });
  await copyTo(one, theirs);
  await have(3);
  assert.deepEqual(
    writes.map(({ origin, author, peer, seq, database, kind }) => ({
      origin,
      author,
      peer,
      seq,
      database,
      kind,
    })),
    [
      { origin: 'local', author: one.peer.author, peer: one.peer.peerId, seq: 1 },
      { origin: 'local', author: one.peer.author, peer: one.peer.peerId, seq: 2 },
      { origin: 'remote', author: two.peer.author, peer: two.peer.peerId, seq: 1 },
    ].map((write) => ({ ...write, database: mine.root, kind: 'session' })),
  );
  assert.deepEqual(writes[1]?.ops, [{ op: 'append', table: 'entries', value: { text: 'mine' } }]);
  const remote = writes[2]?.ops.findIndex((op) => op.op === 'append');
  assert.equal(remote, 1);
  const row = await mine.table('entries').at(`${two.peer.author}:1:${remote}`);
  assert.deepEqual(row?.value, { text: 'theirs' });
  assert.deepEqual(
    writes.map(({ cursor }) => cursor),
    [1, 2, 3],
  );
});

peerTest('a consumer goes on where it stopped, a new one begins now or at the start', async (_t, open) => {
  const first = await open();
  const database = await first.peer.create('session');
  const early = keeper();
  const off = await first.peer.onWrite('early', early.consume, { from: 'start' });
  await early.have(1);
  await off();
  await off();
  await database.table('entries').append('between');
  const late = keeper();
  await first.peer.onWrite('late', late.consume);
  const again = keeper();
  const offAgain = await first.peer.onWrite('early', again.consume);
  await again.have(1);
  assert.deepEqual(
    again.writes.map(({ seq }) => seq),
    [2],
  );
  await database.table('entries').append('after');
  await late.have(1);
  await again.have(2);
  assert.deepEqual(
    late.writes.map(({ seq }) => seq),
    [3],
  );
  await offAgain();
  await first.close();
  const restarted = await open({ folder: first.folder });
  const third = keeper();
  await restarted.peer.onWrite('early', third.consume);
  await (await restarted.peer.open(database.root)).table('entries').append('last');
  await third.have(1);
  assert.deepEqual(
    third.writes.map(({ seq }) => seq),
    [4],
  );
});

peerTest('one that throws is tried again and holds nobody else up', async (_t, open) => {
  const { peer, clock, reports } = await open();
  const database = await peer.create('session');
  let failures = 3;
  const seen: number[] = [];
  await peer.onWrite('failing', async ({ seq }) => {
    if (failures > 0) {
      failures -= 1;
      throw new Error('not yet');
    }
    seen.push(seq);
  });
  const other = keeper();
  await peer.onWrite('other', other.consume);
  await database.table('entries').append(1);
  await other.have(1);
  for (let tries = 1; tries <= 3; tries += 1) {
    await waitFor(() => reports.filter(({ code }) => code === 'consumer_failed').length === tries, {
      what: 'a failure',
    });
    await clock.advance(1_000 * 2 ** (tries - 1));
  }
  await waitFor(() => seen.length === 1, { what: 'the write in the end' });
  assert.deepEqual(
    reports.flatMap((report) =>
      report.code === 'consumer_failed' ? [[report.consumer, report.retryMs]] : [],
    ),
    [
      ['failing', 1_000],
      ['failing', 2_000],
      ['failing', 4_000],
    ],
  );
});

peerTest('a consumer that is being retried can be stopped, and meets the write again', async (_t, open) => {
  const { peer, reports } = await open();
  const database = await peer.create('session');
  const off = await peer.onWrite('test', () => {
    throw new Error('never');
  });
  await database.table('entries').append(1);
  await waitFor(() => reports.length > 1, { what: 'a failure' });
  await off();
  const again = keeper();
  await peer.onWrite('test', again.consume);
  await again.have(1);
  assert.equal(again.writes[0]?.seq, 2);
  await assert.rejects(
    peer.onWrite('test', () => undefined),
    { code: 'consumer_taken' },
  );
});

peerTest('a crash before the cursor was kept hands the writes over again', async (_t, open) => {
  const first = await open();
  const database = await first.peer.create('session');
  const { writes, consume, have } = keeper();
  await first.peer.onWrite('test', consume);
  await database.table('entries').append(1);
  await have(1);
  // Nothing says goodbye: the store closes under the peer, and the clock has not moved to the idle time.
  await first.store.close();
  const again = await open({ folder: first.folder });
  const second = keeper();
  await again.peer.onWrite('test', second.consume);
  await second.have(1);
  assert.deepEqual(second.writes, writes);
});

peerTest('an idle consumer keeps its cursor after a second', async (_t, open) => {
  const { peer, store, clock } = await open();
  const database = await peer.create('session');
  const { consume, have } = keeper();
  await peer.onWrite('test', consume);
  const kept = async () =>
    (await store.read<{ n: number }>("SELECT n FROM cursors WHERE name = 'test'"))[0]?.n;
  assert.equal(await kept(), 1);
  await database.table('entries').append(1);
  await have(1);
  await waitFor(() => clock.pendingTimers > 0, { what: 'the timer' });
  assert.equal(await kept(), 1);
  await clock.advance(1_000);
  await waitFor(async () => (await kept()) === 2, { what: 'the cursor' });
});

peerTest('somebody may wait until a consumer has taken everything there is', async (_t, open) => {
  const { peer } = await open();
  const { writes, consume } = keeper();
  const off = await peer.onWrite('test', consume);
  await off.caughtUp();
  assert.equal(writes.length, 0);
  const session = await peer.create('session');
  await session.table('entries').append('one');
  await off.caughtUp();
  assert.equal(writes.length, 2);
  await off();
  await off.caughtUp();
});

peerTest('what arrived can be read again, from any number on', async (_t, open) => {
  const { peer } = await open();
  assert.equal(peer.lastArrival, 0);
  assert.deepEqual(await peer.arrivals(0), []);
  const session = await peer.create('session');
  await session.table('entries').append('one');
  assert.equal(peer.lastArrival, 2);
  const [write, ...others] = await peer.arrivals(1);
  assert.deepEqual([write?.cursor, write?.database, others], [2, session.root, []]);
  assert.deepEqual(write?.ops, [{ op: 'append', table: 'entries', value: 'one' }]);
});
