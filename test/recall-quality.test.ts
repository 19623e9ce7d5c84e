import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemRandom } from '@fairlead/base';
import { Agents } from '@fairlead/host';
import { openPeer, openStore } from '@fairlead/store';
import { hygiene, manualClock, temporaryFolder } from '@fairlead/testing';
import { recall } from '../bench/benches/recall.ts';
import { runBenches } from '../bench/harness/run-benches.ts';
import { ndcgAt10, recallQuality } from '../bench/recall/recall-quality.ts';
import { recallMemories, recallQuestions } from '../bench/recall/recall-set.ts';

test('words and vectors together find at least as well as words alone, on the labelled set', async (t) => {
  hygiene(t);
  const stateDirectory = join(temporaryFolder(t), 'state');
  mkdirSync(stateDirectory, { mode: 0o700 });
  const clock = manualClock();
  await using store = await openStore({ path: join(stateDirectory, 'fairlead.db'), clock });
  await using peer = await openPeer({ store, stateDirectory, clock, random: systemRandom() });
  const agents = new Agents({ peer, clock, isModel: () => true });
  const { id } = await agents.create('reader');
  const { words, hybrid } = await recallQuality({ peer, store, clock, agents }, id);
  assert.ok(words >= 0.7, `words alone: ${words}`);
  assert.ok(hybrid >= words, `${hybrid} against ${words}`);
});

test('every answer of the labelled set is one of its memories', () => {
  const keys = new Set(recallMemories.map(([key]) => key));
  assert.equal(keys.size, recallMemories.length);
  for (const { query, answers } of recallQuestions)
    for (const key of Object.keys(answers)) assert.ok(keys.has(key), `${query}: ${key}`);
});

test('nDCG is 1 for the best order, less for a worse one, 0 for none', () => {
  const answers = { a: 2, b: 1 } as const;
  assert.equal(ndcgAt10(['a', 'b', 'x'], answers), 1);
  assert.equal(ndcgAt10(['x'], answers), 0);
  assert.equal(ndcgAt10(['a'], {}), 0);
  assert.ok(ndcgAt10(['b', 'a'], answers) < 1);
  assert.equal(ndcgAt10([...'zyxwvutsrq', 'a', 'b'], answers), 0);
});

// What the figures say is for a quiet machine; here it only matters that there are figures, and what they are held to.
test('the bench of recall holds words, both together, slices, memory and quality to their goals', async (t) => {
  hygiene(t);
  const file = join(temporaryFolder(t), 'bench.json');
  const ignore = () => {};
  await runBenches(['--only', 'recall', '--quick', '--no-peers', '--seed', '1', '--json', file], [recall], {
    out: ignore,
    err: ignore,
    freshSeed: () => 1,
    signal: new AbortController().signal,
  });
  const report = JSON.parse(readFileSync(file, 'utf8'));
  assert.deepEqual(report.failures, []);
  assert.deepEqual(
    report.rows.map((row: { name: string; goal: number | null }) => [row.name, row.goal]),
    [
      ['recall by words over 100,000 memories', 25],
      ['recall by words and meaning, beyond the embedding call', 60],
      ['… its longest slice of the event loop', 10],
      ['… vectors in memory', 190],
      ['nDCG@10 of words alone against words and trigrams', 1],
    ],
  );
});
