import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext as NodeTest, test } from 'node:test';
import { hygiene, temporaryFolder, waitFor } from '@fairlead/testing';
import { main } from '../src/index.ts';
import { removeServerFile, writeServerFile } from '../src/state/server-file.ts';
import { holdFolder } from './held-folder.ts';
import { hostAt } from './host-in-file.ts';
import { apiServer, failure, httpAnswer, rawServer, success } from './loopback-server.ts';
import { testContext } from './test-context.ts';

type Answers = Parameters<typeof apiServer>[1];

/** A machine without a host yet. */
function machine(t: NodeTest) {
  hygiene(t);
  const folder = temporaryFolder(t);
  const state = join(folder, 'state');
  const context = testContext(folder);
  const run = async (...args: string[]) => {
    context.printed.stdout = '';
    context.printed.stderr = '';
    const exit = await main(args, { cloneRoot: context.cloneRoot, context });
    return { exit, ...context.printed };
  };
  return { folder, state, run };
}

const hostOf = (url: string) => hostAt(url, { command: 'up', runner: 'local' });

/** The same with a host that answers as told. */
async function hosted(t: NodeTest, answers: Answers) {
  const place = machine(t);
  mkdirSync(place.state);
  const server = await apiServer(t, answers);
  writeFileSync(join(place.state, 'operator.token'), 'fairlead_pat_operator\n');
  const announce = () => writeServerFile(place.state, hostOf(server.url));
  const lock = await holdFolder(t, place.state);
  await announce();
  return { ...place, server, announce, lock };
}

test('status of a directory where nothing runs exits 3 and makes no directory', async (t) => {
  const { run, state } = machine(t);
  assert.deepEqual(await run('status'), { exit: 3, stdout: `nothing runs on ${state}\n`, stderr: '' });
  assert.deepEqual(await run('status', '--json'), {
    exit: 3,
    stdout: `{"running":false,"url":null,"pid":null,"stateDirectory":"${state}","runners":[]}\n`,
    stderr: '',
  });
  assert.equal(existsSync(state), false);
});

test('status of a running host lists every Runner’s plugins', async (t) => {
  const runners = [
    {
      runner: 'local',
      plugins: [
        { plugin: 'a', status: 'ready', errorCode: null },
        { plugin: 'b', status: 'failed', errorCode: 'plugin_eof' },
      ],
    },
    { runner: 'bare', plugins: [] },
    { runner: 'mute', plugins: [], errorCode: 'plugin_gateway_timeout' },
  ];
  const { run, state, server } = await hosted(t, [{ envelope: success({ runners }) }]);
  assert.deepEqual(await run('status'), {
    exit: 0,
    stdout:
      `running at ${server.url} (process ${process.pid})\nstate directory ${state}\n` +
      'RUNNER  PLUGIN  STATUS     CODE\n' +
      'local   a       ready      -\n' +
      'local   b       failed     plugin_eof\n' +
      'bare    -       no plugin  -\n' +
      'mute    -       no answer  plugin_gateway_timeout\n',
    stderr: '',
  });
  assert.deepEqual(server.requests[0], {
    method: 'GET',
    path: '/api/admin/status',
    authorization: 'Bearer fairlead_pat_operator',
    body: null,
  });
  const { stdout } = await run('status', '--json');
  assert.deepEqual(JSON.parse(stdout), {
    running: true,
    url: server.url,
    pid: process.pid,
    stateDirectory: state,
    runners,
    agents: null,
    extensions: [],
  });
});

