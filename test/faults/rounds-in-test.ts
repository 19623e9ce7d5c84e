import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { hygiene } from '@fairlead/testing';
import { Figures } from './figures.ts';
import { Series } from './series.ts';

/** As of a test that is skipped (`requires` of `@fairlead/testing`). */
const ALL = 'under FAIRLEAD_TEST_REQUIRE_ALL=1 each adversary is to be run';

/**
 * Registers a test of so many rounds, from a fresh seed; a failing one prints how it is run again alone. `part`: the how-manieth file of such
 * rounds, so that one seed for all of them does not give each the same rounds.
 */
export function testRounds(rounds: number, part: number): void {
  const title = 'nothing false is told, nothing happens twice, nothing acknowledged is lost, nothing is left';
  test(`${rounds} rounds: ${title}`, async (t) => {
    hygiene(t);
    const seed = Number(process.env['FAIRLEAD_TEST_SEED'] ?? randomInt(2 ** 31));
    t.diagnostic(`FAIRLEAD_TEST_SEED=${seed}`);
    const first = seed + part * rounds;
    const figures = new Figures(first, undefined);
    {
      await using series = new Series();
      for (let round = 0; round < rounds; round += 1) figures.add(await series.run((first + round) >>> 0));
      await series.end();
      figures.end(series.takeEnds());
    }
    const summary = figures.summary();
    for (const line of summary) t.diagnostic(line);
    assert.deepEqual(figures.newLines(), []);
    assert.ok(figures.isClean, summary.join('\n'));
    if (process.env['FAIRLEAD_TEST_REQUIRE_ALL'] === '1') assert.deepEqual(figures.notRun, [], ALL);
  });
}
