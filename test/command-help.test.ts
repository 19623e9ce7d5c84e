import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { repositoryRoot } from '@fairlead/testing';

const commands = [
  ['bench', 'bench/run.ts'],
  ['fuzz', 'test/fuzz/main.ts'],
  ['soak', 'test/soak/main.ts'],
  ['faults', 'test/faults/main.ts'],
  ['faults:mutants', 'test/faults/mutants.ts'],
] as const;

for (const [name, file] of commands)
  test(`npm run ${name} -- --help prints how it is used, and does nothing`, () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(repositoryRoot, file), '--help'], {
      encoding: 'utf8',
      timeout: 60_000,
    });
    assert.deepEqual([status, stderr], [0, '']);
    assert.equal(stdout.startsWith(`usage: npm run ${name} `), true, stdout);
  });
