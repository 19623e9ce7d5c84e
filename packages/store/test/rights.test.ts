import assert from 'node:assert/strict';
import type { Json, JsonObject } from '@fairlead/base';
import { waitFor } from '@fairlead/testing';
import type { Peer, Role, Write } from '../src/index.ts';
import { type Forged, Forger, forgeKey } from './forge.ts';
import { copyTo, overTheWire, peerTest, START_MS, type TestPeer, texts } from './peer-fixture.ts';

const NOW = START_MS * 1_024;
const append = (value: Json): JsonObject => ({ op: 'append', table: 'entries', value });
const set = (value: Json): JsonObject => ({ op: 'set', doc: 'meta', path: ['name'], value });
const role = (peer: string, entry: JsonObject): JsonObject => ({
  op: 'set',
  doc: '_settings',
  path: ['peers', peer],
  value: entry,
});

async function shared(one: TestPeer, two: TestPeer, given: Role) {
  const mine = await one.peer.create('session', undefined, { grants: { [two.peer.peerId]: given } });
  return { mine, theirs: await copyTo(two, mine) };
}

peerTest('a reader cannot write, a writer of tables no documents, a writer no rights', async (_t, open) => {
  const [one, two] = [await open(), await open()];
  const attempts = (database: Awaited<ReturnType<typeof copyTo>>) => [
    () => database.table('entries').append(1),
    () => database.latest('extensions').put('a', 1),
    () => database.doc('meta').set(['a'], 1),
    () => database.access.grant(forgeKey(8).id, 'read'),
    () => database.doc('_settings').set(['name'], 'x'),
  ];
  const needed = ['append', 'append', 'write', 'admin', 'admin'];
  const allowed: Record<Role, number> = { read: 0, append: 2, write: 3, admin: 5 };
  for (const given of ['read', 'append', 'write', 'admin'] as const) {
    const { theirs } = await shared(one, two, given);
    assert.equal(theirs.access.mine(), given);
    for (const [index, attempt] of attempts(theirs).entries()) {
      if (index < allowed[given]) await attempt();
      else
        await assert.rejects(attempt(), {
          code: 'access_denied',
          detail: { needed: needed[index] ?? '', held: given },
        });
    }
  }
});

peerTest('what a program writes past its role is kept aside and not applied', async (_t, open) => {
  const { peer, reports } = await open();
  const writer = new Forger(forgeKey(1), forgeKey(2));
  for (const [given, denied] of [
    ['read', [append(1), set(1), role(writer.peer.id, { role: 'admin' })]],
    ['append', [set(1), role(writer.peer.id, { role: 'admin' })]],
    ['write', [role(writer.peer.id, { role: 'admin' })]],
  ] as const) {
    const session = await peer.create('session', undefined, { grants: { [writer.peer.id]: given } });
    const before = [await texts(session), await session.doc('meta').get(), session.access.list()];
    const hand = new Forger(writer.peer, writer.author);
    const commits = denied.map((op, index) =>
      hand.write(index === 0 ? [hand.authorOp(), op] : [op], {
        database: session.root,
        hlc: NOW + 10 + index,
        settings: [peer.author, 1],
      }),
    );
    const report = await peer.apply(session.root, overTheWire(commits as never));
    assert.deepEqual(
      [report.applied, report.quarantined, report.refused.map(({ code }) => code)],
      [0, denied.length, denied.map(() => 'commit_denied')],
    );
    assert.deepEqual([await texts(session), await session.doc('meta').get(), session.access.list()], before);
  }
  assert.equal(reports.filter(({ code }) => code === 'commit_denied').length, 3);
});

