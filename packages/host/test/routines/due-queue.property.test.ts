import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DueQueue } from '../../src/routines/due-queue.ts';

type Step =
  | { readonly kind: 'set'; readonly item: number; readonly atMs: number }
  | { readonly kind: 'remove'; readonly item: number };

const item = fc.integer({ min: 0, max: 30 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), item, atMs: fc.integer({ min: 0, max: 50 }) }),
  fc.record({ kind: fc.constant('remove' as const), item }),
);

test('whatever is put in, moved and taken out, the first is the earliest', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const items = Array.from({ length: 31 }, (_, name) => ({ name, atMs: 0, index: -1 }));
      const queue = new DueQueue<(typeof items)[number]>();
      const model = new Map<number, number>();
      for (const { kind, item: name, ...rest } of steps) {
        const entry = items[name];
        assert.ok(entry !== undefined);
        if (kind === 'set' && 'atMs' in rest) {
          queue.set(entry, rest.atMs);
          model.set(name, rest.atMs);
        } else {
          queue.remove(entry);
          model.delete(name);
        }
        assert.equal(queue.size, model.size);
        assert.equal(queue.first?.atMs, model.size === 0 ? undefined : Math.min(...model.values()));
      }
      const drained: number[] = [];
      for (let first = queue.first; first !== undefined; first = queue.first) {
        drained.push(first.atMs);
        queue.remove(first);
        assert.equal(first.index, -1);
      }
      assert.deepEqual(
        drained,
        [...model.values()].sort((a, b) => a - b),
      );
    }),
  );
});
