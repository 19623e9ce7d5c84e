import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import fc from 'fast-check';
import { encodePath } from '../src/log/names.ts';
import { buildDocument } from '../src/peer/doc.ts';
import { copyTo, memoryFolder, peerTest } from './peer-fixture.ts';

peerTest(
  'a document takes values by path, and what stands at and below a path gives way',
  async (_t, open) => {
    const doc = (await (await open()).peer.create('session')).doc('meta');
    assert.deepEqual(await doc.get(), {});
    await doc.set(['a', 'b'], 1);
    await doc.set(['a', 'c'], { d: [1, { e: 2 }] });
    assert.deepEqual(await doc.get(), { a: { b: 1, c: { d: [1, { e: 2 }] } } });
    await doc.set(['a', 'c', 'd'], null);
    assert.deepEqual(await doc.get(), { a: { b: 1, c: { d: null } } });
    await doc.set(['a'], { x: 1 });
    assert.deepEqual(await doc.get(), { a: { x: 1 } });
    await doc.clear(['a', 'x']);
    assert.deepEqual(await doc.get(), { a: {} });
    await doc.set(['a', 'x', 'deep'], true);
    await doc.set([], { whole: 'new' });
    assert.deepEqual(await doc.get(), { whole: 'new' });
    await doc.clear([]);
    assert.deepEqual(await doc.get(), {});
  },
);

peerTest('a patch sets its leaves and leaves the rest; lists are replaced whole', async (_t, open) => {
  const doc = (await (await open()).peer.create('agent')).doc('config');
  await doc.patch({ tools: ['a', 'b'], grants: { fs: { read: 1 }, network: null } });
  await doc.patch({ tools: ['c'], grants: { fs: { write: 2 } }, nothing: {} });
  assert.deepEqual(await doc.get(), {
    tools: ['c'],
    grants: { fs: { read: 1, write: 2 }, network: null },
  });
});

peerTest('names that mean something to JavaScript are members like any other', async (_t, open) => {
  const doc = (await (await open()).peer.create('session')).doc('meta');
  await doc.set(['__proto__', 'polluted'], true);
  await doc.set(['constructor'], 'x');
  const value = await doc.get();
  assert.deepEqual(Object.keys(value).sort(), ['__proto__', 'constructor']);
  assert.equal(({} as JsonObject)['polluted'], undefined);
});

peerTest('a path that is no path is refused', async (_t, open) => {
  const database = await (await open()).peer.create('session');
  const doc = database.doc('meta');
  for (const path of [[''], ['a\u0000'], ['a\u001fb'], ['x'.repeat(257)], Array(17).fill('a'), [1], 'text'])
    await assert.rejects(doc.set(path as string[], 1), { code: 'doc_path_invalid' });
  await assert.rejects(doc.set([], 1), { code: 'doc_path_invalid' });
  for (const path of [[], ['peers'], ['peers', 'x']])
    await assert.rejects(database.doc('_settings').set(path, {}), { code: 'doc_path_invalid' });
  await doc.set(Array(16).fill('a'), 1);
  assert.equal(Object.keys(await doc.get()).length, 1);
});

peerTest('a document reads as it was at a point of its history', async (_t, open) => {
  const { peer, clock } = await open();
  const database = await peer.create('session');
  const doc = database.doc('meta');
  await doc.set(['name'], 'first');
  const atMs = clock.wallMs();
  await clock.advance(10);
  await doc.set(['name'], 'second');
  await doc.set(['more'], 1);
  assert.deepEqual(await doc.get({ atMs }), { name: 'first' });
  assert.deepEqual(await doc.get({ atMs: atMs - 1 }), {});
  assert.deepEqual(await doc.get({ atMs: atMs + 10 }), { name: 'second', more: 1 });
  const row = (await database.since({})).at(-1);
  assert.deepEqual(await doc.get({ hlc: (row?.header.hlc ?? 0) - 1 }), { name: 'second' });
});

