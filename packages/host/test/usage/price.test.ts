import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { nanousdOf } from '../../src/usage/price.ts';

const PRICE = { input: 3_000_000_000, output: 15_000_000_000, cached: 300_000_000, written: 3_750_000_000 };
const usage = (given: Partial<Parameters<typeof nanousdOf>[0]>) => ({
  input: 0,
  output: 0,
  cached: 0,
  written: 0,
  reasoning: 0,
  ...given,
});

test('each kind of token has its price, and what is cached or written is not paid as fresh', () => {
  assert.equal(nanousdOf(usage({ input: 1_000_000 }), PRICE), 3_000_000_000);
  assert.equal(nanousdOf(usage({ output: 1_000_000, reasoning: 500_000 }), PRICE), 15_000_000_000);
  // 700 fresh, 200 cached, 100 written, 10 of output.
  assert.equal(
    nanousdOf(usage({ input: 1000, cached: 200, written: 100, output: 10 }), PRICE),
    2_100_000 + 60_000 + 375_000 + 150_000,
  );
});

test('a fraction of a nano-dollar is a whole one, nothing is nothing, and without a price there is none', () => {
  const cheap = { input: 1, output: 1, cached: 1, written: 1 };
  assert.equal(nanousdOf(usage({ input: 1 }), cheap), 1);
  assert.equal(nanousdOf(usage({ input: 1_000_001 }), cheap), 2);
  assert.equal(nanousdOf(usage({}), cheap), 0);
  assert.equal(nanousdOf(usage({ input: 5 }), undefined), null);
});

test('no sum of tokens and prices loses a digit, or leaves the whole numbers', () => {
  const count = fc.integer({ min: 0, max: 1_000_000_000_000 });
  fc.assert(
    fc.property(count, count, fc.integer({ min: 0, max: 100_000_000_000_000 }), (input, output, price) => {
      const expected = (BigInt(input) + BigInt(output)) * BigInt(price);
      const rounded = expected / 1_000_000n + (expected % 1_000_000n === 0n ? 0n : 1n);
      const most = BigInt(Number.MAX_SAFE_INTEGER);
      const all = { input: price, output: price, cached: price, written: price };
      assert.equal(BigInt(nanousdOf(usage({ input, output }), all) ?? -1), rounded > most ? most : rounded);
    }),
    { numRuns: 200 },
  );
});
