import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext as NodeTest, test } from 'node:test';
import { lockFolder } from '@fairlead/store';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { main } from '../src/index.ts';
import { writeServerFile } from '../src/state/server-file.ts';
import { connectProxy } from './connect-proxy.ts';
import { hostAt } from './host-in-file.ts';
import { apiServer, deadUrl, failure, httpAnswer, rawServer, success } from './loopback-server.ts';
import { testContext } from './test-context.ts';

function machine(t: NodeTest) {
  hygiene(t);
  const folder = temporaryFolder(t);
  const state = join(folder, 'state');
  const context = testContext(folder);
  const run = async (...args: string[]) => {
    context.printed.stdout = '';
    context.printed.stderr = '';
    const exit = await main(['runner', ...args], { cloneRoot: context.cloneRoot, context });
    return { exit, ...context.printed };
  };
  return { folder, state, run };
}

const secret = `fairlead_runner_${'s'.repeat(43)}`;
const paired = { envelope: success({ runner: 'far', token: secret, expiresAtMs: 1 }) };
const code = '7K3M-9QXP-0000-ABCD';

test('join shows the code and writes runner.toml and the token, for their owner alone', async (t) => {
  const { state, run } = machine(t);
  const gateway = await apiServer(t, [paired]);
  const { exit, stdout, stderr } = await run('join', '--no-start', gateway.url, code);
  assert.equal(exit, 0, stderr);
  assert.equal(stdout, '');
  assert.equal(
    stderr,
    `fairlead: this machine is Runner far now; its plugins stand in ${state}/runner.toml\n`,
  );
  assert.deepEqual(gateway.requests, [
    { method: 'POST', path: '/api/runner/pair', authorization: undefined, body: { code } },
  ]);
  const toml = readFileSync(join(state, 'runner.toml'), 'utf8');
  assert.match(toml, new RegExp(`\nclient_id = "far"\nserver_url = "${gateway.url}"\n$`));
  assert.equal(toml.includes(secret), false);
  assert.equal(readFileSync(join(state, 'runner.token'), 'utf8'), `${secret}\n`);
  for (const name of ['runner.toml', 'runner.token'])
    assert.equal(statSync(join(state, name)).mode & 0o777, 0o600);
});

test('join never writes over a Runner that is there, and spends no code', async (t) => {
  const { state, run } = machine(t);
  const gateway = await apiServer(t, [paired]);
  mkdirSync(state);
  for (const name of ['runner.toml', 'runner.token']) {
    writeFileSync(join(state, name), 'mine\n');
    const { exit, stderr } = await run('join', '--no-start', gateway.url, code);
    assert.equal(exit, 1);
    assert.match(
      stderr,
      /\(runner_file_exists\)\n {2}file: .*\n {2}next: Start it with `fairlead runner run`/,
    );
    assert.equal(readFileSync(join(state, name), 'utf8'), 'mine\n');
  }
  assert.equal(gateway.requests.length, 0);
});

test('a code does not cross the network in the clear unless that was asked for', async (t) => {
  const { state, run } = machine(t);
  const gateway = await apiServer(t, [paired]);
  const proxy = await connectProxy(t, { to: Number(new URL(gateway.url).port) });
  const refused = await run('join', '--no-start', '--proxy', proxy.url, 'http://gateway.test', code);
  assert.equal(refused.exit, 1);
  assert.match(refused.stderr, /\(insecure_address\)/);
  assert.equal(proxy.asked.length, 0);
  assert.equal(existsSync(state), false);
  const allowed = await run(
    'join',
    '--no-start',
    '--allow-insecure',
    '--proxy',
    proxy.url,
    'http://gateway.test',
    code,
  );
  assert.equal(allowed.exit, 0, allowed.stderr);
  assert.equal(gateway.requests.length, 1);
});

test('what the gateway refuses is told with its next step, and nothing is written', async (t) => {
  const { state, run } = machine(t);
  const gateway = await apiServer(t, [
    { status: 400, envelope: failure('pairing_code_invalid', 'not_started') },
  ]);
  const { exit, stderr } = await run('join', gateway.url, code);
  assert.equal(exit, 1);
  assert.match(stderr, /\(pairing_code_invalid\)\n {2}next: Make a new one /);
  assert.deepEqual(readdirSync(state), []);
});

test('nobody there, a proxy in its place and a lost answer are told apart', async (t) => {
  const { run } = machine(t);
  assert.match((await run('join', await deadUrl(), code)).stderr, /\(join_unreachable\)/);
  const closed = await rawServer(t, (socket) => socket.end(httpAnswer(403, 'no')));
  assert.match((await run('join', closed.url, code)).stderr, /\(access_refused\)/);
  const rude = await rawServer(t, (socket) => socket.destroy());
  assert.match((await run('join', rude.url, code)).stderr, /it may be spent\. \(answer_lost\)/);
  for (const output of [{}, { runner: '../x', token: secret }, { runner: 'far', token: 'fairlead_pat_x' }]) {
    const odd = await apiServer(t, [{ envelope: success(output) }]);
    assert.match((await run('join', odd.url, code)).stderr, /\(answer_lost\)/);
  }
  assert.match((await run('join', 'ftp://x', code)).stderr, /\(server_url_invalid\)/);
});

test('where the files cannot be written after the code was taken, it says what to do', async (t) => {
  const { state, run } = machine(t);
  const gateway = await rawServer(t, (socket) => {
    // Between the look and the write somebody makes the file.
    mkdirSync(state, { recursive: true });
    writeFileSync(join(state, 'runner.toml'), 'theirs\n');
    socket.end(httpAnswer(200, JSON.stringify(paired.envelope)));
  });
  const { exit, stderr } = await run('join', '--no-start', gateway.url, code);
  assert.equal(exit, 1);
  assert.match(stderr, /\(pairing_unfinished\)/);
  assert.equal(readFileSync(join(state, 'runner.toml'), 'utf8'), 'theirs\n');
});

test('pair prints the code on stdout and the line to type on stderr', async (t) => {
  const { state, run } = machine(t);
  mkdirSync(state);
  await using _ = await lockFolder(state);
  const output = { code, runner: 'far', expiresAtMs: 1, url: 'https://fairlead.example' };
  const host = await apiServer(t, [{ envelope: success(output) }]);
  writeFileSync(join(state, 'operator.token'), 'fairlead_pat_operator\n');
  const announce = () => writeServerFile(state, hostAt(host.url));
  assert.match((await run('pair')).stderr, /\(host_not_running\)/);
  await announce();
  const { exit, stdout, stderr } = await run('pair', '--runner', 'far', '--name', 'workshop');
  assert.equal(exit, 0);
  assert.equal(stdout, `${code}\n`);
  assert.match(stderr, /\n {2}fairlead runner join https:\/\/fairlead\.example 7K3M-9QXP-0000-ABCD\n$/);
  assert.deepEqual(host.requests[0]?.body, { runner: 'far', name: 'workshop' });
  assert.deepEqual(JSON.parse((await run('pair', '--json')).stdout), output);
  assert.match(JSON.stringify(host.requests[1]?.body), /^\{"runner":"runner-[0-9a-f]{8}"\}$/);
  assert.equal((await run('pair', '--runner', '../x')).exit, 2);
});

test('a host that answers without a code is told', async (t) => {
  const { state, run } = machine(t);
  mkdirSync(state);
  await using _ = await lockFolder(state);
  const host = await apiServer(t, [{ envelope: success({}) }]);
  await writeServerFile(state, hostAt(host.url));
  assert.match((await run('pair')).stderr, /\(answer_lost\)/);
});
