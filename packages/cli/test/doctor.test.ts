import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext as NodeTest, test } from 'node:test';
import { lockFolder } from '@fairlead/store';
import { hygiene, repositoryRoot, temporaryFolder } from '@fairlead/testing';
import { probeStateDirectory } from '../src/doctor/probe-machine.ts';
import { seeSandbox, tryBubblewrap } from '../src/doctor/probe-sandbox.ts';
import { main } from '../src/index.ts';
import { writeServerFile } from '../src/state/server-file.ts';
import { hostAt } from './host-in-file.ts';
import { apiServer, deadUrl, failure, httpAnswer, rawServer, success } from './loopback-server.ts';
import { testContext } from './test-context.ts';

function machine(t: NodeTest, env: Readonly<Record<string, string>> = {}) {
  hygiene(t);
  const folder = temporaryFolder(t);
  const state = join(folder, 'state');
  mkdirSync(state, { mode: 0o700 });
  const context = testContext(folder, {
    env: { FAIRLEAD_STATE_DIR: state, FAIRLEAD_PORT: '0', PATH: process.env['PATH'] ?? '', ...env },
  });
  const run = async (...flags: string[]) => {
    context.printed.stdout = '';
    context.printed.stderr = '';
    const exit = await main(['doctor', ...flags], { cloneRoot: context.cloneRoot, context });
    return { exit, ...context.printed };
  };
  return { folder, state, run };
}

const runnerToml = (body: string) => `client_id = "laptop"\n${body}`;

test('a machine where all is well ends with 0 and keeps nothing of the visit', async (t) => {
  const { state, run } = machine(t);
  const { exit, stdout, stderr } = await run();
  assert.equal(exit, 0, stdout);
  assert.equal(stderr, '');
  assert.match(stdout, /^ok {4}node: Node \d/);
  assert.match(
    stdout,
    /\nwarn {2}host: no host runs on this state directory \(host_not_running\)\n {6}Start one .* only runs a Runner/,
  );
  assert.deepEqual(readdirSync(state), []);
});

test('--json is one object with what each check found', async (t) => {
  const { run } = machine(t);
  const { exit, stdout } = await run('--json');
  const report = JSON.parse(stdout) as { ok: boolean; findings: { level: string; code: string | null }[] };
  assert.equal(exit, 0);
  assert.equal(report.ok, true);
  assert.deepEqual(
    report.findings
      .filter(({ level, code }) => level !== 'ok' && code !== 'sandbox_unavailable')
      .map(({ code }) => code),
    ['host_not_running', 'model_missing'],
  );
});

test('a port that another program holds fails, and says what it answers', async (t) => {
  const foreign = await rawServer(t, (socket) => socket.end(httpAnswer(404, 'no')));
  const { run } = machine(t, { FAIRLEAD_PORT: new URL(foreign.url).port });
  const { exit, stdout } = await run();
  assert.equal(exit, 1);
  assert.match(
    stdout,
    /\nfail {2}port: port \d+ on 127\.0\.0\.1 is taken by another program, which answers HTTP 404 \(port_in_use\)\n/,
  );
});

test('a folder that is used for a Runner only is not asked for a host or its port', async (t) => {
  const gateway = await apiServer(t, [{ envelope: success({}) }]);
  const { state, run } = machine(t, { FAIRLEAD_PORT: new URL(gateway.url).port });
  writeFileSync(join(state, 'runner.toml'), runnerToml(`server_url = "${gateway.url}"\n`));
  const { exit, stdout } = await run();
  assert.equal(exit, 0, stdout);
  assert.match(stdout, /\nok {4}host: this folder is a Runner’s; its host is elsewhere\n/);
  assert.doesNotMatch(stdout, /port_in_use|host_not_running|port:/);
  for (const file of ['fairlead.toml', 'fairlead.db']) {
    writeFileSync(join(state, file), '');
    assert.match((await run()).stdout, /\(port_in_use\)/, file);
    rmSync(join(state, file));
  }
});