peerTest(
  'of what has no standing only changes of rights are passed on, with what leads to them',
  async (_t, open) => {
    const { peer, folder, close } = await open();
    const writer = new Forger(forgeKey(1), forgeKey(2));
    const session = await peer.create('session', undefined, { grants: { [writer.peer.id]: 'read' } });
    const commits = [append(1), role(writer.peer.id, { role: 'admin' }), append(2)].map((op, index) =>
      writer.write(index === 0 ? [writer.authorOp(), op] : [op], {
        database: session.root,
        hlc: NOW + 10 + index,
        settings: [peer.author, 1],
      }),
    );
    await peer.apply(session.root, overTheWire(commits as never));
    const offered = async (database: typeof session) =>
      (await database.since({ [peer.author]: 1 })).map(({ header }) => header.seq);
    assert.deepEqual(session.version(), { [peer.author]: 1, [writer.author.id]: 3 });
    assert.deepEqual(await offered(session), [1, 2]);
    await close();
    const again = await open({ folder });
    assert.deepEqual(await offered(await again.peer.open(session.root)), [1, 2]);
  },
);

peerTest('two changes that arrive together judge anew what stands between them', async (_t, open) => {
  const { peer } = await open();
  const [admin, writer] = [new Forger(forgeKey(1), forgeKey(2)), new Forger(forgeKey(3), forgeKey(4))];
  const { root, commit } = admin.begin('session', 'ses_', NOW);
  const named = [admin.author.id, 1];
  const changes = [
    admin.write([role(writer.peer.id, { role: 'append' })], {
      database: root,
      hlc: NOW + 20,
      settings: named,
    }),
    admin.write([role(writer.peer.id, { role: 'write' })], {
      database: root,
      hlc: NOW + 40,
      settings: named,
    }),
  ];
  const entry = writer.write([writer.authorOp(), append('between')], {
    database: root,
    hlc: NOW + 30,
    settings: named,
  });
  await peer.apply(root, overTheWire([commit, entry] as never));
  const session = await peer.open(root);
  assert.deepEqual(await texts(session), []);
  const writes: Write[] = [];
  await peer.onWrite('test', (write) => void writes.push(write));
  await peer.apply(root, overTheWire(changes as never));
  assert.deepEqual(await texts(session), ['between']);
  await waitFor(() => writes.length === 3, { what: 'the entry, at last' });
  const restored = writes.find(({ author }) => author === writer.author.id);
  assert.deepEqual([restored?.origin, restored?.seq], ['remote', 1]);
});

peerTest(
  'a stranger’s commits are kept aside; with a grant that came later in the order they stay there',
  async (_t, open) => {
    const { peer } = await open();
    const session = await peer.create('session');
    const stranger = new Forger(forgeKey(1), forgeKey(2));
    const early = stranger.write([stranger.authorOp(), append('early')], {
      database: session.root,
      hlc: NOW + 5,
      settings: [peer.author, 1],
    });
    assert.equal((await peer.apply(session.root, overTheWire([early] as never))).quarantined, 1);
    await session.access.grant(stranger.peer.id, 'append');
    assert.deepEqual(await texts(session), []);
    const late = stranger.write([append('late')], {
      database: session.root,
      hlc: NOW + 999_999,
      settings: [peer.author, 2],
    });
    assert.equal((await peer.apply(session.root, overTheWire([late] as never))).applied, 1);
    assert.deepEqual(await texts(session), ['late']);
  },
);

peerTest(
  'a revocation keeps what was known, and retracts what it cuts; consumers hear of it',
  async (_t, open) => {
    const [one, two] = [await open(), await open()];
    const { mine, theirs } = await shared(one, two, 'write');
    const writes: Write[] = [];
    await one.peer.onWrite('test', (write) => void writes.push(write));
    await mine.doc('meta').set(['name'], 'mine');
    await copyTo(two, mine);
    for (const text of ['kept', 'cut', 'cut too']) await theirs.table('entries').append(text);
    await theirs.doc('meta').set(['name'], 'theirs');
    await theirs.latest('extensions').put('memory', 'theirs');
    await copyTo(one, theirs);
    assert.deepEqual(await mine.doc('meta').get(), { name: 'theirs' });
    const before = mine.changes('entries');
    await mine.access.revoke(two.peer.peerId, { cuts: { [two.peer.author]: 1 } });
    assert.deepEqual(await texts(mine), ['kept']);
    assert.deepEqual(await mine.doc('meta').get(), { name: 'mine' });
    assert.deepEqual(await mine.latest('extensions').all(), []);
    assert.equal(mine.changes('entries') > before, true);
    await waitFor(() => writes.filter(({ origin }) => origin === 'retracted').length === 4, {
      what: 'retractions',
    });
    assert.deepEqual(
      writes
        .filter(({ origin }) => origin === 'retracted')
        .map(({ author, seq }) => [author === two.peer.author, seq]),
      [2, 3, 4, 5].map((seq) => [true, seq]),
    );
    assert.deepEqual(
      writes.map(({ cursor }) => cursor),
      writes.map(({ cursor }) => cursor).toSorted((left, right) => left - right),
    );
    await copyTo(two, mine);
    assert.equal(theirs.access.mine(), null);
    assert.deepEqual(await texts(theirs), ['kept']);
    assert.deepEqual(await theirs.doc('meta').get(), { name: 'mine' });
    await assert.rejects(theirs.table('entries').append('more'), {
      code: 'access_denied',
      detail: { needed: 'append', held: 'none' },
    });
  },
);

