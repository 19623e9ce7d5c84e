import assert from 'node:assert/strict';
import type { RecordRef } from '../src/log/record-ref.ts';
import { peerTest, texts } from './peer-fixture.ts';

const ADD_CURSOR = 'INSERT INTO cursors (name, n) VALUES (?, ?)';

peerTest('one transaction writes several databases and peer-local rows', async (_t, open) => {
  const { peer, store } = await open();
  const [session, agent] = [await peer.create('session'), await peer.create('agent')];
  const { fresh, entry } = await peer.transaction((tx) => {
    const record = tx.on(session).append('entries', { text: 'hello' });
    tx.on(session).set('meta', ['name'], 'n');
    tx.on(agent).put('schedules', 's1', { enabled: true });
    const root = tx.create('session', (begun) => begun.append('entries', 'first'));
    tx.write(ADD_CURSOR, [record, 1], 1);
    tx.write(ADD_CURSOR, [root, 2]);
    return { fresh: root, entry: record };
  });
  assert.deepEqual(await texts(session), [{ text: 'hello' }]);
  assert.deepEqual(await session.doc('meta').get(), { name: 'n' });
  assert.deepEqual((await agent.latest('schedules').get('s1'))?.value, { enabled: true });
  assert.deepEqual(await texts(await peer.open(fresh)), ['first']);
  assert.equal((await session.table('entries').at(entry.id))?.seq, 2);
  assert.deepEqual(session.version(), { [peer.author]: 2 });
  const rows = await store.read<{ name: string; n: number }>('SELECT name, n FROM cursors ORDER BY n');
  assert.deepEqual(
    rows.map(({ name, n }) => [name, n]),
    [
      [entry.id, 1],
      [fresh, 2],
    ],
  );
});

peerTest(
  'a statement that fails, or changes other rows than expected, undoes all of it',
  async (_t, open) => {
    const { peer, store } = await open();
    const session = await peer.create('session');
    await store.write([{ sql: ADD_CURSOR, parameters: ['taken', 1] }]);
    let born = '';
    await assert.rejects(
      peer.transaction((tx) => {
        tx.on(session).append('entries', 1);
        born = tx.create('session');
        tx.write(ADD_CURSOR, ['taken', 2]);
      }),
      { code: 'store_constraint_failed' },
    );
    await assert.rejects(
      peer.transaction((tx) => {
        tx.on(session).append('entries', 2);
        tx.write('UPDATE cursors SET n = 3 WHERE name = ?', ['absent'], 1);
      }),
      { code: 'transaction_refused', detail: { statement: 0, expected: 1, changed: 0 } },
    );
    assert.deepEqual(await texts(session), []);
    assert.deepEqual(session.version(), { [peer.author]: 1 });
    await assert.rejects(peer.open(born), { code: 'database_not_found' });
    assert.equal(await session.table('entries').append('next'), `${peer.author}:2:0`);
  },
);

peerTest('one that fails takes no neighbour of its turn with it', async (_t, open) => {
  const { peer } = await open();
  const session = await peer.create('session');
  const ended = await Promise.allSettled([
    session.table('entries').append('a'),
    peer.transaction((tx) => {
      tx.on(session).append('entries', 'lost');
      tx.write('INSERT INTO nowhere VALUES (1)');
    }),
    session.table('entries').append('b'),
    peer.transaction((tx) => tx.on(session).append('entries', 'c')),
  ]);
  assert.deepEqual(
    ended.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  );
  assert.deepEqual(await texts(session), ['a', 'b', 'c']);
});

