import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomId } from '@fairlead/base';
import { seededRandom } from '../src/index.ts';
import { fakeContext } from './fake-context.ts';

test('one seed gives one sequence', () => {
  const [one, two, other] = [seededRandom(7), seededRandom(7), seededRandom(8)];
  assert.equal(randomId('x_', one), randomId('x_', two));
  assert.notEqual(randomId('x_', one), randomId('x_', other));
});

test('draws stay in their bounds and reach them', () => {
  const random = seededRandom(1);
  const seen = new Set<number>();
  for (let turn = 0; turn < 200; turn += 1) seen.add(random.below(3));
  assert.deepEqual([...seen].sort(), [0, 1, 2]);
  assert.equal(random.pick(['only']), 'only');
  assert.throws(() => random.pick([]), { name: 'RangeError' });
  assert.equal(random(5).length, 5);
});

test('a failing test says its seed, a passing one nothing', async () => {
  const failing = fakeContext(new Error('it failed'));
  seededRandom(42, failing);
  await failing.end();
  assert.deepEqual(failing.diagnostics, ['FAIRLEAD_TEST_SEED=42']);
  const passing = fakeContext();
  seededRandom(42, passing);
  await passing.end();
  assert.deepEqual(passing.diagnostics, []);
});

test('the seed comes from the environment where none is given', () => {
  const saved = process.env['FAIRLEAD_TEST_SEED'];
  try {
    process.env['FAIRLEAD_TEST_SEED'] = '123';
    assert.equal(seededRandom().seed, 123);
    delete process.env['FAIRLEAD_TEST_SEED'];
    assert.equal(Number.isInteger(seededRandom().seed), true);
  } finally {
    if (saved !== undefined) process.env['FAIRLEAD_TEST_SEED'] = saved;
  }
});
