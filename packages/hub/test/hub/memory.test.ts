import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { hygiene } from '@fairlead/testing';
import { memoryFolder } from '../test-peer.ts';

const run = promisify(execFile);
/** Hundreds of sessions: this only catches hanging, on a loaded machine too. */
const TIMEOUT_MS = 900_000;
const fixture = join(import.meta.dirname, '../fixtures/session-cycles.ts');

async function retainsNothing(t: TestContext, how: 'close' | 'release', cycles: number): Promise<void> {
  hygiene(t);
  const given = ['--expose-gc', fixture, memoryFolder(t), how, `${cycles}`];
  const { stdout } = await run(process.execPath, given, { timeout: TIMEOUT_MS });
  const { retained, handles, listening } = JSON.parse(stdout) as Record<string, number>;
  assert.ok((retained ?? Number.NaN) < 5 * 1024 * 1024, `${retained} bytes are retained`);
  assert.deepEqual([handles, listening], [0, 0]);
}

test('1,000 sessions opened and closed, with timers and listeners, retain at most 5 MiB and no handle', {
  timeout: TIMEOUT_MS,
}, async (t) => {
  await retainsNothing(t, 'close', 1000);
});

test('300 sessions opened and let go of retain no more either', { timeout: TIMEOUT_MS }, async (t) => {
  await retainsNothing(t, 'release', 300);
});
