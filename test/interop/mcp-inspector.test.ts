// The MCP Inspector's own client, as a third party. It is 110 MB with what it depends on, so it is no dependency of the clone:
// with FAIRLEAD_TEST_INTEROP=1 it is installed into a temporary folder, in that exact version, and used from there.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { hygiene, repositoryRoot, temporaryFolder } from '@fairlead/testing';
import { launcher, start, startHost, writeRunnerConfig } from '../fairlead-process.ts';
import { personEnvironment } from '../person-environment.ts';

const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0';
const skip =
  process.env['FAIRLEAD_TEST_INTEROP'] === '1' ? false : 'set FAIRLEAD_TEST_INTEROP=1 to install and run it';

type TestLike = Parameters<typeof start>[0];

async function installInspector(t: TestLike): Promise<string> {
  const folder = temporaryFolder(t);
  const args = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', INSPECTOR];
  const installing = start(t, 'npm', args, { cwd: folder });
  assert.deepEqual(await installing.ended, { exit: 0, signal: null }, installing.stderr);
  return join(folder, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');
}

test('the MCP Inspector lists, describes and calls over HTTP and stdio, in both eras', {
  skip,
  timeout: 300_000,
}, async (t) => {
  hygiene(t);
  const inspector = await installInspector(t);
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  const runnerConfig = writeRunnerConfig(join(folder, 'runner.toml'), 'local', [
    {
      id: 'sdk-echo',
      command: process.execPath,
      args: [join(repositoryRoot, 'examples/plugins/sdk-echo/src/plugin.ts')],
    },
  ]);
  const host = await startHost(t, { stateDirectory, runnerConfig });
  const url = new URL('/mcp', host.ready.url).href;
  const ways = {
    HTTP: [url, '--transport', 'http', '--header', `Authorization: Bearer ${host.token}`],
    stdio: ['-e', `FAIRLEAD_STATE_DIR=${stateDirectory}`, launcher, 'mcp'],
  };
  const env = personEnvironment({ HOME: folder });

  for (const [way, target] of Object.entries(ways))
    for (const era of ['legacy', 'modern']) {
      const inspect = async (...args: string[]) => {
        const all = [inspector, '--cli', ...target, '--protocol-era', era, '--quiet', ...args];
        const running = start(t, process.execPath, all, { env });
        const { exit } = await running.ended;
        assert.equal(exit, 0, `${way} ${era}: ${running.stdout}${running.stderr}`);
        return JSON.parse(running.stdout) as JsonObject;
      };
      const call = (tool: string, given: JsonObject) =>
        inspect('--method', 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(given));
      const { tools } = (await inspect('--method', 'tools/list', '--strict')) as { tools: JsonObject[] };
      assert.equal(tools[0]?.['name'], 'plugin_tool');
      const where = { runner: 'local', plugin: 'sdk-echo', tool: 'echo' };
      const described = await call('plugin_tool', { action: 'describe', ...where });
      const { binding = '' } = described['structuredContent'] as JsonObject;
      const called = await call('plugin_tool', { action: 'call', binding, arguments: { text: 'hello' } });
      assert.deepEqual(called['content'], [{ type: 'text', text: 'hello' }]);
    }
});
