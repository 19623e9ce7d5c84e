import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { isJsonObject, type JsonObject } from '@fairlead/base';
import { hygiene, repositoryRoot, temporaryFolder } from '@fairlead/testing';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as FirstHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { fairlead, type Host, launcher, start, startHost, writeRunnerConfig } from './fairlead-process.ts';
import { personEnvironment } from './person-environment.ts';

/** A connected client of one of the official packages. */
type McpClient = {
  list(): Promise<readonly JsonObject[]>;
  call(name: string, given: JsonObject): Promise<JsonObject>;
  close(): Promise<void>;
};

const me = { name: 'fairlead-test', version: '1.0.0' };
const bearer = (host: Host) => ({ requestInit: { headers: { authorization: `Bearer ${host.token}` } } });
const mcpUrl = (host: Host) => new URL('/mcp', host.ready.url);
const program = (host: Host) => ({
  command: launcher,
  args: ['mcp', '--state-dir', host.stateDirectory],
  env: personEnvironment(),
  stderr: 'pipe' as const,
});

async function firstSdk(transport: FirstHttp | FirstStdio): Promise<McpClient> {
  const client = new FirstClient(me);
  // The package's own types of an optional member differ from those of its interface under strict flags.
  await client.connect(transport as Parameters<FirstClient['connect']>[0]);
  return {
    list: async () => (await client.listTools()).tools as unknown as JsonObject[],
    call: async (name, given) => (await client.callTool({ name, arguments: given })) as JsonObject,
    close: () => client.close(),
  };
}

async function secondSdk(
  transport: StreamableHTTPClientTransport | StdioClientTransport,
  mode: 'legacy' | 'auto' | { readonly pin: string },
  speaks: string,
): Promise<McpClient> {
  const client = new Client(me, { versionNegotiation: { mode } });
  await client.connect(transport);
  assert.equal(client.getNegotiatedProtocolVersion(), speaks);
  return {
    list: async () => (await client.listTools()).tools as unknown as JsonObject[],
    call: async (name, given) => (await client.callTool({ name, arguments: given })) as unknown as JsonObject,
    close: () => client.close(),
  };
}

const clients: readonly (readonly [string, (host: Host) => Promise<McpClient>])[] = [
  ['SDK 1 over HTTP', (host) => firstSdk(new FirstHttp(mcpUrl(host), bearer(host)))],
  ['SDK 1 over stdio', (host) => firstSdk(new FirstStdio(program(host)))],
  [
    'SDK 2 over HTTP, 2025-11-25',
    (host) =>
      secondSdk(new StreamableHTTPClientTransport(mcpUrl(host), bearer(host)), 'legacy', '2025-11-25'),
  ],
  [
    'SDK 2 over HTTP, 2026-07-28',
    (host) =>
      secondSdk(
        new StreamableHTTPClientTransport(mcpUrl(host), bearer(host)),
        { pin: '2026-07-28' },
        '2026-07-28',
      ),
  ],
  [
    'SDK 2 over HTTP, probing',
    (host) => secondSdk(new StreamableHTTPClientTransport(mcpUrl(host), bearer(host)), 'auto', '2026-07-28'),
  ],
  [
    'SDK 2 over stdio, 2025-11-25',
    (host) => secondSdk(new StdioClientTransport(program(host)), 'legacy', '2025-11-25'),
  ],
  [
    'SDK 2 over stdio, 2026-07-28',
    (host) => secondSdk(new StdioClientTransport(program(host)), { pin: '2026-07-28' }, '2026-07-28'),
  ],
  [
    'SDK 2 over stdio, probing',
    (host) => secondSdk(new StdioClientTransport(program(host)), 'auto', '2026-07-28'),
  ],
];

async function hostWithEcho(t: Parameters<typeof startHost>[0]): Promise<Host> {
  const folder = temporaryFolder(t);
  const runnerConfig = writeRunnerConfig(join(folder, 'runner.toml'), 'local', [
    {
      id: 'sdk-echo',
      command: process.execPath,
      args: [join(repositoryRoot, 'examples/plugins/sdk-echo/src/plugin.ts')],
    },
  ]);
  return await startHost(t, { stateDirectory: join(folder, 'state'), runnerConfig });
}

