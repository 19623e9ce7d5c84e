// native-plugin-protocol §11 and §15: the whole file is put in force at once, or not at all
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ConfigCheck, ConfigReload, RunnerResponse } from '@fairlead/protocol';
import { manualClock, pidIsAlive, waitFor } from '@fairlead/testing';
import { handleRequest } from '../src/answer-request.ts';
import { RunnerConfiguration } from '../src/configuration/runner-configuration.ts';
import { allEnd, HostileProviders, notHanging, told } from './hostile-providers.ts';

const LIMIT = (secs: number) => `[shell]\ninit_timeout_secs = ${secs}`;

async function check(providers: HostileProviders): Promise<ConfigCheck> {
  const response = await notHanging(providers.request({ kind: 'config_check' }));
  assert.ok('payload' in response && response.payload.kind === 'config_check', JSON.stringify(response));
  return response.payload;
}

async function reload(providers: HostileProviders): Promise<ConfigReload> {
  return reloadOf(await notHanging(providers.request({ kind: 'config_reload' })));
}

function reloadOf(response: RunnerResponse): ConfigReload {
  assert.ok('payload' in response && response.payload.kind === 'config_reload', JSON.stringify(response));
  return response.payload;
}

const UNCHANGED = { changed: [], changed_count: 0 };
const ROW = { id: 'a', name: 'Provider a', status: 'ready', error_code: null };

test('an edited shell limit and a broken plugin: neither is applied, and the answer says why', async (t) => {
  const providers = await HostileProviders.start(t, [{ id: 'a' }], { head: LIMIT(7) });
  const before = await providers.request({ kind: 'tools_list', provider: 'a' });
  providers.write(
    [
      { id: 'a', record: 'a-new' },
      { id: 'b', scenario: 'initialize-dies' },
    ],
    LIMIT(9),
  );
  const changes = {
    changed: [
      { field: 'shell.init_timeout_secs', applies: 'live' },
      { field: 'plugins.providers.a.args', applies: 'live' },
      { field: 'plugins.providers.b', applies: 'live' },
    ],
    changed_count: 3,
  };
  assert.deepEqual(await reload(providers), {
    kind: 'config_reload',
    generation: 1,
    applied: false,
    ...changes,
    plugins_restarted: false,
    providers: [ROW],
    failures: [{ provider_id: 'b', code: 'plugin_eof' }],
  });
  assert.equal(providers.set.inForce.shell.initTimeoutMs, 7000);
  assert.deepEqual(providers.applied, []);
  assert.deepEqual(await providers.request({ kind: 'tools_list', provider: 'a' }), before);
  assert.equal(told(await providers.call('a')), 'completed payload');
  await allEnd([...providers.pids('a-new'), ...providers.pids('b')]);
  // All of it still waits to be applied.
  const { changed, changed_count, generation, restarts_plugins } = await check(providers);
  assert.deepEqual({ changed, changed_count }, changes);
  assert.deepEqual([generation, restarts_plugins], [1, true]);
  // With the plugin mended, both are.
  providers.write([{ id: 'a', record: 'a-new' }, { id: 'b' }], LIMIT(9));
  const { applied, failures, plugins_restarted, generation: now } = await reload(providers);
  assert.deepEqual(
    { applied, failures, plugins_restarted, now },
    { applied: true, failures: [], plugins_restarted: true, now: 2 },
  );
  assert.equal(providers.set.inForce.shell.initTimeoutMs, 9000);
  assert.deepEqual(
    [await check(providers)].map(({ changed, changed_count }) => ({ changed, changed_count })),
    [UNCHANGED],
  );
});

