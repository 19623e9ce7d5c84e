import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { hygiene, temporaryFolder, waitFor } from '@fairlead/testing';
import {
  bindingOf,
  endHost,
  fairlead,
  type Host,
  hostile,
  launcher,
  type ProviderBlock,
  pluginTool,
  type Running,
  start,
  startHost,
  writeRunnerConfig,
} from './fairlead-process.ts';

/** An echo that says whose it is: the argument `runner` is in the script's own words. */
function echoOf(runner: string): ProviderBlock {
  const script = `
    const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
    let text = '';
    process.stdin.on('data', (chunk) => {
      text += chunk;
      for (let end = text.indexOf('\\n'); end >= 0; end = text.indexOf('\\n')) {
        const { id, method } = JSON.parse(text.slice(0, end));
        text = text.slice(end + 1);
        if (method === 'initialize') answer(id, { protocolVersion: 'webcodex-plugin-v1' });
        else if (method === 'tools/list') answer(id, { tools: [{ name: 'who', inputSchema: { type: 'object' } }] });
        else answer(id, { content: [{ type: 'text', text: '${runner}' }] });
      }
    });`;
  return { id: 'same', name: `The one of ${runner}`, command: process.execPath, args: ['-e', script] };
}

async function runnerToken(t: TestContext, stateDirectory: string, runner: string): Promise<string> {
  const made = await fairlead(t, ['token', 'create', '--state-dir', stateDirectory, '--runner', runner]);
  return made.stdout.trim();
}

/** Starts `runner run` in a state directory of its own. */
async function startRunner(
  t: TestContext,
  options: { readonly folder: string; readonly host: Host; readonly runner: string; readonly token: string },
): Promise<Running> {
  const { folder, host, runner, token } = options;
  const config = writeRunnerConfig(join(folder, `${runner}.toml`), runner, [echoOf(runner)]);
  const tokenFile = join(folder, `${runner}.token`);
  writeFileSync(tokenFile, `${token}\n`);
  const args = ['--state-dir', join(folder, `state-${runner}`), '--config', config];
  const server = ['--server-url', host.ready.url, '--token-file', tokenFile];
  return start(t, launcher, ['runner', 'run', ...args, ...server]);
}

test('two Runners with the same plugin ids and tool names never mix', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  const host = await startHost(t, { stateDirectory, command: 'serve' });
  const running: Running[] = [];
  for (const runner of ['left', 'right']) {
    const token = await runnerToken(t, stateDirectory, runner);
    running.push(await startRunner(t, { folder, host, runner, token }));
  }
  for (const one of running) await one.untilStderr('fairlead: plugins: same ready\n');
  assert.equal(
    running[0]?.stderr.includes(`fairlead: Runner left is registered at ${host.ready.url}\n`),
    true,
  );

  const at = ['--state-dir', stateDirectory];
  const list = await fairlead(t, ['plugin', 'list', ...at]);
  assert.match(list.stdout, /^RUNNER {2}NAME\nleft +-\nright +-\n$/);
  const bindings = new Map<string, string>();
  for (const runner of ['left', 'right']) {
    const target = ['--runner', runner, '--plugin', 'same', '--tool', 'who'];
    const call = await fairlead(t, ['plugin', 'call', ...at, ...target]);
    assert.equal(call.stdout, `${runner}\n`);
    bindings.set(runner, await bindingOf(host, host.token, { runner, plugin: 'same', tool: 'who' }));
  }
  // Interleaved, and by binding alone.
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const runner = index % 2 === 0 ? 'left' : 'right';
      const binding = bindings.get(runner) ?? '';
      const { body } = await pluginTool(host, host.token, { action: 'call', binding, arguments: {} });
      return { runner, body };
    }),
  );
  for (const { runner, body } of answers) {
    // A plugin answers one call at a time; what is refused as busy did not run.
    const error = body['error'] as JsonObject | null;
    if (error === null) {
      assert.deepEqual((body['output'] as JsonObject)['content'], [{ type: 'text', text: runner }]);
    } else
      assert.deepEqual([error['code'], body['dispatch_certainty']], ['plugin_provider_busy', 'not_started']);
  }

  // A token for one of them neither sees nor calls the other.
  const limited = await fairlead(t, [
    'token',
    'create',
    ...at,
    '--name',
    'left-only',
    '--scopes',
    'plugin:inspect,plugin:invoke,plugin:manage',
    '--runners',
    'left',
  ]);
  const token = limited.stdout.trim();
  const seen = await pluginTool(host, token, { action: 'list' });
  assert.deepEqual(seen.body['output'], { runners: [{ runner: 'left' }] });
  const right = { runner: 'right', plugin: 'same', tool: 'who' };
  for (const params of [
    { action: 'list', runner: 'right' },
    { action: 'list', runner: 'right', plugin: 'same' },
    { action: 'describe', ...right },
    { action: 'check', runner: 'right', plugin: 'same' },
    { action: 'reload', runner: 'right' },
  ]) {
    const { status, body } = await pluginTool(host, token, params);
    const error = body['error'] as JsonObject;
    assert.deepEqual(
      [status, error['code'], body['dispatch_certainty']],
      [400, 'runner_unavailable', 'not_started'],
      JSON.stringify(params),
    );
  }
  // Not even with a binding that somebody else made.
  const foreign = { action: 'call', binding: bindings.get('right') ?? '', arguments: {} };
  const refused = await pluginTool(host, token, foreign);
  assert.equal((refused.body['error'] as JsonObject)['code'], 'describe_required');
  const own = await pluginTool(host, token, { ...foreign, binding: bindings.get('left') ?? '' });
  assert.deepEqual((own.body['output'] as JsonObject)['content'], [{ type: 'text', text: 'left' }]);

  for (const one of running) {
    process.kill(one.pid, 'SIGTERM');
    assert.deepEqual(await one.ended, { exit: 0, signal: null }, one.stderr);
  }
});

