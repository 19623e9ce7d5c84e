import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, repositoryRoot } from '@fairlead/testing';

/** Files that are programs: they serve when they are loaded, and the tests beside them start them. */
const programs: ReadonlySet<string> = new Set([
  'plugins/repo-info/src/plugin.ts',
  'plugins/safe-delete/src/plugin.ts',
]);

const sources = globSync(['packages/*/src/**/*.ts', 'plugins/*/src/**/*.ts'], { cwd: repositoryRoot })
  .filter((path) => !programs.has(path))
  .sort();

test('every source file loads, so that coverage counts it, and loading does no work', async (t) => {
  // Opened by Node itself as soon as anything imports `node:process`.
  void process.stdin;
  const guard = hygiene(t);
  for (const path of sources) await import(join(repositoryRoot, path));
  assert.ok(sources.length > 50, `only ${sources.length} files were found`);
  // No timer, socket, process or file may come from an import alone.
  assert.deepEqual(guard.leftovers(), []);
});

test('loading every source prints nothing and ends by itself', () => {
  const script = `for (const path of ${JSON.stringify(sources)}) await import(${JSON.stringify(`${repositoryRoot}/`)} + path);`;
  const run = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script],
    {
      encoding: 'utf8',
      timeout: 60_000,
    },
  );
  assert.deepEqual(
    { status: run.status, stdout: run.stdout, stderr: run.stderr },
    { status: 0, stdout: '', stderr: '' },
  );
});
