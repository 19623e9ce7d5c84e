import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { manualClock, pidIsAlive, waitFor } from '@fairlead/testing';
import { allEnd, callLine, HELLO, HostileProviders, notHanging, told } from './hostile-providers.ts';

test('reload with one broken candidate changes nothing, names it, and leaves no candidate running', async (t) => {
  const providers = await HostileProviders.start(t, [{ id: 'a' }, { id: 'b' }]);
  const before = await providers.request({ kind: 'tools_list', provider: 'a' });
  providers.write([
    { id: 'a', record: 'a-new' },
    { id: 'b', record: 'b-new', scenario: 'tool-name-twice' },
    { id: 'c', record: 'c-new', scenario: 'initialize-dies' },
  ]);
  assert.deepEqual(await notHanging(providers.request({ kind: 'reload' })), {
    dispatch_state: 'completed',
    payload: {
      kind: 'reload',
      providers: [
        { id: 'a', name: 'Provider a', status: 'ready', error_code: null },
        { id: 'b', name: 'Provider b', status: 'ready', error_code: null },
      ],
      failures: [
        { provider_id: 'b', code: 'plugin_tools_list_invalid' },
        { provider_id: 'c', code: 'plugin_eof' },
      ],
    },
  });
  await allEnd(['a-new', 'b-new', 'c-new'].flatMap((record) => providers.pids(record)));
  assert.deepEqual(await providers.request({ kind: 'tools_list', provider: 'a' }), before);
  assert.equal(told(await providers.call('a')), 'completed payload');
  assert.equal(told(await providers.call('b')), 'completed payload');
});

test('reload of a file that cannot be used is an error, and nothing is started', async (t) => {
  const providers = await HostileProviders.start(t, [{ id: 'a' }]);
  for (const [text, code] of [
    ['[plugins', 'plugin_config_parse_failed'],
    ['[plugins]\nrequest_timeout_secs = 0', 'plugin_config_invalid'],
  ] as const) {
    writeFileSync(providers.file, text);
    assert.equal(told(await providers.request({ kind: 'reload' })), `not_started ${code}`);
  }
  assert.equal(told(await providers.call('a')), 'completed payload');
  assert.equal(providers.pids('a').length, 1);
});

test('calls on the committed set succeed while a candidate is prepared, and check and reload are refused', async (t) => {
  const clock = manualClock();
  const providers = await HostileProviders.start(t, [{ id: 'a' }], { services: { clock } });
  providers.write([
    { id: 'a', record: 'a-new', scenario: 'initialize-never-answers', more: 'timeout_secs = 1' },
  ]);
  const reload = providers.request({ kind: 'reload' });
  await waitFor(() => providers.stdin('a-new') !== '', { what: 'the candidate' });
  assert.equal(told(await providers.call('a')), 'completed payload');
  assert.equal(told(await providers.request({ kind: 'reload' })), 'not_started plugin_reload_busy');
  assert.equal(
    told(await providers.request({ kind: 'check', provider: 'a' })),
    'not_started plugin_check_busy',
  );
  assert.equal(told(await providers.request({ kind: 'tools_list', provider: 'a' })), 'completed payload');
  await clock.advance(1000);
  const response = await notHanging(reload);
  assert.ok('payload' in response && response.payload.kind === 'reload');
  assert.deepEqual(response.payload.failures, [{ provider_id: 'a', code: 'plugin_timeout' }]);
  // The slot is free again.
  providers.write([{ id: 'a' }]);
  assert.equal(told(await providers.request({ kind: 'check', provider: 'a' })), 'completed payload');
});

test('a call in flight at the swap ends with its own answer, and then its process is ended', async (t) => {
  const providers = await HostileProviders.start(t, [{ id: 'a', scenario: 'gate', more: 'max_queued = 1' }]);
  const until = join(providers.folder, 'open');
  const inFlight = providers.call('a', { arguments: { until } });
  const waiting = providers.call('a', { arguments: { until, waits: true } });
  await waitFor(() => providers.stdin('a').includes('tools/call'), { what: 'the call at the child' });
  const [old = 0] = providers.pids('a');
  providers.write([{ id: 'a', record: 'a-new' }]);
  const reload = await notHanging(providers.request({ kind: 'reload' }));
  assert.ok('payload' in reload && reload.payload.kind === 'reload');
  assert.deepEqual(reload.payload.failures, []);
  // What had not been sent yet is refused, and so is what holds an old binding; neither is sent to the new process.
  assert.equal(told(await waiting), 'not_started stale_plugin_provider');
  assert.equal(told(await providers.call('a')), 'not_started stale_plugin_provider');
  assert.equal(pidIsAlive(old), true);
  writeFileSync(until, '');
  const answer = await notHanging(inFlight);
  assert.ok('payload' in answer && answer.payload.kind === 'tools_call');
  assert.deepEqual(answer.payload.result['content'], [{ type: 'text', text: JSON.stringify({ until }) }]);
  await waitFor(() => !pidIsAlive(old), { what: 'the end of the old process' });
  assert.equal(providers.stdin('a'), HELLO + callLine(3, { until }));
  assert.equal(providers.stdin('a-new'), HELLO);
  providers.observe();
  assert.equal(told(await providers.call('a')), 'completed payload');
  assert.equal(providers.stdin('a-new'), HELLO + callLine(3));
});

