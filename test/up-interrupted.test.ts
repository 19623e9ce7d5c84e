import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, repositoryRoot, temporaryFolder, waitFor } from '@fairlead/testing';
import { fairlead, hostile, startHost, writeRunnerConfig } from './fairlead-process.ts';
import { personEnvironment } from './person-environment.ts';

test('Ctrl-C while a call runs says that its outcome is unknown, and ends with 3', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  const record = join(folder, 'mute');
  const runnerConfig = writeRunnerConfig(join(folder, 'runner.toml'), 'local', [
    { ...hostile('mute', 'never-answers', record), timeoutSecs: 20 },
  ]);
  await startHost(t, { stateDirectory, runnerConfig });
  const target = ['--runner', 'local', '--plugin', 'mute', '--tool', 'echo', '--state-dir', stateDirectory];
  const child = spawn(join(repositoryRoot, 'fairlead'), ['plugin', 'call', ...target], {
    env: personEnvironment({}),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const ended = once(child, 'close');
  await waitFor(() => existsSync(record) && readFileSync(record, 'utf8').includes('tools/call'), {
    what: 'the plugin to have the call',
    timeoutMs: 20_000,
  });
  child.kill('SIGINT');
  assert.deepEqual(await ended, [3, null]);
  assert.match(stderr, /answer_lost/);
  assert.match(stderr, /outcome_unknown/);
});

test('a host that was stopped and not ended is said to run, and gets no second owner', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  const runnerConfig = writeRunnerConfig(join(folder, 'runner.toml'), 'local', []);
  const host = await startHost(t, { stateDirectory, runnerConfig });
  process.kill(host.pid, 'SIGSTOP');
  try {
    const status = await fairlead(t, ['status', '--state-dir', stateDirectory]);
    assert.equal(status.exit, 1);
    assert.match(status.stderr, /owns .* and does not answer.*\(host_silent\)/);
  } finally {
    process.kill(host.pid, 'SIGCONT');
  }
});