peerTest('a revoked peer that gets a role again goes on behind the cut', async (_t, open) => {
  const [one, two] = [await open(), await open()];
  const { mine, theirs } = await shared(one, two, 'append');
  await theirs.table('entries').append('before');
  await copyTo(one, theirs);
  await mine.access.revoke(two.peer.peerId);
  // Written without knowing of the revocation.
  await theirs.table('entries').append('between');
  await copyTo(one, theirs);
  assert.deepEqual(await texts(mine), ['before']);
  await mine.access.grant(two.peer.peerId, 'append');
  assert.deepEqual(await texts(mine), ['before']);
  await copyTo(two, mine);
  assert.deepEqual(await texts(theirs), ['before']);
  await theirs.table('entries').append('after');
  await copyTo(one, theirs);
  assert.deepEqual(await texts(mine), ['before', 'after']);
  assert.deepEqual(await texts(theirs), ['before', 'after']);
});

peerTest(
  'the last admin’s own step down, and rights that are not changed by their holder',
  async (_t, open) => {
    const [one, two] = [await open(), await open()];
    const { mine, theirs } = await shared(one, two, 'admin');
    await mine.access.grant(one.peer.peerId, 'read');
    assert.equal(mine.access.mine(), 'read');
    await assert.rejects(mine.access.grant(one.peer.peerId, 'admin'), { code: 'access_denied' });
    await copyTo(two, mine);
    assert.deepEqual(
      theirs.access.list().toSorted((a, b) => a.role.localeCompare(b.role)),
      [
        { peer: two.peer.peerId, role: 'admin' },
        { peer: one.peer.peerId, role: 'read' },
      ],
    );
    assert.equal(theirs.access.of(forgeKey(8).id), null);
    await assert.rejects(theirs.access.grant('nobody', 'read'), { code: 'commit_malformed' });
  },
);

const revoked = (whom: Forger, cut: number) =>
  role(whom.peer.id, { role: 'none', cuts: { [whom.author.id]: cut } });

/** Every order of a list. */
function orders<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, index) =>
    orders([...items.slice(0, index), ...items.slice(index + 1)]).map((rest) => [item, ...rest]),
  );
}

/** Applies one commit after the other, and what waited again at the end, as replication does. */
async function arrive(peer: Peer, root: string, commits: readonly Forged[]): Promise<void> {
  for (const commit of commits) await peer.apply(root, overTheWire([commit] as never));
  for (let pass = 0; pass < commits.length; pass += 1) await peer.apply(root, overTheWire(commits as never));
}

/** Two admins and a writer who stands or falls with them. */
function dispute(
  nonce: number,
  story: (by: {
    readonly root: string;
    readonly a: Forger;
    readonly b: Forger;
    readonly c: Forger;
    readonly named: (hand: Forger, seq: number) => Json;
  }) => Forged[],
): { readonly root: string; readonly commits: Forged[] } {
  const [a, b, c] = [1, 2, 3].map((key) => new Forger(forgeKey(key), forgeKey(key + 10))) as [
    Forger,
    Forger,
    Forger,
  ];
  const { root, commit } = a.begin(
    'session',
    'ses_',
    NOW,
    [role(b.peer.id, { role: 'admin' }), role(c.peer.id, { role: 'append' })],
    Buffer.alloc(32, nonce),
  );
  const named = (hand: Forger, seq: number): Json => [hand.author.id, seq];
  return { root, commits: [commit, ...story({ root, a, b, c, named })] };
}

