import { randomInt } from 'node:crypto';
import type { Random } from '@fairlead/base';

/** Repeatable randomness. It is a `Random` (call it with a byte count) and has the usual draws. */
export type SeededRandom = Random & {
  readonly seed: number;
  /** A whole number from 0 to `limit - 1`. */
  below(limit: number): number;
  /** One of the items; throws when there is none. */
  pick<T>(items: readonly T[]): T;
};

/** What prints the seed when the test fails. */
type SeedReport = {
  after(hook: () => void): void;
  diagnostic(message: string): void;
  readonly error?: unknown;
};

/**
 * Randomness from `seed` (default: `FAIRLEAD_TEST_SEED`, else a fresh one). With `t`, a failing test says which seed it had,
 * so that it can be run again with that variable.
 */
export function seededRandom(seed?: number, t?: SeedReport): SeededRandom {
  const chosen = (seed ?? Number(process.env['FAIRLEAD_TEST_SEED'] ?? randomInt(2 ** 31))) >>> 0;
  t?.after(() => {
    if (t.error !== null && t.error !== undefined) t.diagnostic(`FAIRLEAD_TEST_SEED=${chosen}`);
  });
  let state = chosen;
  // A Weyl sequence through a 32-bit finaliser: short, and good enough to choose test cases.
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return (mixed ^ (mixed >>> 16)) >>> 0;
  };
  const random = (count: number): Uint8Array => {
    const bytes = new Uint8Array(count);
    for (let index = 0; index < count; index += 1) bytes[index] = next() >>> 24;
    return bytes;
  };
  const below = (limit: number): number => Math.floor((next() / 2 ** 32) * limit);
  return Object.assign(random, {
    seed: chosen,
    below,
    pick<T>(items: readonly T[]): T {
      if (items.length === 0) throw new RangeError('nothing to pick from');
      return items[below(items.length)] as T;
    },
  });
}