peerTest(
  'two writers of different paths both count; of one path the later does, on both peers',
  async (_t, open) => {
    const [one, two] = [await open(), await open()];
    const mine = await one.peer.create('session', undefined, { grants: { [two.peer.peerId]: 'write' } });
    const theirs = await copyTo(two, mine);
    await mine.doc('meta').set(['a'], 'mine');
    await mine.doc('meta').set(['same'], 'mine');
    await two.clock.advance(5);
    await theirs.doc('meta').set(['b'], 'theirs');
    await theirs.doc('meta').set(['same'], 'theirs');
    await copyTo(two, mine);
    await copyTo(one, theirs);
    for (const database of [mine, theirs])
      assert.deepEqual(await database.doc('meta').get(), { a: 'mine', b: 'theirs', same: 'theirs' });
  },
);

// The registers that are kept, against a document that was built by applying everything in order.
type Change = { readonly path: readonly string[]; readonly value: Json | null };

const name = fc.constantFrom('a', 'b', 'c', '__proto__');
const change: fc.Arbitrary<Change> = fc.record({
  path: fc.array(name, { minLength: 1, maxLength: 3 }),
  value: fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 9 }) as fc.Arbitrary<Json> },
    { weight: 1, arbitrary: fc.constant({ a: { b: 1 } }) as fc.Arbitrary<Json> },
    { weight: 2, arbitrary: fc.constant(null) },
  ),
});

/** Applies in order to plain nested maps; null clears. */
function model(changes: readonly Change[]): unknown {
  type Node = Map<string, Node> | Json;
  const nodeOf = (value: Json): Node =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? new Map(Object.entries(value as JsonObject).map(([key, member]) => [key, nodeOf(member)]))
      : value;
  const root = new Map<string, Node>();
  for (const { path, value } of changes) {
    let at = root;
    for (const step of path.slice(0, -1)) {
      let next = at.get(step);
      if (!(next instanceof Map)) {
        next = new Map();
        at.set(step, next);
      }
      at = next;
    }
    const last = path.at(-1) ?? '';
    if (value === null) at.delete(last);
    else at.set(last, nodeOf(value));
  }
  const plain = (node: Node): unknown =>
    node instanceof Map ? [...node].map(([key, member]) => [key, plain(member)]).sort() : node;
  return plain(root);
}

function sorted(value: unknown): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value)
        .map(([key, member]) => [key, sorted(member)])
        .sort()
    : value;
}

test('registers build the document that applying every change in order builds', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
      const registers = changes.map(({ path, value }) => ({
        path: encodePath(path),
        value: value === null ? null : JSON.stringify(value),
      }));
      assert.deepEqual(sorted(buildDocument(registers)), model(changes));
    }),
    { numRuns: 2_000 },
  );
});

peerTest('the kept registers build the same document whatever order the changes came in', async (t, open) => {
  const [one, two] = [await open({ folder: memoryFolder(t) }), await open({ folder: memoryFolder(t) })];
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { minLength: 1, maxLength: 8 }),
      fc.array(fc.nat(), { minLength: 8, maxLength: 8 }),
      async (changes, order) => {
        const database = await one.peer.create('session', undefined, {
          grants: { [two.peer.peerId]: 'write' },
        });
        const other = await copyTo(two, database);
        for (const [index, { path, value }] of changes.entries()) {
          const writer = (order[index] ?? 0) % 2 === 0 ? database : other;
          for (const { clock } of [one, two]) await clock.advance(1);
          if (value === null) await writer.doc('meta').clear(path);
          else await writer.doc('meta').set(path, value);
        }
        await two.peer.apply(database.root, await database.since(other.version()));
        await one.peer.apply(database.root, await other.since(database.version()));
        assert.deepEqual(sorted(await database.doc('meta').get()), model(changes));
        assert.deepEqual(sorted(await other.doc('meta').get()), model(changes));
      },
    ),
    { numRuns: 100 },
  );
});
