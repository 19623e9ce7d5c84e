// What a Runner's process and its gateway still know of each other after one of them was killed. Whole processes, and a proxy
// between them only because a gateway that is started again has another port.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { hygiene, repositoryRoot, temporaryFolder, waitFor } from '@fairlead/testing';
import {
  bindingOf,
  fairlead,
  type Host,
  launcher,
  pluginTool,
  type Running,
  start,
  startHost,
  writeRunnerConfig,
} from './fairlead-process.ts';
import { LinkProxy } from './settling/link-proxy.ts';

const TARGET = { runner: 'desk', plugin: 'counts', tool: 'work' };

type Pair = {
  readonly folder: string;
  readonly stateDirectory: string;
  readonly proxy: LinkProxy;
  /** Starts `fairlead serve` on the same state directory and leads the Runner to it. */
  serve(): Promise<Host>;
  /** Starts `fairlead runner run`. */
  runner(): Promise<Running>;
  effects(): string[];
};

async function pair(t: TestContext): Promise<Pair> {
  hygiene(t);
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  const work = join(folder, 'work');
  mkdirSync(work);
  const proxy = await LinkProxy.listen(9);
  t.after(() => proxy[Symbol.asyncDispose]());
  const plugin = join(repositoryRoot, 'test/settling/counting-plugin.mjs');
  const config = writeRunnerConfig(join(folder, 'desk.toml'), 'desk', [
    { id: 'counts', command: process.execPath, args: [plugin, work], timeoutSecs: 60 },
  ]);
  const tokenFile = join(folder, 'desk.token');
  return {
    folder,
    stateDirectory,
    proxy,
    serve: async () => {
      const host = await startHost(t, { stateDirectory, command: 'serve' });
      proxy.gatewayPort = Number(new URL(host.ready.url).port);
      if (!existsSync(tokenFile)) {
        const made = await fairlead(t, [
          'token',
          'create',
          '--state-dir',
          stateDirectory,
          '--runner',
          'desk',
        ]);
        writeFileSync(tokenFile, made.stdout);
      }
      return host;
    },
    runner: async () => {
      const args = ['--state-dir', join(folder, 'state-desk'), '--config', config];
      const server = ['--server-url', proxy.url, '--token-file', tokenFile];
      const running = start(t, launcher, ['runner', 'run', ...args, ...server]);
      await running.untilStderr('fairlead: plugins: counts ready\n');
      await running.untilStderr('is registered at');
      return running;
    },
    effects: () => {
      const path = join(work, 'effects');
      return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
    },
  };
}

async function kill(running: Pick<Running, 'ended'>, pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  await running.ended;
}

/** Resolves when the Runner is there for callers. */
async function linked(host: Host): Promise<void> {
  await waitFor(
    async () => {
      const { body } = await pluginTool(host, host.token, { action: 'list' });
      return ((body['output'] as JsonObject)['runners'] as readonly unknown[]).length === 1;
    },
    { what: 'the Runner', timeoutMs: 60_000 },
  );
}

async function call(host: Host, binding: string, given: JsonObject): Promise<readonly unknown[]> {
  const { body } = await pluginTool(host, host.token, { action: 'call', binding, arguments: given });
  const error = body['error'] as JsonObject | null;
  return [body['dispatch_certainty'], error?.['code'] ?? null];
}

/** The id of the call that has no end yet. */
async function openCall(stateDirectory: string): Promise<string> {
  const database = new DatabaseSync(join(stateDirectory, 'fairlead.db'), { readOnly: true });
  try {
    const open = database.prepare('SELECT id FROM journal WHERE finished IS NULL');
    return await waitFor(() => open.get()?.['id'] as string | undefined, { what: 'the intent' });
  } finally {
    database.close();
  }
}

test('a binding made right before kill -9 of the gateway serves after its restart, when the Runner lived on', async (t) => {
  const { serve, runner, effects } = await pair(t);
  const first = await serve();
  await runner();
  const binding = await bindingOf(first, first.token, TARGET);
  await kill(first, first.ready.pid);
  const second = await serve();
  await linked(second);
  assert.deepEqual(await call(second, binding, { name: 'a' }), ['completed', null]);
  // What it says about arguments outlived the gateway, too.
  const wrong = { action: 'call', binding, arguments: { name: 7 } };
  const { body } = await pluginTool(second, second.token, wrong);
  const error = body['error'] as JsonObject;
  assert.deepEqual(
    [error['code'], error['detail']],
    ['plugin_arguments_schema_invalid', { path: '/name', expected: 'a string' }],
  );
  assert.deepEqual(effects(), ['a']);
});