test('a port that another Fairlead holds is told as such', async (t) => {
  const other = await apiServer(t, [{ envelope: success({}) }]);
  const { run } = machine(t, { FAIRLEAD_PORT: new URL(other.url).port });
  assert.match((await run()).stdout, / is taken by a Fairlead of another state directory \(port_in_use\)/);
});

test('a port that is not for this user is not taken', async (t) => {
  const { run } = machine(t, { FAIRLEAD_BIND: '127.0.0.1', FAIRLEAD_PORT: '7' });
  const { stdout } = await run();
  // Root may; everybody else is told why not.
  assert.match(stdout, process.getuid?.() === 0 ? /ok {4}port: port 7 / : /\(EACCES\) \(bind_failed\)/);
});

test('secrets that others can read fail; a runner.toml without a token is no secret', async (t) => {
  const { state, run } = machine(t);
  writeFileSync(join(state, 'operator.token'), 'fairlead_pat_x\n', { mode: 0o644 });
  writeFileSync(join(state, 'runner.toml'), runnerToml(''), { mode: 0o644 });
  const first = await run();
  assert.equal(first.exit, 1);
  assert.match(
    first.stdout,
    /fail {2}secrets: \S+operator\.token can be read by other users \(mode 644\) \(token_file_readable\)\n {6}chmod 600 /,
  );
  assert.doesNotMatch(first.stdout, /runner\.toml can be read/);
  chmodSync(join(state, 'operator.token'), 0o600);
  writeFileSync(join(state, 'runner.toml'), runnerToml('token = "fairlead_runner_x"\n'));
  assert.match((await run()).stdout, /runner\.toml can be read by other users/);
});

test('init scripts really run, and one that fails is told with its reason', async (t) => {
  const { folder, state, run } = machine(t);
  const provider = '[[plugins.providers]]\nid = "a"\nname = "a"\ncommand = "sh"\nprofile = "p"\n';
  const write = (script: string) =>
    writeFileSync(
      join(state, 'runner.toml'),
      runnerToml(`[shell.profiles.p]\ninit_script = ${JSON.stringify(script)}\n${provider}`),
    );
  write(`touch ${folder}/ran; exit 3`);
  const failed = await run();
  assert.equal(failed.exit, 1);
  assert.equal(failed.stderr, 'fairlead: running the init_script of p\n');
  assert.match(
    failed.stdout,
    /fail {2}init_script of p: it fails: .* \(plugin_environment_prepare_failed\)\n {6}\S/,
  );
  assert.equal(existsSync(join(folder, 'ran')), true);
  write('PATH=/nowhere; export PATH');
  assert.match(
    (await run()).stdout,
    /fail {2}command of a: sh is not found in the PATH that the plugin gets \(plugin_executable_unavailable\)/,
  );
  write('true');
  assert.match((await run()).stdout, /ok {4}command of a: sh is \/\S+sh\n/);
});

test('a plugin that names node is told which Node it gets', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'node'), '#!/bin/sh\necho v18.0.0\n', { mode: 0o755 });
  const { state, run } = machine(t, { PATH: `${folder}:${process.env['PATH']}` });
  writeFileSync(
    join(state, 'runner.toml'),
    runnerToml('[[plugins.providers]]\nid = "a"\nname = "a"\ncommand = "node"\n'),
  );
  assert.match((await run()).stdout, /warn {2}node: plugins that name node get Node 18\.0\.0, /);
});

test('files that cannot be read as configuration fail with their code and line', async (t) => {
  const { state, run } = machine(t);
  writeFileSync(join(state, 'runner.toml'), 'client_id = \n');
  writeFileSync(join(state, 'fairlead.toml'), '[gateway]\nbind = 7\n');
  const { exit, stdout } = await run();
  assert.equal(exit, 1);
  assert.match(stdout, /fail {2}runner\.toml: \S+runner\.toml: line 1.* \(plugin_config_parse_failed\)/);
  assert.match(stdout, /fail {2}fairlead\.toml: .*gateway\.bind.* \(host_config_invalid\)/);
});

