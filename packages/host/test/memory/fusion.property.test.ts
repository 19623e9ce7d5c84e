import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fuse } from '../../src/memory/fuse.ts';

const list = fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 20 });

test('what stands in a list comes out once, and nothing else does', () => {
  fc.assert(
    fc.property(list, list, (one, other) => {
      const ids = fuse(one, other).map(({ id }) => id);
      assert.deepEqual(
        ids.toSorted((a, b) => a - b),
        [...new Set([...one, ...other])].sort((a, b) => a - b),
      );
    }),
  );
});

test('what no list puts below another stands before it, where one list puts it above', () => {
  fc.assert(
    fc.property(list, list, (one, other) => {
      const place = (ids: readonly number[], id: number) => (ids.includes(id) ? ids.indexOf(id) : 1000);
      const ids = fuse(one, other).map(({ id }) => id);
      for (const [index, id] of ids.entries())
        for (const below of ids.slice(index + 1)) {
          const isNeverBelow = place(one, below) <= place(one, id) && place(other, below) <= place(other, id);
          const isOnceAbove = place(one, below) < place(one, id) || place(other, below) < place(other, id);
          assert.equal(isNeverBelow && isOnceAbove, false);
        }
    }),
  );
});

test('one list alone keeps its order, whatever its scores were', () => {
  fc.assert(
    fc.property(list, (one) =>
      assert.deepEqual(
        fuse(one, []).map(({ id }) => id),
        one,
      ),
    ),
  );
});

test('which list is named first does not matter to the scores', () => {
  fc.assert(
    fc.property(list, list, (one, other) => {
      const scores = (...lists: readonly (readonly number[])[]) =>
        new Map(fuse(...lists).map(({ id, score }) => [id, Math.round(score * 1e12)]));
      const swapped = scores(other, one);
      for (const [id, score] of scores(one, other)) assert.equal(swapped.get(id), score);
    }),
  );
});

test('the first of two lists is worth 2/61, the first of one 1/61', () => {
  assert.deepEqual(fuse(['a', 'b'], ['a']), [
    { id: 'a', score: 2 / 61 },
    { id: 'b', score: 1 / 62 },
  ]);
  assert.deepEqual(fuse(['a', 'a', 'b']), [
    { id: 'a', score: 1 / 61 },
    { id: 'b', score: 1 / 62 },
  ]);
});
