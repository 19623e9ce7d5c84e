import assert from 'node:assert/strict';
import type { Database } from '../src/index.ts';
import { type Forged, Forger, forgeKey } from './forge.ts';
import { copyTo, DAY_MS, HOUR_MS, overTheWire, peerTest, START_MS, texts } from './peer-fixture.ts';

const clockOf = async (database: Database) => (await database.table('entries').tail(1)).rows[0]?.hlc ?? 0;
const msOf = (hlc: number) => Math.floor(hlc / 1_024);

peerTest('the clock is the wall clock, and counts within a millisecond', async (_t, open) => {
  const { peer, clock } = await open();
  const database = await peer.create('session');
  const entries = database.table('entries');
  await entries.append(1);
  assert.equal(await clockOf(database), START_MS * 1_024 + 1);
  await entries.append(2);
  assert.equal(await clockOf(database), START_MS * 1_024 + 2);
  await clock.advance(7);
  await entries.append(3);
  assert.equal(await clockOf(database), (START_MS + 7) * 1_024);
});

peerTest('a wall clock that goes back does not take the order back', async (_t, open) => {
  const { peer, clock } = await open();
  const database = await peer.create('session');
  await database.table('entries').append(1);
  clock.jumpWall(-HOUR_MS);
  await database.table('entries').append(2);
  assert.equal(await clockOf(database), START_MS * 1_024 + 2);
  assert.deepEqual(await texts(database), [1, 2]);
});

peerTest('an answer sorts behind its question, though its writer is a day behind', async (_t, open) => {
  const [one, two] = [await open({ skewMs: DAY_MS - 1 }), await open()];
  const mine = await one.peer.create('session', undefined, { grants: { [two.peer.peerId]: 'append' } });
  await mine.table('entries').append('question');
  const theirs = await copyTo(two, mine);
  await theirs.table('entries').append('answer');
  await copyTo(one, theirs);
  assert.deepEqual(await texts(mine), ['question', 'answer']);
  await two.close();
  const again = await open({ folder: two.folder });
  const reopened = await again.peer.open(mine.root);
  await reopened.table('entries').append('later');
  assert.deepEqual(await texts(reopened), ['question', 'answer', 'later']);
});

peerTest('a clock more than a day ahead is accepted, and does not become everybody’s', async (_t, open) => {
  const [one, two] = [await open({ skewMs: 30 * DAY_MS }), await open()];
  const theirs = await two.peer.create('session', undefined, { grants: { [one.peer.peerId]: 'write' } });
  const mine = await copyTo(one, theirs);
  await mine.table('entries').append('from next month');
  await mine.doc('meta').set(['poisoned'], 1);
  await copyTo(two, mine);
  await theirs.table('entries').append('now');
  assert.deepEqual(await texts(theirs), ['now', 'from next month']);
  await theirs.doc('meta').set(['other'], 2);
  const last = (await theirs.since({})).find(
    ({ header }) => header.author === two.peer.author && header.seq === 3,
  );
  assert.equal(msOf(last?.header.hlc ?? 0), START_MS);
  // Only where it overwrites what carries that clock does a writer follow it: the newer value must show.
  await theirs.doc('meta').set(['poisoned'], 'cured');
  assert.deepEqual(await theirs.doc('meta').get(), { poisoned: 'cured', other: 2 });
  assert.equal(msOf(await clockOf(mine)), START_MS + 30 * DAY_MS);
});

peerTest('a row under a key is overwritten in the same way, also on the other peer', async (_t, open) => {
  const [one, two] = [await open({ skewMs: 400 * DAY_MS }), await open()];
  const theirs = await two.peer.create('session', undefined, { grants: { [one.peer.peerId]: 'write' } });
  const mine = await copyTo(one, theirs);
  await mine.latest('extensions').put('memory', 'on');
  await copyTo(two, mine);
  await theirs.latest('extensions').put('memory', 'off');
  await copyTo(one, theirs);
  for (const database of [mine, theirs])
    assert.equal((await database.latest('extensions').get('memory'))?.value, 'off');
});

peerTest('a database that was begun far in the future keeps the order of a talk', async (_t, open) => {
  const [one, two] = [await open({ skewMs: 100 * DAY_MS }), await open()];
  const mine = await one.peer.create('session', undefined, { grants: { [two.peer.peerId]: 'append' } });
  const theirs = await copyTo(two, mine);
  for (const turn of [1, 2, 3]) {
    await mine.table('entries').append(`question ${turn}`);
    await mine.table('entries').append(`more ${turn}`);
    await copyTo(two, mine);
    await theirs.table('entries').append(`answer ${turn}`);
    await copyTo(one, theirs);
  }
  const expected = [1, 2, 3].flatMap((turn) => [`question ${turn}`, `more ${turn}`, `answer ${turn}`]);
  assert.deepEqual(await texts(mine), expected);
  assert.deepEqual(await texts(theirs), expected);
});

peerTest('a register at the end of time is overcome by cutting its author off', async (_t, open) => {
  const { peer } = await open();
  const writer = new Forger(forgeKey(1), forgeKey(2));
  const database = await peer.create('session', undefined, { grants: { [writer.peer.id]: 'write' } });
  await database.doc('meta').set(['name'], 'good');
  const at = { database: database.root, settings: [peer.author, 1] };
  const commits: Forged[] = [
    writer.write([writer.authorOp(), { op: 'append', table: 'entries', value: 'kept' }], {
      ...at,
      hlc: START_MS * 1_024 + 50,
    }),
    writer.write([{ op: 'set', doc: 'meta', path: ['name'], value: 'poison' }], { ...at, hlc: 2 ** 52 - 1 }),
  ];
  assert.equal((await peer.apply(database.root, overTheWire(commits as never))).applied, 2);
  assert.deepEqual(await database.doc('meta').get(), { name: 'poison' });
  await assert.rejects(database.doc('meta').set(['name'], 'cured'), { code: 'commit_clock_invalid' });
  await database.doc('meta').set(['other'], 'possible');
  await database.access.revoke(writer.peer.id, { cuts: { [writer.author.id]: 1 } });
  assert.deepEqual(await database.doc('meta').get(), { name: 'good', other: 'possible' });
  assert.deepEqual(await texts(database), ['kept']);
  await database.access.grant(writer.peer.id, 'write');
  assert.deepEqual(await database.doc('meta').get(), { name: 'good', other: 'possible' });
});

peerTest(
  'a change of rights from the far future does not take along those who do not need it',
  async (_t, open) => {
    const [one, two, three] = [await open({ skewMs: 50 * DAY_MS }), await open(), await open()];
    const theirs = await two.peer.create('session', undefined, { grants: { [one.peer.peerId]: 'admin' } });
    const mine = await copyTo(one, theirs);
    await mine.access.grant(three.peer.peerId, 'append');
    await copyTo(two, mine);
    await theirs.table('entries').append('needs it not');
    assert.equal(msOf(await clockOf(theirs)), START_MS);
    const granted = await copyTo(three, theirs);
    await granted.table('entries').append('was only granted then');
    assert.equal(msOf(await clockOf(granted)), START_MS + 50 * DAY_MS);
    await copyTo(one, granted);
    assert.deepEqual(await texts(mine), ['needs it not', 'was only granted then']);
  },
);