peerTest(
  'two admins who revoke each other, and a backdated grant, end alike in every order of arrival',
  async (_t, open) => {
    const stories: Record<string, Parameters<typeof dispute>[1]> = {
      mutual: ({ root, a, b, c, named }) => [
        a.write([revoked(b, 0)], { database: root, hlc: NOW + 100, settings: named(a, 1) }),
        b.write([b.authorOp(), revoked(a, 1)], { database: root, hlc: NOW + 101, settings: named(a, 1) }),
        c.write([c.authorOp(), append('c')], { database: root, hlc: NOW + 102, settings: named(a, 1) }),
      ],
      // B's grant stands behind the cut of its own revocation, and what C does with it falls too.
      backdated: ({ root, a, b, c, named }) => [
        a.write([revoked(b, 0)], { database: root, hlc: NOW + 100, settings: named(a, 1) }),
        b.write([b.authorOp(), role(c.peer.id, { role: 'admin' })], {
          database: root,
          hlc: NOW + 50,
          settings: named(a, 1),
        }),
        c.write([c.authorOp(), append('c'), role(forgeKey(9).id, { role: 'read' })], {
          database: root,
          hlc: NOW + 60,
          settings: named(b, 1),
        }),
      ],
      // Of two that exclude each other the earlier counts, here through a third.
      through_a_third: ({ root, a, b, c, named }) => [
        a.write([revoked(b, 0)], { database: root, hlc: NOW + 100, settings: named(a, 1) }),
        b.write([b.authorOp(), role(c.peer.id, { role: 'admin' })], {
          database: root,
          hlc: NOW + 50,
          settings: named(a, 1),
        }),
        c.write([c.authorOp(), append('c'), revoked(a, 1)], {
          database: root,
          hlc: NOW + 60,
          settings: named(b, 1),
        }),
      ],
    };
    const expected: Record<string, unknown> = {
      mutual: { entries: ['c'], rights: { a: 'admin', b: null, c: 'append' } },
      backdated: { entries: [], rights: { a: 'admin', b: null, c: 'append' } },
      through_a_third: { entries: ['c'], rights: { a: null, b: 'admin', c: 'admin' } },
    };
    for (const [index, [name, story]] of Object.entries(stories).entries()) {
      const { root, commits } = dispute(index, story);
      const [begin, ...rest] = commits as [Forged, ...Forged[]];
      for (const order of orders(rest)) {
        const { peer, close } = await open();
        await arrive(peer, root, [begin, ...order]);
        const database = await peer.open(root);
        const [a, b, c] = [1, 2, 3].map((key) => database.access.of(forgeKey(key).id));
        assert.deepEqual({ entries: await texts(database), rights: { a, b, c } }, expected[name]);
        await close();
      }
    }
  },
);

peerTest('a revocation cuts at the same commit under every order of arrival', async (_t, open) => {
  const { root, commits } = dispute(99, ({ root: database, a, c, named }) => {
    const entries = ['one', 'two', 'three'].map((text, index) =>
      c.write(index === 0 ? [c.authorOp(), append(text)] : [append(text)], {
        database,
        hlc: NOW + 10 * (index + 1),
        settings: named(a, 1),
      }),
    );
    const revocation = a.write([role(c.peer.id, { role: 'none', cuts: { [c.author.id]: 2 } })], {
      database,
      hlc: NOW + 15,
      settings: named(a, 1),
    });
    return [...entries, revocation];
  });
  const [begin, ...rest] = commits as [Forged, ...Forged[]];
  for (const order of orders(rest)) {
    const { peer, close } = await open();
    await arrive(peer, root, [begin, ...order]);
    assert.deepEqual(await texts(await peer.open(root)), ['one', 'two']);
    await close();
  }
});
