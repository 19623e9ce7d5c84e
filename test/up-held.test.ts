import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, temporaryFolder, waitFor } from '@fairlead/testing';
import {
  endHost,
  fairlead,
  gated,
  launcher,
  type Ready,
  start,
  startHost,
  withoutProgress,
  writeRunnerConfig,
} from './fairlead-process.ts';

test('a second up, other flags, serve: the same one is told its address, the others are refused with it', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  const host = await startHost(t, { stateDirectory });
  const { url, tokenFile, runner, pid } = host.ready;
  const at = ['--state-dir', stateDirectory];

  const same = await fairlead(t, ['up', ...at, '--port', '0']);
  assert.deepEqual(
    { ...same, stderr: withoutProgress(same.stderr) },
    {
      exit: 0,
      signal: null,
      stdout: `Fairlead is already running at ${url} (process ${pid})\n  operator token  ${tokenFile}\n`,
      stderr: '',
    },
  );
  const json = await fairlead(t, ['up', ...at, '--port', '0', '--json', '--examples']);
  assert.equal(json.exit, 0);
  assert.equal(
    json.stdout,
    `${JSON.stringify({ ready: true, url, tokenFile, runner, pid, already: true })}\n`,
  );

  for (const args of [
    ['up'],
    ['up', '--port', '7421'],
    ['up', '--port', '0', '--runner-config', join(folder, 'other.toml')],
    ['serve', '--port', '0'],
  ]) {
    const refused = await fairlead(t, [...args, ...at]);
    assert.equal(refused.exit, 1, args.join(' '));
    assert.equal(refused.stdout, '');
    assert.match(refused.stderr, /\(state_directory_in_use\)\n/);
    assert.equal(refused.stderr.includes(`  address: ${url}\n  started as: up --port 0\n`), true);
  }
  // A Runner's folder beside it is not the host's.
  assert.equal((await fairlead(t, ['status', ...at])).exit, 0);
  assert.equal((await endHost(host)).exit, 0);
});

test('flags that name the same file from another folder are the same flags', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  const runnerConfig = writeRunnerConfig(join(folder, 'runner.toml'), 'local', []);
  await startHost(t, { stateDirectory, runnerConfig });
  const args = ['up', '--state-dir', 'state', '--port', '0', '--runner-config', 'runner.toml'];
  assert.equal((await fairlead(t, args, { cwd: folder })).exit, 0);
});

test('an up on a directory whose holder is still starting waits for it', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  const gate = join(folder, 'gate');
  const runnerConfig = writeRunnerConfig(join(folder, 'runner.toml'), 'local', [gated('slow', gate)]);
  const args = [
    'up',
    '--json',
    '--state-dir',
    stateDirectory,
    '--port',
    '0',
    '--runner-config',
    runnerConfig,
  ];
  const first = start(t, launcher, args);
  await first.untilStderr('fairlead: starting slow');
  // Stopped it goes on starting for as long as the second takes to come; by itself it would go on without the plugin after 10 s.
  process.kill(first.pid, 'SIGSTOP');
  const second = start(t, launcher, args);
  await second.untilStderr('waiting for its address');
  writeFileSync(gate, '');
  process.kill(first.pid, 'SIGCONT');
  assert.equal((await second.ended).exit, 0, second.stderr);
  // The second may read the address before the first has printed it.
  const ready = JSON.parse(await first.untilStdout('\n')) as Ready;
  assert.deepEqual(JSON.parse(second.stdout), { ...ready, already: true });
  assert.equal(ready.pid, first.pid);
});

test('while the holder is still starting, status says that it does not answer yet; token and stop wait for it', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  const gate = join(folder, 'gate');
  const runnerConfig = writeRunnerConfig(join(folder, 'runner.toml'), 'local', [gated('slow', gate)]);
  const args = [
    'up',
    '--json',
    '--state-dir',
    stateDirectory,
    '--port',
    '0',
    '--runner-config',
    runnerConfig,
  ];
  const host = start(t, launcher, args);
  await host.untilStderr('fairlead: starting slow');
  process.kill(host.pid, 'SIGSTOP');
  const at = ['--state-dir', stateDirectory];
  const early = await fairlead(t, ['status', ...at]);
  assert.equal(early.exit, 1);
  assert.match(early.stderr, /\(host_silent\)/);
  const list = start(t, launcher, ['token', 'list', ...at]);
  await list.untilStderr('waiting for its address');
  writeFileSync(gate, '');
  process.kill(host.pid, 'SIGCONT');
  assert.equal((await list.ended).exit, 0, list.stderr);
  const stop = await fairlead(t, ['stop', ...at]);
  assert.match(stop.stdout, /^stopped http:/);
  assert.equal((await host.ended).exit, 0);
});

test('ten up at once on one directory: one runs, nine print its address', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  mkdirSync(stateDirectory, { mode: 0o700 });
  const args = ['up', '--json', '--state-dir', stateDirectory, '--port', '0'];
  const all = Array.from({ length: 10 }, () => start(t, launcher, args));
  // The one that runs does not end, and whoever gave up waiting for it prints nothing.
  const told = await waitFor(() => all.find((one) => one.stdout.includes('\n')), {
    what: 'the address of the one that runs',
    timeoutMs: 60_000,
  });
  const { pid } = JSON.parse(told.stdout) as Ready;
  const winner = all.find((one) => one.pid === pid);
  assert.ok(winner !== undefined, told.stdout);
  const ready = JSON.parse(await winner.untilStdout('\n')) as Ready;
  assert.equal('already' in ready, false);
  const losers = all.filter((one) => one !== winner);
  assert.equal(losers.length, 9);
  // A second one that runs would not end.
  const ends = losers.map(({ child }) => child);
  await waitFor(() => ends.every(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null), {
    what: 'the end of nine',
    timeoutMs: 60_000,
  });
  for (const loser of losers) {
    const first = { ...(await loser.ended), stdout: loser.stdout, stderr: loser.stderr };
    // On a loaded machine the one that runs may take longer to start than the others wait for it.
    const isLate = first.exit === 1 && /does not answer\. \(state_directory_in_use\)/.test(first.stderr);
    const answer = isLate ? await fairlead(t, args) : first;
    assert.deepEqual([answer.exit, answer.signal], [0, null], answer.stderr);
    assert.deepEqual(JSON.parse(answer.stdout), { ...ready, already: true });
  }
  const stop = await fairlead(t, ['stop', '--state-dir', stateDirectory]);
  assert.equal(stop.exit, 0, stop.stderr);
  await waitFor(() => winner.child.exitCode !== null, { what: 'the winner to end' });
  assert.equal((await winner.ended).exit, 0);
});
