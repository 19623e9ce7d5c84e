import assert from 'node:assert/strict';
import { sign } from 'node:crypto';
import { duplexPair } from 'node:stream';
import { type JsonObject, systemRandom } from '@fairlead/base';
import { type Carrier, memoryCarriers, type Peer, replicate, streamCarrier } from '../src/index.ts';
import { type ForgedKey, Forger, forgeKey } from './forge.ts';
import { peerTest, START_MS, type TestPeer, texts } from './peer-fixture.ts';

type Message = JsonObject & { readonly type: string };

/** The other end of a session, spoken by hand. */
class RawPeer {
  readonly #carrier: Carrier;
  readonly #messages: AsyncIterator<Uint8Array>;

  constructor(carrier: Carrier) {
    this.#carrier = carrier;
    this.#messages = carrier.messages[Symbol.asyncIterator]();
  }

  say(message: JsonObject | string): void {
    void this.#carrier.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /** The next message; undefined at the end. */
  async hear(): Promise<Message | undefined> {
    const next = await this.#messages.next();
    return next.done === true ? undefined : (JSON.parse(Buffer.from(next.value).toString()) as Message);
  }

  /** The next message of a type; others are passed over. */
  async hearType(type: string): Promise<Message> {
    for (;;) {
      const message = await this.hear();
      if (message === undefined) throw new Error(`no ${type}`);
      if (message.type === type) return message;
    }
  }

  /** Until everything said so far has been taken. */
  async heard(root: string): Promise<void> {
    this.say({ type: 'commits', root, commits: [] });
    await this.hearType('ack');
  }

  /** Says and proves who this is. */
  async greet(key: ForgedKey, side: 'dialer' | 'listener' = 'listener'): Promise<void> {
    const hello = await this.hearType('hello');
    const nonce = Buffer.alloc(32, 5).toString('base64url');
    this.say({ type: 'hello', v: 1, peer: key.id, nonce, wall_ms: START_MS });
    const text = `fairlead session v1\n${side}\n${key.id}\n${nonce}\n${String(hello['peer'])}\n${String(hello['nonce'])}`;
    this.say({ type: 'prove', sig: sign(null, Buffer.from(text), key.key).toString('base64url') });
    await this.hearType('prove');
  }
}

function dial(one: TestPeer) {
  const [mine, other] = memoryCarriers();
  const session = replicate({
    peer: one.peer,
    carrier: mine,
    side: 'dialer',
    clock: one.clock,
    random: systemRandom(),
  });
  return { session, raw: new RawPeer(other) };
}

const STRANGER = forgeKey(7);

peerTest('what is no message, or comes before its turn, ends the session with a code', async (_t, open) => {
  const one = await open();
  const cases: (string | JsonObject)[] = [
    'garbage',
    '[]',
    '{}',
    '{"type":"hello","type":"hello"}',
    { type: 'hello', v: 2, peer: STRANGER.id, nonce: STRANGER.id, wall_ms: 0 },
    { type: 'hello', v: 1, peer: 'x', nonce: STRANGER.id, wall_ms: 0 },
    { type: 'prove', sig: 'AA' },
    { type: 'open', root: `ses_${'A'.repeat(43)}` },
    { type: 'prove', sig: `${'A'.repeat(86)}` },
  ];
  for (const message of cases) {
    const { session, raw } = dial(one);
    await raw.hearType('hello');
    raw.say(message);
    assert.equal((await session.ended)?.code, 'replication_frame_invalid');
    await assert.rejects(session.remote, { code: 'replication_frame_invalid' });
    await assert.rejects(session.follow(`ses_${'A'.repeat(43)}`), { code: 'replication_closed' });
    await session.close();
  }
  const later: (string | JsonObject)[] = [
    { type: 'hello', v: 1, peer: STRANGER.id, nonce: STRANGER.id, wall_ms: 0 },
    { type: 'have', root: `ses_${'A'.repeat(43)}`, version: { x: 1 }, heads: {} },
    { type: 'have', root: `ses_${'A'.repeat(43)}`, version: {}, heads: { [STRANGER.id]: 'x' } },
    { type: 'ack', root: `ses_${'A'.repeat(43)}`, version: { [STRANGER.id]: -1 } },
    { type: 'ack', root: `ses_${'A'.repeat(43)}`, version: [] },
    { type: 'commits', root: `ses_${'A'.repeat(43)}`, commits: Array(501).fill({}) },
    { type: 'commits', root: 'nowhere', commits: [] },
    { type: 'unheard', root: `ses_${'A'.repeat(43)}` },
  ];
  for (const message of later) {
    const { session, raw } = dial(one);
    await raw.greet(STRANGER);
    assert.equal(await session.remote, STRANGER.id);
    raw.say(message);
    assert.equal((await session.ended)?.code, 'replication_frame_invalid');
    await session.close();
  }
});

peerTest(
  'who does not prove its id is refused: a wrong key, another side, words said back',
  async (_t, open) => {
    const one = await open();
    const attempts: ((raw: RawPeer) => Promise<void>)[] = [
      async (raw) => {
        await raw.hearType('hello');
        raw.say({ type: 'hello', v: 1, peer: STRANGER.id, nonce: STRANGER.id, wall_ms: 0 });
        raw.say({
          type: 'prove',
          sig: sign(null, Buffer.from('something else'), STRANGER.key).toString('base64url'),
        });
      },
      async (raw) => await raw.greet(STRANGER, 'dialer'),
      async (raw) => {
        const hello = await raw.hearType('hello');
        raw.say(hello);
        raw.say(await raw.hearType('prove'));
      },
    ];
    for (const attempt of attempts) {
      const { session, raw } = dial(one);
      await attempt(raw);
      assert.equal((await session.ended)?.code, 'replication_peer_refused');
      await session.close();
    }
  },
);

peerTest(
  'a side that does not speak, or leaves a batch unanswered, is given up after a while',
  async (_t, open) => {
    const one = await open();
    const silent = dial(one);
    await one.clock.advance(9_999);
    await one.clock.advance(1);
    assert.equal((await silent.session.ended)?.code, 'replication_timeout');
    const mine = await one.peer.create('session', undefined, { grants: { [STRANGER.id]: 'read' } });
    const { session, raw } = dial(one);
    await raw.greet(STRANGER);
    raw.say({ type: 'open', root: mine.root });
    raw.say({ type: 'have', root: mine.root, version: {}, heads: {} });
    await raw.hearType('commits');
    await one.clock.advance(60_000);
    assert.equal((await session.ended)?.code, 'replication_timeout');
    for (const each of [silent.session, session]) await each.close();
    assert.equal(one.clock.pendingTimers, 0);
  },
);

peerTest(
  'commits from a peer without a right are not looked at, and it learns nothing by them',
  async (_t, open) => {
    const one = await open();
    const mine = await one.peer.create('session');
    const { session, raw } = dial(one);
    await raw.greet(STRANGER);
    const hand = new Forger(STRANGER, forgeKey(8));
    const commit = hand.write([hand.authorOp(), { op: 'append', table: 'entries', value: 'spam' }], {
      database: mine.root,
      hlc: START_MS * 1_024 + 9,
      settings: [one.peer.author, 1],
    });
    raw.say({ type: 'commits', root: mine.root, commits: [commit as never] });
    assert.deepEqual(await raw.hearType('ack'), { type: 'ack', root: mine.root, version: {} });
    assert.deepEqual(mine.version(), { [one.peer.author]: 1 });
    raw.say({ type: 'have', root: mine.root, version: {}, heads: {} });
    raw.say({ type: 'open', root: mine.root });
    assert.deepEqual(await raw.hear(), { type: 'deny', root: mine.root, why: 'not_found' });
    await session.close();
  },
);

peerTest('a commit that is not taken is not sent again and again', async (_t, open) => {
  const one = await open();
  const mine = await one.peer.create('session', undefined, { grants: { [STRANGER.id]: 'read' } });
  const { session, raw } = dial(one);
  await raw.greet(STRANGER);
  raw.say({ type: 'open', root: mine.root });
  raw.say({ type: 'have', root: mine.root, version: {}, heads: {} });
  await raw.hearType('commits');
  raw.say({ type: 'ack', root: mine.root, version: {} });
  await raw.hearType('even');
  await mine.table('entries').append('more');
  raw.say({ type: 'goodbye' });
  assert.equal(await session.ended, undefined);
  assert.equal((await raw.hear())?.type, undefined);
});

peerTest(
  'who claims to hold more of this peer’s own commits holds its writes up once, for ten seconds',
  async (_t, open) => {
    const one = await open();
    const mine = await one.peer.create('session', undefined, { grants: { [STRANGER.id]: 'read' } });
    const { session, raw } = dial(one);
    await raw.greet(STRANGER);
    const claim = { type: 'have', root: mine.root, version: { [one.peer.author]: 99 }, heads: {} };
    raw.say({ type: 'open', root: mine.root });
    raw.say(claim);
    await raw.heard(mine.root);
    let isWritten = false;
    const write = mine
      .table('entries')
      .append('waits')
      .then(() => (isWritten = true));
    await one.clock.advance(9_999);
    assert.equal(isWritten, false);
    await one.clock.advance(1);
    await write;
    raw.say(claim);
    raw.say(claim);
    await mine.table('entries').append('waits no more');
    assert.deepEqual(await texts(mine), ['waits', 'waits no more']);
    assert.equal(
      one.reports.some(({ code }) => code === 'backup_taken_back'),
      false,
    );
    await session.close();
  },
);

peerTest('the end of a session lets held writes go', async (_t, open) => {
  const one = await open();
  const mine = await one.peer.create('session', undefined, { grants: { [STRANGER.id]: 'read' } });
  const { session, raw } = dial(one);
  await raw.greet(STRANGER);
  raw.say({ type: 'have', root: mine.root, version: { [one.peer.author]: 99 }, heads: {} });
  await raw.heard(mine.root);
  const write = mine.table('entries').append('waits');
  await session.close();
  await write;
});

peerTest('more databases than a session keeps are denied', async (_t, open) => {
  const one = await open();
  const { session, raw } = dial(one);
  await raw.greet(STRANGER);
  const root = (index: number) =>
    `ses_${Buffer.alloc(32, index % 256)
      .fill(index >> 8, 0, 1)
      .toString('base64url')}`;
  for (let index = 0; index < 1_025; index += 1) raw.say({ type: 'open', root: root(index) });
  for (let index = 0; index < 1_025; index += 1) assert.equal((await raw.hear())?.type, 'deny');
  await assert.rejects(session.follow(`agt_${'A'.repeat(43)}`), { code: 'store_busy' });
  await session.close();
});

peerTest(
  'a line that never ends ends the stream, and a peer of another kind is no peer',
  async (_t, open) => {
    const one = await open();
    const [mine, other] = duplexPair();
    const session = replicate({
      peer: one.peer,
      carrier: streamCarrier(mine),
      side: 'listener',
      clock: one.clock,
      random: systemRandom(),
    });
    other.resume();
    other.on('error', () => undefined);
    for (let written = 0; written <= 9; written += 1) other.write(Buffer.alloc(1_048_576, 0x61));
    await session.ended;
    await assert.rejects(session.remote, { code: 'replication_closed' });
    assert.throws(
      () =>
        replicate({
          peer: {} as Peer,
          carrier: streamCarrier(mine),
          side: 'dialer',
          clock: one.clock,
          random: systemRandom(),
        }),
      { code: 'replication_closed' },
    );
    other.destroy();
  },
);