peerTest('one that takes the whole transaction down takes no neighbour with it either', async (_t, open) => {
  const { peer, store } = await open();
  const session = await peer.create('session');
  await store.write([{ sql: ADD_CURSOR, parameters: ['taken', 1] }]);
  const ended = await Promise.allSettled([
    session.table('entries').append('a'),
    peer.transaction((tx) => {
      tx.on(session).append('entries', 'lost');
      tx.write("INSERT OR ROLLBACK INTO cursors (name, n) VALUES ('taken', 2)");
    }),
    session.table('entries').append('b'),
  ]);
  assert.deepEqual(
    ended.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  assert.deepEqual(await texts(session), ['a', 'b']);
  await session.table('entries').append('c');
  assert.deepEqual(await texts(session), ['a', 'b', 'c']);
});

peerTest('work that throws writes nothing, and its own error comes out', async (_t, open) => {
  const { peer } = await open();
  const session = await peer.create('session');
  await assert.rejects(
    peer.transaction((tx) => {
      tx.on(session).append('entries', 1);
      throw new RangeError('mine');
    }),
    new RangeError('mine'),
  );
  await assert.rejects(
    session.commit((tx) => {
      tx.append('entries', 1);
      tx.set('meta', ['a'], Number.NaN);
    }),
    { code: 'commit_malformed' },
  );
  assert.deepEqual(await texts(session), []);
});

peerTest('a record has its id only once its transaction is committed', async (_t, open) => {
  const { peer } = await open();
  const session = await peer.create('session');
  await assert.rejects(
    peer.transaction((tx) => tx.on(session).append('entries', 1).id),
    { code: 'transaction_open' },
  );
  const ref = await peer.transaction((tx) => tx.on(session).append('entries', 1));
  assert.equal(ref.id, `${peer.author}:2:0`);
});

peerTest('a statement may name a record of a database that the same transaction makes', async (_t, open) => {
  const { peer, store } = await open();
  const begun = await peer.transaction((tx) => {
    let first: RecordRef | undefined;
    const root = tx.create('session', (session) => {
      first = session.append('entries', 'first');
    });
    if (first !== undefined) tx.write(ADD_CURSOR, [first, 1], 1);
    return root;
  });
  const [row] = await store.read<{ name: string }>('SELECT name FROM cursors LIMIT 1');
  const entries = (await peer.open(begun)).table('entries');
  assert.equal((await entries.at(row?.name ?? ''))?.value, 'first');
});

peerTest('a transaction that collects nothing writes nothing; too much is refused', async (_t, open) => {
  const { peer } = await open();
  const session = await peer.create('session');
  assert.equal(await session.commit(() => 'answer'), 'answer');
  await assert.rejects(
    session.commit((tx) => {
      for (let index = 0; index < 500; index += 1) tx.append('entries', index);
    }),
    { code: 'commit_too_large' },
  );
  await session.commit((tx) => {
    for (let index = 0; index < 499; index += 1) tx.append('entries', index);
  });
  assert.deepEqual(session.version(), { [peer.author]: 2 });
});

peerTest(
  'change counters move with every table and document that a commit touches, and with no other',
  async (_t, open) => {
    const { peer } = await open();
    const [session, other] = [await peer.create('session'), await peer.create('session')];
    const counters = () => ['entries', 'meta', 'extensions'].map((name) => session.changes(name));
    const before = counters();
    await session.commit((tx) => {
      tx.append('entries', 1);
      tx.set('meta', ['a'], 1);
    });
    const after = counters();
    assert.deepEqual(
      after.map((value, index) => value > (before[index] ?? 0)),
      [true, true, false],
    );
    await other.table('entries').append(1);
    assert.deepEqual(counters(), after);
    session.release();
    const again = await peer.open(session.root);
    assert.equal(again.changes('entries') >= (after[0] ?? 0), true);
  },
);

peerTest(
  'a commit that found no room on the disk leaves no trace, and the next one takes its place',
  async (_t, open) => {
    const { peer, store } = await open();
    const [session, second] = [await peer.create('session'), await peer.create('session')];
    const entries = session.table('entries');
    await entries.append('before');
    const pages = Number((await store.read<{ page_count: number }>('PRAGMA page_count'))[0]?.page_count);
    await store.read(`PRAGMA max_page_count = ${pages + 2}`);
    await assert.rejects(entries.append('x'.repeat(200_000)), { code: 'store_disk_full' });
    await assert.rejects(
      peer.create('session', (tx) => tx.append('entries', 'x'.repeat(200_000))),
      {
        code: 'store_disk_full',
      },
    );
    await assert.rejects(
      session.commit((tx) => {
        tx.append('new_table', 'x'.repeat(200_000));
        tx.set('new_doc', ['a'], 1);
      }),
      { code: 'store_disk_full' },
    );
    // One of two that share a transaction takes it down; the other is written again, alone.
    const other = await peer.open(second.root);
    const both = await Promise.allSettled([
      entries.append('small'),
      other.table('entries').append('x'.repeat(200_000)),
    ]);
    assert.deepEqual(
      both.map(({ status }) => status),
      ['fulfilled', 'rejected'],
    );
    await store.read('PRAGMA max_page_count = 100000');
    const ids: string[] = [];
    for (let index = 0; index < 140; index += 1) ids.push(await entries.append(index));
    assert.equal(ids[0], `${peer.author}:4:0`);
    assert.deepEqual(
      (await Promise.all(ids.map((id) => entries.at(id)))).map((row) => row?.value),
      Array.from(ids, (_, index) => index),
    );
    await session.commit((tx) => {
      tx.append('new_table', 1);
      tx.set('new_doc', ['a'], 2);
    });
    assert.deepEqual(
      [await texts(session, 'new_table'), await session.doc('new_doc').get()],
      [[1], { a: 2 }],
    );
    assert.equal((await session.since({})).length, 144);
  },
);
