import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalJson, type Json } from '@fairlead/base';
import fc from 'fast-check';
import { canonicalText } from '../src/log/canonical-text.ts';
import { type Forged, Forger, forgeKey, verifyDatabase } from './forge.ts';
import { everything, overTheWire, peerTest, texts } from './peer-fixture.ts';

const LITERALS = [
  'ses_CWjdFai3WJiG9MB0FWWXGDqm8iifHQ0aAVYwP72A3fs',
  ['cVefDE3FXh5DxwR6IDMttrgoXDhWUa9R3IrqKByOUI4', '4dA5jKbMV9ClLZfKcMYU86QER9JLSiSbfKDmukFBjGU'],
  {
    v: 1,
    database: 'ses_CWjdFai3WJiG9MB0FWWXGDqm8iifHQ0aAVYwP72A3fs',
    author: 'gTl3Dqh9F19Wo1Rmw0x-zMuNipG07jeiXfYPW4_Js5Q',
    seq: 2,
    hlc: 1025,
    prev: 'CWjdFai3WJiG9MB0FWWXGDqm8iifHQ0aAVYwP72A3fs',
    settings: ['gTl3Dqh9F19Wo1Rmw0x-zMuNipG07jeiXfYPW4_Js5Q', 1],
    ops: ['JvQ8UySBIKDF7nJ2kn4dMvODVTYd5dWKZX5MLdPDyg4'],
  },
  'UFTqWtwBPuPXfuKK2tWnkTs0KuwYAEInUphVxhVh1BZL5s8dwPRr5ZJi39q3j0gkH5FPL0gTG7cUu9SwKxlcDQ',
];

// The bytes are a promise to every peer: these literals never change.
test('the first commits of fixed keys are these, to the last character', () => {
  const writer = new Forger(forgeKey(1), forgeKey(2));
  assert.equal(writer.peer.id, 'iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w');
  assert.equal(writer.author.id, 'gTl3Dqh9F19Wo1Rmw0x-zMuNipG07jeiXfYPW4_Js5Q');
  const { root, commit } = writer.begin('session', 'ses_', 1_024);
  const second = writer.write([{ op: 'append', table: 'entries', value: { b: 1, a: 'ä' } }], {
    database: root,
    hlc: 1_025,
    settings: [writer.author.id, 1],
  });
  assert.deepEqual([root, commit.header['ops'], second.header, second.sig], LITERALS);
});

peerTest('a database that another program wrote is taken, and reads as it was written', async (_t, open) => {
  const { peer } = await open();
  const writer = new Forger(forgeKey(1), forgeKey(2));
  const { root, commit } = writer.begin('session', 'ses_', 1_024, [
    { op: 'set', doc: 'meta', path: ['name'], value: 'forged' },
  ]);
  const second = writer.write([{ op: 'append', table: 'entries', value: { b: 1, a: 'ä' } }], {
    database: root,
    hlc: 1_025,
    settings: [writer.author.id, 1],
  });
  const report = await peer.apply(root, overTheWire([commit, second] as never));
  assert.deepEqual(report, { applied: 2, known: 0, waiting: 0, refused: [], quarantined: 0 });
  const database = await peer.open(root);
  assert.deepEqual(await database.doc('meta').get(), { name: 'forged' });
  assert.deepEqual(await texts(database), [{ b: 1, a: 'ä' }]);
  assert.deepEqual(await everything(database), [commit, second]);
  assert.equal(database.access.of(writer.peer.id), 'admin');
  assert.equal(database.access.mine(), null);
});

peerTest('another program can verify a database that was written here', async (_t, open) => {
  const { peer } = await open();
  const database = await peer.create('agent', (tx) => tx.set('meta', ['name'], 'n'));
  await Promise.all(
    [1, 2, 3].map((value) => database.table('memory').append({ value, text: 'ünïcode \u{1f600}' })),
  );
  await database.latest('schedules').put('key "quoted"', { numbers: [1e21, -0, 0.1, 1e-7] });
  await database.doc('meta').clear(['name']);
  await database.access.grant(forgeKey(9).id, 'read');
  const commits = await everything(database);
  assert.equal(commits.length, 5);
  verifyDatabase(database.root, overTheWire(commits) as unknown as Forged[]);
});

const json = fc.jsonValue({ noUnicodeString: false, maxDepth: 4 }) as fc.Arbitrary<Json>;

test('canonical text is RFC 8785 text, for every value that it takes', () => {
  fc.assert(
    fc.property(json, (value) => {
      let text: string;
      try {
        text = canonicalText(value);
      } catch {
        // A lone surrogate or an integer beyond 2^53: nobody would take it.
        fc.pre(false);
        return;
      }
      assert.equal(text, canonicalJson(value));
      assert.deepEqual(canonicalText(JSON.parse(text)), text);
    }),
    { numRuns: 2_000 },
  );
});

test('canonical text escapes and orders the same, however long a text and however many members', () => {
  const texts = ['', 'plain', '"', '\\', '\n', '\u0000', '\u007f', 'ä', '\u2028', '😀'];
  for (const text of texts)
    for (const value of [text, `${'x'.repeat(2_000)}${text}`, `${text}${'x'.repeat(1_023)}`])
      assert.equal(canonicalText({ [text]: value }), canonicalJson({ [text]: value }));
  for (const count of [0, 1, 2, 16, 17, 40]) {
    const names = Array.from({ length: count }, (_, index) => `m${(index * 7) % count}`);
    const value = Object.fromEntries(names.map((name, index) => [name, index]));
    assert.equal(canonicalText(value), canonicalJson(value));
  }
});