test('it fails closed when the Runner did not live on: away, then another process', async (t) => {
  const { serve, runner, effects } = await pair(t);
  const first = await serve();
  const desk = await runner();
  const binding = await bindingOf(first, first.token, TARGET);
  await kill(first, first.ready.pid);
  await kill(desk, desk.pid);
  const second = await serve();
  assert.deepEqual(await call(second, binding, { name: 'a' }), ['not_started', 'runner_unavailable']);
  await runner();
  await linked(second);
  assert.deepEqual(await call(second, binding, { name: 'a' }), ['not_started', 'plugin_replaced']);
  assert.deepEqual(await call(second, binding, { name: 'a' }), ['not_started', 'describe_required']);
  assert.deepEqual(effects(), []);
});

test('a call that was under way at kill -9 of the gateway is settled after its restart, with its result', async (t) => {
  const { serve, runner, effects, folder, stateDirectory } = await pair(t);
  const first = await serve();
  await runner();
  const binding = await bindingOf(first, first.token, TARGET);
  const until = join(folder, 'gate');
  const lost = call(first, binding, { name: 'a', until }).catch(() => 'lost');
  const id = await openCall(stateDirectory);
  await waitFor(() => existsSync(join(folder, 'work/began')), { what: 'the call at the plugin' });
  await kill(first, first.ready.pid);
  assert.equal(await lost, 'lost');
  const second = await serve();
  await linked(second);
  const ask = () => fairlead(t, ['plugin', 'outcome', '--state-dir', stateDirectory, '--call', id]);
  const running = await ask();
  assert.equal(running.exit, 3, running.stderr);
  assert.match(running.stdout, /certainty: {3}outcome_unknown\ncode: {8}call_running\n$/);
  writeFileSync(until, '');
  await waitFor(() => effects().length > 0, { what: 'the effect' });
  const ended = await waitFor(
    async () => {
      const asked = await ask();
      return asked.exit === 0 ? asked : null;
    },
    { what: 'the settlement', timeoutMs: 60_000 },
  );
  assert.match(ended.stdout, /certainty: {3}completed\ndid a\n$/);
  assert.deepEqual(effects(), ['a']);
  const database = new DatabaseSync(join(stateDirectory, 'fairlead.db'), { readOnly: true });
  const row = database
    .prepare('SELECT certainty, code, settled_certainty, settled_code FROM journal WHERE id = ?')
    .get(id);
  database.close();
  assert.deepEqual(Object.values(row ?? {}), [
    'outcome_unknown',
    'invocation_interrupted',
    'completed',
    null,
  ]);
});

test('a call of a session whose gateway was killed is unknown there, and settles there once its Runner tells', async (t) => {
  const { folder, stateDirectory, serve, runner, effects } = await pair(t);
  const first = await serve();
  await runner();
  const request = async ({ ready, token }: Host, method: string, path: string, body?: JsonObject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      connection: 'close',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`${ready.url}${path}`, { method, headers, ...sent });
    return ((await response.json()) as { output: JsonObject }).output;
  };
  const session = String((await request(first, 'POST', '/api/sessions', {}))['id']);
  const told = async (host: Host) => {
    const { entries } = await request(host, 'GET', `/api/sessions/${session}/entries`);
    return (entries as readonly JsonObject[])
      .map(({ type, certainty, code, text }) => [type, certainty, code, text].filter(Boolean).join(' '))
      .reverse();
  };
  const binding = await bindingOf(first, first.token, TARGET);
  const until = join(folder, 'until');
  const params = { action: 'call', binding, arguments: { name: 'a', until } };
  const body = { tool: 'plugin_tool', params, recording_session_id: session };
  const lost = request(first, 'POST', '/api/tools/call', body).catch(() => 'lost');
  const id = await openCall(stateDirectory);
  await waitFor(() => existsSync(join(folder, 'work/began')), { what: 'the call at the plugin' });
  await kill(first, first.ready.pid);
  assert.equal(await lost, 'lost');
  const second = await serve();
  await linked(second);
  const unknown = (await told(second)).slice(0, 2);
  assert.equal(unknown[0], 'tool_call');
  assert.match(unknown[1] ?? '', /^tool_result outcome_unknown invocation_interrupted /);
  writeFileSync(until, '');
  await waitFor(
    async () => {
      await pluginTool(second, second.token, { action: 'outcome', call: id });
      return (await told(second)).length === 3;
    },
    { what: 'the settlement', timeoutMs: 60_000 },
  );
  assert.equal((await told(second))[2], 'tool_settled completed did a');
  assert.deepEqual(effects(), ['a']);
});