test('a runner.toml that is named must be there', async (t) => {
  const { run } = machine(t);
  assert.match((await run('--runner-config', 'gone.toml')).stdout, /\(plugin_config_read_failed\)/);
});

test('the gateway of a machine that only runs a Runner is asked who it is', async (t) => {
  const { state, run } = machine(t);
  const point = (url: string) =>
    writeFileSync(join(state, 'runner.toml'), runnerToml(`server_url = "${url}"\n`));
  point(await deadUrl());
  const dead = await run();
  assert.equal(dead.exit, 1);
  assert.match(
    dead.stdout,
    /fail {2}gateway: http:\S+ does not answer \(ECONNREFUSED\) \(server_unreachable\)/,
  );
  const proxy = await rawServer(t, (socket) => socket.end(httpAnswer(502, '<p>', ['via: 1.1 squid'])));
  point(proxy.url);
  assert.match((await run()).stdout, /is answered with HTTP 502 by 1\.1 squid, .* \(answer_not_fairlead\)/);
  const other = await rawServer(t, (socket) =>
    socket.end(httpAnswer(200, JSON.stringify(success({ name: 'x' })))),
  );
  point(other.url);
  assert.match((await run()).stdout, /is answered with HTTP 200, .* \(answer_not_fairlead\)/);
  const closed = await rawServer(t, (socket) => socket.end(httpAnswer(403, 'no')));
  point(closed.url);
  assert.match((await run()).stdout, /is answered with HTTP 403, .* \(answer_not_fairlead\)/);
});

test('a gateway whose clock differs is told by how much', async (t) => {
  const { state, run } = machine(t);
  const body = JSON.stringify(success({ name: 'fairlead', version: '0.1.0' }));
  const slow = await rawServer(t, (socket) =>
    socket.end(httpAnswer(200, body, ['date: Mon, 01 Jan 2001 00:00:00 GMT'])),
  );
  writeFileSync(join(state, 'runner.toml'), runnerToml(`server_url = "${slow.url}"\n`));
  const { exit, stdout } = await run();
  assert.equal(exit, 0, stdout);
  assert.match(
    stdout,
    /warn {2}clock: this machine's clock is \d+ s ahead of that of http:\S+ \(gateway_clock_skew\)/,
  );
});

test('a running host is asked for its Runners, their plugins and who is missing', async (t) => {
  const { state, run } = machine(t);
  const status = {
    runners: [
      { runner: 'local', plugins: [{ plugin: 'a', status: 'failed', errorCode: 'plugin_eof' }] },
      { runner: 'far', plugins: [{ plugin: 'b', status: 'ready', errorCode: null }] },
    ],
  };
  const token = (runner: string, more: object) => ({
    id: `tok_${runner}`,
    kind: 'runner',
    runner,
    expiresAtMs: null,
    revokedAtMs: null,
    ...more,
  });
  const tokens = [
    token('lost', {}),
    token('ended', { expiresAtMs: 1 }),
    token('revoked', { revokedAtMs: 1 }),
    { ...token('person', {}), kind: 'personal' },
  ];
  const server = await apiServer(t, [{ envelope: success(status) }, { envelope: success({ tokens }) }]);
  writeFileSync(join(state, 'operator.token'), 'fairlead_pat_operator\n', { mode: 0o600 });
  mkdirSync(join(state, 'runners/old'), { recursive: true });
  await using _ = await lockFolder(state);
  await writeServerFile(state, hostAt(server.url, { command: 'up', runner: 'local' }));
  const { exit, stdout } = await run();
  assert.equal(exit, 1);
  const told = stdout.split('\n').filter((line) => /^\w+ +(runner|plugin) /.test(line));
  assert.deepEqual(told, [
    'ok    runner far: it is linked to its gateway',
    'ok    plugin b on far: it is ready',
    'ok    runner local: it is linked to its gateway',
    'fail  plugin a on local: it has failed (plugin_eof)',
    'warn  runner lost: it is not connected (runner_offline)',
    'warn  runner old: it does not run on this machine (runner_offline)',
  ]);
  assert.match(stdout, /ok {4}port: the host of this state directory answers at http/);
});

