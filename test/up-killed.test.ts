import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { hygiene, temporaryFolder, waitFor } from '@fairlead/testing';
import {
  bindingOf,
  endHost,
  fairlead,
  hostile,
  notedPids,
  pluginTool,
  startHost,
  untilGone,
  withoutProgress,
  writeRunnerConfig,
} from './fairlead-process.ts';

type Row = {
  readonly id: string;
  readonly action: string;
  readonly certainty: string | null;
  readonly code: string | null;
};

/** The journal as it stands on disk, oldest first. */
function journal(stateDirectory: string): Row[] {
  const database = new DatabaseSync(join(stateDirectory, 'fairlead.db'), { readOnly: true });
  try {
    const rows = database.prepare('SELECT id, action, certainty, code FROM journal ORDER BY at').all();
    return rows.map((row) => ({ ...row }) as Row);
  } finally {
    database.close();
  }
}

test('SIGKILL leaves no process; the next up starts cleanly and its open intent became outcome_unknown', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  const record = join(folder, 'record');
  const runnerConfig = writeRunnerConfig(join(folder, 'runner.toml'), 'local', [
    hostile('mute', 'never-answers', record),
    hostile('forks', 'forks-setsid', join(folder, 'forks')),
  ]);
  const host = await startHost(t, { stateDirectory, runnerConfig });
  const target = { runner: 'local', plugin: 'forks', tool: 'echo' };
  const forked = await bindingOf(host, host.token, target);
  await pluginTool(host, host.token, { action: 'call', binding: forked, arguments: {} });
  const binding = await bindingOf(host, host.token, { ...target, plugin: 'mute' });
  const call = pluginTool(host, host.token, { action: 'call', binding, arguments: { n: 1 } }).catch(
    () => 'lost',
  );
  // The intent is on disk before the plugin is asked.
  const { pid } = host.ready;
  await waitFor(() => notedPids(record).length > 0, { what: 'the plugin to run' });
  const ids = await waitFor(
    () => {
      const calls = journal(stateDirectory).filter(({ action }) => action === 'call');
      return calls.length === 2 ? calls.map(({ id }) => id) : null;
    },
    { what: 'two intents' },
  );
  const rowOf = (id: string | undefined) => journal(stateDirectory).find((row) => row.id === id);
  assert.equal(rowOf(ids[1])?.certainty, null);
  const children = [...notedPids(record), ...notedPids(join(folder, 'forks'))];
  assert.equal(children.length, 3);

  process.kill(pid, 'SIGKILL');
  assert.deepEqual(await host.ended, { exit: null, signal: 'SIGKILL' });
  assert.equal(await call, 'lost');
  await untilGone([pid, ...children], 10_000);
  assert.equal(existsSync(join(stateDirectory, 'server.json')), true);

  const again = await startHost(t, { stateDirectory, runnerConfig });
  assert.equal(withoutProgress(again.stderr), '');
  assert.equal(again.token, host.token);
  assert.deepEqual(rowOf(ids[1]), {
    id: ids[1],
    action: 'call',
    certainty: 'outcome_unknown',
    code: 'invocation_interrupted',
  });
  assert.equal(rowOf(ids[0])?.certainty, 'completed');
  // The old binding outlived the gateway, and not the Runner's process that it is of.
  const late = await pluginTool(again, again.token, { action: 'call', binding, arguments: {} });
  assert.equal((late.body['error'] as JsonObject)['code'], 'plugin_replaced');
  assert.equal((await endHost(again)).exit, 0);
});

test('the address that a killed host left behind is not believed: no token goes there', async (t) => {
  hygiene(t);
  const stateDirectory = join(temporaryFolder(t), 'state');
  const host = await startHost(t, { stateDirectory, command: 'serve' });
  process.kill(host.ready.pid, 'SIGKILL');
  await host.ended;
  // Somebody else listens where the host was.
  const seen: string[] = [];
  const other = createServer((request, response) => {
    seen.push(`${request.url} ${request.headers.authorization}`);
    response.end(
      '{"success":true,"output":{"name":"fairlead","version":"x"},"error":null,"dispatch_certainty":"completed"}',
    );
  });
  await new Promise<void>((resolve) =>
    other.listen(Number(new URL(host.ready.url).port), '127.0.0.1', resolve),
  );
  t.after(() => new Promise((resolve) => other.close(resolve)));
  assert.equal((other.address() as AddressInfo).port, Number(new URL(host.ready.url).port));

  const status = await fairlead(t, ['status', '--state-dir', stateDirectory]);
  assert.equal(status.exit, 3);
  const list = await fairlead(t, ['plugin', 'list', '--state-dir', stateDirectory]);
  assert.equal(list.exit, 1);
  assert.match(list.stderr, /\(token_missing\)/);
  assert.equal((await fairlead(t, ['token', 'list', '--state-dir', stateDirectory])).exit, 0);
  assert.match((await fairlead(t, ['stop', '--state-dir', stateDirectory])).stdout, /^nothing runs on /);
  assert.deepEqual(seen, []);
});
