import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { repositoryRoot, temporaryFolder } from '@fairlead/testing';

/** Runs one test file with the reporter and coverage, as `npm test` does. */
function run(folder: string, source: string, env: Record<string, string> = {}) {
  writeFileSync(join(folder, 'sample.test.mjs'), source);
  const plain = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => name !== 'NODE_TEST_CONTEXT' && name !== 'NODE_V8_COVERAGE',
    ),
  );
  return spawnSync(
    process.execPath,
    [
      '--test',
      '--experimental-test-coverage',
      `--test-reporter=${join(repositoryRoot, 'tools/spec-with-summary-last.ts')}`,
      '--test-reporter-destination=stdout',
      'sample.test.mjs',
    ],
    {
      cwd: folder,
      encoding: 'utf8',
      timeout: 60_000,
      env: { ...plain, FAIRLEAD_TEST_REQUIRE_ALL: '', ...env },
    },
  );
}

const passing = "import { test } from 'node:test'; test('it passes', () => {});\n";
const skipping =
  "import { test } from 'node:test'; test('it needs a moon', { skip: 'needs a moon' }, () => {});\n";

test('the run ends with the runner’s own closing line, after the coverage table', (t) => {
  const { stdout, status } = run(temporaryFolder(t), passing);
  const lines = stdout.trimEnd().split('\n');
  assert.match(lines.at(-1) ?? '', /duration_ms \d/);
  const table = lines.findIndex((line) => line.includes('end of coverage report'));
  const tests = lines.findIndex((line) => line.includes('tests 1'));
  assert.ok(table >= 0 && tests > table, stdout);
  assert.equal(status, 0);
});

test('a failing test fails the run', (t) => {
  const { stdout, status } = run(
    temporaryFolder(t),
    "import { test } from 'node:test'; test('no', () => { throw new Error('no'); });\n",
  );
  assert.equal(status, 1);
  assert.match(stdout, /fail 1/);
});

test('a skipped test is named and passes where not everything is required', (t) => {
  const { stdout, status } = run(temporaryFolder(t), skipping);
  assert.match(stdout, /it needs a moon.*needs a moon/);
  assert.equal(status, 0);
});

test('a skipped test fails the run where everything is required', (t) => {
  const { stderr, status } = run(temporaryFolder(t), skipping, { FAIRLEAD_TEST_REQUIRE_ALL: '1' });
  assert.match(stderr, /skipped although everything is required: it needs a moon \(needs a moon\)/);
  assert.equal(status, 1);
});
