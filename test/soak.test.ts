import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { calls } from './soak/actions/calls.ts';
import { allActions } from './soak/actions/index.ts';
import { soak } from './soak/soak.ts';

const skip = process.platform === 'linux' ? false : 'a soak reads /proc';
const ignore = () => {};

// Too short for a trend to mean anything: here it matters that everything is done, sampled, and ended.
test('a soak does everything once at least, samples what it holds, and leaves nothing behind', {
  skip,
}, async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const samplesFile = join(temporaryFolder(t), 'samples.jsonl');
  const { faults, tally, samples, verdicts } = await soak({
    durationMs: 8_000,
    seed: 1,
    actions: allActions,
    folder,
    samplesFile,
    perSecond: 40,
    signal: new AbortController().signal,
    say: ignore,
  });
  assert.deepEqual(faults, []);
  assert.deepEqual(Object.keys(tally.actions).sort(), allActions.map(({ name }) => name).sort());
  assert.ok(tally.counted.completed > 0);
  assert.ok(samples.length >= 4);
  const lines = readFileSync(samplesFile, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(lines.length, samples.length + 2);
  assert.equal(lines[0].seed, 1);
  assert.deepEqual(lines[1], samples[0]);
  assert.deepEqual(lines.at(-1).faults, []);
  assert.deepEqual(
    verdicts.map(({ series }) => series),
    [
      'host.residentBytes',
      'host.anonymousBytes',
      'host.heapBytes',
      'host.descriptors',
      'host.threads',
      'runner.residentBytes',
      'runner.anonymousBytes',
      'runner.heapBytes',
      'runner.descriptors',
      'runner.threads',
      'mcp.residentBytes',
      'mcp.anonymousBytes',
      'mcp.heapBytes',
      'mcp.descriptors',
      'mcp.threads',
      'tree.processes',
      'database.bytesBeyondRows',
      'database.unexplainedRows',
      'database.logBytes',
      'log.bytesBeyondActions',
      'state.files',
      'temporary.files',
    ],
  );
  for (const { values } of samples) assert.ok((values['host.residentBytes'] ?? 0) > 20 * 1024 * 1024);
});

test('a plugin that leaves processes behind makes a soak rise, by name', { skip }, async (t) => {
  hygiene(t);
  const { verdicts, faults } = await soak({
    durationMs: 6_000,
    seed: 1,
    actions: calls.filter(({ name }) => name === 'call over HTTP'),
    folder: temporaryFolder(t),
    samplesFile: join(temporaryFolder(t), 'samples.jsonl'),
    counter: join(import.meta.dirname, 'soak/leaking-plugin.mjs'),
    perSecond: 60,
    signal: new AbortController().signal,
    say: ignore,
  });
  const processes = verdicts.find(({ series }) => series === 'tree.processes');
  assert.equal(processes?.isFlat, false, JSON.stringify(processes));
  // It counts nothing either, which is noticed.
  assert.equal(faults.length, 1);
  assert.match(faults[0] ?? '', /^count ran 0 times: \d+ completed, 0 unknown$/);
});
