import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { quantized } from '../../src/memory/vectors/quantized.ts';
import { VectorMatrix } from '../../src/memory/vectors/vector-matrix.ts';
import { VectorRows } from '../../src/memory/vectors/vector-rows.ts';
import { VectorShelf } from '../../src/memory/vectors/vector-shelf.ts';
import { hostFloor } from '../host-floor.ts';

const NO_PAUSE = () => undefined;

function cosine(left: Int8Array, right: Int8Array): number {
  const dot = (one: Int8Array, other: Int8Array) =>
    one.reduce((sum, byte, at) => sum + byte * (other[at] ?? 0), 0);
  return dot(left, right) / Math.sqrt(dot(left, left) * dot(right, right));
}

const bytes = (dimensions: number) =>
  fc
    .array(fc.integer({ min: -127, max: 127 }), { minLength: dimensions, maxLength: dimensions })
    .map((all) => {
      // A vector of zeros is none.
      return Int8Array.from(all.some((one) => one !== 0) ? all : all.map(() => 1));
    });

test('what is near is what the cosine says, whatever the dimensions', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc
        .integer({ min: 1, max: 70 })
        .chain((dimensions) => fc.tuple(bytes(dimensions), fc.array(bytes(dimensions), { maxLength: 30 }))),
      fc.integer({ min: 1, max: 10 }),
      async ([question, rows], limit) => {
        const matrix = new VectorMatrix(question.length);
        for (const [index, row] of rows.entries()) assert.equal(matrix.set(index * 3 + 1, row), true);
        const found = await matrix.nearest(question, limit, NO_PAUSE);
        const expected = rows
          .map((row) => cosine(question, row))
          .filter((score) => score > 0)
          .sort((left, right) => right - left)
          .slice(0, limit);
        assert.equal(found.length, expected.length);
        for (const [index, { seq, score }] of found.entries()) {
          assert.ok(Math.abs(score - (expected[index] ?? 0)) < 1e-6);
          assert.ok(Math.abs(cosine(question, rows[(seq - 1) / 3] ?? question) - score) < 1e-6);
        }
      },
    ),
  );
});

test('the longest numbers of the longest vectors do not overflow', async () => {
  const full = new Int8Array(4096).fill(127);
  const matrix = new VectorMatrix(4096);
  matrix.set(1, full);
  matrix.set(
    2,
    full.map((byte) => -byte),
  );
  const found = await matrix.nearest(full, 5, NO_PAUSE);
  assert.deepEqual(
    found.map(({ seq }) => seq),
    [1],
  );
  assert.ok(Math.abs((found[0]?.score ?? 0) - 1) < 1e-6);
});

test('rows change in their place, leave holes, and are searched over many steps', async () => {
  const matrix = new VectorMatrix(2);
  for (let seq = 1; seq <= 3000; seq += 1) assert.equal(matrix.set(seq * 2, Int8Array.of(1, 100)), true);
  assert.equal(matrix.rows, 3000);
  assert.equal(matrix.set(2222, Int8Array.of(100, 1)), true);
  assert.equal(matrix.set(2223, Int8Array.of(100, 1)), false);
  assert.equal(matrix.set(9999, Int8Array.of(1, 2, 3)), false);
  let pauses = 0;
  const found = await matrix.nearest(Int8Array.of(50, 0), 1, () => {
    pauses += 1;
    return Promise.resolve();
  });
  assert.deepEqual(
    found.map(({ seq }) => seq),
    [2222],
  );
  assert.equal(pauses, 3);
  matrix.remove(2222);
  matrix.remove(77);
  assert.notEqual((await matrix.nearest(Int8Array.of(50, 0), 1, NO_PAUSE))[0]?.seq, 2222);
  assert.deepEqual(await matrix.nearest(Int8Array.of(1, 2, 3), 5, NO_PAUSE), []);
  assert.deepEqual(await matrix.nearest(Int8Array.of(1, 2), 0, NO_PAUSE), []);
});

test('what has no direction is no vector', () => {
  for (const none of [[], [0, 0], [1, Number.NaN], [Number.POSITIVE_INFINITY]])
    assert.equal(quantized(none), undefined);
  assert.deepEqual(quantized([0.5, -1, 0.25]), Int8Array.of(64, -127, 32));
});

test('a memory whose vectors do not fit is read from the disk for each search, and finds the same', async (t) => {
  const { store } = await hostFloor(t);
  const rows = new VectorRows(store, 'm');
  const fill = async (database: string, count: number) => {
    for (let from = 0; from < count; from += 100)
      await rows.write(
        Array.from({ length: 100 }, (_, index) =>
          rows.want(database, `k${from + index}`, `r${from + index}`),
        ),
      );
    for (let after = 0; ; ) {
      const some = await rows.toMake(after, 100);
      const last = some.at(-1);
      if (last === undefined) break;
      await rows.write(some.map((row) => rows.made(row, Int8Array.of(Number(row.key.slice(1)) % 100, 100))));
      after = last.seq;
    }
  };
  await fill('mem_a', 1200);
  await fill('mem_b', 100);
  const question = Int8Array.of(127, 1);
  const kept = new VectorShelf(rows, () => 0);
  const small = new VectorShelf(rows, () => 0, 8000);
  const near = await kept.nearest('mem_a', question, 5);
  assert.equal(near.length, 5);
  assert.deepEqual(
    (await small.nearest('mem_a', question, 5)).map(({ score }) => score),
    near.map(({ score }) => score),
  );
  assert.equal(small.bytes, 0);
  assert.equal((await small.nearest('mem_b', question, 5)).length, 5);
  assert.equal(small.bytes > 0, true);
  assert.equal(kept.bytes > 0, true);
});

test('of several memories those that were used last stay, and what changes meanwhile is seen', async (t) => {
  const { store } = await hostFloor(t);
  const rows = new VectorRows(store, 'm');
  for (const database of ['mem_a', 'mem_b']) {
    await rows.write([rows.want(database, 'k', 'r1'), rows.want(database, 'l', 'r2')]);
    for (const row of await rows.toMake(0, 10)) await rows.write([rows.made(row, Int8Array.of(1, 2))]);
  }
  const shelf = new VectorShelf(rows, () => 0, 150_000);
  const question = Int8Array.of(1, 2);
  // Two at once read it once.
  const [one, other] = await Promise.all([
    shelf.nearest('mem_a', question, 5),
    shelf.nearest('mem_a', question, 5),
  ]);
  assert.deepEqual(one, other);
  assert.equal(one.length, 2);
  const one_ = shelf.bytes;
  await shelf.nearest('mem_b', question, 5);
  assert.equal(shelf.bytes <= Math.max(one_, 150_000), true);
  const seq = (await rows.seqOf('mem_b', 'k')) ?? 0;
  shelf.remove('mem_b', seq);
  assert.equal((await shelf.nearest('mem_b', question, 5)).length, 1);
  shelf.set('mem_b', seq, question);
  assert.equal((await shelf.nearest('mem_b', question, 5)).length, 2);
  // Between two that stand there is no place: all is read again.
  shelf.set('mem_b', 0, question);
  assert.equal((await shelf.nearest('mem_b', question, 5)).length, 2);
  shelf.set('mem_c', 1, question);
  shelf.remove('mem_c', 1);
});
