import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { hygiene } from '@fairlead/testing';
import { Figures } from './figures.ts';
import { planRound } from './plan.ts';
import { Series } from './series.ts';

/** Registers a test of so many rounds, from a fresh seed; a failing one prints how it is run again alone. */
export function testRounds(rounds: number): void {
  const title = 'nothing false is told, nothing happens twice, nothing acknowledged is lost, nothing is left';
  test(`${rounds} rounds: ${title}`, async (t) => {
    hygiene(t, { graceMs: 10_000 });
    const seed = Number(process.env['FAIRLEAD_TEST_SEED'] ?? randomInt(2 ** 31));
    t.diagnostic(`FAIRLEAD_TEST_SEED=${seed}`);
    const figures = new Figures(seed, undefined);
    await using series = new Series();
    for (let round = 0; round < rounds; round += 1) {
      const each = (seed + round) >>> 0;
      try {
        figures.add(await series.run(each));
      } catch (error) {
        figures.broken(planRound(each), error);
      }
    }
    figures.end(await series.end());
    for (const line of figures.summary()) t.diagnostic(line);
    assert.deepEqual(figures.newLines(), []);
  });
}