function objectOf(value: unknown): JsonObject {
  assert.ok(isJsonObject(value as JsonObject), JSON.stringify(value));
  return value as JsonObject;
}

/** Lists, describes and calls a real plugin; answers the list as text. */
async function walk(client: McpClient): Promise<string> {
  const tools = await client.list();
  const names = tools.map(({ name }) => String(name));
  assert.equal(names[0], 'plugin_tool');
  for (const name of ['read_tool_manifest', 'call_runtime_tool']) assert.ok(names.includes(name), name);
  const manifest = await client.call('read_tool_manifest', { tool_name: 'plugin_tool' });
  assert.equal(objectOf(manifest['structuredContent'])['route'], 'direct');
  const where = { runner: 'local', plugin: 'sdk-echo', tool: 'echo' };
  const described = objectOf(
    (await client.call('plugin_tool', { action: 'describe', ...where }))['structuredContent'],
  );
  const { binding = '' } = described;
  const called = await client.call('plugin_tool', { action: 'call', binding, arguments: { text: 'hello' } });
  assert.deepEqual(called['content'], [{ type: 'text', text: 'hello' }]);
  const meta = objectOf(called['_meta']);
  assert.equal(meta['dispatchState'], 'completed');
  assert.match(String(meta['call']), /^call_/);
  const failed = await client.call('plugin_tool', {
    action: 'call',
    binding: 'wc_pbind_none',
    arguments: {},
  });
  assert.equal(failed['isError'], true);
  const failure = objectOf(failed['structuredContent']);
  assert.equal(objectOf(failure['error'])['code'], 'describe_required');
  assert.equal(failure['dispatchState'], 'not_started');
  return JSON.stringify(tools);
}

test('every official client lists, describes and calls over HTTP and stdio, and finds one list, before and after a reload', async (t) => {
  hygiene(t);
  const host = await hostWithEcho(t);
  const lists = new Map<string, string>();
  const passes = async (when: string) => {
    for (const [name, connect] of clients) {
      const client = await connect(host);
      try {
        lists.set(`${name}, ${when}`, await walk(client));
      } finally {
        await client.close();
      }
    }
  };
  await passes('before');
  const reload = await fairlead(t, [
    'plugin',
    'reload',
    '--state-dir',
    host.stateDirectory,
    '--runner',
    'local',
  ]);
  assert.equal(reload.exit, 0, reload.stderr);
  await passes('after');
  assert.equal(lists.size, 2 * clients.length);
  const [first] = lists.values();
  for (const [name, list] of lists) assert.equal(list, first, name);
});

/** The bytes that a bare client gets for the list over stdio. */
async function listOverStdio(t: Parameters<typeof startHost>[0], host: Host): Promise<string> {
  const running = start(t, launcher, ['mcp', '--state-dir', host.stateDirectory], { keepInput: true });
  const initialize = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: me,
  };
  running.type(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize })}\n`);
  running.type(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  running.type(`${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' })}\n`);
  const text = await running.untilStdout('"id":2}\n');
  running.child.stdin?.end();
  assert.deepEqual(await running.ended, { exit: 0, signal: null });
  assert.equal(running.stderr, '');
  return text.split('\n')[1] ?? '';
}

async function listOverHttp(host: Host): Promise<string> {
  const response = await fetch(mcpUrl(host), {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      authorization: `Bearer ${host.token}`,
      connection: 'close',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' }),
  });
  return await response.text();
}

test('the list is the same bytes over HTTP and stdio, on every connection and after a reload', async (t) => {
  hygiene(t);
  const host = await hostWithEcho(t);
  const first = await listOverHttp(host);
  assert.equal(await listOverHttp(host), first);
  assert.equal(await listOverStdio(t, host), first);
  const reload = await fairlead(t, [
    'plugin',
    'reload',
    '--state-dir',
    host.stateDirectory,
    '--runner',
    'local',
  ]);
  assert.equal(reload.exit, 0, reload.stderr);
  assert.equal(await listOverHttp(host), first);
  assert.equal(await listOverStdio(t, host), first);
});
