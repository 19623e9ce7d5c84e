import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext as NodeTest, test } from 'node:test';
import { lockFolder } from '@fairlead/store';
import { hygiene, manualClock, temporaryFolder, waitFor } from '@fairlead/testing';
import { main } from '../src/index.ts';
import { testContext } from './test-context.ts';

/** Runs a command on a directory that somebody holds who never says where it is. */
async function run(
  t: NodeTest,
  ...args: string[]
): Promise<{ readonly exit: number; readonly stderr: string }> {
  hygiene(t);
  const folder = temporaryFolder(t);
  const state = join(folder, 'state');
  mkdirSync(state);
  // A host ran here once.
  writeFileSync(join(state, 'fairlead.db'), '');
  const lock = await lockFolder(state);
  t.after(() => lock?.release());
  const clock = manualClock();
  const context = testContext(folder, { clock });
  let exit: number | null = null;
  void main(args, { cloneRoot: context.cloneRoot, context }).then((code) => {
    exit = code;
  });
  // Each look is real work of files and sockets, which the clock does not move; the bound only catches hanging.
  await waitFor(() => clock.advance(100).then(() => exit !== null), {
    what: 'the end of the command',
    intervalMs: 0,
    timeoutMs: 60_000,
  });
  assert.equal(clock.monotonicMs() >= 12_000, true);
  return { exit: exit ?? -1, stderr: context.printed.stderr.replaceAll(state, 'STATE') };
}

test('stop does not claim that nothing runs', async (t) => {
  const { exit, stderr } = await run(t, 'stop');
  assert.equal(exit, 1);
  assert.match(
    stderr,
    /The process that owns STATE does not answer\. \(stop_failed\)\n {2}next: End the process/,
  );
});

test('token commands do not touch what another process owns', async (t) => {
  const { exit, stderr } = await run(t, 'token', 'list');
  assert.equal(exit, 1);
  assert.match(stderr, /Another process owns STATE and does not answer\. \(state_directory_in_use\)\n/);
});

test('up says who does not answer', async (t) => {
  const { exit, stderr } = await run(t, 'up', '--port', '0');
  assert.equal(exit, 1);
  assert.match(stderr, /Another process owns STATE and does not answer\. \(state_directory_in_use\)\n/);
});

test('a turn is not taken beside the owner, and sessions are not read beside it', async (t) => {
  for (const args of [
    ['run', 'hello'],
    ['session', 'list'],
  ])
    await t.test(args.join(' '), async (t) => {
      const { exit, stderr } = await run(t, ...args);
      assert.equal(exit, 1);
      assert.match(stderr, /Another process owns STATE and does not answer\. \(state_directory_in_use\)\n/);
    });
});
