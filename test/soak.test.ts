import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { type Done, start } from './fairlead-process.ts';
import { allActions } from './soak/actions/index.ts';
import { soak } from './soak/soak.ts';
import type { SeriesVerdict } from './soak/verdict.ts';

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
      'database.missingRows',
      'database.statusRows',
      'database.logBytes',
      'log.bytesBeyondActions',
      'state.files',
      'temporary.files',
    ],
  );
  for (const { values } of samples) assert.ok((values['host.residentBytes'] ?? 0) > 20 * 1024 * 1024);
});

/** `npm run soak` as it is typed, and where its samples go. */
async function typed(
  t: TestContext,
  ...args: readonly string[]
): Promise<Done & { readonly samples: string }> {
  hygiene(t);
  const samples = join(temporaryFolder(t), 'samples.jsonl');
  const main = join(import.meta.dirname, 'soak/main.ts');
  const env = { ...process.env, TMPDIR: temporaryFolder(t) };
  const running = start(t, process.execPath, [main, '--samples', samples, ...args], { env });
  const ended = await running.ended;
  return { ...ended, stdout: running.stdout, stderr: running.stderr, samples };
}

test('a plugin that leaves processes behind makes npm run soak end with 1, by name, with the file of samples', {
  skip,
}, async (t) => {
  const counter = join(import.meta.dirname, 'soak/leaking-plugin.mjs');
  const soaked = await typed(t, '--minutes', '0.1', '--only', 'call over HTTP', '--counter', counter);
  assert.equal(soaked.exit, 1, soaked.stderr);
  assert.match(soaked.stdout, /^RISES {2}tree\.processes: /m);
  const last = soaked.stderr.trimEnd().split('\n').at(-1) ?? '';
  assert.match(last, /^not flat: .*\btree\.processes\b/);
  assert.ok(last.endsWith(`; the samples are in ${soaked.samples}`), last);
  // It counts nothing either, which is noticed.
  assert.match(soaked.stderr, /^fault: count ran 0 times: \d+ completed, 0 unknown$/m);
  const judged = JSON.parse(readFileSync(soaked.samples, 'utf8').trim().split('\n').at(-1) ?? '');
  const processes = judged.verdicts.find(({ series }: SeriesVerdict) => series === 'tree.processes');
  assert.equal(processes.isFlat, false);
});

test('npm run soak says which actions there are where it is told to do none of them', { skip }, async (t) => {
  const nothing = await typed(t, '--minutes', '1', '--only', 'no such thing');
  assert.equal(nothing.exit, 2);
  assert.match(nothing.stderr, /^no action has 'no such thing' in its name; there are:\ncall over HTTP\n/);
});
