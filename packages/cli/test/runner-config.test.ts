import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext as NodeTest, test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { lockFolder } from '@fairlead/store';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { main } from '../src/index.ts';
import { writeServerFile } from '../src/state/server-file.ts';
import { apiServer, deadUrl, failure, success } from './loopback-server.ts';
import { testContext } from './test-context.ts';

type Answers = Parameters<typeof apiServer>[1];

/** A machine with a host that answers as told. */
async function machine(t: NodeTest, answers: Answers) {
  hygiene(t);
  const folder = temporaryFolder(t);
  const state = join(folder, 'state');
  mkdirSync(state);
  // Who holds the directory wrote what stands in it.
  const lock = await lockFolder(state);
  t.after(() => lock?.release());
  const server = await apiServer(t, answers);
  writeFileSync(join(state, 'operator.token'), `fairlead_pat_${'o'.repeat(43)}\n`);
  const startedWith = {
    command: 'up',
    bind: null,
    port: 0,
    allowRemote: false,
    config: null,
    runnerConfig: null,
  } as const;
  await writeServerFile(state, {
    url: server.url,
    pid: process.pid,
    startedAtMs: 1,
    version: '0.1.0',
    runner: 'local',
    startedWith,
  });
  const context = testContext(folder);
  const run = async (...args: string[]) => {
    context.printed.stdout = '';
    context.printed.stderr = '';
    const exit = await main(args, { cloneRoot: context.cloneRoot, context });
    return { exit, ...context.printed };
  };
  return { server, run };
}

const CHECK: JsonObject = {
  runner: 'local',
  generation: 3,
  valid: true,
  faults: [],
  ignored: [{ field: 'colour', line: 3 }, { field: 'policy' }],
  changed: [
    { field: 'shell.init_timeout_secs', applies: 'live' },
    { field: 'token', applies: 'restart_only' },
  ],
  changedCount: 3,
  restartsPlugins: true,
};
const RELOAD: JsonObject = {
  runner: 'local',
  generation: 4,
  applied: true,
  changed: [{ field: 'shell.init_timeout_secs', applies: 'live' }],
  changedCount: 1,
  pluginsRestarted: false,
  plugins: [{ plugin: 'echo', name: 'Echo\u001b[31m', status: 'ready', errorCode: null }],
};
const target = ['--runner', 'local'];

test('check-config shows what differs from what is in force, and what is ignored', async (t) => {
  const { run, server } = await machine(t, [{ envelope: success(CHECK) }]);
  assert.deepEqual(await run('runner', 'check-config', ...target), {
    exit: 0,
    stdout:
      'runner:      local\n' +
      'generation:  3\n' +
      'valid:       true\n' +
      'ignored:     colour (line 3), policy\n' +
      'plugins:     are started anew by reload-config\n' +
      'KEY                      APPLIES\n' +
      'shell.init_timeout_secs  live\n' +
      'token                    restart_only\n' +
      'and 1 more\n',
    stderr: '',
  });
  assert.deepEqual(server.requests[0]?.body, {
    tool: 'call_runtime_tool',
    params: { tool: 'check_runner_config', arguments: { runner: 'local' } },
  });
});

test('check-config of a file without a change says so', async (t) => {
  const same = { ...CHECK, ignored: [], changed: [], changedCount: 0, restartsPlugins: false };
  const { run } = await machine(t, [{ envelope: success(same) }]);
  const { stdout } = await run('runner', 'check-config', ...target);
  assert.equal(
    stdout,
    'runner:      local\ngeneration:  3\nvalid:       true\nnothing differs from what is in force\n',
  );
});

test('check-config says whether the plugins go on', async (t) => {
  const { run } = await machine(t, [{ envelope: success({ ...CHECK, restartsPlugins: false }) }]);
  assert.match(
    (await run('runner', 'check-config', ...target)).stdout,
    /^plugins: {5}go on running by reload-config$/m,
  );
});

test('check-config of a file that cannot be used ends with 2, names the places and the next step', async (t) => {
  const invalid = {
    ...CHECK,
    valid: false,
    code: 'plugin_config_invalid',
    faults: [
      { field: 'plugins.providers[0].timeout_secs', line: 12 },
      { field: '*', line: 1 },
    ],
    ignored: [],
    changed: [],
    changedCount: 0,
    restartsPlugins: false,
  };
  const { run } = await machine(t, [{ envelope: success(invalid) }]);
  const { exit, stdout, stderr } = await run('runner', 'check-config', ...target);
  assert.equal(exit, 2);
  assert.equal(
    stdout,
    'runner:      local\n' +
      'generation:  3\n' +
      'valid:       false\n' +
      'code:        plugin_config_invalid\n' +
      'faults:      plugins.providers[0].timeout_secs (line 12), * (line 1)\n',
  );
  assert.match(stderr, /^next: Run `fairlead doctor` .*names the line/);
  const json = await run('runner', 'check-config', ...target, '--json');
  assert.deepEqual([json.exit, JSON.parse(json.stdout)], [2, invalid]);
});

