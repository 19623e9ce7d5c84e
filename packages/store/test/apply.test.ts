import assert from 'node:assert/strict';
import type { Json, JsonObject } from '@fairlead/base';
import type { Database, Peer } from '../src/index.ts';
import { type Forged, Forger, forgeKey } from './forge.ts';
import { overTheWire, peerTest, START_MS, texts } from './peer-fixture.ts';

const NOW = START_MS * 1_024;
const append = (value: Json): JsonObject => ({ op: 'append', table: 'entries', value });

/** A session of this peer's in which a forged writer may append, and that writer's first commit on top of it. */
async function sessionWithWriter(peer: Peer, role: 'append' | 'write' | 'admin' | 'read' = 'append') {
  const writer = new Forger(forgeKey(1), forgeKey(2));
  const session = await peer.create('session', undefined, { grants: { [writer.peer.id]: role } });
  const at = (hlc: number) => ({
    database: session.root,
    hlc: NOW + hlc,
    settings: [peer.author, 1] as Json,
  });
  const apply = (commits: readonly (Forged | Json)[]) =>
    peer.apply(session.root, overTheWire(commits as never));
  return { writer, session, at, apply };
}

async function fingerprint(database: Database): Promise<unknown> {
  return [
    database.version(),
    await texts(database),
    await database.doc('meta').get(),
    database.access.list(),
  ];
}

const codes = (report: { refused: readonly { code: string }[] }) => report.refused.map(({ code }) => code);

peerTest('a commit is applied once, however often it comes', async (_t, open) => {
  const { peer } = await open();
  const { writer, session, at, apply } = await sessionWithWriter(peer);
  const first = writer.write([writer.authorOp(), append('a')], at(10));
  assert.deepEqual(await apply([first, first]), {
    applied: 1,
    known: 1,
    waiting: 0,
    refused: [],
    quarantined: 0,
  });
  assert.deepEqual(await apply([first]), { applied: 0, known: 1, waiting: 0, refused: [], quarantined: 0 });
  assert.deepEqual(await texts(session), ['a']);
  assert.deepEqual(session.version(), { [peer.author]: 1, [writer.author.id]: 1 });
});

peerTest('what is no commit is refused with a code, and changes nothing', async (_t, open) => {
  const { peer } = await open();
  const { writer, session, at, apply } = await sessionWithWriter(peer, 'admin');
  await apply([writer.write([writer.authorOp(), append('a')], at(10))]);
  const before = await fingerprint(session);
  const good = () => new Forger(writer.peer, writer.author);
  const second = (ops: readonly Json[], other: JsonObject = {}) => {
    const hand = good();
    Object.assign(hand, { seq: 1, prev: writer.prev });
    return hand.write(ops, at(20), other);
  };
  const malformed: [string, unknown][] = [
    ['null', null],
    ['a list', []],
    ['no members', {}],
    ['one member more', { ...second([append(1)]), more: 1 }],
    ['no operation', second([])],
    ['fewer operations than digests', { ...second([append(1), append(2)]), ops: [append(1)] }],
    ['an operation left out', { ...second([append(1), append(2)]), ops: [append(1), null] }],
    ['version 2', second([append(1)], { v: 2 })],
    ['an author that is no key', second([append(1)], { author: 'x' })],
    ['seq 0', second([append(1)], { seq: 0 })],
    ['seq 1.5', second([append(1)], { seq: 1.5 })],
    ['a clock that is no number', second([append(1)], { hlc: '1' })],
    ['no previous hash', second([append(1)], { prev: '' })],
    ['no settings', second([append(1)], { settings: null })],
    ['settings without a number', second([append(1)], { settings: [writer.author.id] })],
    ['settings that are no settings commit', second([append(1)], { settings: [writer.author.id, 1] })],
    ['a header member more', second([append(1)], { more: 1 })],
    ['a signature too short', { ...second([append(1)]), sig: 'AA' }],
    ['an operation without a kind', second([{ table: 'entries', value: 1 }])],
    ['an append with a key', second([{ ...append(1), key: 'k' }])],
    ['a put without a key', second([{ op: 'put', table: 'entries', value: 1 }])],
    ['a table name with a space', second([{ op: 'append', table: 'my table', value: 1 }])],
    ['a path with a control character', second([{ op: 'set', doc: 'meta', path: ['a\u0001'], value: 1 }])],
    ['a path too long', second([{ op: 'set', doc: 'meta', path: Array(17).fill('a'), value: 1 }])],
    ['a certificate in the middle', second([writer.authorOp()])],
    [
      'a second genesis',
      second([{ op: 'genesis', kind: 'session', peer: writer.peer.id, nonce: writer.prev }]),
    ],
    ['a lone surrogate', second([append('\ud800')])],
    ['a value too deep', second([append(nested(70))])],
  ];
  for (const [what, commit] of malformed) {
    const report = await apply([commit as Json]);
    assert.deepEqual([what, report.applied, codes(report)], [what, 0, ['commit_malformed']]);
  }
  const large = [
    second(Array.from({ length: 501 }, () => append(1))),
    second([append('x'.repeat(1_048_576))]),
  ];
  for (const commit of large) assert.deepEqual(codes(await apply([commit])), ['commit_too_large']);
  assert.deepEqual(await fingerprint(session), before);
});

