import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BoundedQueue } from '../src/index.ts';

describe('BoundedQueue', () => {
  it('gives items back in the order in which they came', () => {
    const queue = new BoundedQueue<number>(3);
    assert.equal(queue.offer(1) && queue.offer(2) && queue.offer(3), true);
    assert.deepEqual([queue.take(), queue.take(), queue.take(), queue.take()], [1, 2, 3, undefined]);
  });

  it('refuses an item when it is full and takes one again when there is room', () => {
    const queue = new BoundedQueue<string>(1);
    assert.equal(queue.offer('a'), true);
    assert.equal(queue.offer('b'), false);
    assert.equal(queue.size, 1);
    assert.equal(queue.take(), 'a');
    assert.equal(queue.offer('c'), true);
  });

  it('refuses everything at capacity 0', () => {
    assert.equal(new BoundedQueue<number>(0).offer(1), false);
  });

  it('takes out one item wherever it stands', () => {
    const queue = new BoundedQueue<string>(3);
    for (const item of ['a', 'b', 'c']) queue.offer(item);
    assert.equal(queue.remove('b'), true);
    assert.equal(queue.remove('b'), false);
    assert.deepEqual(queue.drain(), ['a', 'c']);
    assert.equal(queue.size, 0);
    assert.deepEqual(queue.drain(), []);
  });
});