test('a host that does not take the operator’s token is a finding, not the end', async (t) => {
  const { state, run } = machine(t);
  const refused = {
    success: false,
    output: null,
    error: { code: 'unauthorized', message: 'No.' },
    dispatch_certainty: 'not_started',
  };
  const server = await apiServer(t, [{ status: 401, envelope: refused }]);
  await using _ = await lockFolder(state);
  await writeServerFile(state, hostAt(server.url));
  const { exit, stdout } = await run();
  assert.equal(exit, 1);
  assert.match(stdout, /fail {2}host: .* \(operator_token_refused\)\n/);
});

test('a state directory is probed by writing, and what is no folder is told', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'file'), '');
  const kind = async (path: string) => (await probeStateDirectory(path)).kind;
  assert.equal(await kind(folder), 'writable');
  assert.equal(await kind(join(folder, 'a/b/c')), 'absent');
  assert.equal(await kind(join(folder, 'file')), 'not_a_folder');
  assert.equal(await kind(join(folder, 'file/below')), 'unwritable');
  assert.equal(await kind('/proc/self/fairlead'), 'unwritable');
  assert.deepEqual(readdirSync(folder), ['file']);
});

test('an older Node is told in words before TypeScript is read', () => {
  const entry = join(repositoryRoot, 'packages/cli/bin/fairlead.js');
  const old = `Object.defineProperty(process.versions, 'node', { value: '20.20.2' }); import(${JSON.stringify(entry)})`;
  const { status, stderr } = spawnSync(process.execPath, ['-e', old], { encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(
    stderr,
    /^fairlead: This is Node 20\.20\.2; Fairlead needs 24 or newer\. \(node_too_old\)\n {2}next: /,
  );
});

test('each model is looked at: its script, its address without the key, the variable of the key', async (t) => {
  const server = await apiServer(t, [{ status: 401, envelope: failure('unauthorized', 'not_started') }]);
  const { state, run } = machine(t, { SET_KEY: 'sk-planted-marker' });
  const dead = await deadUrl();
  writeFileSync(join(state, 'demo.json'), '{"format":"fairlead-script-v1","scripts":{"default":[]}}');
  const backend = (name: string, url: string, variable?: string) =>
    `[[backends]]\nname = "${name}"\ntype = "openai_compatible"\nbase_url = "${url}"\n` +
    (variable === undefined ? '' : `api_key_env = "${variable}"\n`) +
    '[[backends.models]]\nname = "m"\n\n';
  writeFileSync(
    join(state, 'fairlead.toml'),
    `${backend('up', `${server.url}/v1`, 'SET_KEY')}${backend('keyless', `${server.url}/v1`, 'UNSET_KEY')}${backend('gone', dead)}` +
      '[[backends]]\nname = "demo"\ntype = "scripted"\nfile = "demo.json"\n\n' +
      '[[backends]]\nname = "broken"\ntype = "scripted"\nfile = "nothing.json"\n',
  );
  const { exit, stdout } = await run();
  assert.equal(exit, 1);
  const lines = stdout.split('\n').filter((line) => /^(ok|warn|fail) +model /.test(line));
  assert.deepEqual(
    lines.map((line) => line.replaceAll(server.url, 'URL').replaceAll(dead, 'DEAD')),
    [
      'ok    model up: something answers at URL/v1 (HTTP 401 without a key); its key stands in SET_KEY',
      'warn  model keyless: UNSET_KEY, which holds its key, is not set in this shell (model_key_missing)',
      'ok    model keyless: something answers at URL/v1 (HTTP 401 without a key)',
      'fail  model gone: DEAD: ECONNREFUSED (model_unreachable)',
      'ok    model demo: its script demo.json can be used',
      lines.at(-1),
    ],
  );
  assert.match(
    lines.at(-1) ?? '',
    /^fail {2}model broken: nothing\.json: .*cannot be read.* \(script_invalid\)$/,
  );
  assert.doesNotMatch(stdout, /planted-marker/);
  assert.equal(
    server.requests.every(({ authorization }) => authorization === undefined),
    true,
  );
});

test('a table of agents that a host would refuse is told with its line', async (t) => {
  const { state, run } = machine(t);
  writeFileSync(join(state, 'fairlead.toml'), '[policy]\nleak = "shout"\n');
  const { exit, stdout } = await run();
  assert.equal(exit, 1);
  assert.match(
    stdout,
    /fail {2}fairlead\.toml: fairlead\.toml line 2: policy\.leak .* \(host_config_invalid\)/,
  );
});

test('bubblewrap is tried once, and what it says is told', async (t) => {
  const folder = temporaryFolder(t);
  assert.equal(await tryBubblewrap('/bin/true'), null);
  const refusing = join(folder, 'bwrap');
  writeFileSync(refusing, '#!/bin/sh\necho "bwrap: no user namespaces" >&2\nexit 1\n', { mode: 0o755 });
  assert.equal(await tryBubblewrap(refusing), 'bwrap: no user namespaces');
  assert.equal(await tryBubblewrap(join(folder, 'absent')), 'ENOENT');
  const env = { PATH: folder };
  assert.deepEqual(await seeSandbox({ env, platform: 'linux' }), {
    kind: 'found',
    path: refusing,
    fault: 'bwrap: no user namespaces',
  });
  assert.deepEqual(await seeSandbox({ env: { PATH: join(folder, 'empty') }, platform: 'linux' }), {
    kind: 'absent',
  });
  assert.deepEqual(await seeSandbox({ env, platform: 'darwin' }), { kind: 'other_platform' });
});

test('MCP servers are looked for without starting one: a program that is not there fails, and what an import would send is told', async (t) => {
  const { state, run } = machine(t, { TRACKER_TOKEN: 'secret-of-mine' });
  const servers = ['node', 'no-such-program-here'].map(
    (command, index) =>
      `[[mcp.servers]]\nname = "s${index}"\ncommand = "${command}"\nenv_pass = ["NOT_SET"]\n`,
  );
  writeFileSync(join(state, 'fairlead.toml'), `[mcp]\nimport = ["mcp.json"]\n${servers.join('')}`);
  const headers = { Authorization: 'Bearer $' + '{TRACKER_TOKEN}' };
  const mcpServers = { tracker: { url: 'http://127.0.0.1:1/mcp', headers } };
  writeFileSync(join(state, 'mcp.json'), JSON.stringify({ mcpServers }));
  const { exit, stdout } = await run();
  assert.equal(exit, 1, stdout);
  assert.match(stdout, /\nok {4}mcp server s0: its program is \/\S*node, started once a host runs\n/);
  assert.match(
    stdout,
    /\nfail {2}mcp server s1: no-such-program-here is not found in the PATH that it gets \(mcp_start_failed\)\n {6}Install it/,
  );
  assert.match(
    stdout,
    /\nwarn {2}mcp server s0: NOT_SET, which it is to be given, .* \(mcp_variable_missing\)\n/,
  );
  assert.match(
    stdout,
    /\nwarn {2}mcp import: mcp\.json: mcpServers\.tracker would send TRACKER_TOKEN to http:\/\/127\.0\.0\.1:1; if it may, .* \(mcp_left_out\)\n/,
  );
  assert.doesNotMatch(stdout, /secret-of-mine/);
});