test('a call in flight at the swap still ends by its own deadline', async (t) => {
  const clock = manualClock();
  const providers = await HostileProviders.start(t, [{ id: 'a', scenario: 'never-answers' }], {
    services: { clock },
  });
  const inFlight = providers.call('a', { budgetMs: 600 });
  await waitFor(() => providers.stdin('a').includes('tools/call'), { what: 'the call at the child' });
  const [old = 0] = providers.pids('a');
  providers.write([]);
  assert.equal(told(await notHanging(providers.request({ kind: 'reload' }))), 'completed payload');
  await clock.advance(600);
  assert.equal(told(await notHanging(inFlight)), 'outcome_unknown plugin_timeout');
  await waitFor(() => !pidIsAlive(old), { what: 'the end of the old process' });
});

test('reload starts every provider anew although the file is the same, and ends the old ones', async (t) => {
  const providers = await HostileProviders.start(t, [{ id: 'a' }, { id: 'b' }]);
  const [oldA = 0] = providers.pids('a');
  const [oldB = 0] = providers.pids('b');
  assert.equal(told(await notHanging(providers.request({ kind: 'reload' }))), 'completed payload');
  assert.equal(providers.pids('a').length, 2);
  assert.equal(providers.pids('b').length, 2);
  await allEnd([oldA, oldB]);
  assert.equal(told(await providers.call('a')), 'not_started stale_plugin_provider');
});

test('reload brings a failed provider back, and a removed one is gone', async (t) => {
  const providers = await HostileProviders.start(t, [
    { id: 'dies', scenario: 'dies-on-call' },
    { id: 'removed' },
  ]);
  await providers.call('dies');
  assert.equal(providers.state('dies'), 'plugin_eof');
  providers.write([{ id: 'dies' }]);
  assert.equal(told(await notHanging(providers.request({ kind: 'reload' }))), 'completed payload');
  assert.equal(providers.state('dies'), 'ready');
  assert.equal(providers.state('removed'), 'absent');
  assert.equal(told(await providers.call('removed')), 'not_started stale_plugin_provider');
  assert.equal(
    told(await providers.request({ kind: 'tools_list', provider: 'removed' })),
    'not_started plugin_unavailable',
  );
  assert.equal(providers.set.stderrOf('removed'), null);
});

test('a change of the environment alone reaches the plugin by reload', async (t) => {
  const providers = await HostileProviders.start(t, [{ id: 'a', scenario: 'stderr-marker' }], {
    head: '[shell.env]\nHOSTILE_MARKER = "before"',
  });
  const said = () =>
    providers.set
      .stderrOf('a')
      ?.committed?.lines()
      .map(({ text }) => text);
  await waitFor(() => said()?.length === 1, { what: 'the first line' });
  assert.deepEqual(said(), ['planted-stderr-marker before']);
  providers.write([{ id: 'a', scenario: 'stderr-marker' }], '[shell.env]\nHOSTILE_MARKER = "after"');
  assert.equal(told(await notHanging(providers.request({ kind: 'reload' }))), 'completed payload');
  await waitFor(() => said()?.length === 1, { what: 'the line of the new process' });
  assert.deepEqual(said(), ['planted-stderr-marker after']);
});

test('list and describe send a plugin nothing and read no file, however often they are asked', async (t) => {
  const providers = await HostileProviders.start(t, [{ id: 'counts' }]);
  writeFileSync(providers.file, 'this is no TOML [');
  for (let round = 0; round < 100; round += 1) {
    assert.equal(told(await providers.request({ kind: 'providers_list' })), 'completed payload');
    assert.equal(
      told(await providers.request({ kind: 'tools_list', provider: 'counts' })),
      'completed payload',
    );
  }
  assert.equal(
    told(await providers.request({ kind: 'tools_list', provider: 'absent' })),
    'not_started plugin_unavailable',
  );
  assert.equal(told(await providers.call('counts')), 'completed payload');
  assert.equal(providers.stdin('counts'), HELLO + callLine(3));
});

test('tools_list shows definitions as received, with observation and the seconds that a call may take', async (t) => {
  const providers = await HostileProviders.start(t, [
    { id: 'a', more: 'timeout_secs = 7\ntool_timeout_secs = { strict = 2, absent = 3 }' },
  ]);
  const response = await providers.request({ kind: 'tools_list', provider: 'a' });
  assert.ok('payload' in response && response.payload.kind === 'tools_list');
  const { tools, provider_instance, status, name } = response.payload;
  assert.match(provider_instance ?? '', /^pin_[A-Za-z0-9_-]{22}$/);
  assert.deepEqual([status, name], ['ready', 'Provider a']);
  assert.deepEqual(
    tools.map(({ definition, timeout_secs }) => [definition['name'], timeout_secs]),
    [
      ['echo', 7],
      ['strict', 2],
    ],
  );
  assert.deepEqual(tools[0]?.definition, {
    name: 'echo',
    inputSchema: { type: 'object' },
    title: 'Echo',
    annotations: { readOnlyHint: true },
  });
  for (const { observation } of tools) assert.match(observation, /^[A-Za-z0-9_-]{43}$/);
  assert.equal(
    providers.logged.some((line) => line.includes('"provider.tool_timeout_unused"')),
    true,
  );
});

