import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '@fairlead/base';
import fc from 'fast-check';
import { Rights, type SettingsCommit } from '../src/rights/rights.ts';

// Peers are single letters; the author of peer X is x, or x2 … for a later incarnation.
const ADMIN = { role: 'admin' };

function genesis(author: string, hlc: number): SettingsCommit {
  return { author, seq: 1, hlc, peer: author.charAt(0).toUpperCase(), changes: [], isGenesis: true };
}

/** A commit in which an author sets what peers have. */
function grants(
  author: string,
  seq: number,
  hlc: number,
  peers: { readonly [peer: string]: Json },
): SettingsCommit {
  const changes = Object.entries(peers).map(([peer, value]) => ({ path: ['peers', peer], value }));
  return { author, seq, hlc, peer: author.charAt(0).toUpperCase(), changes, isGenesis: false };
}

const none = (cuts: Json = {}): Json => ({ role: 'none', cuts });
const at = (author: string, seq: number, hlc: number) => ({ author, seq, hlc });

function counted(rights: Rights, commits: readonly SettingsCommit[]): string[] {
  return commits.filter((commit) => rights.counts(commit)).map(({ author, seq }) => `${author}${seq}`);
}

test('the peer that begins a database is admin, and nobody else has anything', () => {
  const rights = Rights.fold([genesis('a', 10)]);
  assert.equal(rights.standingOf('A'), 'admin');
  assert.equal(rights.standingOf('B'), 'none');
  assert.deepEqual(rights.grants(), [{ peer: 'A', role: 'admin' }]);
  assert.equal(rights.allows('A', at('a', 2, 11), 3), true);
  assert.equal(rights.allows('B', at('b', 1, 11), 1), false);
});

test('each role allows what it says, from the grant on', () => {
  const rights = Rights.fold([
    genesis('a', 10),
    grants('a', 2, 20, {
      R: { role: 'read' },
      P: { role: 'append' },
      W: { role: 'write' },
      X: { role: 'king' },
    }),
  ]);
  const allowed = (peer: string) => [1, 2, 3].map((level) => rights.allows(peer, at('z', 1, 21), level as 1));
  assert.deepEqual(allowed('R'), [false, false, false]);
  assert.deepEqual(allowed('P'), [true, false, false]);
  assert.deepEqual(allowed('W'), [true, true, false]);
  assert.deepEqual(allowed('X'), [false, false, false]);
  assert.equal(rights.allows('W', at('w', 1, 19), 1), false);
  assert.equal(rights.allows('A', at('a', 1, 15), 3), true);
});

test('what is not admin changes no rights', () => {
  const log = [
    genesis('a', 10),
    grants('a', 2, 20, { B: { role: 'write' } }),
    grants('b', 1, 30, { B: ADMIN }),
    grants('c', 1, 30, { C: ADMIN }),
  ];
  const rights = Rights.fold(log);
  assert.deepEqual(counted(rights, log), ['a1', 'a2']);
  assert.equal(rights.standingOf('B'), 'write');
});

for (const cut of [2.5, 2 ** 53, Number.MAX_VALUE, -1, '4', null] as const)
  test(`a cut of ${JSON.stringify(cut)} is none that a commit has, and keeps nothing`, () => {
    const rights = Rights.fold([
      genesis('a', 10),
      grants('a', 2, 20, { B: { role: 'write' } }),
      grants('a', 3, 50, { B: none({ b: cut }) }),
    ]);
    const kept = [1, 2, 3].filter((seq) => rights.allows('B', at('b', seq, 30 + seq), 1));
    assert.deepEqual(kept, []);
  });

test('the highest cut that there can be keeps everything', () => {
  const rights = Rights.fold([
    genesis('a', 10),
    grants('a', 2, 20, { B: { role: 'write' } }),
    grants('a', 3, 50, { B: none({ b: 2 ** 53 - 1 }) }),
  ]);
  assert.equal(rights.allows('B', at('b', 3, 33), 1), true);
});

test('a revocation cuts each author at the commit that it names, whatever the clocks say', () => {
  const log = [
    genesis('a', 10),
    grants('a', 2, 20, { B: { role: 'write' } }),
    grants('a', 3, 50, { B: none({ b: 4 }) }),
  ];
  const rights = Rights.fold(log);
  assert.equal(rights.allows('B', at('b', 4, 45), 2), true);
  assert.equal(rights.allows('B', at('b', 4, 9_999), 2), true, 'below the cut, though its clock is ahead');
  assert.equal(rights.allows('B', at('b', 5, 30), 2), false, 'behind the cut, though its clock is behind');
  assert.equal(rights.allows('B', at('b2', 1, 30), 1), false, 'an author that the revocation does not name');
});

test('a lowered role holds from the cut on, and the time before keeps its own', () => {
  const rights = Rights.fold([
    genesis('a', 10),
    grants('a', 2, 20, { B: { role: 'write' } }),
    grants('a', 3, 50, { B: { role: 'append', cuts: { b: 2 } } }),
  ]);
  assert.equal(rights.allows('B', at('b', 2, 60), 2), true);
  assert.equal(rights.allows('B', at('b', 3, 40), 2), false);
  assert.equal(rights.allows('B', at('b', 3, 40), 1), true);
});

