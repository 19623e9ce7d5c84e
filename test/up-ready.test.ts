import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, temporaryFolder, waitFor } from '@fairlead/testing';
import {
  endHost,
  fairlead,
  hostile,
  notedPids,
  start,
  startHost,
  untilGone,
  writeRunnerConfig,
} from './fairlead-process.ts';

const readyKeys = ['ready', 'url', 'tokenFile', 'runner', 'pid'];

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  test(`up --json prints one line and ends with 0 after ${signal}, and leaves none of its plugins`, async (t) => {
    hygiene(t);
    const folder = temporaryFolder(t);
    const stateDirectory = join(folder, 'state');
    const record = join(folder, 'record');
    const runnerConfig = writeRunnerConfig(join(folder, 'runner.toml'), 'laptop', [
      hostile('good', 'well-behaved', record),
      hostile('bad', 'dies-at-once'),
    ]);
    const host = await startHost(t, { stateDirectory, runnerConfig });
    const { url, tokenFile, runner, pid } = host.ready;
    assert.deepEqual(Object.keys(JSON.parse(host.stdout)), readyKeys);
    assert.equal((JSON.parse(host.stdout) as { ready: unknown }).ready, true);
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.equal(tokenFile, join(stateDirectory, 'operator.token'));
    assert.equal(runner, 'laptop');
    // The launcher becomes the command, so what is printed is what was started.
    assert.equal(pid, host.pid);
    assert.equal(statSync(stateDirectory).mode & 0o777, 0o700);
    for (const file of ['server.json', 'operator.token', 'secret.key', 'fairlead.db', 'lock'])
      assert.equal(statSync(join(stateDirectory, file)).mode & 0o777, 0o600, file);

    const { exit, tookMs } = await endHost(host, signal);
    assert.equal(exit, 0, host.stderr);
    assert.equal(tookMs < 20_000, true, `${tookMs} ms`);
    assert.equal(host.stdout.split('\n').length, 2);
    assert.match(host.stderr, /fairlead: stopping\n$/);
    assert.equal(existsSync(join(stateDirectory, 'server.json')), false);
    await untilGone([pid, ...notedPids(record)], 20_000);
  });
}

test('a call in flight when the host stops is told as unknown, and the host ends without waiting for it', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  const record = join(folder, 'record');
  const runnerConfig = writeRunnerConfig(join(folder, 'runner.toml'), 'local', [
    hostile('mute', 'never-answers', record),
  ]);
  const host = await startHost(t, { stateDirectory, runnerConfig });
  const args = ['plugin', 'call', '--state-dir', stateDirectory, '--runner', 'local', '--plugin', 'mute'];
  const call = start(t, join(import.meta.dirname, '../fairlead'), [...args, '--tool', 'echo']);
  await waitFor(() => existsSync(record) && readFileSync(record, 'utf8').includes('"tools/call"'), {
    what: 'the plugin to have the call',
    timeoutMs: 60_000,
  });
  const { exit, tookMs } = await endHost(host);
  assert.equal(exit, 0);
  assert.equal(tookMs < 20_000, true, `${tookMs} ms`);
  assert.equal((await call.ended).exit, 3);
  assert.match(call.stderr, /\(plugin_manager_stopping\)\n {2}certainty: {3}outcome_unknown\n/);
});

test('a signal during the start undoes it: no ready line, exit 0', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  const record = join(folder, 'record');
  const runnerConfig = writeRunnerConfig(join(folder, 'runner.toml'), 'local', [
    hostile('slow', 'initialize-never-answers', record),
  ]);
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
  const starting = start(t, join(import.meta.dirname, '../fairlead'), args);
  await starting.untilStderr('fairlead: starting slow');
  process.kill(starting.pid, 'SIGTERM');
  assert.deepEqual(await starting.ended, { exit: 0, signal: null });
  assert.equal(starting.stdout, '');
  assert.equal(existsSync(join(stateDirectory, 'server.json')), false);
  await untilGone(notedPids(record), 20_000);
});

test('serve has no Runner', async (t) => {
  hygiene(t);
  const host = await startHost(t, { stateDirectory: join(temporaryFolder(t), 'state'), command: 'serve' });
  assert.equal(host.ready.runner, null);
  assert.deepEqual(Object.keys(JSON.parse(host.stdout)), readyKeys);
  assert.equal((await endHost(host)).exit, 0);
});

test('a taken port is refused by name, never replaced by another one', async (t) => {
  hygiene(t);
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  t.after(() => taken.close());
  const { port } = taken.address() as AddressInfo;
  const stateDirectory = join(temporaryFolder(t), 'state');
  const { exit, stdout, stderr } = await fairlead(t, [
    'up',
    '--json',
    '--state-dir',
    stateDirectory,
    '--port',
    `${port}`,
  ]);
  assert.equal(exit, 1);
  assert.equal(stdout, '');
  assert.equal(
    stderr,
    `fairlead: port ${port} on 127.0.0.1 is taken by another program (port_in_use)\n` +
      `  bind: 127.0.0.1\n  port: ${port}\n  next: Give another one with --port (in a clone: \`npm start -- --port 7421\`), or 0 for any free one.\n`,
  );
});

test('a runner.toml that is named must be there, and one that is wrong names its line', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const runnerConfig = join(folder, 'runner.toml');
  const args = ['up', '--state-dir', join(folder, 'state'), '--port', '0', '--runner-config', runnerConfig];
  const absent = await fairlead(t, args);
  assert.equal(absent.exit, 1);
  assert.match(absent.stderr, /runner\.toml: .*\(plugin_config_read_failed\)/);
  writeRunnerConfig(runnerConfig, 'local', [{ id: 'Not An Id', command: 'x' }]);
  const wrong = await fairlead(t, args);
  assert.equal(wrong.exit, 1);
  assert.match(wrong.stderr, /runner\.toml: line 4: .*\(plugin_config_invalid\)/);
});

test('an error that nobody expected prints no stack unless FAIRLEAD_DEBUG asks for it', async (t) => {
  hygiene(t);
  const stateDirectory = join(temporaryFolder(t), 'state');
  const fault = "setTimeout(() => { throw new TypeError('planted /secret/path') }, 0)";
  const env = { ...process.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(fault)}` };
  const args = ['up', '--json', '--state-dir', stateDirectory, '--port', '0'];
  const silent = await fairlead(t, args, { env });
  assert.equal(silent.exit, 1);
  assert.equal(
    silent.stderr,
    'fairlead: Something went wrong inside Fairlead. (internal_error)\n' +
      '  next: Run it again with FAIRLEAD_DEBUG=1 and report what it prints.\n',
  );
  const told = await fairlead(t, args, { env: { ...env, FAIRLEAD_DEBUG: '1' } });
  assert.equal(told.exit, 1);
  assert.match(told.stderr, /TypeError: planted \/secret\/path\n {4}at /);
});

test('a reader that goes away does not end the host', async (t) => {
  hygiene(t);
  const stateDirectory = join(temporaryFolder(t), 'state');
  const host = await startHost(t, { stateDirectory, command: 'serve' });
  host.child.stdout?.destroy();
  host.child.stderr?.destroy();
  const status = await fairlead(t, ['status', '--state-dir', stateDirectory]);
  assert.equal(status.exit, 0, status.stderr);
  const { exit } = await endHost(host);
  assert.equal(exit, 0);
});