test('status says that the host is paused, what its agents do, and which extensions are down', async (t) => {
  const agents = {
    pausedAtMs: Date.UTC(2026, 0, 2, 3, 4, 5),
    agents: ['fairlead', 'helper'],
    model: 'demo/script',
    running: [{ session: 'ses_aaaaaaaaaaaaaaaaaaaaaa', turn: 'trn_1', state: 'tool', tool: 'shell' }],
    waiting: 2,
    approvals: 1,
  };
  const extensions = [{ name: 'notes', state: 'down', code: 'extension_crashed', reason: 'It ended.' }];
  const idle = { agents: [], model: null, pausedAtMs: null };
  const { run, server } = await hosted(t, [
    { envelope: success({ runners: [], agents, extensions }) },
    { envelope: success({ runners: [], agents: idle, extensions: [] }) },
    { envelope: success({ runners: [], agents, extensions }) },
  ]);
  const { exit, stdout } = await run('status');
  assert.equal(exit, 0);
  assert.deepEqual(
    stdout
      .split('\n')
      .slice(2, -2)
      .map((line) => line.replace(/\S*fairlead (resume|approvals list).*/, 'fairlead $1')),
    [
      'paused since 2026-01-02T03:04:05Z; go on with: fairlead resume',
      'agents fairlead, helper, with demo/script',
      'turn in ses_aaaaaaaaaaaaaaaaaaaaaa: tool shell',
      'sessions in which something waits for an answer: 2',
      'calls that wait for an approval: 1; see fairlead approvals list',
      'extension notes is down: It ended. (extension_crashed)',
    ],
  );
  assert.match(
    (await run('status')).stdout,
    /\nno model, so no agent answers; add one with: .*fairlead model add/,
  );
  const json = JSON.parse((await run('status', '--json')).stdout) as { agents: unknown; extensions: unknown };
  assert.deepEqual(json.agents, agents);
  assert.deepEqual(json.extensions, extensions);
  assert.equal(server.requests.length, 3);
});

test('pause and resume say what they changed', async (t) => {
  const { run, server } = await hosted(t, [
    { envelope: success({ paused: true, changed: true }) },
    { envelope: success({ paused: true, changed: false }) },
    { envelope: success({ paused: false, changed: true }) },
    { envelope: success({ paused: false, changed: false }) },
  ]);
  assert.deepEqual(await run('pause'), {
    exit: 0,
    stdout: 'paused; nothing starts until resume\n',
    stderr: '',
  });
  assert.equal((await run('pause')).stdout, 'it was paused already\n');
  assert.equal((await run('resume')).stdout, 'resumed\n');
  assert.equal((await run('resume', '--json')).stdout, '{"paused":false,"changed":false}\n');
  assert.deepEqual(
    server.requests.map(({ method, path }) => `${method} ${path}`),
    ['POST /api/admin/pause', 'POST /api/admin/pause', 'POST /api/admin/resume', 'POST /api/admin/resume'],
  );
});

test('pause without a host says how to start one', async (t) => {
  const { run } = machine(t);
  const { exit, stderr } = await run('pause');
  assert.equal(exit, 1);
  assert.match(stderr, /\(host_not_running\)/);
});

test('status without a Runner says so', async (t) => {
  const { run } = await hosted(t, [{ envelope: success({ runners: [] }) }]);
  assert.match((await run('status')).stdout, /\nno Runner is connected\n$/);
});

test('a host that does not take the operator token is told apart', async (t) => {
  const { run } = await hosted(t, [{ status: 401, envelope: failure('unauthorized', 'not_started') }]);
  assert.deepEqual(await run('status'), {
    exit: 1,
    stdout: '',
    stderr:
      'fairlead: The host does not take the token that stands in operator.token. (operator_token_refused)\n' +
      '  reason: The server says unauthorized.\n' +
      '  next: Stop the host with Ctrl-C or by its process number and start it again: it then writes a new one.\n',
  });
});

test('a host that answers its health and nothing else is told by what became of the request', async (t) => {
  const { run, state } = machine(t);
  mkdirSync(state);
  const health = httpAnswer(200, JSON.stringify(success({ name: 'fairlead', version: '0.1.0' })), [
    'connection: close',
  ]);
  let refusal = '';
  const server = await rawServer(t, (socket, request) => {
    if (request.startsWith('GET /healthz ')) socket.end(health);
    else if (refusal === '') socket.resetAndDestroy();
    else socket.end(refusal);
  });
  await holdFolder(t, state);
  await writeServerFile(state, hostOf(server.url));
  const lost = await run('status');
  assert.equal(lost.exit, 1);
  assert.match(lost.stderr, /\(read_lost\)\n {2}reason: ECONNRESET\n/);
  refusal = httpAnswer(403, 'Forbidden');
  const refused = await run('status');
  assert.equal(refused.exit, 1);
  assert.match(refused.stderr, /\(access_refused\)\n {2}status: 403\n/);
});

