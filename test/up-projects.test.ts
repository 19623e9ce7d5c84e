import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import {
  bindingOf,
  fairlead,
  type Host,
  type HttpAnswer,
  hostile,
  notedPids,
  pluginTool,
  startHost,
  untilGone,
  withoutProgress,
  writeRunnerConfig,
} from './fairlead-process.ts';

/** One call of any tool over HTTP. */
async function toolCall(host: Host, token: string, body: JsonObject): Promise<HttpAnswer> {
  const response = await fetch(`${host.ready.url}/api/tools/call`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text) as JsonObject, text };
}

async function tokenWith(t: TestContext, stateDirectory: string, ...args: string[]): Promise<string> {
  const made = await fairlead(t, ['token', 'create', '--state-dir', stateDirectory, '--name', 'n', ...args]);
  assert.equal(made.exit, 0, made.stderr);
  return made.stdout.trim();
}

test('a project shows the tools of the plugins in its folder, to those who may see it, and no path', async (t) => {
  hygiene(t);
  const folder = realpathSync(temporaryFolder(t));
  const stateDirectory = join(folder, 'state');
  for (const made of ['Größe & 空間', 'Größe & 空間/in', 'projects']) mkdirSync(join(folder, made));
  symlinkSync('Größe & 空間', join(folder, 'link'));
  const project = {
    id: 'Größe: 空間',
    path: `${folder}/Größe & 空間/in/..//`,
    name: '🧭 "Projekt"',
    kind: 'git',
  };
  writeFileSync(
    join(folder, 'projects/one.toml'),
    Object.entries(project)
      .map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
      .join('\n'),
  );
  const runnerConfig = writeRunnerConfig(
    join(folder, 'runner.toml'),
    'desk',
    [
      { ...hostile('in-it', 'well-behaved'), cwd: join(folder, 'link') },
      { ...hostile('below', 'well-behaved'), cwd: join(folder, 'link/in') },
      hostile('nowhere', 'well-behaved'),
    ],
    'project_registry_dir = "projects"',
  );
  const host = await startHost(t, { stateDirectory, runnerConfig });
  const id = 'agent:desk:Größe: 空間';
  const ask = (token: string, params: JsonObject, more: JsonObject = {}) =>
    toolCall(host, token, { tool: 'work_on_project', params, ...more });
  const row = { project: id, name: '🧭 "Projekt"', kind: 'git', runner: 'desk' };

  const list = await ask(host.token, {});
  assert.deepEqual(list.body['output'], { projects: [row], totalCount: 1, truncated: false });
  const shown = await ask(host.token, { project: id }, { context: ['plugins.catalog'] });
  const output = shown.body['output'] as JsonObject;
  const catalog = output['catalog'] as JsonObject & { readonly entries: readonly JsonObject[] };
  assert.deepEqual({ ...output, catalog: null }, { ...row, catalog: null });
  assert.deepEqual([...new Set(catalog.entries.map(({ plugin }) => plugin))], ['in-it']);
  assert.equal(catalog['total_count'], catalog.entries.length);
  assert.match(String(catalog['catalog_revision']), /^wc_plugcat_[\w-]{43}$/);
  assert.deepEqual(shown.body['context'], { 'plugins.catalog': { project: id, ...catalog } });

  // A token of another Runner sees nothing of it, one without plugin:inspect no tools.
  const other = await tokenWith(
    t,
    stateDirectory,
    '--scopes',
    'project:read,plugin:inspect',
    '--runners',
    'other',
  );
  assert.deepEqual((await ask(other, {})).body['output'], { projects: [], totalCount: 0, truncated: false });
  const hidden = await ask(other, { project: id });
  assert.equal((hidden.body['error'] as JsonObject)['code'], 'project_unavailable');
  const reader = await tokenWith(t, stateDirectory, '--scopes', 'project:read');
  assert.deepEqual((await ask(reader, { project: id })).body['output'], row);
  const inspector = await tokenWith(t, stateDirectory, '--scopes', 'plugin:inspect');
  const refused = await ask(inspector, {});
  assert.deepEqual(
    [refused.status, (refused.body['error'] as JsonObject)['code']],
    [403, 'insufficient_scope'],
  );

  // The revision changes with the instances, and a sidecar of the reload shows it in the same answer.
  const context = `plugins.catalog:${id}`;
  const reload = await toolCall(host, host.token, {
    tool: 'plugin_tool',
    params: { action: 'reload', runner: 'desk' },
    context: [context],
  });
  const after = (reload.body['context'] as JsonObject)[context] as JsonObject;
  assert.deepEqual(after['entries'], catalog.entries as Json);
  assert.notEqual(after['catalog_revision'], catalog['catalog_revision']);
  for (const { text } of [list, shown, hidden, reload]) assert.equal(text.includes(folder), false);
});

