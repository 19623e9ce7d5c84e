import assert from 'node:assert/strict';
import { copyTo, peerTest, texts } from './peer-fixture.ts';

peerTest('a database begins with what its creation collects, and its id says its kind', async (_t, open) => {
  const { peer } = await open();
  const database = await peer.create('memory_bank', (tx) => {
    tx.set('meta', ['name'], 'first');
    tx.append('memory', { key: 'a' });
  });
  assert.match(database.root, /^mem_[A-Za-z0-9_-]{43}$/);
  assert.equal(database.kind, 'memory_bank');
  assert.deepEqual(await database.doc('meta').get(), { name: 'first' });
  assert.deepEqual(await texts(database, 'memory'), [{ key: 'a' }]);
  assert.deepEqual(database.version(), { [peer.author]: 1 });
  assert.equal(database.access.mine(), 'admin');
});

peerTest('an appended record has an id of author, number and place, and is found by it', async (_t, open) => {
  const { peer } = await open();
  const database = await peer.create('session');
  const table = database.table('entries');
  const id = await table.append({ text: 'one', tags: ['a', null, 1.5], deep: { yes: true } });
  assert.equal(id, `${peer.author}:2:0`);
  const row = await table.at(id);
  assert.deepEqual(row, {
    id,
    value: { text: 'one', tags: ['a', null, 1.5], deep: { yes: true } },
    author: peer.author,
    peer: peer.peerId,
    seq: 2,
    hlc: row?.hlc,
  });
  assert.equal(await database.table('other').at(id), undefined);
  assert.equal(await table.at(`${peer.author}:99:0`), undefined);
  assert.equal(await table.at('no id'), undefined);
});

peerTest('appends of one turn share one commit and keep their order', async (_t, open) => {
  const { peer } = await open();
  const database = await peer.create('session');
  const table = database.table('entries');
  const ids = await Promise.all(['a', 'b', 'c', 'd'].map((text) => table.append({ text })));
  assert.deepEqual(
    ids,
    [0, 1, 2, 3].map((op) => `${peer.author}:2:${op}`),
  );
  assert.deepEqual(database.version(), { [peer.author]: 2 });
  assert.deepEqual(await texts(database), [{ text: 'a' }, { text: 'b' }, { text: 'c' }, { text: 'd' }]);
});

peerTest('more than a commit holds goes into the next one', async (_t, open) => {
  const { peer } = await open();
  const database = await peer.create('session');
  const table = database.table('entries');
  const appended = Array.from({ length: 1_100 }, (_, index) => table.append(index));
  assert.equal((await Promise.all(appended)).at(-1), `${peer.author}:6:75`);
  assert.equal(await table.count(), 1_100);
  const all = await texts(database);
  assert.deepEqual(
    all,
    Array.from({ length: 1_100 }, (_, index) => index),
  );
});

peerTest('the tail gives the newest first and goes on page by page', async (_t, open) => {
  const { peer, clock } = await open();
  const database = await peer.create('session');
  const table = database.table('entries');
  for (let index = 0; index < 7; index += 1) {
    await table.append(index);
    await clock.advance(1);
  }
  const first = await table.tail(3);
  assert.deepEqual(
    first.rows.map((row) => row.value),
    [6, 5, 4],
  );
  assert.equal(first.before, first.rows[2]?.id);
  const second = await table.tail(3, first.before ?? undefined);
  assert.deepEqual(
    second.rows.map((row) => row.value),
    [3, 2, 1],
  );
  const last = await table.tail(3, second.before ?? undefined);
  assert.deepEqual([last.rows.map((row) => row.value), last.before], [[0], null]);
  assert.deepEqual(await table.tail(7), {
    rows: [...first.rows, ...second.rows, ...last.rows],
    before: null,
  });
  assert.deepEqual(await table.tail(0), { rows: [], before: null });
  assert.deepEqual(await database.table('empty').tail(5), { rows: [], before: null });
  await assert.rejects(table.tail(3, `${peer.author}:99:0`), { code: 'record_not_found' });
});

peerTest('a scan begins after a record and crosses its own pages', async (_t, open) => {
  const { peer } = await open();
  const database = await peer.create('session');
  const table = database.table('entries');
  const ids = await Promise.all(Array.from({ length: 450 }, (_, index) => table.append(index)));
  const seen: unknown[] = [];
  for await (const row of table.scan(ids[199])) seen.push(row.value);
  assert.deepEqual(
    seen,
    Array.from({ length: 250 }, (_, index) => index + 200),
  );
});

