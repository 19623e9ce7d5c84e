import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock, systemRandom } from '@fairlead/base';
import { hygiene, repositoryRoot, requires, temporaryFolder } from '@fairlead/testing';
import { hostileScenarios } from '../src/hostile/scenarios.ts';
import type { ConformanceReport } from '../src/report/conformance-report.ts';
import { type ConformanceOptions, runConformance } from '../src/run-conformance.ts';
import { broken } from './run-staged.ts';

const HOSTILE = join(import.meta.dirname, '../bin/fairlead-hostile-plugin.ts');

async function run(
  command: string,
  args: readonly string[],
  options: Partial<ConformanceOptions> & { readonly cwd?: string } = {},
): Promise<ConformanceReport> {
  const { cwd = repositoryRoot, ...more } = options;
  const report = await runConformance({
    plugin: { command, args, cwd, env: { HOME: '/home/you', ...process.env } },
    platform: process.platform,
    clock: systemClock(),
    random: systemRandom(),
    exitMs: 10_000,
    ...more,
  });
  assert.ok(report.ok, JSON.stringify(report));
  return report;
}

// What pipes of memory cannot show: real ends, real descendants, signals, and bytes that come as the system gives them.
const REAL: readonly string[] = [
  'well-behaved',
  'floods-stderr',
  'dies-at-once',
  'idle-death',
  'closes-stdin',
  'stops-reading',
  'half-frame-then-dies',
  'floods-stdout',
  'leaves-pipe-holder-and-dies',
  'forks-setsid',
  'double-forks',
  'needs-environment',
  'changes-tools',
  'ignores-stdin-end',
  'ignores-sigterm',
  'needs-to-be-alone',
];

for (const name of REAL) {
  test(`a real process: ${name}`, async (t) => {
    hygiene(t);
    const scenario = hostileScenarios.find((each) => each.name === name);
    assert.ok(scenario !== undefined);
    const isShort = scenario.timeoutMs !== undefined;
    const report = await run(process.execPath, [HOSTILE, name], {
      cwd: temporaryFolder(t),
      timeoutMs: isShort ? 10_000 : 20_000,
      // What never comes is waited for to the end; what comes is read at once, so the rest has time.
      exitMs: name.startsWith('ignores-') ? 5_000 : 10_000,
      ...(name === 'idle-death' ? { quietMs: 5_000 } : {}),
    });
    assert.deepEqual(
      broken(report).map((line) => line.split(' ')[1]),
      scenario.clause === null ? [] : [scenario.clause],
    );
  });
}

test('an answer that stays in a buffer is told from one that never comes', async (t) => {
  hygiene(t);
  const script = `
    process.stdin.resume();
    process.stdin.on('end', () => {
      process.stdout.write('{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"webcodex-plugin-v1"}}\\n');
    });`;
  const report = await run(process.execPath, ['--eval', script], { timeoutMs: 1_000 });
  const finding = report.clauses.find(({ id }) => id === 'wire.initialize.answers');
  assert.deepEqual(
    finding?.faults?.map(({ seen }) => seen),
    ['none', 'it came when stdin had ended: flush each line'],
  );
});

/** Everything that a plugin must and should do. What it skips is named by the test. */
async function assertConforms(
  t: TestContext,
  command: readonly [string, ...string[]],
  skipped: readonly string[],
  options: Partial<ConformanceOptions> & { readonly cwd?: string } = {},
): Promise<void> {
  hygiene(t);
  const [program, ...args] = command;
  const report = await run(program, args, options);
  assert.deepEqual(broken(report), []);
  assert.deepEqual(
    report.clauses.filter(({ verdict }) => verdict === 'skipped').map(({ id }) => id),
    skipped,
  );
}

const plugin = (path: string): string => join(repositoryRoot, path);
const node = process.execPath;

test('the plain Node example conforms', (t) =>
  assertConforms(t, [node, plugin('examples/plugins/raw-node/plugin.mjs')], []));

test('the plain Python example conforms', { skip: requires('python3') }, (t) =>
  assertConforms(t, ['python3', plugin('examples/plugins/raw-python/plugin.py')], []),
);

test('the example that uses the SDK conforms', (t) =>
  assertConforms(t, [node, plugin('examples/plugins/sdk-echo/src/plugin.ts')], []));

test('repo-info conforms', (t) =>
  assertConforms(
    t,
    [node, plugin('plugins/repo-info/src/plugin.ts')],
    ['wire.call.utf8-arguments', 'wire.call.largest-arguments'],
  ));

test('safe-delete conforms, and is called only because the test names a call', (t) =>
  assertConforms(
    t,
    [node, plugin('plugins/safe-delete/src/plugin.ts')],
    ['wire.call.utf8-arguments', 'wire.call.largest-arguments', 'wire.manners.bad-arguments'],
    {
      cwd: temporaryFolder(t),
      calls: [{ tool: 'safe_delete', arguments: { path: 'nothing-of-this-name' } }],
    },
  ));
