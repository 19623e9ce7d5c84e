import assert from 'node:assert/strict';
import { duplexPair } from 'node:stream';
import type { TestContext } from 'node:test';
import { systemRandom } from '@fairlead/base';
import { waitFor } from '@fairlead/testing';
import { WebSocket, WebSocketServer } from 'ws';
import {
  type Carrier,
  type Database,
  memoryCarriers,
  type ReplicationSession,
  replicate,
  streamCarrier,
  webSocketCarrier,
} from '../src/index.ts';
import { copyAuthor } from './copied-author.ts';
import { copyTo, peerTest, type TestPeer, texts } from './peer-fixture.ts';

type CarrierPair = (t: TestContext) => Promise<readonly [Carrier, Carrier]>;

const carriers: Record<string, CarrierPair> = {
  memory: async () => memoryCarriers(),
  stream: async () => {
    const [one, two] = duplexPair();
    return [streamCarrier(one), streamCarrier(two)];
  },
  websocket: async (t) => {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0, maxPayload: 8 * 1_048_576 });
    t.after(() => new Promise((resolve) => server.close(resolve)));
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const arrived = new Promise<WebSocket>((resolve) => server.once('connection', resolve));
    const dialed = webSocketCarrier(new WebSocket(`ws://127.0.0.1:${port}`));
    return [dialed, webSocketCarrier(await arrived)];
  },
};

function connect(
  t: TestContext,
  [one, two]: readonly [TestPeer, TestPeer],
  [dialing, listening]: readonly [Carrier, Carrier],
): readonly [ReplicationSession, ReplicationSession] {
  const random = systemRandom();
  const sessions = [
    replicate({ peer: one.peer, carrier: dialing, side: 'dialer', clock: one.clock, random }),
    replicate({ peer: two.peer, carrier: listening, side: 'listener', clock: two.clock, random }),
  ] as const;
  t.after(async () => {
    for (const session of sessions) await session.close();
  });
  return sessions;
}

const inStep = async (one: Database, two: Database) =>
  await waitFor(() => JSON.stringify(sorted(one.version())) === JSON.stringify(sorted(two.version())), {
    what: 'one version',
  });

const sorted = (version: object) => Object.entries(version).toSorted();

for (const [name, makePair] of Object.entries(carriers)) {
  peerTest(`a database is fetched whole over ${name}, and both sides stay in step`, async (t, open) => {
    const [one, two] = [await open(), await open()];
    const mine = await one.peer.create('session', undefined, { grants: { [two.peer.peerId]: 'write' } });
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        mine.table('entries').append(`entry ${index} ${'x'.repeat(40_000)}`),
      ),
    );
    const [, session] = connect(t, [one, two], await makePair(t));
    assert.equal(await session.remote, one.peer.peerId);
    await session.follow(mine.root);
    assert.equal(session.status(mine.root), 'even');
    const theirs = await two.peer.open(mine.root);
    assert.deepEqual(await texts(theirs), await texts(mine));
    await mine.table('entries').append('live from one');
    await inStep(mine, theirs);
    await theirs.doc('meta').set(['name'], 'live from two');
    await inStep(mine, theirs);
    assert.deepEqual(await mine.doc('meta').get(), { name: 'live from two' });
    assert.deepEqual((await theirs.table('entries').tail(1)).rows[0]?.value, 'live from one');
    await session.close();
    assert.equal(await session.ended, undefined);
  });
}

peerTest('a session goes on where the one before was cut off', async (t, open) => {
  const [one, two] = [await open(), await open()];
  const mine = await one.peer.create('session', undefined, { grants: { [two.peer.peerId]: 'append' } });
  for (let index = 0; index < 1_200; index += 1) await mine.commit((tx) => tx.append('entries', index));
  const [dialing, listening] = memoryCarriers();
  let batches = 0;
  const cut: Carrier = {
    ...listening,
    messages: listening.messages,
    async send(text) {
      if (text.includes('"type":"ack"')) batches += 1;
      if (batches === 2) listening.close();
      await listening.send(text);
    },
  };
  const [, first] = connect(t, [one, two], [dialing, cut]);
  await assert.rejects(first.follow(mine.root), { code: 'replication_closed' });
  const theirs = await two.peer.open(mine.root);
  const half = theirs.version()[one.peer.author] ?? 0;
  assert.equal(half >= 500 && half < 1_201, true, `${half}`);
  const sent: number[] = [];
  const [again, other] = memoryCarriers();
  const counted: Carrier = {
    ...again,
    messages: again.messages,
    async send(text) {
      const frame = JSON.parse(text);
      if (frame.type === 'commits') sent.push(frame.commits.length);
      await again.send(text);
    },
  };
  const [, second] = connect(t, [one, two], [counted, other]);
  await second.follow(mine.root);
  assert.equal(
    sent.reduce((sum, count) => sum + count, 0),
    1_201 - half,
  );
  assert.equal(Math.max(...sent) <= 500, true);
  assert.equal(await theirs.table('entries').count(), 1_200);
});

