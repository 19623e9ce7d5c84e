import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext as NodeTest, test } from 'node:test';
import { systemClock, systemRandom } from '@fairlead/base';
import { startRunner } from '@fairlead/runner';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { main } from '../src/index.ts';
import { deadUrl } from './loopback-server.ts';
import { testContext } from './test-context.ts';

const provider = (id: string, script: string) =>
  `[[plugins.providers]]\nid = "${id}"\nname = "${id}"\ncommand = "/bin/sh"\nargs = ["-c", ${JSON.stringify(script)}]\n`;

async function machine(t: NodeTest) {
  hygiene(t);
  const folder = temporaryFolder(t);
  const context = testContext(folder);
  const run = async (...args: string[]) => {
    context.printed.stdout = '';
    context.printed.stderr = '';
    const exit = await main(['runner', ...args], { cloneRoot: context.cloneRoot, context });
    return { exit, ...context.printed };
  };
  const stateDirectory = join(folder, 'state');
  const start = async (runnerId: string, providers: string) => {
    const configPath = join(folder, `${runnerId}.toml`);
    writeFileSync(configPath, `client_id = "${runnerId}"\n${providers}`);
    const runner = await startRunner({
      configPath,
      runnerId,
      gatewayUrl: await deadUrl(),
      token: 'fairlead_runner_x',
      stateDirectory,
      env: { PATH: process.env['PATH'] },
      platform: process.platform,
      clock: systemClock(),
      random: systemRandom(),
      log: () => {},
    });
    t.after(() => runner.close());
    await runner.settled;
    return runner;
  };
  return { run, start, stateDirectory };
}

test('without a Runner both say so', async (t) => {
  const { run, stateDirectory } = await machine(t);
  for (const args of [['status'], ['stderr', 'x']]) {
    const { exit, stderr } = await run(...args);
    assert.equal(exit, 1);
    assert.equal(
      stderr.startsWith(`fairlead: No Runner has run on ${stateDirectory}. (runner_not_running)\n  next: `),
      true,
      stderr,
    );
  }
  assert.deepEqual(await run('status', '--runner', 'laptop'), {
    exit: 3,
    stdout: 'Runner laptop does not run\n',
    stderr: '',
  });
  assert.equal(
    (await run('status', '--runner', 'laptop', '--json')).stdout,
    '{"runner":"laptop","running":false,"registered":false,"plugins":[]}\n',
  );
});

test('status and stderr of the Runner on this machine need no gateway', async (t) => {
  const { run, start } = await machine(t);
  await start(
    'laptop',
    provider('talks', 'echo "cannot find \u001b[31mmodule" >&2; exit 1') + provider('mute', 'exit 1'),
  );
  assert.deepEqual(await run('status'), {
    exit: 0,
    stdout:
      'Runner laptop, not linked to a gateway\n' +
      'PLUGIN  STATUS  CODE        NAME\n' +
      'talks   failed  plugin_eof  talks\n' +
      'mute    failed  plugin_eof  mute\n',
    stderr: '',
  });
  const json = JSON.parse((await run('status', '--json')).stdout) as { plugins: object[] };
  assert.deepEqual(json.plugins[0], {
    plugin: 'talks',
    name: 'talks',
    status: 'failed',
    errorCode: 'plugin_eof',
  });
  const talks = await run('stderr', 'talks');
  assert.equal(talks.exit, 0);
  assert.equal(talks.stdout, 'talks wrote to stderr:\n  cannot find ?[31mmodule\n');
  assert.match(talks.stderr, /^talks failed with plugin_eof\n {2}next: .+\n$/);
  assert.equal((await run('stderr', 'mute')).stdout, 'mute has written nothing to stderr\n');
  assert.deepEqual(JSON.parse((await run('stderr', 'talks', '--json')).stdout), {
    runner: 'laptop',
    plugin: 'talks',
    committed: [{ text: 'cannot find ?[31mmodule', truncated: false }],
    candidate: null,
  });
  const unknown = await run('stderr', 'nobody');
  assert.equal(unknown.exit, 1);
  assert.match(unknown.stderr, /\(plugin_not_configured\)\n {2}next: /);
});

test('a plugin that could not be started has no stderr, but a code with its next step', async (t) => {
  const { run, start } = await machine(t);
  await start('laptop', '[[plugins.providers]]\nid = "a"\nname = "a"\ncommand = "/no/such/file"\n');
  const { exit, stdout, stderr } = await run('stderr', 'a');
  assert.equal(exit, 0);
  assert.equal(stdout, 'a has written nothing to stderr: no program of it was started\n');
  assert.match(stderr, /^a failed with plugin_executable_unavailable\n {2}next: /);
});

test('a Runner without plugins says so', async (t) => {
  const { run, start } = await machine(t);
  await start('laptop', '');
  assert.match((await run('status')).stdout, /\nno plugin is configured\n$/);
});

test('of several Runners the one that runs is meant; of several that run, one must be named', async (t) => {
  const { run, start, stateDirectory } = await machine(t);
  mkdirSync(join(stateDirectory, 'runners', 'old'), { recursive: true });
  await start('laptop', '');
  assert.match((await run('status')).stdout, /^Runner laptop, /);
  await start('workshop', '');
  const { exit, stderr } = await run('status');
  assert.equal(exit, 2);
  assert.match(
    stderr,
    /Several Runners are known here; name one with --runner: laptop, old, workshop\. \(usage\)/,
  );
  assert.match((await run('status', '--runner', 'workshop')).stdout, /^Runner workshop, /);
});

test('an id that is no Runner id opens no path', async (t) => {
  const { run } = await machine(t);
  const { exit, stderr } = await run('status', '--runner', '../../etc');
  assert.equal(exit, 1);
  assert.match(stderr, /\(runner_folder_unusable\)/);
});