test('plugins that are the same, in the same environment, go on running', async (t) => {
  const providers = await HostileProviders.start(t, [{ id: 'a' }], { head: LIMIT(7) });
  const [pid = 0] = providers.pids('a');
  providers.write([{ id: 'a' }], `display_name = "Other"\n${LIMIT(9)}\n[shell.profiles.unused]\n`);
  const report = await reload(providers);
  assert.deepEqual(report, {
    kind: 'config_reload',
    generation: 2,
    applied: true,
    changed: [
      { field: 'display_name', applies: 'live' },
      { field: 'shell.init_timeout_secs', applies: 'live' },
      { field: 'shell.profiles.unused', applies: 'live' },
    ],
    changed_count: 3,
    plugins_restarted: false,
    providers: [ROW],
    failures: [],
  });
  assert.equal(pidIsAlive(pid), true);
  assert.equal(providers.pids('a').length, 1);
  assert.equal(told(await providers.call('a')), 'completed payload');
  assert.deepEqual(
    providers.applied.map(({ config }) => [config.displayName, config.shell.initTimeoutMs]),
    [['Other', 9000]],
  );
});

test('a change of their environment alone starts them anew', async (t) => {
  const providers = await HostileProviders.start(t, [{ id: 'a' }], { head: '[shell.env]\nA = "1"' });
  const [old = 0] = providers.pids('a');
  providers.write([{ id: 'a' }], '[shell.env]\nA = "2"');
  const { plugins_restarted, changed, generation } = await reload(providers);
  assert.deepEqual(
    { plugins_restarted, changed, generation },
    { plugins_restarted: true, changed: [{ field: 'shell.env', applies: 'live' }], generation: 2 },
  );
  await waitFor(() => !pidIsAlive(old), { what: 'the end of the old process' });
  assert.equal(told(await providers.call('a')), 'not_started stale_plugin_provider');
});

test('a reload of the plugins applies them and their environments, and nothing else', async (t) => {
  const providers = await HostileProviders.start(t, [{ id: 'a' }], {
    head: `display_name = "One"\n${LIMIT(7)}`,
  });
  providers.write(
    [{ id: 'a', record: 'a-new' }, { id: 'b' }],
    `display_name = "Two"\n${LIMIT(9)}\n[shell.env]\nA = "2"`,
  );
  assert.equal(told(await notHanging(providers.request({ kind: 'reload' }))), 'completed payload');
  assert.equal(providers.state('b'), 'ready');
  assert.equal(providers.set.inForce.shell.initTimeoutMs, 7000);
  assert.deepEqual(providers.set.inForce.shell.env, { A: '2' });
  assert.deepEqual(providers.applied, []);
  const { changed, restarts_plugins, generation } = await check(providers);
  assert.deepEqual(changed, [
    { field: 'display_name', applies: 'live' },
    { field: 'shell.init_timeout_secs', applies: 'live' },
  ]);
  assert.deepEqual([restarts_plugins, generation], [false, 1]);
});

test('the limit of init scripts is the one in force, also for a check of another file', async (t) => {
  const slow =
    '[shell]\ndefault_profile = "slow"\ninit_timeout_secs = SECS\n' +
    '[shell.profiles.slow]\ninit_script = ": > began; until [ -e go ]; do sleep 0.05; done"';
  const clock = manualClock();
  const providers = HostileProviders.prepare(t, { clock });
  const began = join(providers.folder, 'began');
  const go = join(providers.folder, 'go');
  /** What a check says of a plugin whose init script takes so long by the clock of the Runner. */
  const ready = async (tookMs: number) => {
    for (const path of [began, go]) rmSync(path, { force: true });
    const checked = providers.request({ kind: 'check', provider: 'a' });
    await waitFor(() => existsSync(began), { what: 'the init script' });
    await clock.advance(tookMs);
    writeFileSync(go, '');
    const response = await notHanging(checked);
    assert.ok('payload' in response && response.payload.kind === 'check');
    return response.payload.code ?? 'ready';
  };
  providers.write([{ id: 'a' }], slow.replace('SECS', '30'));
  writeFileSync(go, '');
  await providers.begin();
  providers.write([{ id: 'a' }], slow.replace('SECS', '1'));
  assert.equal(await ready(29_999), 'ready');
  const { applied, plugins_restarted } = await reload(providers);
  assert.deepEqual([applied, plugins_restarted], [true, false]);
  assert.equal(await ready(1000), 'plugin_environment_prepare_failed');
});