test('a grant after a revocation begins behind the cut that it names', () => {
  const rights = Rights.fold([
    genesis('a', 10),
    grants('a', 2, 20, { B: { role: 'write' } }),
    grants('a', 3, 50, { B: none({ b: 1 }) }),
    grants('a', 4, 60, { B: { role: 'append', cuts: { b: 3 } } }),
  ]);
  const allowed = [1, 2, 3, 4].map((seq) => rights.allows('B', at('b', seq, 9_000 + seq), 1));
  assert.deepEqual(allowed, [true, false, false, true]);
  assert.equal(rights.allows('B', at('b2', 1, 61), 1), true);
  assert.equal(rights.allows('B', at('b2', 1, 59), 1), false);
});

test('clearing a peer, or all of them, is a revocation of everything', () => {
  const cleared = (path: readonly string[]): SettingsCommit => ({
    ...grants('a', 3, 30, {}),
    changes: [{ path, value: undefined }],
  });
  const log = [genesis('a', 10), grants('a', 2, 20, { B: { role: 'write' } })];
  const one = Rights.fold([...log, cleared(['peers', 'B'])]);
  assert.deepEqual([one.standingOf('A'), one.standingOf('B')], ['admin', 'none']);
  assert.equal(one.allows('B', at('b', 1, 25), 1), false);
  for (const path of [['peers'], []]) {
    const all = Rights.fold([...log, cleared(path)]);
    assert.deepEqual([all.standingOf('A'), all.standingOf('B')], ['none', 'none']);
  }
  const other = Rights.fold([...log, cleared(['name'])]);
  assert.deepEqual([other.standingOf('A'), other.standingOf('B')], ['admin', 'write']);
});

test('a role may be set by its own path, and a document that holds no object gives nothing', () => {
  const change = (path: readonly string[], value: Json): SettingsCommit => ({
    ...grants('a', 2, 20, {}),
    changes: [{ path, value }],
  });
  const fold = (path: readonly string[], value: Json) =>
    Rights.fold([genesis('a', 10), change(path, value)]).standingOf('B');
  assert.equal(fold(['peers', 'B', 'role'], 'write'), 'write');
  assert.equal(fold(['peers'], { A: ADMIN, B: { role: 'read' } }), 'read');
  assert.equal(fold([], { peers: { A: ADMIN, B: { role: 'append' } } }), 'append');
  assert.equal(fold(['peers', 'B'], 'admin'), 'none');
  assert.equal(fold(['peers'], 'admin'), 'none');
});

test('of two admins who revoke each other the earlier counts', () => {
  const begin = [genesis('a', 10), grants('a', 2, 20, { B: ADMIN })];
  const earlier = [
    ...begin,
    grants('a', 3, 30, { B: none({ b: 0 }) }),
    grants('b', 1, 31, { A: none({ a: 2 }) }),
  ];
  assert.deepEqual(counted(Rights.fold(earlier), earlier), ['a1', 'a2', 'a3']);
  const later = [
    ...begin,
    grants('a', 3, 32, { B: none({ b: 0 }) }),
    grants('b', 1, 31, { A: none({ a: 2 }) }),
  ];
  assert.deepEqual(counted(Rights.fold(later), later), ['a1', 'a2', 'b1']);
  const tied = [
    ...begin,
    grants('a', 3, 31, { B: none({ b: 0 }) }),
    grants('b', 1, 31, { A: none({ a: 2 }) }),
  ];
  assert.deepEqual(counted(Rights.fold(tied), tied), ['a1', 'a2', 'a3']);
});

test('a backdated grant of a revoked admin is cut off, and everything that was built on it', () => {
  const log = [
    genesis('a', 10),
    grants('a', 2, 20, { B: ADMIN }),
    grants('a', 3, 50, { B: none({ b: 0 }) }),
    grants('b', 1, 30, { C: ADMIN }),
    grants('c', 1, 31, { D: { role: 'write' } }),
  ];
  const rights = Rights.fold(log);
  assert.deepEqual(counted(rights, log), ['a1', 'a2', 'a3']);
  assert.deepEqual(rights.grants(), [{ peer: 'A', role: 'admin' }]);
});

test('what a voided grant had undone counts again', () => {
  // b1 makes C admin, c1 revokes D; both fall with the revocation of B, and D’s own grant of E stands again.
  const log = [
    genesis('a', 10),
    grants('a', 2, 20, { B: ADMIN, D: ADMIN }),
    grants('b', 1, 30, { C: ADMIN }),
    grants('c', 1, 31, { D: none({ d: 0 }) }),
    grants('d', 1, 40, { E: { role: 'read' } }),
    grants('a', 3, 50, { B: none({ b: 0 }) }),
  ];
  const rights = Rights.fold(log);
  assert.deepEqual(counted(rights, log), ['a1', 'a2', 'd1', 'a3']);
  assert.equal(rights.standingOf('E'), 'read');
});