test('a third Runner with a taken id is refused while the first serves on', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  const host = await startHost(t, { stateDirectory, command: 'serve' });
  const token = await runnerToken(t, stateDirectory, 'left');
  const first = await startRunner(t, { folder, host, runner: 'left', token });
  await first.untilStderr('fairlead: plugins: same ready\n');
  const elsewhere = temporaryFolder(t);
  const third = await startRunner(t, { folder: elsewhere, host, runner: 'left', token });
  await third.untilStderr('"code":"runner_id_taken"');
  assert.doesNotMatch(third.stderr, /is registered/);
  // On one machine and state directory the folder's lock says it at once.
  const same = await startRunner(t, { folder, host, runner: 'left', token });
  assert.equal((await same.ended).exit, 1);
  assert.match(same.stderr, /\(runner_folder_in_use\)\n/);
  const target = ['--runner', 'left', '--plugin', 'same', '--tool', 'who'];
  const call = await fairlead(t, ['plugin', 'call', '--state-dir', stateDirectory, ...target]);
  assert.equal(call.stdout, 'left\n');
  // A closed socket frees the id.
  process.kill(first.pid, 'SIGTERM');
  await first.ended;
  await third.untilStderr('is registered at');
});

test('each kind of token is refused on the other’s routes', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  const host = await startHost(t, { stateDirectory, command: 'serve' });
  const secret = await runnerToken(t, stateDirectory, 'left');

  const answer = await pluginTool(host, secret, { action: 'list' });
  assert.equal(answer.status, 401);
  assert.deepEqual((answer.body['error'] as JsonObject)['detail'], { reason: 'token_kind_wrong' });
  const cli = await fairlead(t, ['plugin', 'list', '--state-dir', stateDirectory, '--token', secret]);
  assert.equal(cli.exit, 1);
  assert.match(cli.stderr, /\(runner_token_refused\)\n/);
  assert.equal(cli.stderr.includes(secret), false);

  const personal = await startRunner(t, { folder, host, runner: 'left', token: host.token });
  assert.equal((await personal.ended).exit, 1);
  assert.match(personal.stderr, /\(personal_token_refused\)\n/);
  const link = await fetch(`${host.ready.url}/api/runner/link`, {
    headers: { authorization: `Bearer ${host.token}`, connection: 'close' },
  });
  assert.notEqual(link.status, 101);
  await link.arrayBuffer();

  // A Runner's token for another id, and one that was revoked.
  const other = await startRunner(t, { folder, host, runner: 'right', token: secret });
  assert.equal((await other.ended).exit, 1);
  assert.match(other.stderr, /\(runner_forbidden\)\n/);
  const list = await fairlead(t, ['token', 'list', '--state-dir', stateDirectory, '--json']);
  const { tokens } = JSON.parse(list.stdout) as { tokens: JsonObject[] };
  const id = String(tokens.find(({ runner }) => runner === 'left')?.['id']);

  const linked = await startRunner(t, { folder, host, runner: 'left', token: secret });
  await linked.untilStderr('is registered at');
  assert.equal((await fairlead(t, ['token', 'revoke', id, '--state-dir', stateDirectory])).exit, 0);
  assert.equal((await linked.ended).exit, 1);
  assert.match(linked.stderr, /\(runner_unauthorized\)\n/);
});