test('keys that only a start reads are not applied, and stay in the list', async (t) => {
  const providers = await HostileProviders.start(t, [{ id: 'a' }]);
  providers.write([{ id: 'a' }], 'client_id = "other"\nserver_url = "http://other"\ntoken = "planted-token"');
  const report = await reload(providers);
  const pending = ['client_id', 'server_url', 'token'].map((field) => ({ field, applies: 'restart_only' }));
  assert.deepEqual([report.applied, report.generation, report.changed], [false, 1, pending]);
  assert.deepEqual(report.failures, []);
  assert.deepEqual(providers.applied, []);
  providers.write([{ id: 'a' }], 'client_id = "other"\ndisplay_name = "Shown"');
  const both = await reload(providers);
  assert.deepEqual([both.applied, both.generation, both.changed_count], [true, 2, 2]);
  assert.deepEqual((await check(providers)).changed, [{ field: 'client_id', applies: 'restart_only' }]);
  assert.doesNotMatch(JSON.stringify([report, both]), /planted|other|Shown/);
});

test('a file without a change is applied as none', async (t) => {
  const providers = await HostileProviders.start(t, [{ id: 'a' }]);
  const { applied, generation, changed_count, plugins_restarted } = await reload(providers);
  assert.deepEqual([applied, generation, changed_count, plugins_restarted], [false, 1, 0, false]);
  assert.equal(providers.pids('a').length, 1);
});

test('a check starts nothing and changes nothing, whatever the file says', async (t) => {
  const providers = await HostileProviders.start(t, [{ id: 'a' }]);
  providers.write(
    [{ id: 'a', record: 'a-new' }, { id: 'b' }],
    'colour = "blue"\n[policy]\nallow_raw_shell = true',
  );
  assert.deepEqual(await check(providers), {
    kind: 'config_check',
    generation: 1,
    valid: true,
    faults: [],
    ignored: [
      { field: 'policy', line: 2 },
      { field: 'colour', line: 1 },
    ],
    changed: [
      { field: 'plugins.providers.a.args', applies: 'live' },
      { field: 'plugins.providers.b', applies: 'live' },
    ],
    changed_count: 2,
    restarts_plugins: true,
  });
  assert.equal(providers.stdin('a-new') + providers.stdin('b'), '');
  assert.deepEqual(providers.pids('a').length, 1);
  assert.equal(told(await providers.call('a')), 'completed payload');
});

test('a file that cannot be used is a finding of a check, and stops a reload', async (t) => {
  const providers = await HostileProviders.start(t, [{ id: 'a' }]);
  const nothing = { ignored: [], ...UNCHANGED, restarts_plugins: false };
  const rows = [
    ['[plugins', 'plugin_config_parse_failed', [{ field: '*', line: 1 }]],
    [
      '[plugins]\nrequest_timeout_secs = 0\n[[plugins.providers]]\nid = "planted"\nname = "P"',
      'plugin_config_invalid',
      [
        { field: 'plugins.request_timeout_secs', line: 2 },
        { field: 'plugins.providers[0]', line: 3 },
      ],
    ],
  ] as const;
  for (const [text, code, faults] of rows) {
    writeFileSync(providers.file, text);
    assert.deepEqual(await check(providers), {
      kind: 'config_check',
      generation: 1,
      valid: false,
      code,
      faults,
      ...nothing,
    });
    assert.equal(told(await providers.request({ kind: 'config_reload' })), `not_started ${code}`);
  }
  rmSync(providers.file);
  const gone = {
    kind: 'config_check',
    generation: 1,
    valid: false,
    code: 'plugin_config_read_failed',
    faults: [],
    ...nothing,
  };
  assert.deepEqual(await check(providers), gone);
  assert.equal(told(await providers.call('a')), 'completed payload');
});