function nested(levels: number): Json {
  return levels === 0 ? 1 : [nested(levels - 1)];
}

peerTest(
  'a tampered, gapped, replayed or foreign-signed commit is refused with its code, and changes nothing',
  async (_t, open) => {
    const { peer, clock } = await open();
    const { writer, session, at, apply } = await sessionWithWriter(peer);
    const other = await peer.create('session', undefined, { grants: { [writer.peer.id]: 'append' } });
    const first = writer.write([writer.authorOp(), append('a')], at(10));
    await apply([first]);
    await clock.advance(1_000);
    await session.access.grant(forgeKey(9).id, 'read');
    const before = await fingerprint(session);
    const hand = () => Object.assign(new Forger(writer.peer, writer.author), { seq: 1, prev: writer.prev });
    const good = hand().write([append('b')], at(20));
    const stranger = forgeKey(7);
    const cases: [string, Forged][] = [
      ['commit_hash_mismatch', { ...good, ops: [append('B')] }],
      ['commit_hash_mismatch', hand().write([append('b')], at(20), { prev: 'A'.repeat(43) }, stranger)],
      ['commit_signature_invalid', { ...good, header: { ...good.header, hlc: NOW + 21 } }],
      ['commit_signature_invalid', hand().write([append('b')], at(20), {}, stranger)],
      ['commit_gap', hand().write([append('b')], at(20), { seq: 3 })],
      ['commit_clock_invalid', hand().write([append('b')], at(10))],
      ['commit_clock_invalid', hand().write([append('b')], at(20), { hlc: 2 ** 52 })],
      ['commit_clock_invalid', hand().write([append('b')], at(20), { hlc: 0 })],
      ['commit_clock_invalid', hand().write([append('b')], { ...at(20), settings: [peer.author, 2] })],
      ['commit_foreign', hand().write([append('b')], { ...at(20), database: other.root })],
      ['commit_waiting', hand().write([append('b')], { ...at(20), settings: [peer.author, 9] })],
      ['commit_waiting', hand().write([append('b')], { ...at(20), settings: [stranger.id, 1] })],
    ];
    for (const [code, commit] of cases) {
      const report = await apply([commit]);
      assert.deepEqual([report.applied, report.quarantined, codes(report)], [0, 0, [code]]);
    }
    assert.deepEqual((await peer.apply(other.root, overTheWire([good] as never))).refused, [
      { author: writer.author.id, seq: 2, code: 'commit_foreign' },
    ]);
    assert.deepEqual(await fingerprint(session), before);
    assert.deepEqual(await session.forks(), []);
    assert.equal((await apply([good])).applied, 1);
  },
);

peerTest('an author must be certified by the peer that it names', async (_t, open) => {
  const { peer } = await open();
  const { writer, session, at, apply } = await sessionWithWriter(peer);
  const thief = new Forger(writer.peer, forgeKey(3));
  const stolen = thief.write([thief.authorOp(forgeKey(3)), append('stolen')], at(10));
  assert.deepEqual(codes(await apply([stolen])), ['commit_signature_invalid']);
  const borrowed = new Forger(writer.peer, forgeKey(3));
  const wrong = borrowed.write(
    [new Forger(writer.peer, writer.author).authorOp(), append('borrowed')],
    at(10),
  );
  assert.deepEqual(codes(await apply([wrong])), ['commit_signature_invalid']);
  const bare = new Forger(writer.peer, forgeKey(3));
  assert.deepEqual(codes(await apply([bare.write([append('bare')], at(10))])), ['commit_malformed']);
  assert.deepEqual(await texts(session), []);
});

