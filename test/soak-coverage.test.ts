import assert from 'node:assert/strict';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '@fairlead/testing';
import { stillHeld } from './soak/after-load.ts';
import { coverageFaults } from './soak/coverage.ts';
import { heapOf } from './soak/sampler.ts';
import { judgedSeries, type Series } from './soak/series.ts';
import { judge, type Sample } from './soak/verdict.ts';

const few: readonly Series[] = judgedSeries.filter(({ name }) =>
  ['runner.heapBytes', 'tree.processes'].includes(name),
);

/** Samples of ten minutes, 100 of them. */
function samplesOf(valuesAt: (share: number) => Readonly<Record<string, number>>): Sample[] {
  return Array.from({ length: 100 }, (_, index) => ({ atMs: index * 6_000, values: valuesAt(index / 100) }));
}

test('a series that ends before the last tenth, or never came, is a fault and not flat', () => {
  const ended = samplesOf((share) => ({
    'tree.processes': 7,
    ...(share < 0.8 ? { 'runner.heapBytes': 1_000 } : {}),
  }));
  assert.deepEqual(coverageFaults(ended, judge(ended, few), few), [
    'runner.heapBytes has no sample in the last tenth of the time',
  ]);
  const never = samplesOf(() => ({ 'runner.heapBytes': 1_000 }));
  assert.deepEqual(coverageFaults(never, judge(never, few), few), [
    'tree.processes has no sample in the last tenth of the time',
  ]);
  const whole = samplesOf(() => ({ 'tree.processes': 7, 'runner.heapBytes': 1_000 }));
  assert.deepEqual(coverageFaults(whole, judge(whole, few), few), []);
});

test('a series of a few samples is unknown, which is a fault and not flat', () => {
  const samples = samplesOf((share) => ({
    'tree.processes': 7,
    ...(share >= 0.96 ? { 'runner.heapBytes': 1_000 } : {}),
  }));
  assert.deepEqual(coverageFaults(samples, judge(samples, few), few), [
    'runner.heapBytes has too few samples to be judged',
  ]);
});

test('what a probe said over half a minute ago says nothing of now', (t) => {
  const file = join(temporaryFolder(t), '1.json');
  assert.equal(heapOf(file, 100_000), null);
  writeFileSync(file, JSON.stringify({ heapBytes: 10, externalBytes: 5 }));
  utimesSync(file, 100, 100);
  assert.equal(heapOf(file, 129_000), 15);
  assert.equal(heapOf(file, 131_000), null);
});

test('processes and descriptors that are still held behind the load are a fault, memory is not', () => {
  const verdicts = judge(
    samplesOf(() => ({ 'tree.processes': 9, 'host.descriptors': 40, 'host.residentBytes': 100 })),
  );
  assert.deepEqual(
    stillHeld(verdicts, {
      values: { 'tree.processes': 10, 'host.descriptors': 43, 'host.residentBytes': 1e9 },
    }),
    [],
  );
  assert.deepEqual(stillHeld(verdicts, { values: { 'tree.processes': 11, 'host.descriptors': 44 } }), [
    'host.descriptors is 44 after the load: it was 40 at first, 3 more are allowed',
    'tree.processes is 11 after the load: it was 9 at first, 1 more are allowed',
  ]);
});