test('stop where nothing runs says so and is done', async (t) => {
  const { run, state } = machine(t);
  assert.deepEqual(await run('stop'), { exit: 0, stdout: `nothing runs on ${state}\n`, stderr: '' });
  mkdirSync(state);
  assert.equal((await run('stop')).exit, 0);
});

test('stop asks the host and waits until it has let go of the directory', async (t) => {
  const { run, server, lock } = await hosted(t, [{ envelope: success({ stopping: true }) }]);
  const stopped = run('stop');
  // Lets go once it was asked, as a host does.
  await waitFor(() => server.requests.length > 0, { what: 'the request to stop' });
  await lock.release();
  assert.deepEqual(await stopped, { exit: 0, stdout: `stopped ${server.url}\n`, stderr: '' });
  assert.deepEqual(
    server.requests.map(({ method, path }) => `${method} ${path}`),
    ['POST /api/admin/stop'],
  );
});

test('stop finds a host that is still starting', async (t) => {
  const { run, state, server, announce, lock } = await hosted(t, [{ envelope: success({ stopping: true }) }]);
  await removeServerFile(state);
  const stopped = run('stop');
  await announce();
  await waitFor(() => server.requests.length > 0, { what: 'the request to stop' });
  await lock.release();
  assert.equal((await stopped).stdout, `stopped ${server.url}\n`);
});

test('token commands ask the host that runs', async (t) => {
  const token = { id: 'tok_x', name: 'ci', kind: 'personal', scopes: ['plugin:inspect'], runners: ['a'] };
  const times = { createdAtMs: 0, expiresAtMs: 86_400_000, revokedAtMs: null };
  const { run, server } = await hosted(t, [
    { envelope: success({ secret: 'fairlead_pat_new', token: { ...token, ...times } }) },
    { envelope: success({ secret: 'fairlead_runner_new', token: { id: 'tok_r', expiresAtMs: null } }) },
    { envelope: success({ tokens: [{ ...token, ...times }] }) },
    { envelope: success({ id: 'tok_x/y', revoked: true }) },
    { envelope: failure('token_not_found', 'not_started') },
    { envelope: success({ tokens: [] }) },
    { envelope: success({}) },
  ]);
  const create = ['token', 'create', '--name', 'ci', '--scopes', 'plugin:inspect, admin,', '--runners', 'a'];
  assert.deepEqual(await run(...create, '--expires', '1d'), {
    exit: 0,
    stdout: 'fairlead_pat_new\n',
    stderr: 'token tok_x, valid until 1970-01-02; it is not shown again\n',
  });
  assert.deepEqual(await run('token', 'create', '--runner', 'a', '--name', 'r'), {
    exit: 0,
    stdout: 'fairlead_runner_new\n',
    stderr: 'token tok_r, without an end; it is not shown again\n',
  });
  assert.equal(
    (await run('token', 'list')).stdout,
    'ID     KIND      NAME  STATE               OPENS\ntok_x  personal  ci    expired 1970-01-02  plugin:inspect, on a alone\n',
  );
  assert.equal((await run('token', 'revoke', 'tok_x/y')).stdout, 'revoked tok_x/y\n');
  const absent = await run('token', 'revoke', 'tok_z');
  assert.equal(absent.exit, 1);
  assert.match(absent.stderr, /\(token_not_found\)\n {2}next: Copy the id from `fairlead token list`\.\n/);
  assert.equal((await run('token', 'list')).stdout, 'there is no token\n');
  assert.match((await run(...create)).stderr, /The host answered without a token\. \(answer_lost\)/);
  assert.deepEqual(
    server.requests.map(({ method, path, body }) => [method, path, body]),
    [
      [
        'POST',
        '/api/admin/tokens',
        { name: 'ci', scopes: ['plugin:inspect', 'admin'], runners: ['a'], expiresInMs: 86_400_000 },
      ],
      ['POST', '/api/admin/tokens', { runner: 'a', name: 'r' }],
      ['GET', '/api/admin/tokens', null],
      ['DELETE', '/api/admin/tokens/tok_x%2Fy', null],
      ['DELETE', '/api/admin/tokens/tok_z', null],
      ['GET', '/api/admin/tokens', null],
      ['POST', '/api/admin/tokens', { name: 'ci', scopes: ['plugin:inspect', 'admin'], runners: ['a'] }],
    ],
  );
});