test('one slot is shared with check and reload of plugins, and held until everything is in force', async (t) => {
  const clock = manualClock();
  const providers = await HostileProviders.start(t, [{ id: 'a' }], { services: { clock } });
  providers.write([
    { id: 'a', record: 'a-new', scenario: 'initialize-never-answers', more: 'timeout_secs = 1' },
  ]);
  const first = providers.request({ kind: 'config_reload' });
  await waitFor(() => providers.stdin('a-new') !== '', { what: 'the candidate' });
  assert.equal(told(await providers.request({ kind: 'config_reload' })), 'not_started plugin_reload_busy');
  assert.equal(told(await providers.request({ kind: 'reload' })), 'not_started plugin_reload_busy');
  assert.equal(
    told(await providers.request({ kind: 'check', provider: 'a' })),
    'not_started plugin_check_busy',
  );
  // What reads only, and calls, go on.
  assert.equal(told(await providers.call('a')), 'completed payload');
  assert.equal((await check(providers)).valid, true);
  await clock.advance(1000);
  assert.deepEqual(reloadOf(await notHanging(first)).failures, [
    { provider_id: 'a', code: 'plugin_timeout' },
  ]);

  const seen: string[] = [];
  const { set: inner } = providers;
  const configuration = new RunnerConfiguration({
    providers: inner,
    projects: [],
    readProjects: async () => {
      seen.push(told(await handleRequest(inner, { kind: 'reload' }, 1000)));
      return { projects: [], isWhole: true };
    },
    apply: () => {
      inner.check('a', (outcome) => seen.push(JSON.stringify(outcome)));
    },
  });
  providers.write([{ id: 'a' }], 'display_name = "Other"');
  const applied = reloadOf(
    await notHanging(handleRequest(inner, { kind: 'config_reload' }, 1000, configuration)),
  );
  assert.equal(applied.applied, true);
  assert.equal(seen[0], 'not_started plugin_reload_busy');
  assert.match(seen[1] ?? '', /plugin_check_busy/);
  assert.equal(
    told(await notHanging(providers.request({ kind: 'check', provider: 'a' }))),
    'completed payload',
  );
});

test('project files are read again, and are a change of their own', async (t) => {
  const providers = await HostileProviders.start(t, [{ id: 'a' }]);
  const root = join(providers.folder, 'site');
  for (const folder of [root, join(providers.folder, 'projects')]) mkdirSync(folder);
  const project = (id: string) =>
    writeFileSync(
      join(providers.folder, 'projects', `${id}.toml`),
      `id = "${id}"\npath = ${JSON.stringify(root)}`,
    );
  project('one');
  const catalog = async (id: string) =>
    told(await providers.request({ kind: 'project_catalog', project: id }));
  assert.equal(await catalog('one'), 'not_started project_unavailable');
  providers.write([{ id: 'a', more: `cwd = ${JSON.stringify(root)}` }], 'project_registry_dir = "projects"');
  const { changed } = await reload(providers);
  assert.deepEqual(
    changed.map(({ field }) => field),
    ['project_registry_dir', 'plugins.providers.a.cwd', 'project_registry_dir.*'],
  );
  const response = await providers.request({ kind: 'project_catalog', project: 'one' });
  assert.ok('payload' in response && response.payload.kind === 'project_catalog');
  assert.deepEqual([...new Set(response.payload.entries.map(({ plugin }) => plugin))], ['a']);
  project('two');
  assert.equal(await catalog('two'), 'not_started project_unavailable');
  assert.deepEqual((await check(providers)).changed, [{ field: 'project_registry_dir.*', applies: 'live' }]);
  assert.equal(await catalog('two'), 'not_started project_unavailable');
  // One that is wrong is left out; a check says that there is something to look for.
  writeFileSync(join(providers.folder, 'projects', 'wrong.toml'), 'id = "wrong"');
  assert.deepEqual((await check(providers)).ignored, [{ field: 'project_registry_dir.*' }]);
  const again = await reload(providers);
  assert.deepEqual([again.applied, again.generation, again.plugins_restarted], [true, 3, false]);
  assert.equal(await catalog('two'), 'completed payload');
  assert.deepEqual(
    providers.applied.map(({ projects }) => projects.map(({ id }) => id)),
    [['one'], ['one', 'two']],
  );
});