test('while providers start they are listed as starting, refused to calls, and check and reload are busy', async (t) => {
  const clock = manualClock();
  const providers = HostileProviders.prepare(t, { clock });
  providers.write([
    { id: 'slow', scenario: 'initialize-never-answers', more: 'timeout_secs = 1' },
    { id: 'good' },
  ]);
  const started = providers.begin();
  await waitFor(() => providers.set.rows().length === 2, { what: 'the rows' });
  assert.deepEqual(
    providers.set.rows().map(({ id, status }) => [id, status]),
    [
      ['slow', 'starting'],
      ['good', 'starting'],
    ],
  );
  const listed = await providers.request({ kind: 'tools_list', provider: 'good' });
  assert.ok('payload' in listed && listed.payload.kind === 'tools_list');
  assert.deepEqual([listed.payload.provider_instance, listed.payload.tools], [null, []]);
  assert.equal(told(await providers.call('good')), 'not_started stale_plugin_provider');
  assert.equal(
    told(await providers.request({ kind: 'check', provider: 'good' })),
    'not_started plugin_check_busy',
  );
  assert.equal(told(await providers.request({ kind: 'reload' })), 'not_started plugin_reload_busy');
  // The slow one holds nobody up.
  await waitFor(() => providers.state('good') === 'ready', { what: 'the good provider' });
  assert.equal(providers.state('slow'), 'starting');
  providers.observe();
  assert.equal(told(await providers.call('good')), 'completed payload');
  await waitFor(() => providers.stdin('slow') !== '', { what: 'the slow provider to be asked' });
  await clock.advance(1000);
  await notHanging(started);
  assert.equal(providers.state('slow'), 'plugin_timeout');
});

test('stopping interrupts a check whose candidate hangs, and its process is gone', async (t) => {
  const providers = await HostileProviders.start(t, [{ id: 'a' }]);
  providers.write([{ id: 'x', scenario: 'initialize-never-answers' }]);
  const check = providers.request({ kind: 'check', provider: 'x' });
  await waitFor(() => providers.stdin('x') !== '', { what: 'the candidate' });
  await notHanging(providers.set.stop());
  // A program was started, so something of its own may have happened.
  assert.equal(told(await check), 'outcome_unknown plugin_manager_stopping');
  await allEnd(providers.pids('x'));
  assert.equal(
    told(await providers.request({ kind: 'check', provider: 'x' })),
    'not_started plugin_manager_stopping',
  );
  assert.equal(told(await providers.request({ kind: 'reload' })), 'not_started plugin_manager_stopping');
});

test('stopping interrupts a reload, whose candidates are gone and whose old set is ended', async (t) => {
  const providers = await HostileProviders.start(t, [{ id: 'a' }]);
  providers.write([
    { id: 'a', record: 'new', scenario: 'list-never-answers' },
    { id: 'b', record: 'good' },
  ]);
  const reload = providers.request({ kind: 'reload' });
  await waitFor(() => providers.stdin('new') === HELLO && providers.stdin('good') === HELLO, {
    what: 'the candidates',
  });
  await notHanging(providers.set.stop());
  assert.equal(told(await reload), 'outcome_unknown plugin_manager_stopping');
  await allEnd(['a', 'new', 'good'].flatMap((record) => providers.pids(record)));
});

test('stopping interrupts an init script that hangs: nothing was started, so not_started', async (t) => {
  const providers = HostileProviders.prepare(t);
  const started = join(providers.folder, 'init-runs');
  providers.write(
    [{ id: 'x', more: 'profile = "slow"' }],
    `[shell.profiles.slow]\ninit_script = ${JSON.stringify(`: > ${started}; sleep 600`)}`,
  );
  const check = providers.request({ kind: 'check', provider: 'x' });
  const { existsSync } = await import('node:fs');
  await waitFor(() => existsSync(started), { what: 'the init script' });
  await notHanging(providers.set.stop());
  assert.equal(told(await check), 'not_started plugin_manager_stopping');
});

test('stopping interrupts the start itself', async (t) => {
  const providers = HostileProviders.prepare(t);
  providers.write([{ id: 'slow', scenario: 'initialize-never-answers' }, { id: 'good' }]);
  const started = providers.begin();
  await waitFor(() => providers.stdin('slow') !== '' && providers.stdin('good') === HELLO, {
    what: 'both children',
  });
  await notHanging(providers.set.stop());
  await notHanging(started);
  assert.equal(providers.state('slow'), 'plugin_manager_stopping');
  await allEnd([...providers.pids('slow'), ...providers.pids('good')]);
});
