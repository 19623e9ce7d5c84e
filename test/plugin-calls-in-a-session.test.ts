// A native plugin called by a client in a session of a real host: what is written there, what guards it, and what a lost answer settles to.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { hygiene, repositoryRoot, temporaryFolder } from '@fairlead/testing';
import { ask } from '../packages/gateway/test/fixture/http-client.ts';
import { endHost, startHost, writeRunnerConfig } from './fairlead-process.ts';

type Entry = JsonObject & { readonly type: string; readonly call?: string };

test('a plugin’s call stands in the session with its certainty, under its mode and active set, and in the export', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const echo = join(repositoryRoot, 'examples/plugins/sdk-echo/src/plugin.ts');
  const runnerConfig = writeRunnerConfig(join(folder, 'runner.toml'), 'local', [
    { id: 'sdk-echo', command: process.execPath, args: [echo] },
  ]);
  const host = await startHost(t, { stateDirectory: join(folder, 'state'), runnerConfig });
  const port = Number(new URL(host.ready.url).port);
  const request = async (method: string, path: string, body?: Json) =>
    await ask(port, { method, path, token: host.token, ...(body === undefined ? {} : { body }) });
  const made = await request('POST', '/api/sessions', { name: 'work' });
  const session = String((made.envelope.output as JsonObject)['id']);
  const pluginTool = async (params: JsonObject) => {
    const body = { tool: 'plugin_tool', params, recording_session_id: session };
    return (await request('POST', '/api/tools/call', body)).envelope;
  };
  const where = { runner: 'local', plugin: 'sdk-echo', tool: 'echo' };
  const described = await pluginTool({ action: 'describe', ...where });
  const { binding = '' } = described.output as JsonObject;
  const call = { action: 'call', binding, arguments: { text: 'hello' } };
  const answer = await pluginTool(call);
  assert.deepEqual([answer.success, answer.dispatch_certainty], [true, 'completed'], JSON.stringify(answer));

  const mode = async (word: string) => await request('PATCH', `/api/sessions/${session}`, { mode: word });
  await mode('read_only');
  const guarded = await pluginTool(call);
  assert.deepEqual(
    [guarded.error?.code, guarded.dispatch_certainty],
    ['session_guard_denied', 'not_started'],
  );
  assert.equal((await pluginTool({ action: 'list', runner: 'local' })).success, true);
  await mode('normal');
  const line = async (words: string) =>
    await request('POST', `/api/sessions/${session}/command`, { line: words });
  assert.equal((await line('/extensions remove plugins')).envelope.success, true);
  const off = await pluginTool(call);
  assert.deepEqual([off.error?.code, off.dispatch_certainty], ['tool_inactive', 'not_started']);
  assert.match(off.error?.recovery ?? '', /\/extensions add/);
  assert.equal((await line('/extensions add plugins')).envelope.success, true);
  assert.equal((await pluginTool(call)).success, true);

  const headers = { authorization: `Bearer ${host.token}` };
  const exported = await fetch(`${host.ready.url}/api/sessions/${session}/export`, { headers });
  const text = await exported.text();
  const lines = text
    .trim()
    .split('\n')
    .map((row) => JSON.parse(row) as Entry);
  const entries = lines.slice(1).filter(({ type }) => type === 'tool_call' || type === 'tool_result');
  const told = entries.flatMap(({ type, arguments: given, certainty, code }) => {
    const action = isJsonObject(given ?? null) ? (given as JsonObject)['action'] : undefined;
    return type === 'tool_call' ? [`call ${action}`] : [[certainty, code].filter(Boolean).join(' ')];
  });
  assert.deepEqual(told, [
    ...['call describe', 'completed', 'call call', 'completed'],
    ...['call call', 'not_started session_guard_denied', 'call list', 'completed'],
    ...['call call', 'not_started tool_inactive', 'call call', 'completed'],
  ]);
  assert.equal(entries.find(({ call: id }) => id === answer.call)?.type, 'tool_call');
  assert.equal(text.includes(String(binding)), false);
  const { output } = (await request('GET', '/api/admin/journal')).envelope;
  const rows = (output as { entries: { call: string }[] }).entries.map((row) => row.call);
  const ids = new Set(entries.map(({ call: id }) => String(id)));
  assert.deepEqual(
    rows.filter((id) => ids.has(id)),
    [...ids].reverse(),
  );
  assert.equal((await endHost(host)).exit, 0);
});