test('commits that keep each other from standing are all left out', () => {
  // c1 revokes with a cut the very commit that made C admin.
  const paradox = [
    genesis('a', 10),
    grants('a', 2, 20, { C: ADMIN }),
    grants('c', 1, 30, { A: none({ a: 1 }) }),
  ];
  assert.deepEqual(counted(Rights.fold(paradox), paradox), ['a1']);
  // Each of the four keeps the next from counting or lets it; no reading of them agrees with itself.
  const ring = [
    genesis('a', 10),
    grants('a', 2, 20, { B: ADMIN, W: ADMIN }),
    grants('b', 1, 30, { Z: ADMIN }),
    grants('z', 1, 31, { W: none({ w: 0 }) }),
    grants('w', 1, 32, { A: none({ a: 2 }) }),
    grants('a', 3, 40, { B: none({ b: 0 }) }),
  ];
  const rights = Rights.fold(ring);
  assert.deepEqual(counted(rights, ring).slice(0, 2), ['a1', 'a2']);
  assert.equal(rights.standingOf('A') === 'admin' || rights.standingOf('W') === 'admin', true);
});

test('an admin may step down, and what follows its own step does not count', () => {
  const log = [
    genesis('a', 10),
    grants('a', 2, 20, { B: ADMIN }),
    grants('a', 3, 30, { A: { role: 'append', cuts: { a: 2 } } }),
    grants('a', 4, 40, { C: ADMIN }),
    grants('b', 1, 50, { C: { role: 'read' } }),
  ];
  const rights = Rights.fold(log);
  assert.deepEqual(counted(rights, log), ['a1', 'a2', 'a3', 'b1']);
  assert.deepEqual([rights.standingOf('A'), rights.standingOf('C')], ['append', 'read']);
});

test('the newest settings commit is the newest that counts, up to a clock', () => {
  const log = [
    genesis('a', 10),
    grants('a', 2, 20, { B: { role: 'write' } }),
    grants('b', 1, 25, { B: ADMIN }),
    grants('a', 3, 900, { C: { role: 'read' } }),
  ];
  const rights = Rights.fold(log);
  assert.deepEqual(
    [rights.newest()?.hlc, rights.newest(899)?.hlc, rights.newest(9)?.hlc],
    [900, 20, undefined],
  );
});

test('who was ever named admin is known, counted or not', () => {
  const rights = Rights.fold([
    genesis('a', 10),
    grants('z', 1, 20, { Y: ADMIN }),
    grants('a', 2, 30, { B: { role: 'write' } }),
  ]);
  assert.deepEqual(
    ['A', 'Y', 'B', 'Z'].map((peer) => rights.wasNamedAdmin(peer)),
    [true, true, false, false],
  );
});

const commit = fc
  .tuple(
    fc.constantFrom('a', 'b', 'c', 'd'),
    fc.integer({ min: 1, max: 40 }),
    fc.constantFrom('A', 'B', 'C', 'D'),
    fc.constantFrom('none', 'append', 'write', 'admin'),
    fc.nat({ max: 4 }),
  )
  .map(([author, hlc, whom, role, cut]) => ({ author, hlc, whom, role, cut }));

test('the fold is the same for every order of arrival, and agrees with itself', () => {
  fc.assert(
    fc.property(fc.array(commit, { maxLength: 14 }), fc.infiniteStream(fc.nat()), (drawn, numbers) => {
      const seqs = new Map([['a', 1]]);
      const log = [genesis('a', 10), grants('a', 2, 11, { B: ADMIN, C: ADMIN })];
      seqs.set('a', 2);
      // Clocks rise along each author's chain, as they do in a log.
      for (const { author, hlc, whom, role, cut } of [...drawn].sort((left, right) => left.hlc - right.hlc)) {
        const seq = (seqs.get(author) ?? 0) + 1;
        seqs.set(author, seq);
        log.push(
          grants(author, seq, 20 + hlc * 4 + seq, { [whom]: { role, cuts: { [whom.toLowerCase()]: cut } } }),
        );
      }
      const rights = Rights.fold(log);
      const shuffled = [...log];
      for (let index = shuffled.length - 1; index > 0; index -= 1) {
        const other = (numbers.next().value ?? 0) % (index + 1);
        [shuffled[index], shuffled[other]] = [
          shuffled[other] as SettingsCommit,
          shuffled[index] as SettingsCommit,
        ];
      }
      const again = Rights.fold(shuffled);
      assert.deepEqual(counted(again, log), counted(rights, log));
      assert.deepEqual(again.differences(rights), new Map());
      // Everything that counts is allowed by the whole of what counts.
      for (const one of log)
        if (rights.counts(one) && !one.isGenesis) assert.equal(rights.standingAt(one.peer, one), 'admin');
    }),
    { numRuns: 3_000 },
  );
});