test('a Runner that stops interrupts it, and leaves no candidate', async (t) => {
  const providers = await HostileProviders.start(t, [{ id: 'a' }]);
  providers.write([{ id: 'a', record: 'a-new', scenario: 'initialize-never-answers' }]);
  const interrupted = providers.request({ kind: 'config_reload' });
  await waitFor(() => providers.stdin('a-new') !== '', { what: 'the candidate' });
  await notHanging(providers.set.stop());
  assert.equal(told(await interrupted), 'outcome_unknown plugin_manager_stopping');
  await allEnd(providers.pids('a-new'));
  assert.equal(
    told(await providers.request({ kind: 'config_reload' })),
    'not_started plugin_manager_stopping',
  );
});

test('one that stops while the file is read applies nothing', async (t) => {
  const providers = await HostileProviders.start(t, [{ id: 'a' }]);
  const configuration = new RunnerConfiguration({
    providers: providers.set,
    projects: [],
    readProjects: async () => {
      await providers.set.stop();
      return { projects: [], isWhole: true };
    },
    apply: () => assert.fail('applied'),
  });
  providers.write([{ id: 'a' }], 'display_name = "Other"');
  const answer = handleRequest(providers.set, { kind: 'config_reload' }, 1000, configuration);
  assert.equal(told(await notHanging(answer)), 'not_started plugin_manager_stopping');
});

test('one that stops while the file is read starts no candidate either', async (t) => {
  const providers = await HostileProviders.start(t, [{ id: 'a' }]);
  const configuration = new RunnerConfiguration({
    providers: providers.set,
    projects: [],
    readProjects: async () => {
      await providers.set.stop();
      return { projects: [], isWhole: true };
    },
    apply: () => assert.fail('applied'),
  });
  providers.write([{ id: 'a', record: 'a-new' }]);
  const answer = handleRequest(providers.set, { kind: 'config_reload' }, 1000, configuration);
  assert.equal(told(await notHanging(answer)), 'not_started plugin_manager_stopping');
  assert.equal(providers.stdin('a-new'), '');
});

test('one that stops as soon as the plugins are exchanged ends the new ones too', async (t) => {
  const providers = await HostileProviders.start(t, [{ id: 'a' }]);
  let stopped: Promise<void> | undefined;
  const configuration = new RunnerConfiguration({
    providers: providers.set,
    projects: [],
    readProjects: async () => ({ projects: [], isWhole: true }),
    apply: () => {
      stopped = providers.set.stop();
    },
  });
  providers.write([{ id: 'a', record: 'a-new' }]);
  const answer = handleRequest(providers.set, { kind: 'config_reload' }, 1000, configuration);
  assert.equal(reloadOf(await notHanging(answer)).applied, true);
  await notHanging(stopped ?? Promise.reject(new Error('not stopped')));
  const pids = providers.pids('a-new');
  assert.equal(pids.length, 1);
  await allEnd(pids);
});

test('a fault of its own is told as such, and frees the slot', async (t) => {
  const providers = await HostileProviders.start(t, []);
  const configuration = new RunnerConfiguration({
    providers: providers.set,
    projects: [],
    readProjects: () => Promise.reject(new Error('planted')),
    apply: () => {},
  });
  const ask = async (kind: 'config_check' | 'config_reload') =>
    told(await handleRequest(providers.set, { kind }, 1000, configuration));
  assert.equal(await ask('config_reload'), 'not_started plugin_reload_state_failed');
  assert.equal(await ask('config_check'), 'not_started plugin_provider_state_failed');
  assert.equal(await ask('config_reload'), 'not_started plugin_reload_state_failed');
});

test('a provider set alone knows no configuration and no project', async (t) => {
  const providers = await HostileProviders.start(t, []);
  for (const request of [
    { kind: 'config_check' },
    { kind: 'config_reload' },
    { kind: 'project_catalog', project: 'p' },
  ] as const)
    assert.equal(
      told(await handleRequest(providers.set, request, 1000)),
      'not_started invalid_plugin_request',
    );
});
