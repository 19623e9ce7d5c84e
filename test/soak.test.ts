import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { type Done, start } from './fairlead-process.ts';
import type { Action } from './soak/actions/action.ts';
import { allActions } from './soak/actions/index.ts';
import { soak } from './soak/soak.ts';
import { exitStatusOf, type SeriesVerdict } from './soak/verdict.ts';

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
  const soaked = await typed(t, '--minutes', '0.2', '--only', 'call over HTTP', '--counter', counter);
  assert.equal(soaked.exit, 1, soaked.stderr);
  assert.match(soaked.stdout, /^RISES {2}tree\.processes: /m);
  const last = soaked.stderr.trimEnd().split('\n').at(-1) ?? '';
  assert.match(last, /^not flat: .*\btree\.processes\b/);
  assert.ok(last.endsWith(`; the samples are in ${soaked.samples}`), last);
  // Nothing else is wrong with it.
  assert.doesNotMatch(soaked.stderr, /^fault: /m);
  const judged = JSON.parse(readFileSync(soaked.samples, 'utf8').trim().split('\n').at(-1) ?? '');
  const processes = judged.verdicts.find(({ series }: SeriesVerdict) => series === 'tree.processes');
  assert.equal(processes.judgement, 'rises');
});

test('a plugin that says which tools it has and ends at each call is a fault of a soak, not so many disturbances', {
  skip,
}, async (t) => {
  hygiene(t);
  const counter = join(temporaryFolder(t), 'ends.mjs');
  writeFileSync(
    counter,
    `import { createInterface } from 'node:readline';
const inputSchema = { type: 'object', properties: {} };
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  if (method === 'tools/call') process.exit(1);
  const result = method === 'initialize' ? { protocolVersion: 'webcodex-plugin-v1' } : { tools: [{ name: 'count', inputSchema }] };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
}
`,
  );
  const [call] = allActions.filter(({ name }) => name === 'call over HTTP');
  assert.ok(call !== undefined);
  // Each is done once, however short the time is: two fifths of the calls are for that plugin.
  const soaked = await soak({
    ...{ durationMs: 100, seed: 1, actions: Array.from({ length: 100 }, () => call), counter },
    ...{ folder: temporaryFolder(t), samplesFile: join(temporaryFolder(t), 'samples.jsonl') },
    ...{ signal: new AbortController().signal, say: ignore },
  });
  assert.match(soaked.faults.join('\n'), /^\d+ disturbances in 100 actions, 20 allowed: \{"plugin_/m);
  assert.equal(exitStatusOf(soaked), 1);
});

test('a Runner that is killed and a process that a command leaves behind are faults', { skip }, async (t) => {
  hygiene(t);
  let leftBehind: number | undefined;
  const killing: Action = {
    name: 'Runner killed',
    weight: 1,
    async run(world) {
      if (leftBehind !== undefined) return;
      const [name = '', value = ''] = world.mark.split('=');
      const child = spawn('sleep', ['300'], {
        detached: true,
        stdio: 'ignore',
        env: { ...process.env, [name]: value },
      });
      t.after(async () => {
        child.kill();
        await once(child, 'exit');
      });
      leftBehind = child.pid;
      world.runner.child.kill('SIGKILL');
      await world.runner.ended;
    },
  };
  const { faults } = await soak({
    durationMs: 1_000,
    seed: 1,
    actions: [killing],
    folder: temporaryFolder(t),
    samplesFile: join(temporaryFolder(t), 'samples.jsonl'),
    signal: new AbortController().signal,
    say: ignore,
  });
  assert.ok(faults.includes('the far Runner ended with SIGKILL'), faults.join('\n'));
  assert.ok(faults.includes(`processes are left: ${leftBehind} sleep`), faults.join('\n'));
});

test('npm run soak says which actions there are where it is told to do none of them', { skip }, async (t) => {
  const nothing = await typed(t, '--minutes', '1', '--only', 'no such thing');
  assert.equal(nothing.exit, 2);
  assert.match(nothing.stderr, /^no action has 'no such thing' in its name; there are:\ncall over HTTP\n/);
});