test('reload-config shows what was applied and the plugins in force', async (t) => {
  const { run, server } = await machine(t, [{ envelope: success(RELOAD) }]);
  assert.deepEqual(await run('runner', 'reload-config', ...target), {
    exit: 0,
    stdout:
      'runner:      local\n' +
      'generation:  4\n' +
      'applied:     true\n' +
      'plugins:     went on running\n' +
      'KEY                      APPLIES\n' +
      'shell.init_timeout_secs  live\n' +
      'PLUGIN  STATUS  CODE  NAME\n' +
      'echo    ready   -     Echo [31m\n',
    stderr: '',
  });
  assert.deepEqual(server.requests[0]?.body, {
    tool: 'call_runtime_tool',
    params: { tool: 'reload_runner_config', arguments: { runner: 'local' } },
  });
});

test('reload-config of a file without a change says that nothing was applied', async (t) => {
  const nothing = {
    ...RELOAD,
    applied: false,
    changed: [],
    changedCount: 0,
    pluginsRestarted: false,
    plugins: [],
  };
  const { run } = await machine(t, [{ envelope: success(nothing) }]);
  const { exit, stdout } = await run('runner', 'reload-config', ...target);
  assert.equal(exit, 0);
  assert.match(
    stdout,
    /applied: {5}false\nplugins: {5}went on running\nnothing differed from what was in force\n$/,
  );
  const restarted = await machine(t, [{ envelope: success({ ...RELOAD, pluginsRestarted: true }) }]);
  assert.match(
    (await restarted.run('runner', 'reload-config', ...target)).stdout,
    /^plugins: {5}were started anew$/m,
  );
});

test('reload-config that a plugin kept from being applied ends with 2 and names the plugin', async (t) => {
  const error = {
    code: 'plugin_reload_failed',
    message: 'A plugin was not admitted.',
    recovery: 'Mend it.',
    detail: { generation: 3, failures: [{ provider_id: 'echo', code: 'plugin_eof' }] },
  };
  const envelope = { success: false, output: null, error, dispatch_certainty: 'completed', call: 'call_x' };
  const { run } = await machine(t, [{ status: 400, envelope }]);
  const human = await run('runner', 'reload-config', ...target);
  assert.deepEqual(human, {
    exit: 2,
    stdout: 'PLUGIN  CODE\necho    plugin_eof\n',
    stderr:
      'fairlead: A plugin was not admitted. (plugin_reload_failed)\n' +
      '  certainty:   completed\n' +
      '  call:        call_x\n' +
      '  next: Mend it.\n',
  });
  const json = await run('runner', 'reload-config', ...target, '--json');
  assert.equal(json.exit, 2);
  assert.deepEqual(JSON.parse(json.stdout), {
    error: { code: error.code, message: error.message, detail: error.detail },
    dispatchState: 'completed',
    recovery: 'Mend it.',
    call: 'call_x',
  });
});

test('what is refused ends with 1 and names the scope', async (t) => {
  for (const command of ['check-config', 'reload-config']) {
    const { run } = await machine(t, [
      { status: 403, envelope: failure('insufficient_scope', 'not_started') },
    ]);
    const { exit, stderr } = await run('runner', command, ...target);
    assert.equal(exit, 1);
    assert.match(stderr, new RegExp(`${command} needs the scope runner:manage`));
  }
});

test('an unknown outcome ends with 3 where something may have happened, with 1 where nothing can have', async (t) => {
  const lost = failure('plugin_gateway_timeout', 'outcome_unknown');
  const { run } = await machine(t, [{ status: 400, envelope: lost }]);
  assert.equal((await run('runner', 'reload-config', ...target)).exit, 3);
  assert.equal((await run('runner', 'check-config', ...target)).exit, 1);
});

test('without a gateway nothing is sent', async (t) => {
  const { run } = await machine(t, [{ envelope: success(CHECK) }]);
  const url = await deadUrl();
  const { exit, stderr } = await run(
    'runner',
    'reload-config',
    ...target,
    '--server-url',
    url,
    '--token',
    `fairlead_pat_${'p'.repeat(43)}`,
  );
  assert.equal(exit, 1);
  assert.match(stderr, /server_unreachable/);
});

test('the Runner must be named', async (t) => {
  const { run, server } = await machine(t, [{ envelope: success(CHECK) }]);
  for (const command of ['check-config', 'reload-config'])
    assert.equal((await run('runner', command)).exit, 2);
  assert.deepEqual(server.requests, []);
});