peerTest(
  'records of one millisecond from two peers stand in the order of their authors',
  async (_t, open) => {
    const [one, two] = [await open(), await open()];
    const mine = await one.peer.create('session', undefined, { grants: { [two.peer.peerId]: 'append' } });
    const theirs = await copyTo(two, mine);
    await Promise.all([mine.table('entries').append('one'), theirs.table('entries').append('two')]);
    await two.peer.apply(mine.root, await mine.since(theirs.version()));
    await one.peer.apply(mine.root, await theirs.since(mine.version()));
    const expected = one.peer.author < two.peer.author ? ['one', 'two'] : ['two', 'one'];
    assert.deepEqual(await texts(mine), expected);
    assert.deepEqual(await texts(theirs), expected);
    const tail = await mine.table('entries').tail(10);
    assert.deepEqual(
      tail.rows.map((row) => row.value),
      [...expected].reverse(),
    );
    assert.equal(tail.rows.find((row) => row.value === 'two')?.peer, two.peer.peerId);
  },
);

peerTest(
  'a value that another peer would refuse is refused here, and nothing is written',
  async (_t, open) => {
    const { peer } = await open();
    const database = await peer.create('session');
    const table = database.table('entries');
    const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);
    const refused: [unknown, string][] = [
      [Number.NaN, 'number'],
      [Number.POSITIVE_INFINITY, 'number'],
      [2 ** 53, 'number'],
      ['\ud800', 'surrogate'],
      [{ '\udc00': 1 }, 'surrogate'],
      [{ ['k'.repeat(1_025)]: 1 }, 'member_bytes'],
      [deep(66), 'depth'],
      [Array.from({ length: 65_536 }, () => 0), 'nodes'],
      [undefined, 'type'],
      [{ date: new Date(0) }, 'type'],
      [1n, 'type'],
    ];
    for (const [value, part] of refused)
      await assert.rejects(table.append(value as null), { code: 'commit_malformed', detail: { part } });
    await assert.rejects(table.append('x'.repeat(1_048_576)), { code: 'commit_too_large' });
    await assert.rejects(database.table('Bad Name').append(1), {
      code: 'commit_malformed',
      detail: { part: 'name' },
    });
    assert.deepEqual(database.version(), { [peer.author]: 1 });
    await table.append({ kept: 1e300, left_out: undefined } as never);
    await table.append([-0, 1e21, 2 ** 53 - 1, deep(63) as never]);
    assert.equal(await table.count(), 2);
    assert.deepEqual(await copyTo(await open(), database).then((copy) => copy.table('entries').count()), 2);
  },
);

peerTest('databases are listed by kind and page, and an unknown one is not found', async (_t, open) => {
  const { peer } = await open();
  const sessions = await Promise.all([1, 2, 3].map(() => peer.create('session')));
  await peer.create('agent');
  const roots = sessions.map(({ root }) => root).sort();
  const listed = async (page: object) => (await peer.list(page)).map(({ root }) => root);
  assert.deepEqual(await listed({ kind: 'session' }), roots);
  assert.deepEqual(await listed({ kind: 'session', limit: 2 }), roots.slice(0, 2));
  assert.deepEqual(await listed({ kind: 'session', after: roots[1] }), roots.slice(2));
  assert.equal((await peer.list()).length, 4);
  await assert.rejects(peer.open(`ses_${'A'.repeat(43)}`), { code: 'database_not_found' });
  await assert.rejects(peer.open('nonsense'), { code: 'database_not_found' });
});

peerTest('what was written is there after the store was closed and opened again', async (_t, open) => {
  const first = await open();
  const database = await first.peer.create('session');
  await database.table('entries').append('one');
  await database.doc('meta').set(['a', 'b'], 2);
  await database.latest('extensions').put('memory', { kind: 'activated' });
  await first.close();
  const again = await open({ folder: first.folder });
  assert.equal(again.peer.author, first.peer.author);
  const opened = await again.peer.open(database.root);
  await opened.table('entries').append('two');
  assert.deepEqual(await texts(opened), ['one', 'two']);
  assert.deepEqual(await opened.doc('meta').get(), { a: { b: 2 } });
  assert.deepEqual((await opened.latest('extensions').get('memory'))?.value, { kind: 'activated' });
  assert.deepEqual(opened.version(), { [first.peer.author]: 5 });
});

peerTest('a released database is read again at its next use', async (_t, open) => {
  const { peer } = await open();
  const database = await peer.create('session');
  await database.table('entries').append(1);
  database.release();
  const again = await peer.open(database.root);
  await again.table('entries').append(2);
  assert.deepEqual(await texts(again), [1, 2]);
});
