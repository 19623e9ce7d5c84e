import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext as NodeTest, test } from 'node:test';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { main } from '../src/index.ts';
import { connectProxy } from './connect-proxy.ts';
import { apiServer, httpAnswer, rawServer, success } from './loopback-server.ts';
import { testContext } from './test-context.ts';

const portOf = (url: string) => Number(new URL(url).port);
const pat = `fairlead_pat_${'p'.repeat(43)}`;

function machine(t: NodeTest, env: Readonly<Record<string, string>> = {}) {
  hygiene(t);
  const folder = temporaryFolder(t);
  const state = join(folder, 'state');
  mkdirSync(state);
  const context = testContext(folder, { env: { FAIRLEAD_STATE_DIR: state, ...env } });
  const run = async (...args: string[]) => {
    const exit = await main(args, { cloneRoot: context.cloneRoot, context });
    return { exit, ...context.printed };
  };
  return { folder, state, run };
}

test('plugin commands go through --proxy, and take the token of --env-file', async (t) => {
  const { folder, run } = machine(t);
  const gateway = await apiServer(t, [{ envelope: success({ runners: [] }) }]);
  const proxy = await connectProxy(t, { to: portOf(gateway.url) });
  writeFileSync(join(folder, 'env'), `FAIRLEAD_TOKEN=${pat}\n`);
  const to = ['--server-url', 'http://gateway.test:7420', '--env-file', 'env', '--proxy', proxy.url];
  const { exit, stderr } = await run('plugin', 'list', '--json', ...to);
  assert.equal(exit, 0, stderr);
  assert.deepEqual(
    proxy.asked.map(({ target }) => target),
    ['gateway.test:7420'],
  );
  assert.equal(gateway.requests[0]?.authorization, `Bearer ${pat}`);
});

test('the proxy of the environment is used, and left alone with --no-system-proxy', async (t) => {
  const proxy = await connectProxy(t, { refuse: 503 });
  const { run } = machine(t, { HTTPS_PROXY: proxy.url });
  const to = ['--server-url', 'https://gateway.invalid', '--token', pat];
  assert.match(
    (await run('plugin', 'list', ...to)).stderr,
    /\(server_unreachable\)\n.*\n {2}reason: the proxy answered HTTP 503/,
  );
  assert.equal(proxy.asked.length, 1);
  await run('plugin', 'list', '--no-system-proxy', ...to);
  assert.equal(proxy.asked.length, 1);
});

test('a Runner dials through the proxy, and logs to its file too', async (t) => {
  const { folder, state, run } = machine(t);
  const gateway = await rawServer(t, (socket) => socket.end(httpAnswer(401, '{}')));
  const proxy = await connectProxy(t, { to: portOf(gateway.url) });
  writeFileSync(join(state, 'runner.toml'), 'client_id = "far"\nserver_url = "http://gateway.test:7420"\n');
  writeFileSync(join(folder, 'token'), `fairlead_runner_${'r'.repeat(43)}\n`);
  const { exit, stderr } = await run('runner', 'run', '--token-file', 'token', '--proxy', proxy.url);
  assert.equal(exit, 1);
  assert.match(stderr, /\(runner_unauthorized\)/);
  assert.deepEqual(
    proxy.asked.map(({ target }) => target),
    ['gateway.test:7420'],
  );
  assert.match(gateway.received[0] ?? '', /^GET \/api\/runner\/link HTTP\/1\.1\r\n/);
  const log = readFileSync(join(state, 'log/runner-far.log'), 'utf8');
  assert.match(log, /"event":"link\.ended","code":"runner_unauthorized"/);
  assert.equal(stderr.includes(log.trimEnd()), true);
});
