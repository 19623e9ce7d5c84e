import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { FairleadError, systemClock, systemRandom } from '@fairlead/base';
import type { RunnerResponse } from '@fairlead/protocol';
import { hygiene, manualClock, temporaryFolder, waitFor } from '@fairlead/testing';
import { connectLink } from '../src/link/link-socket.ts';
import { readLocalStatus, readStderr } from '../src/local/read-stderr.ts';
import { type Runner, type RunnerOptions, startRunner } from '../src/runner.ts';
import { allEnd, callLine, HELLO, HOSTILE, notHanging, told } from './hostile-providers.ts';
import { LinkPeer } from './link-peer.ts';

type Started = {
  readonly runner: Runner;
  readonly folder: string;
  readonly logged: string[];
  stdin(record: string): string;
};

function toml(folder: string, entries: Readonly<Record<string, string>>, more = ''): string {
  const tables = Object.entries(entries).map(([id, scenario]) => {
    const args = JSON.stringify([HOSTILE, scenario, join(folder, id)]);
    return `[[plugins.providers]]\nid = "${id}"\nname = "Provider ${id}"\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${args}\n${more}`;
  });
  return tables.join('\n');
}

async function start(
  t: TestContext,
  entries: Readonly<Record<string, string>>,
  options: Partial<RunnerOptions> & { readonly head?: string; readonly more?: string } = {},
): Promise<Started> {
  const folder = options.stateDirectory ?? temporaryFolder(t);
  const configPath = join(folder, 'runner.toml');
  writeFileSync(configPath, `${options.head ?? ''}\n${toml(folder, entries, options.more)}`);
  const logged: string[] = [];
  const runner = await startRunner({
    configPath,
    runnerId: 'r1',
    gatewayUrl: 'http://127.0.0.1:9',
    token: 'fairlead_runner_planted-token',
    stateDirectory: folder,
    env: process.env,
    cwd: folder,
    platform: process.platform,
    clock: systemClock(),
    random: systemRandom(),
    log: (level, event, fields) => logged.push(JSON.stringify({ level, event, ...fields })),
    ...options,
  });
  t.after(() => runner.close());
  const stdin = (record: string) =>
    existsSync(join(folder, record)) ? readFileSync(join(folder, record), 'utf8') : '';
  return { runner, folder, logged, stdin };
}

async function callRequest(
  peer: LinkPeer,
  provider: string,
  args: { readonly [key: string]: string | number } = {},
) {
  const listed = await peer.ask({ kind: 'tools_list', provider });
  assert.ok('payload' in listed && listed.payload.kind === 'tools_list');
  const [tool] = listed.payload.tools;
  return {
    kind: 'tools_call',
    provider,
    provider_instance: listed.payload.provider_instance ?? '',
    tool: 'echo',
    observation: tool?.observation ?? '',
    arguments: args,
  } as const;
}

test('a Runner is registered before the first provider answers, and shows it as starting', async (t) => {
  hygiene(t);
  const peer = await LinkPeer.listen(t);
  const clock = manualClock();
  const { runner, stdin } = await start(
    t,
    { slow: 'initialize-never-answers' },
    { clock, gatewayUrl: peer.url, more: 'timeout_secs = 1', instanceName: 'Desk' },
  );
  await notHanging(runner.registered);
  const register = await peer.frame('register');
  assert.deepEqual(register, {
    type: 'register',
    runner_id: 'r1',
    instance_id: runner.instanceId,
    connection_epoch: 1,
    name: 'Desk',
    capabilities: ['native_tool_plugins'],
    projects: [],
  });
  assert.equal(peer.requests[0]?.url, '/api/runner/link');
  assert.equal(peer.requests[0]?.headers['sec-websocket-extensions'], undefined);
  assert.equal(peer.requests[0]?.headers.authorization, 'Bearer fairlead_runner_planted-token');
  const rows = await peer.ask({ kind: 'providers_list' });
  assert.deepEqual('payload' in rows && rows.payload, {
    kind: 'providers_list',
    providers: [{ id: 'slow', name: 'Provider slow', status: 'starting', error_code: null }],
  });
  await waitFor(() => stdin('slow') !== '', { what: 'the provider to be asked' });
  await clock.advance(1000);
  await notHanging(runner.settled);
  assert.equal(runner.status()[0]?.error_code, 'plugin_timeout');
});