peerTest('a run is taken as far as each commit bears its own signature', async (_t, open) => {
  const { peer } = await open();
  const { writer, session, at, apply } = await sessionWithWriter(peer);
  const run = [
    writer.write([writer.authorOp(), append(1)], at(10)),
    ...[2, 3, 4].map((value) => writer.write([append(value)], at(10 * value))),
  ];
  const [first, second, third, fourth] = run as [Forged, Forged, Forged, Forged];
  // The third's signature covers the second through the hash, and the second's own is wrong.
  const report = await apply([first, { ...second, sig: first.sig }, third, fourth]);
  const { id: author } = writer.author;
  assert.deepEqual(
    [report.applied, report.refused],
    [
      1,
      [
        { author, seq: 2, code: 'commit_signature_invalid' },
        { author, seq: 3, code: 'commit_gap' },
        { author, seq: 4, code: 'commit_gap' },
      ],
    ],
  );
  assert.deepEqual(await texts(session), [1]);
  assert.equal((await apply([second, third, fourth])).applied, 3);
});

peerTest(
  'what a relay did to a signature does not reach a second peer when the covering commit is cut off',
  async (_t, open) => {
    const { peer } = await open();
    const next = await open();
    const { writer, session, at, apply } = await sessionWithWriter(peer);
    const first = writer.write([writer.authorOp(), append(1)], at(10));
    const second = writer.write([append(2)], at(20));
    const third = writer.write([append(3)], at(30));
    await apply([first]);
    await session.access.revoke(writer.peer.id, { cuts: { [writer.author.id]: 2 } });
    await apply([{ ...second, sig: first.sig }, third]);
    await apply([second, third]);
    await next.peer.apply(session.root, overTheWire(await session.since({})));
    const copy = await next.peer.open(session.root);
    assert.deepEqual(await texts(copy), [1, 2]);
  },
);

peerTest('commits are taken in any order as soon as nothing is missing', async (_t, open) => {
  const { peer } = await open();
  const { writer, session, at, apply } = await sessionWithWriter(peer);
  const run = [
    writer.write([writer.authorOp(), append(1)], at(10)),
    ...[2, 3].map((n) => writer.write([append(n)], at(10 * n))),
  ];
  assert.deepEqual(codes(await apply([run[2] as Forged])), ['commit_gap']);
  assert.deepEqual(await apply([...run].reverse()), {
    applied: 3,
    known: 0,
    waiting: 0,
    refused: [],
    quarantined: 0,
  });
  assert.deepEqual(await texts(session), [1, 2, 3]);
});

peerTest('a database that is not here waits for its first commit', async (_t, open) => {
  const { peer } = await open();
  const writer = new Forger(forgeKey(1), forgeKey(2));
  const { root, commit } = writer.begin('session', 'ses_', NOW);
  const second = writer.write([append('x')], {
    database: root,
    hlc: NOW + 1,
    settings: [writer.author.id, 1],
  });
  assert.deepEqual(await peer.apply(root, overTheWire([second] as never)), {
    applied: 0,
    known: 0,
    waiting: 1,
    refused: [{ author: writer.author.id, seq: 2, code: 'commit_waiting' }],
    quarantined: 0,
  });
  await assert.rejects(peer.open(root), { code: 'database_not_found' });
  const applied = await Promise.all(
    [1, 2, 3].map(() => peer.apply(root, overTheWire([second, commit] as never))),
  );
  assert.deepEqual(
    applied.map((report) => [report.applied, report.known]),
    [
      [2, 0],
      [0, 2],
      [0, 2],
    ],
  );
  assert.deepEqual(await texts(await peer.open(root)), ['x']);
});

peerTest(
  'a first commit belongs to the root that it makes, and a peer’s own database comes from nobody',
  async (_t, open) => {
    const { peer } = await open();
    const { commit } = new Forger(forgeKey(1), forgeKey(2)).begin('session', 'ses_', NOW);
    const wrong = `ses_${'A'.repeat(43)}`;
    assert.deepEqual(codes(await peer.apply(wrong, overTheWire([commit] as never))), ['commit_foreign']);
    const own = new Forger(forgeKey(1), forgeKey(2)).begin('peer', 'per_', NOW);
    assert.deepEqual(codes(await peer.apply(own.root, overTheWire([own.commit] as never))), [
      'commit_foreign',
    ]);
    const mixed = new Forger(forgeKey(1), forgeKey(2)).begin('session', 'agt_', NOW);
    assert.deepEqual(codes(await peer.apply(mixed.root, overTheWire([mixed.commit] as never))), [
      'commit_foreign',
    ]);
    await assert.rejects(peer.apply('nonsense', []), { code: 'database_not_found' });
    assert.deepEqual(await peer.list(), []);
  },
);

