// test.ts [PATTERN ...]: static checks, then every test in one run with coverage. With patterns (file paths), those tests
// alone, without checks or gates. Ends with the test runner's closing line.
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checks, root, runChecks } from './checks.ts';

const patterns = process.argv.slice(2);
const everyTest = [
  'packages/*/test/**/*.test.ts',
  'plugins/*/test/**/*.test.ts',
  'examples/plugins/*/test/**/*.test.ts',
  'examples/extensions/*/test/**/*.test.ts',
  'test/**/*.test.ts',
  'tools/test/**/*.test.ts',
];

/** The share of lines and functions that tests must reach, in per cent, over all source files. */
const gates = { lines: 98, functions: 97 };

const coverage = [
  '--experimental-test-coverage',
  `--test-coverage-lines=${gates.lines}`,
  `--test-coverage-functions=${gates.functions}`,
  '--test-coverage-include=packages/*/src/**/*.ts',
  '--test-coverage-include=plugins/*/src/**/*.ts',
];

if (patterns.length === 0 && !(await runChecks(checks))) {
  process.stderr.write('the checks above failed; the tests were not run\n');
  process.exit(1);
}

const files = globSync(patterns.length > 0 ? patterns : everyTest, { cwd: root }).sort();
if (files.length === 0) {
  process.stderr.write(`no test file matches ${patterns.join(' ')}\n`);
  process.exit(2);
}

const child = spawn(
  process.execPath,
  [
    '--disable-warning=ExperimentalWarning',
    '--import',
    pathToFileURL(join(root, 'tools/test-preload.js')).href,
    '--test',
    '--test-concurrency=2',
    '--test-timeout=180000',
    `--test-reporter=${join(root, 'tools/spec-with-summary-last.ts')}`,
    '--test-reporter-destination=stdout',
    ...(patterns.length > 0 ? [] : coverage),
    ...files,
  ],
  { cwd: root, stdio: 'inherit', env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' } },
);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => {
  process.exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
});
