// The official conformance suite, for the scenarios about the endpoint itself: those that need no tools, prompts or resources of the
// suite's own. With FAIRLEAD_TEST_INTEROP=1 it is installed into a temporary folder, in that exact version, and used from there.
import assert from 'node:assert/strict';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { type Host, start, startHost } from '../fairlead-process.ts';

const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const skip =
  process.env['FAIRLEAD_TEST_INTEROP'] === '1' ? false : 'set FAIRLEAD_TEST_INTEROP=1 to install and run it';

/** Scenario → the checks that cannot hold here, each for want of something that the suite brings along or that is not served. */
const scenarios: Readonly<Record<string, readonly string[]>> = {
  'server-initialize': [],
  ping: [],
  'tools-list': [],
  'dns-rebinding-protection': [],
  'http-header-validation': [],
  'input-required-result-unsupported-methods': [],
  'server-stateless': [
    // A tool of the suite's own.
    'sep-2575-server-rejects-undeclared-capability',
    'sep-2575-missing-capability-http-400',
    'sep-2575-http-server-no-independent-requests-on-stream',
    'sep-2575-server-no-log-without-loglevel',
  ],
  caching: [
    // There are no prompts and no resources.
    'sep-2549-prompts-list-caching-hints',
    'sep-2549-resources-list-caching-hints',
    'sep-2549-resources-templates-list-caching-hints',
  ],
};

async function installSuite(t: TestContext): Promise<string> {
  const folder = temporaryFolder(t);
  const args = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', SUITE];
  const installing = start(t, 'npm', args, { cwd: folder });
  assert.deepEqual(await installing.ended, { exit: 0, signal: null }, installing.stderr);
  return join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
}

/** The suite has no way to send a token: whoever asks this server asks the gateway, with the operator's. */
async function withToken(t: TestContext, host: Host): Promise<string> {
  const { hostname, port } = new URL(host.ready.url);
  const server = createServer((incoming, answer) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${host.token}` };
    const { method, url: path } = incoming;
    const asked = httpRequest({ hostname, port, path, method, headers, agent: false }, (response) => {
      answer.writeHead(response.statusCode ?? 0, response.headers);
      response.pipe(answer);
    });
    asked.on('error', () => answer.destroy());
    incoming.pipe(asked);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

test('the official conformance suite finds no fault in the endpoint', {
  skip,
  timeout: 300_000,
}, async (t) => {
  hygiene(t);
  const suite = await installSuite(t);
  const host = await startHost(t, { stateDirectory: join(temporaryFolder(t), 'state') });
  const url = await withToken(t, host);
  for (const [scenario, impossible] of Object.entries(scenarios)) {
    const running = start(t, process.execPath, [suite, 'server', '--url', url, '--scenario', scenario]);
    await running.ended;
    const escapes = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');
    const checks = [
      ...running.stdout.replaceAll(escapes, '').matchAll(/\[([\w-]+) *\] (SUCCESS|FAILURE)\b/g),
    ];
    const held = checks.filter(([, , verdict]) => verdict === 'SUCCESS');
    assert.ok(held.length > 0, `${scenario}: ${running.stdout}${running.stderr}`);
    const failed = checks.filter(([, , verdict]) => verdict === 'FAILURE').map(([, id = '']) => id);
    assert.deepEqual(failed, impossible, `${scenario}: ${running.stdout}`);
  }
});