test('calls to several providers run beside each other over one link', async (t) => {
  hygiene(t);
  const peer = await LinkPeer.listen(t);
  const { runner, folder, stdin } = await start(
    t,
    { slow: 'gate', fast: 'well-behaved' },
    { gatewayUrl: peer.url },
  );
  await Promise.all([runner.registered, runner.settled]);
  const until = join(folder, 'open');
  const slow = peer.ask(await callRequest(peer, 'slow', { until }));
  assert.equal(
    told(await notHanging(peer.ask(await callRequest(peer, 'fast', { n: 1 })))),
    'completed payload',
  );
  writeFileSync(until, '');
  assert.equal(told(await notHanging(slow)), 'completed payload');
  assert.equal(stdin('fast'), HELLO + callLine(3, { n: 1 }));
});

test('a call whose link is lost goes on to its end here, its result is dropped, and nothing is sent again', async (t) => {
  hygiene(t);
  const peer = await LinkPeer.listen(t);
  const { runner, folder, stdin } = await start(t, { p: 'gate' }, { gatewayUrl: peer.url });
  await Promise.all([runner.registered, runner.settled]);
  const until = join(folder, 'open');
  const request = await callRequest(peer, 'p', { until });
  void peer.ask(request);
  await waitFor(() => stdin('p').includes('tools/call'), { what: 'the call at the child' });
  peer.drop();
  await notHanging(peer.frame('register', 2));
  writeFileSync(until, '');
  // The provider is free again only when its call has ended: then a new one is taken.
  await waitFor(async () => told(await peer.ask(request)) === 'completed payload', {
    what: 'the end of the first call',
  });
  const results = peer.frames.filter((frame) => frame.type === 'result' && 'payload' in frame.response);
  assert.deepEqual(
    results.map(
      (frame) => frame.type === 'result' && 'payload' in frame.response && frame.response.payload.kind,
    ),
    ['tools_list', 'tools_call'],
  );
  assert.equal(stdin('p'), HELLO + callLine(3, { until }) + callLine(4, { until }));
  assert.equal((await peer.frame('register', 2)).type, 'register');
});

test('a gateway that comes back on the same port gets the Runner back', async (t) => {
  hygiene(t);
  const first = await LinkPeer.listen(t);
  const { runner } = await start(t, {}, { gatewayUrl: first.url });
  await notHanging(runner.registered);
  const { port } = first;
  await first.close();
  const second = await LinkPeer.listen(t, port);
  await notHanging(second.frame('register'));
  const response = await second.ask({ kind: 'providers_list' });
  assert.equal(told(response), 'completed payload');
});

test('stopping tells the gateway what became of the call in flight, says goodbye, and leaves nothing', async (t) => {
  hygiene(t);
  const peer = await LinkPeer.listen(t);
  const { runner, folder, stdin } = await start(t, { p: 'never-answers' }, { gatewayUrl: peer.url });
  await Promise.all([runner.registered, runner.settled]);
  const call = peer.ask(await callRequest(peer, 'p'));
  await waitFor(() => stdin('p').includes('tools/call'), { what: 'the call at the child' });
  const pid = Number(readFileSync(join(folder, 'p.pids'), 'utf8'));
  await notHanging(runner.close());
  assert.equal(told(await notHanging(call)), 'outcome_unknown plugin_manager_stopping');
  await notHanging(peer.frame('goodbye'));
  await allEnd([pid]);
  assert.equal(existsSync(join(folder, 'runners/r1/runner.sock')), false);
});

