import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { hygiene, temporaryFolder } from '@fairlead/testing';

interface State {
  readonly heap: number;
  readonly external: number;
  readonly threads: number;
  readonly descriptors: number;
}

interface Told {
  readonly before: State;
  readonly after: State;
  readonly ended: State;
  readonly version: string;
  readonly faults: readonly string[];
}

const fixture = fileURLToPath(new URL('../fixtures/reload-often.ts', import.meta.url));
/** It only catches hanging, on a loaded machine too. */
const TIMEOUT_MS = 900_000;
const MIB = 1024 * 1024;

test('200 reloads of a changed folder keep at most 5 MiB, and no thread, timer or socket of what they replaced', {
  timeout: TIMEOUT_MS,
}, async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'code'));
  const flags = ['--expose-gc', '--disable-warning=ExperimentalWarning', fixture, folder, '200'];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { timeout: TIMEOUT_MS });
  const { before, after, ended, version, faults } = JSON.parse(stdout) as Told;
  assert.equal(version, '1.0.219');
  assert.deepEqual(faults, []);
  const kept = after.heap + after.external - before.heap - before.external;
  assert.ok(kept <= 5 * MIB, `${(kept / MIB).toFixed(2)} MiB were kept`);
  assert.equal(after.threads, before.threads, 'threads');
  assert.equal(after.descriptors, before.descriptors, 'descriptors');
  assert.ok(ended.threads < after.threads, 'the thread of the last generation has ended, too');
});