peerTest(
  'a peer without a right learns nothing, and hears of a grant as soon as it has one',
  async (t, open) => {
    const [one, two] = [await open(), await open()];
    const mine = await one.peer.create('session');
    await mine.table('entries').append('secret');
    const [dialing, listening] = memoryCarriers();
    const heard: string[] = [];
    const watched: Carrier = {
      ...dialing,
      messages: dialing.messages,
      async send(text) {
        heard.push(text);
        await dialing.send(text);
      },
    };
    const [, session] = connect(t, [one, two], [watched, listening]);
    await assert.rejects(session.follow(mine.root), { code: 'database_not_found' });
    await assert.rejects(session.follow(`ses_${'A'.repeat(43)}`), { code: 'database_not_found' });
    assert.deepEqual(
      heard.map((text) => JSON.parse(text).type),
      ['hello', 'prove', 'deny', 'deny'],
    );
    assert.equal(session.status(mine.root), 'not_found');
    await mine.access.grant(two.peer.peerId, 'read');
    await waitFor(async () => session.status(mine.root) === 'even', { what: 'the grant' });
    const theirs = await two.peer.open(mine.root);
    assert.deepEqual(await texts(theirs), ['secret']);
    assert.equal(theirs.access.mine(), 'read');
  },
);

peerTest('a revoked reader learns it, and nothing that came after', async (t, open) => {
  const [one, two] = [await open(), await open()];
  const mine = await one.peer.create('session', undefined, { grants: { [two.peer.peerId]: 'read' } });
  const theirs = await copyTo(two, mine);
  await mine.table('entries').append('before');
  await mine.access.revoke(two.peer.peerId);
  await mine.table('entries').append('after');
  await mine.access.grant(one.peer.peerId, 'admin');
  const [, session] = connect(t, [one, two], memoryCarriers());
  await assert.rejects(session.follow(mine.root), {
    code: 'access_denied',
    detail: { needed: 'read', held: 'none' },
  });
  assert.equal(session.status(mine.root), 'revoked');
  assert.equal(theirs.access.mine(), null);
  assert.deepEqual(await texts(theirs), ['before']);
  assert.deepEqual(theirs.version(), { [one.peer.author]: 3 });
});

peerTest('a right that ends during a session ends it for that database at once', async (t, open) => {
  const [one, two] = [await open(), await open()];
  const mine = await one.peer.create('session', undefined, { grants: { [two.peer.peerId]: 'append' } });
  const [, session] = connect(t, [one, two], memoryCarriers());
  await session.follow(mine.root);
  const theirs = await two.peer.open(mine.root);
  await mine.access.revoke(two.peer.peerId);
  await waitFor(() => session.status(mine.root) === 'revoked', { what: 'the revocation' });
  await mine.table('entries').append('after');
  await assert.rejects(theirs.table('entries').append('late'), { code: 'access_denied' });
  assert.equal(theirs.access.mine(), null);
  await mine.access.grant(two.peer.peerId, 'append');
  await waitFor(() => session.status(mine.root) === 'even', { what: 'the new grant' });
  assert.deepEqual(await texts(theirs), ['after']);
  await theirs.table('entries').append('again');
  await inStep(mine, theirs);
  assert.deepEqual(await texts(mine), ['after', 'again']);
});

peerTest('a peer’s own database is never offered', async (t, open) => {
  const [one, two] = [await open(), await open()];
  const own = await one.peer.create('peer', undefined, { grants: { [two.peer.peerId]: 'admin' } });
  const [, session] = connect(t, [one, two], memoryCarriers());
  await assert.rejects(session.follow(own.root), { code: 'database_not_found' });
});

peerTest('three peers in a row: what the first wrote reaches the third, and back', async (t, open) => {
  const [one, two, three] = [await open(), await open(), await open()];
  const mine = await one.peer.create('session', undefined, {
    grants: { [two.peer.peerId]: 'read', [three.peer.peerId]: 'append' },
  });
  const [, middle] = connect(t, [one, two], memoryCarriers());
  await middle.follow(mine.root);
  const [, far] = connect(t, [two, three], memoryCarriers());
  await far.follow(mine.root);
  const theirs = await three.peer.open(mine.root);
  await theirs.table('entries').append('from three');
  await inStep(mine, theirs);
  await mine.table('entries').append('from one');
  await inStep(mine, theirs);
  for (const peer of [one, two, three])
    assert.deepEqual(await texts(await peer.peer.open(mine.root)), ['from three', 'from one']);
});

peerTest('clocks that differ by more than a minute are shown', async (t, open) => {
  const [one, two] = [await open(), await open({ skewMs: -61_000 })];
  const sessions = connect(t, [one, two], memoryCarriers());
  await Promise.all(sessions.map(({ remote }) => remote));
  assert.deepEqual(one.reports.at(-1), { code: 'clock_skew', peer: two.peer.peerId, skewMs: -61_000 });
  assert.deepEqual(two.reports.at(-1), { code: 'clock_skew', peer: one.peer.peerId, skewMs: 61_000 });
});

peerTest('a fork is shown to both sides and stops nothing else', async (t, open) => {
  const [one, two] = [await open(), await open()];
  const mine = await one.peer.create('session', undefined, { grants: { [two.peer.peerId]: 'append' } });
  await mine.table('entries').append('common');
  const theirs = await copyTo(two, mine);
  // The same author goes on from the same commit in two places.

  const twin = await copyAuthor(t, open, one);
  await twin.peer.apply(mine.root, (await mine.since({})) as never);
  await mine.table('entries').append('original');
  await (await twin.peer.open(mine.root)).table('entries').append('twin');
  await copyTo(two, await twin.peer.open(mine.root));
  const [, session] = connect(t, [one, two], memoryCarriers());
  await session.follow(mine.root);
  assert.deepEqual(await texts(theirs), ['common', 'twin']);
  assert.deepEqual(await texts(mine), ['common', 'original']);
  await theirs.table('entries').append('goes on');
  await waitFor(async () => (await texts(mine)).includes('goes on'), { what: 'the other author' });
  for (const database of [mine, theirs])
    assert.deepEqual(
      (await database.forks()).map(({ author, seq }) => [author, seq]),
      [[one.peer.author, 3]],
    );
});