peerTest(
  'a second commit under a used number is a fork: kept aside, shown, and not applied',
  async (_t, open) => {
    const { peer, reports } = await open();
    const { writer, session, at, apply } = await sessionWithWriter(peer);
    const first = writer.write([writer.authorOp(), append('a')], at(10));
    const twin = Object.assign(new Forger(writer.peer, writer.author), { seq: 1, prev: writer.prev });
    const second = writer.write([append('b')], at(20));
    const forked = twin.write([append('fork')], at(21));
    const onFork = twin.write([append('on the fork')], at(31));
    await apply([first, second]);
    const report = await apply([forked]);
    assert.deepEqual(report, {
      applied: 0,
      known: 0,
      waiting: 0,
      refused: [{ author: writer.author.id, seq: 2, code: 'commit_fork' }],
      quarantined: 1,
    });
    // Without the forked commit itself its successor shows the fork just as well.
    assert.deepEqual(codes(await apply([onFork])), ['commit_fork']);
    await apply([forked]);
    assert.deepEqual(
      (await session.forks()).map(({ author, seq }) => [author, seq]),
      [
        [writer.author.id, 2],
        [writer.author.id, 3],
      ],
    );
    assert.deepEqual(
      reports.filter(({ code }) => code === 'commit_fork'),
      [2, 3, 2].map((seq) => ({
        code: 'commit_fork',
        database: session.root,
        author: writer.author.id,
        seq,
      })),
    );
    assert.deepEqual(await texts(session), ['a', 'b']);
    // A forgery proves nothing.
    const forged = { ...forked, sig: second.sig };
    assert.deepEqual(codes(await apply([forged])), ['commit_signature_invalid']);
    assert.equal((await session.forks()).length, 2);
  },
);

peerTest('both sides of a fork in one batch: the first counts, the second is the fork', async (_t, open) => {
  const { peer } = await open();
  const { writer, session, at, apply } = await sessionWithWriter(peer);
  const first = writer.write([writer.authorOp(), append('a')], at(10));
  const twin = Object.assign(new Forger(writer.peer, writer.author), { seq: 1, prev: writer.prev });
  const report = await apply([
    first,
    writer.write([append('b')], at(20)),
    twin.write([append('fork')], at(21)),
    writer.write([append('c')], at(30)),
  ]);
  assert.deepEqual([report.applied, codes(report)], [3, ['commit_fork']]);
  assert.deepEqual(await texts(session), ['a', 'b', 'c']);
});

peerTest(
  'an operation of a newer version is kept and passed on; the database is then only read',
  async (_t, open) => {
    const [one, two] = [await open(), await open()];
    const { writer, session, at, apply } = await sessionWithWriter(one.peer);
    const newer = writer.write([writer.authorOp(), append('a'), { op: 'merge', what: { ever: 1 } }], at(10));
    assert.equal((await apply([newer])).applied, 1);
    assert.equal(session.newer, true);
    await assert.rejects(session.table('entries').append('b'), { code: 'database_newer' });
    await assert.rejects(session.access.grant(forgeKey(5).id, 'read'), { code: 'database_newer' });
    assert.deepEqual(await texts(session), ['a']);
    assert.deepEqual((await session.since({ [one.peer.author]: 1 })) as unknown, [newer]);
    const more = writer.write([append('c')], at(20));
    assert.equal((await apply([more])).applied, 1);
    await one.close();
    const again = await open({ folder: one.folder });
    assert.equal((await again.peer.open(session.root)).newer, true);
    await two.peer.apply(session.root, overTheWire(await (await again.peer.open(session.root)).since({})));
    assert.equal((await two.peer.open(session.root)).newer, true);
  },
);

peerTest('what is lacking is given in pieces, each within its bounds and good to apply', async (_t, open) => {
  const [one, two] = [await open(), await open()];
  const mine = await one.peer.create('session');
  for (let index = 0; index < 20; index += 1) await mine.table('entries').append('x'.repeat(1_000));
  let pieces = 0;
  for (let version = {}; ; version = (await two.peer.open(mine.root)).version()) {
    const piece = await mine.since(version, pieces % 2 === 0 ? { commits: 3 } : { bytes: 4_000 });
    if (piece.length === 0) break;
    assert.equal(
      piece.length,
      Math.min(pieces % 2 === 0 ? 3 : 2, 21 - (Object.values<number>(version)[0] ?? 0)),
    );
    assert.equal((await two.peer.apply(mine.root, overTheWire(piece))).applied, piece.length);
    pieces += 1;
  }
  assert.equal(pieces, 9);
  assert.equal(await (await two.peer.open(mine.root)).table('entries').count(), 20);
  assert.equal((await mine.since({}, { bytes: 1 })).length, 1);
});