test('plugins of a Runner beside a host get no variable that fairlead.toml names as a secret', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  const host = await startHost(t, { stateDirectory, command: 'serve' });
  writeFileSync(join(stateDirectory, 'fairlead.toml'), '[models.x]\napi_key_env = "MY_MODEL_KEY"\n');
  const script =
    'echo "model key [$MY_MODEL_KEY] runner token [$FAIRLEAD_RUNNER_TOKEN] other [$OTHER]" >&2; exit 1';
  const config = writeRunnerConfig(join(folder, 'left.toml'), 'left', [
    { id: 'tells', command: '/bin/sh', args: ['-c', script] },
    hostile('good', 'well-behaved'),
  ]);
  const token = await runnerToken(t, stateDirectory, 'left');
  const env = { ...process.env, FAIRLEAD_RUNNER_TOKEN: token, MY_MODEL_KEY: 'planted', OTHER: 'kept' };
  const args = ['--state-dir', stateDirectory, '--config', config, '--server-url', host.ready.url];
  const runner = start(t, launcher, ['runner', 'run', ...args], { env });
  await runner.untilStderr('fairlead: plugins: tells failed (plugin_eof), good ready\n');
  const said = await fairlead(t, ['runner', 'stderr', 'tells', '--state-dir', stateDirectory]);
  assert.equal(said.stdout, 'tells wrote to stderr:\n  model key [] runner token [] other [kept]\n');
  await waitFor(() => runner.stderr.includes('registered'), { what: 'the Runner to register' });
});

test('a host that stops while a Runner elsewhere runs a call answers it as unknown and ends without waiting for it', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  const host = await startHost(t, { stateDirectory, command: 'serve' });
  const record = join(folder, 'record');
  const mute = hostile('mute', 'never-answers', record);
  const config = writeRunnerConfig(join(folder, 'left.toml'), 'left', [mute]);
  const env = { ...process.env, FAIRLEAD_RUNNER_TOKEN: await runnerToken(t, stateDirectory, 'left') };
  const args = ['--state-dir', join(folder, 'elsewhere'), '--config', config, '--server-url', host.ready.url];
  const runner = start(t, launcher, ['runner', 'run', ...args], { env });
  await runner.untilStderr('fairlead: plugins: mute ready\n');
  const target = ['--runner', 'left', '--plugin', 'mute', '--tool', 'echo'];
  const call = start(t, launcher, ['plugin', 'call', '--state-dir', stateDirectory, ...target]);
  await waitFor(() => existsSync(record) && readFileSync(record, 'utf8').includes('"tools/call"'), {
    what: 'the plugin to have the call',
    timeoutMs: 60_000,
  });
  const { exit, tookMs } = await endHost(host);
  assert.equal(exit, 0);
  assert.equal(tookMs < 20_000, true, `${tookMs} ms`);
  assert.equal((await call.ended).exit, 3, call.stderr);
  assert.match(call.stderr, / {2}certainty: {3}outcome_unknown\n/);
  // The Runner goes on trying, and ends when it is told to.
  await runner.untilStderr('"event":"link.retry"');
  process.kill(runner.pid, 'SIGTERM');
  assert.equal((await runner.ended).exit, 0);
});