test('nothing that belongs to this machine crosses the link or stands in the log', async (t) => {
  hygiene(t);
  const peer = await LinkPeer.listen(t);
  const folder = temporaryFolder(t);
  const state = join(folder, 'planted-state');
  const cwd = join(folder, 'planted-cwd');
  for (const path of [state, cwd]) mkdirSync(path);
  const scenarios = {
    marker: 'stderr-marker',
    broken: 'initialize-rpc-error',
    error: 'rpc-error',
    dies: 'dies-on-call',
  };
  const { runner, logged } = await start(t, scenarios, {
    gatewayUrl: peer.url,
    stateDirectory: state,
    env: { ...process.env, HOSTILE_MARKER: 'planted-env-value', FAIRLEAD_TOKEN: 'planted-credential' },
    head: '[shell.env]\nPLANTED_NAME = "planted-shell-env"',
    more: `cwd = ${JSON.stringify(cwd)}`,
  });
  await Promise.all([runner.registered, runner.settled]);
  const answers: RunnerResponse[] = [];
  for (const id of ['marker', 'error', 'dies'])
    answers.push(await peer.ask(await callRequest(peer, id, { x: 'planted-argument' })));
  for (const id of Object.keys(scenarios)) {
    answers.push(await peer.ask({ kind: 'check', provider: id }));
    answers.push(await peer.ask({ kind: 'tools_list', provider: id }));
  }
  answers.push(await peer.ask({ kind: 'reload' }));
  writeFileSync(
    join(state, 'runner.toml'),
    '[[plugins.providers]]\nid = "x"\nname = "X"\ncommand = "planted-command"\nargs = ["planted-arg"]',
  );
  answers.push(await peer.ask({ kind: 'check', provider: 'x' }), await peer.ask({ kind: 'reload' }));
  writeFileSync(join(state, 'runner.toml'), 'token = "planted-file-token" planted-line');
  answers.push(await peer.ask({ kind: 'check', provider: 'x' }), await peer.ask({ kind: 'reload' }));
  await waitFor(
    async () => {
      const stderr = await readStderr({ stateDirectory: state, runnerId: 'r1', plugin: 'marker' });
      return stderr.ok && stderr.stderr.committed?.some(({ text }) => text.includes('planted-env-value'));
    },
    { what: 'the stderr line on this machine' },
  );
  const pid = readFileSync(join(state, 'marker.pids'), 'utf8').split('\n')[0];
  // What the plugin itself answered is the caller's; nothing else may hold a marker.
  const seen = [...peer.received, ...logged]
    .map((line) => line.replaceAll('planted-argument', ''))
    .join('\n');
  assert.doesNotMatch(seen, /planted/i);
  assert.equal(seen.includes(process.execPath), false);
  assert.equal(seen.includes(`"pid"`), false);
  assert.equal(new RegExp(`\\b${pid}\\b`).test(seen.replaceAll(/"ts":\d+/g, '')), false);
  assert.equal(answers.length, 16);
});

test('projects are registered by id, name and kind, without their paths', async (t) => {
  hygiene(t);
  const peer = await LinkPeer.listen(t);
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'projects'));
  writeFileSync(
    join(folder, 'projects/site.toml'),
    'id = "site"\npath = "/planted/path"\nname = "The site"\nkind = "git"',
  );
  writeFileSync(join(folder, 'projects/wrong.toml'), 'id = "wrong"');
  const { runner, logged } = await start(
    t,
    {},
    {
      gatewayUrl: peer.url,
      stateDirectory: folder,
      head: 'project_registry_dir = "projects"\ndisplay_name = "From the file"\nunknwon = 1',
    },
  );
  await notHanging(runner.registered);
  const register = await peer.frame('register');
  assert.ok(register.type === 'register');
  assert.deepEqual(register.projects, [{ id: 'site', name: 'The site', kind: 'git' }]);
  assert.equal(register.name, 'From the file');
  assert.equal(peer.received.join().includes('planted'), false);
  assert.deepEqual(
    logged.filter((line) => line.includes('warning')),
    [
      '{"level":"warn","event":"config.warning","detail":"line 3: unknwon is not a known key; it is ignored"}',
      '{"level":"warn","event":"project.warning","file":"wrong.toml","detail":"the file needs the key path"}',
    ],
  );
});