test('an edited shell limit and a broken plugin: neither is applied, and the answer says why', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  const config = join(folder, 'runner.toml');
  const at = ['--state-dir', stateDirectory, '--runner', 'desk'];
  const good = hostile('good', 'well-behaved', join(folder, 'good'));
  writeRunnerConfig(config, 'desk', [good], '[shell]\ninit_timeout_secs = 20');
  const host = await startHost(t, { stateDirectory, runnerConfig: config });
  const target = { runner: 'desk', plugin: 'good', tool: 'echo' };
  const binding = await bindingOf(host, host.token, target);
  const call = async () =>
    (await pluginTool(host, host.token, { action: 'call', binding, arguments: {} })).body;

  writeRunnerConfig(
    config,
    'desk',
    [good, hostile('broken', 'initialize-dies', join(folder, 'broken'))],
    '[shell]\ninit_timeout_secs = 10',
  );
  const refused = await fairlead(t, ['runner', 'reload-config', ...at]);
  assert.equal(refused.exit, 2);
  assert.equal(refused.stdout, 'PLUGIN  CODE\nbroken  plugin_eof\n');
  assert.match(
    refused.stderr,
    /so nothing of it was applied\. \(plugin_reload_failed\)\n {2}certainty: {3}completed\n/,
  );
  const json = await fairlead(t, ['runner', 'reload-config', ...at, '--json']);
  assert.equal(json.exit, 2);
  assert.deepEqual((JSON.parse(json.stdout) as { error: { detail: Json } }).error.detail, {
    generation: 1,
    failures: [{ provider_id: 'broken', code: 'plugin_eof' }],
  });
  await untilGone(notedPids(join(folder, 'broken')), 20_000);

  // Both still wait, the generation has not advanced, and what was described is still what is called.
  const waiting = JSON.parse(
    (await fairlead(t, ['runner', 'check-config', ...at, '--json'])).stdout,
  ) as JsonObject;
  assert.deepEqual(waiting['changed'], [
    { field: 'shell.init_timeout_secs', applies: 'live' },
    { field: 'plugins.providers.broken', applies: 'live' },
  ]);
  assert.deepEqual([waiting['generation'], waiting['restartsPlugins']], [1, true]);
  assert.equal((await call())['dispatch_certainty'], 'completed');
  assert.equal((await call())['success'], true);

  // Without the plugin the limit is applied, and the plugin in use goes on.
  writeRunnerConfig(config, 'desk', [good], '[shell]\ninit_timeout_secs = 10');
  const applied = await fairlead(t, ['runner', 'reload-config', ...at]);
  assert.deepEqual([applied.exit, withoutProgress(applied.stderr)], [0, '']);
  assert.match(applied.stdout, /^generation: {2}2\napplied: {5}true\nplugins: {5}went on running$/m);
  assert.equal((await call())['success'], true);
  assert.equal(
    notedPids(join(folder, 'good')).length,
    3,
    'one of the start, and two candidates that were ended',
  );
  const same = await fairlead(t, ['runner', 'check-config', ...at]);
  assert.match(same.stdout, /nothing differs from what is in force\n$/);

  // plugin:manage does not imply runner:manage.
  const manager = await tokenWith(
    t,
    stateDirectory,
    '--scopes',
    'plugin:inspect,plugin:invoke,plugin:manage',
  );
  for (const command of ['check-config', 'reload-config']) {
    const denied = await fairlead(t, ['runner', command, ...at, '--token', manager]);
    assert.equal(denied.exit, 1);
    assert.match(denied.stderr, new RegExp(`${command} needs the scope runner:manage`));
  }
});