test('without a host, token commands do it themselves', async (t) => {
  const { run } = machine(t);
  assert.equal((await run('token', 'list')).stdout, 'there is no token\n');
  const made = await run('token', 'create', '--name', 'ci', '--scopes', 'admin', '--json');
  const { secret, token } = JSON.parse(made.stdout) as { secret: string; token: { id: string } };
  assert.match(secret, /^fairlead_pat_[\w-]{43}$/);
  const runner = await run('token', 'create', '--runner', 'a');
  assert.match(runner.stdout, /^fairlead_runner_[\w-]{43}\n$/);
  const listed = await run('token', 'list');
  assert.match(listed.stdout, /^tok_\S+ +personal {2}ci +valid until 20\d\d-\d\d-\d\d {2}admin$/m);
  assert.match(listed.stdout, /^tok_\S+ +runner +Runner token +valid until .* {2}the link of Runner a$/m);
  assert.equal(listed.stdout.includes(secret.slice(13)), false);
  assert.equal(
    (await run('token', 'revoke', token.id, '--json')).stdout,
    `{"id":"${token.id}","revoked":true}\n`,
  );
  assert.match(
    (await run('token', 'list')).stdout,
    /^tok_\S+ +personal {2}ci +revoked 20\d\d-\d\d-\d\d +admin$/m,
  );
  const { tokens } = JSON.parse((await run('token', 'list', '--json')).stdout) as { tokens: object[] };
  assert.deepEqual(Object.keys(tokens[0] ?? {}), [
    'id',
    'name',
    'kind',
    'scopes',
    'runners',
    'createdAtMs',
    'expiresAtMs',
    'revokedAtMs',
  ]);
  const absent = await run('token', 'revoke', 'tok_z');
  assert.match(absent.stderr, /\(token_not_found\)/);
  const unknown = await run('token', 'create', '--name', 'x', '--scopes', 'everything');
  assert.equal(unknown.exit, 1);
  assert.match(unknown.stderr, /\(token_request_invalid\)/);
});

test('a state directory that is no folder is told', async (t) => {
  const { run, state } = machine(t);
  writeFileSync(state, '');
  const { exit, stderr } = await run('token', 'list');
  assert.equal(exit, 1);
  assert.equal(
    stderr.startsWith(
      `fairlead: The state directory ${state} cannot be made. (state_directory_unwritable)\n  reason: EEXIST\n`,
    ),
    true,
    stderr,
  );
});

test('a file of the state directory that is no database is named', async (t) => {
  const { run, state } = machine(t);
  mkdirSync(join(state, 'lock'), { recursive: true });
  const { exit, stderr } = await run('token', 'list');
  assert.equal(exit, 1);
  assert.equal(
    stderr,
    `fairlead: The file is not a database. (store_not_a_database)\n  file: ${state}/lock\n  next: Move the file away, or restore a backup in its place.\n`,
  );
  rmSync(join(state, 'lock'), { recursive: true });
  writeFileSync(join(state, 'fairlead.db'), 'not a database, however long this text is '.repeat(100));
  const database = await run('token', 'list');
  assert.match(database.stderr, /\(store_not_a_database\)\n {2}file: .*\/state\/fairlead\.db\n/);
});