test('a gateway that answers 401 ends it: runner_unauthorized, without trying again', async (t) => {
  hygiene(t);
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.writeHead(401).end('{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => new Promise((resolve) => server.close(resolve)));
  const { runner } = await start(
    t,
    {},
    { gatewayUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
  );
  assert.equal((await notHanging(runner.fatal)).code, 'runner_unauthorized');
  assert.equal(asked, 1);
});

test('a token that no header can carry is refused before anything is started', async (t) => {
  hygiene(t);
  for (const token of ['', 'a b', 'a\r\nx: y', 'ä']) {
    await assert.rejects(start(t, {}, { token }), { code: 'runner_unauthorized' });
  }
});

test('a gateway that takes the connection and says nothing is given up after the connect timeout', async (t) => {
  hygiene(t);
  const server = createTcpServer((socket) => void socket.on('error', () => {}).resume());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => new Promise((resolve) => server.close(resolve)));
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/api/runner/link`;
  const ended = Promise.withResolvers<void>();
  connectLink(
    { url, token: 't', timeoutMs: 100 },
    {
      onOpen: () => assert.fail('it opened'),
      onFrame: () => {},
      onRefused: () => {},
      onClose: ended.resolve,
    },
  );
  await notHanging(ended.promise);
});

test('a binary frame ends the link', async (t) => {
  hygiene(t);
  const { WebSocketServer } = await import('ws');
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  t.after(() => new Promise<void>((resolve) => server.close(() => resolve())));
  server.on('connection', (socket) => socket.send(Buffer.from('{"type":"registered"}'), { binary: true }));
  const closed = Promise.withResolvers<void>();
  const frames: unknown[] = [];
  const socket = connectLink(
    { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 't', timeoutMs: 5000 },
    {
      onOpen: () => {},
      onFrame: (bytes) => frames.push(bytes),
      onRefused: () => {},
      onClose: closed.resolve,
    },
  );
  socket.pause();
  socket.resume();
  await notHanging(closed.promise);
  assert.deepEqual(frames, []);
});

test('a runner id is held by one process of a machine; others run beside it', async (t) => {
  hygiene(t);
  const stateDirectory = temporaryFolder(t);
  const first = await start(t, { p: 'well-behaved' }, { stateDirectory });
  await assert.rejects(start(t, {}, { stateDirectory }), { code: 'runner_folder_in_use' });
  const second = await start(t, {}, { stateDirectory, runnerId: 'r2' });
  await first.runner.close();
  await second.runner.close();
  // What was held is free again.
  const again = await start(t, {}, { stateDirectory });
  await again.runner[Symbol.asyncDispose]();
});

test('two Runners with the same provider ids never mix', async (t) => {
  hygiene(t);
  const one = await LinkPeer.listen(t);
  const two = await LinkPeer.listen(t);
  const first = await start(t, { p: 'well-behaved' }, { gatewayUrl: one.url });
  const second = await start(t, { p: 'well-behaved' }, { gatewayUrl: two.url, runnerId: 'r2' });
  await Promise.all([
    first.runner.registered,
    first.runner.settled,
    second.runner.registered,
    second.runner.settled,
  ]);
  const ofFirst = await callRequest(one, 'p', { to: 'first' });
  assert.equal(told(await two.ask(ofFirst)), 'not_started stale_plugin_provider');
  assert.equal(told(await one.ask(ofFirst)), 'completed payload');
  assert.equal(first.stdin('p'), HELLO + callLine(3, { to: 'first' }));
  assert.equal(second.stdin('p'), HELLO);
});

test('a file that cannot be used stops the start with its code, and its lines go to the log', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const logged: string[] = [];
  await assert.rejects(
    start(
      t,
      {},
      {
        stateDirectory: folder,
        head: '[plugins]\nrequest_timeout_secs = 0',
        log: (level, event, fields) => logged.push(JSON.stringify({ level, event, ...fields })),
      },
    ),
    (error: unknown) => error instanceof FairleadError && error.code === 'plugin_config_invalid',
  );
  assert.deepEqual(logged, [
    '{"level":"error","event":"config.refused","code":"plugin_config_invalid","detail":"line 2: plugins.request_timeout_secs must be a whole number from 1 to 120"}',
  ]);
  assert.equal(existsSync(join(folder, 'runners')), false);
});

test('without a file there is no provider; reload finds one that was written since', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const configPath = join(folder, 'later.toml');
  const { runner } = await start(t, {}, { stateDirectory: folder, configPath });
  await runner.settled;
  assert.deepEqual(runner.status(), []);
  assert.equal(
    told(await runner.handleRequest({ kind: 'reload' }, 1000)),
    'not_started plugin_config_read_failed',
  );
  writeFileSync(configPath, toml(folder, { p: 'well-behaved' }));
  assert.equal(told(await notHanging(runner.handleRequest({ kind: 'reload' }, 1000))), 'completed payload');
  assert.equal(runner.status()[0]?.status, 'ready');
});

test('a Runner that was given no file at all cannot reload', async (t) => {
  hygiene(t);
  const stateDirectory = temporaryFolder(t);
  const options: RunnerOptions = {
    runnerId: 'r1',
    gatewayUrl: 'http://127.0.0.1:9',
    token: 't',
    stateDirectory,
    env: {},
    platform: process.platform,
    clock: systemClock(),
    random: systemRandom(),
    log: () => {},
  };
  await using runner = await startRunner(options);
  assert.equal(
    told(await runner.handleRequest({ kind: 'reload' }, 1000)),
    'not_started plugin_config_read_failed',
  );
});

test('on Windows it runs without a local socket, and says so', async (t) => {
  hygiene(t);
  const { runner, folder, logged } = await start(t, {}, { platform: 'win32' });
  await runner.settled;
  assert.equal(told(await runner.handleRequest({ kind: 'providers_list' }, 1000)), 'completed payload');
  assert.equal(logged.includes('{"level":"warn","event":"local.unavailable"}'), true);
  const answer = await readStderr({ stateDirectory: folder, runnerId: 'r1', plugin: 'p' });
  assert.deepEqual(answer, { ok: false, code: 'runner_not_running' });
});

test('stderr and status are read over a socket of mode 0600, on this machine only', async (t) => {
  hygiene(t);
  const { runner, folder } = await start(t, { p: 'stderr-marker', dies: 'initialize-dies' });
  await runner.settled;
  const where = { stateDirectory: folder, runnerId: 'r1' };
  assert.equal(statSync(join(folder, 'runners/r1')).mode & 0o777, 0o700);
  assert.equal(statSync(join(folder, 'runners/r1/runner.sock')).mode & 0o777, 0o600);
  await waitFor(
    async () => {
      const answer = await readStderr({ ...where, plugin: 'p' });
      return answer.ok && answer.stderr.committed?.length === 1;
    },
    { what: 'the line of stderr' },
  );
  assert.deepEqual(await readStderr({ ...where, plugin: 'p' }), {
    ok: true,
    stderr: {
      plugin: 'p',
      committed: [{ text: 'planted-stderr-marker undefined', truncated: false }],
      candidate: null,
    },
  });
  assert.deepEqual(await readStderr({ ...where, plugin: 'absent' }), {
    ok: false,
    code: 'plugin_not_configured',
  });
  assert.deepEqual(await readLocalStatus(where), {
    ok: true,
    registered: false,
    providers: [
      { id: 'p', name: 'Provider p', status: 'ready', error_code: null },
      { id: 'dies', name: 'Provider dies', status: 'failed', error_code: 'plugin_eof' },
    ],
  });
  await runner.close();
  assert.deepEqual(await readStderr({ ...where, plugin: 'p' }), { ok: false, code: 'runner_not_running' });
});
