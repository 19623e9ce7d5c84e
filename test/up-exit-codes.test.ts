import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { fairlead, hostile, startHost, withoutProgress, writeRunnerConfig } from './fairlead-process.ts';

const scopeNeeded = {
  list: 'plugin:inspect',
  describe: 'plugin:inspect',
  call: 'plugin:invoke',
  check: 'plugin:manage',
  reload: 'plugin:manage',
};

test('each exit status, once, and the scope that a refused token lacks', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  const record = (id: string) => join(folder, id);
  const runnerConfig = writeRunnerConfig(join(folder, 'runner.toml'), 'local', [
    hostile('good', 'well-behaved', record('good')),
    hostile('angry', 'is-error'),
    hostile('broken', 'dies-at-once'),
    { ...hostile('mute', 'never-answers', record('mute')), toolTimeoutSecs: { echo: 5 } },
  ]);
  const host = await startHost(t, { stateDirectory, runnerConfig });
  const at = ['--state-dir', stateDirectory];
  const on = (plugin: string) => ['--runner', 'local', '--plugin', plugin, '--tool', 'echo'];
  const plugin = (...args: string[]) => fairlead(t, ['plugin', ...args, ...at]);

  const good = await plugin('call', ...on('good'), '--arguments', '{"text":"hi"}');
  assert.deepEqual(
    { ...good, stderr: withoutProgress(good.stderr) },
    {
      exit: 0,
      signal: null,
      stdout: '{"text":"hi"}\n',
      stderr: 'certainty:   completed\n',
    },
  );

  const target = ['plugin', 'call', ...on('good'), ...at, '--arguments', '-'];
  const piped = await fairlead(t, target, { input: '{"text":"from a pipe"}' });
  assert.equal(piped.stdout, '{"text":"from a pipe"}\n');

  const angry = await plugin('call', ...on('angry'));
  assert.equal(angry.exit, 1);
  assert.equal(angry.stdout, 'no such file\n');
  assert.match(
    withoutProgress(angry.stderr),
    /^certainty: {3}completed\nfairlead: .*\(plugin_tool_error\)\n$/,
  );
  const unknown = await plugin('call', '--runner', 'local', '--plugin', 'nobody', '--tool', 'echo');
  assert.equal(unknown.exit, 1);
  assert.match(unknown.stderr, /\(plugin_unavailable\)\n {2}certainty: {3}not_started\n/);
  // Runner ids are exact.
  const upper = await plugin('list', '--runner', 'Local');
  assert.match(upper.stderr, /\(runner_unavailable\)/);

  const check = await plugin('check', '--runner', 'local', '--plugin', 'broken');
  assert.equal(check.exit, 2);
  assert.match(check.stdout, /ready: {7}false\nphase: {7}initialize\ncode: {8}plugin_eof\n/);
  const reload = await plugin('reload', '--runner', 'local');
  assert.equal(reload.exit, 2);
  assert.match(reload.stdout, /^nothing was changed; .*\nPLUGIN +CODE\nbroken +plugin_eof\n$/);
  assert.equal((await plugin('call', '--runner', 'local')).exit, 2);

  const mute = await plugin('call', ...on('mute'));
  assert.equal(mute.exit, 3);
  assert.equal(mute.stdout, '');
  assert.match(
    mute.stderr,
    /\(plugin_timeout\)\n {2}certainty: {3}outcome_unknown\n {2}call: {8}call_[\w-]{22}\n {2}next: The call may have run; it was not sent again\. /,
  );
  assert.equal(readFileSync(record('mute'), 'utf8').match(/"tools\/call"/g)?.length, 1);
  assert.equal((await fairlead(t, ['status', '--state-dir', join(folder, 'empty')])).exit, 3);
  assert.equal(existsSync(join(folder, 'empty')), false);

  // A token with one scope, `session:read`, opens none of them.
  const made = await fairlead(t, ['token', 'create', '--name', 'narrow', '--scopes', 'session:read', ...at]);
  const narrow = made.stdout.trim();
  const seen = readFileSync(record('good'), 'utf8');
  for (const [action, scope] of Object.entries(scopeNeeded)) {
    const args: Record<string, string[]> = {
      list: [],
      describe: on('good'),
      call: on('good'),
      check: ['--runner', 'local', '--plugin', 'good'],
      reload: ['--runner', 'local'],
    };
    const refused = await plugin(action, ...(args[action] ?? []), '--token', narrow);
    assert.equal(refused.exit, 1, action);
    // A call is a describe first, which needs a scope of its own.
    const [step, needed] = action === 'call' ? ['describe', 'plugin:inspect'] : [action, scope];
    assert.equal(
      refused.stderr.includes(`  ${step} needs the scope ${needed}; no token was made or changed\n`),
      true,
      refused.stderr,
    );
    assert.match(refused.stderr, /\(insufficient_scope\)\n/);
    assert.equal(`${refused.stdout}${refused.stderr}`.includes(narrow), false);
  }
  const guess = `fairlead_pat_${'x'.repeat(43)}`;
  const stranger = await plugin('list', '--token', guess);
  assert.equal(stranger.exit, 1);
  assert.match(
    stranger.stderr,
    /\(unauthorized\)\n {2}list needs the scope plugin:inspect; no token was made or changed\n/,
  );
  assert.equal(stranger.stderr.includes('xxx'), false);
  assert.equal(readFileSync(record('good'), 'utf8'), seen);
  assert.equal(host.stdout.split('\n').length, 2);
});

test('a call without plugin:invoke is described and then refused by the scope it lacks', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  const record = join(folder, 'record');
  const runnerConfig = writeRunnerConfig(join(folder, 'runner.toml'), 'local', [
    hostile('good', 'well-behaved', record),
  ]);
  await startHost(t, { stateDirectory, runnerConfig });
  const at = ['--state-dir', stateDirectory];
  const made = await fairlead(t, [
    'token',
    'create',
    '--name',
    'reader',
    '--scopes',
    'plugin:inspect',
    ...at,
  ]);
  const seen = readFileSync(record, 'utf8');
  const env = { ...process.env, FAIRLEAD_TOKEN: made.stdout.trim() };
  const target = ['--runner', 'local', '--plugin', 'good', '--tool', 'echo'];
  const call = await fairlead(t, ['plugin', 'call', ...target, ...at], { env });
  assert.equal(call.exit, 1);
  assert.match(call.stderr, /\(insufficient_scope\)\n {2}call needs the scope plugin:invoke; /);
  assert.equal(readFileSync(record, 'utf8'), seen);
});