test('config show says where each value came from', async (t) => {
  const { run, state } = machine(t);
  mkdirSync(state);
  writeFileSync(
    join(state, 'fairlead.toml'),
    '[gateway]\nport = 9000\ntypo = 1\n\n[models.x]\napi_key_env = "MY_MODEL_KEY"\n',
  );
  const { exit, stdout, stderr } = await run('config', 'show');
  assert.equal(exit, 0);
  assert.match(stdout, /^state directory .*\nKEY +VALUE +FROM\n/);
  assert.match(stdout, /^gateway\.bind +127\.0\.0\.1 +default$/m);
  assert.match(stdout, /^gateway\.port +9000 +fairlead\.toml line 2$/m);
  assert.match(stdout, /^gateway\.public_url +- +default$/m);
  assert.match(stdout, /\nkept from every plugin, worker and shell: MY_MODEL_KEY\n$/);
  assert.match(stderr, /gateway\.typo|typo/);
  const json = JSON.parse((await run('config', 'show', '--json')).stdout) as {
    stateDirectory: string;
    secretVariables: string[];
    values: { key: string }[];
  };
  assert.equal(json.stateDirectory, state);
  assert.deepEqual(json.secretVariables, ['MY_MODEL_KEY']);
  assert.deepEqual(
    json.values.find(({ key }) => key === 'gateway.port'),
    {
      key: 'gateway.port',
      value: 9000,
      source: 'file',
      from: null,
      line: 2,
    },
  );
});

test('config show names search engines and pins, and the variable of a key instead of the key', async (t) => {
  const { run, state } = machine(t);
  mkdirSync(state);
  writeFileSync(
    join(state, 'fairlead.toml'),
    `[[web.search]]
type = "brave"
api_key_env = "BRAVE_KEY"

[[plugins.pinned]]
runner = "local"
plugin = "notes"
tool = "add"
agents = ["scout"]
`,
  );
  const { exit, stdout } = await run('config', 'show');
  assert.equal(exit, 0);
  assert.match(stdout, /^web\.search\.0 +brave, key in \$BRAVE_KEY +fairlead\.toml line 1$/m);
  assert.match(stdout, /^plugins\.pinned\.notes__add +local\/notes\/add, for scout +fairlead\.toml line 5$/m);
});

test('a configuration that is named must be there', async (t) => {
  const { run } = machine(t);
  const { exit, stderr } = await run('config', 'show', '--config', 'absent.toml');
  assert.equal(exit, 1);
  assert.match(stderr, /\(host_config_read_failed\)\n {2}next: Check the path and who may read it\.\n/);
});

test('runner run says what is missing before it starts anything', async (t) => {
  const { run, folder, state } = machine(t);
  const configPath = join(folder, 'r.toml');
  const at = ['runner', 'run', '--config', 'r.toml'];
  assert.match((await run('runner', 'run')).stderr, /\/state\/runner\.toml: .*\(plugin_config_read_failed\)/);
  writeFileSync(configPath, '');
  assert.match((await run(...at)).stderr, /r\.toml has no client_id\. \(runner_id_missing\)\n/);
  writeFileSync(configPath, 'client_id = "a"\n');
  assert.match((await run(...at)).stderr, /\(server_url_missing\)\n/);
  const server = ['--server-url', 'http://127.0.0.1:1'];
  assert.match((await run(...at, ...server)).stderr, /\(runner_token_missing\)\n/);
  writeFileSync(configPath, 'client_id = "a"\ntoken = "fairlead_pat_x"\n');
  assert.match((await run(...at, ...server)).stderr, /\(personal_token_refused\)\n/);
  writeFileSync(configPath, 'client_id = 7\n');
  const wrong = await run(...at);
  assert.equal(wrong.exit, 1);
  assert.match(wrong.stderr, /r\.toml: .*client_id.*\(plugin_config_invalid\)/);
  assert.equal(existsSync(state), false);
});
