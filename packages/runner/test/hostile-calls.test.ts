import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { manualClock, pidIsAlive, waitFor } from '@fairlead/testing';
import { allEnd, callLine, HELLO, HostileProviders, notHanging, told } from './hostile-providers.ts';

// docs/reference/native-plugin-protocol.md §9: each row that a child can bring about, driven by a real child.
// Rows that no child can bring about are in provider-connection.test.ts and provider-instance.test.ts, each with its reason.

type Row = {
  readonly scenario: string;
  /** Certainty and code. */
  readonly told: string;
  /** What the provider is afterwards: `ready`, or its error code. */
  readonly state: string;
  /** Only where the plugin reads nothing of the call: one that is to be read must not race its time. */
  readonly budgetMs?: number;
};

const unknown = (scenario: string, code: string, budgetMs?: number): Row => ({
  scenario,
  told: `outcome_unknown ${code}`,
  state: code,
  ...(budgetMs === undefined ? {} : { budgetMs }),
});
const completedFault = (scenario: string, code: string): Row => ({
  scenario,
  told: `completed ${code}`,
  state: code,
});
const good = (scenario: string, told = 'completed payload'): Row => ({ scenario, told, state: 'ready' });

const ROWS: readonly Row[] = [
  good('well-behaved'),
  good('frame-of-1-mib'),
  good('output-match'),
  good('is-error'),
  good('rpc-error', 'completed plugin_rpc_error'),
  unknown('stops-reading', 'plugin_timeout', 300),
  unknown('closes-stdin', 'plugin_stdin_failed'),
  unknown('dies-on-call', 'plugin_eof'),
  unknown('closes-stdout-on-call', 'plugin_eof'),
  unknown('leaves-pipe-holder-and-dies', 'plugin_eof'),
  unknown('not-json', 'plugin_malformed_json'),
  unknown('invalid-utf8', 'plugin_malformed_json'),
  unknown('duplicate-key', 'plugin_malformed_json'),
  unknown('empty-line', 'plugin_malformed_json'),
  unknown('half-frame-then-dies', 'plugin_malformed_json'),
  unknown('frame-of-1-mib-and-1', 'plugin_message_too_large'),
  unknown('line-without-end', 'plugin_message_too_large'),
  unknown('wrong-jsonrpc', 'plugin_protocol_error'),
  unknown('array-answer', 'plugin_protocol_error'),
  unknown('asks-back', 'plugin_protocol_error'),
  unknown('notification', 'plugin_protocol_error'),
  unknown('result-and-error', 'plugin_protocol_error'),
  unknown('neither-result-nor-error', 'plugin_protocol_error'),
  unknown('error-without-message', 'plugin_protocol_error'),
  unknown('error-with-text-code', 'plugin_protocol_error'),
  unknown('error-with-long-message', 'plugin_protocol_error'),
  unknown('id-is-text', 'plugin_response_id_invalid'),
  unknown('id-is-negative', 'plugin_response_id_invalid'),
  unknown('id-is-fraction', 'plugin_response_id_invalid'),
  unknown('id-is-missing', 'plugin_response_id_invalid'),
  unknown('id-of-earlier-request', 'plugin_duplicate_response_id'),
  unknown('id-of-later-request', 'plugin_unknown_response_id'),
  completedFault('ansi-escape', 'plugin_result_invalid'),
  completedFault('image-item', 'plugin_result_invalid'),
  completedFault('unknown-result-member', 'plugin_result_invalid'),
  completedFault('content-missing', 'plugin_result_invalid'),
  completedFault('33-items', 'plugin_result_invalid'),
  completedFault('result-over-512-kib', 'plugin_result_invalid'),
  completedFault('result-too-deep', 'plugin_result_invalid'),
  completedFault('output-missing', 'plugin_output_schema_violation'),
  completedFault('output-mismatch', 'plugin_output_schema_violation'),
  completedFault('output-mismatch-with-is-error', 'plugin_output_schema_violation'),
];

/** As many as one Runner may have. */
const BATCH = 8;
for (let start = 0; start < ROWS.length; start += BATCH) {
  const rows = ROWS.slice(start, start + BATCH);
  test(`a call ends as the contract says: ${rows[0]?.scenario} … ${rows.at(-1)?.scenario}`, async (t) => {
    const providers = await HostileProviders.start(
      t,
      rows.map(({ scenario }) => ({ id: scenario, scenario })),
    );
    await Promise.all(rows.map((row) => oneCall(t, providers, row)));
  });
}

async function oneCall(t: TestContext, providers: HostileProviders, row: Row): Promise<void> {
  await t.test(row.scenario, async () => {
    const { scenario, budgetMs = 20_000 } = row;
    assert.equal(providers.state(scenario), 'ready');
    const response = await notHanging(providers.call(scenario, { arguments: { a: 1 }, budgetMs }));
    assert.equal(told(response), row.told);
    assert.equal(providers.state(scenario), row.state);
    const readsNoCall = ['stops-reading', 'closes-stdin'].includes(scenario);
    assert.equal(providers.stdin(scenario), readsNoCall ? HELLO : HELLO + callLine(3, { a: 1 }));
    const [pid = 0] = providers.pids(scenario);
    if (row.state === 'ready') {
      // It goes on: the next request has the next id.
      assert.equal(told(await providers.call(scenario)), row.told);
      assert.equal(providers.stdin(scenario), HELLO + callLine(3, { a: 1 }) + callLine(4));
      assert.equal(pidIsAlive(pid), true);
    } else await assertRetired(providers, scenario);
  });
}

/** No further call reaches the plugin, and none of its processes stays. */
async function assertRetired(providers: HostileProviders, scenario: string): Promise<void> {
  const seen = providers.stdin(scenario);
  assert.equal(told(await providers.call(scenario)), 'not_started plugin_provider_unavailable');
  assert.equal(providers.stdin(scenario), seen);
  await allEnd(providers.pids(scenario));
}

for (const scenario of ['never-answers', 'half-frame']) {
  test(`a call that was read and has no whole answer in its time ends unknown: ${scenario}`, async (t) => {
    const clock = manualClock();
    const providers = await HostileProviders.start(t, [{ id: scenario, scenario }], { services: { clock } });
    const call = providers.call(scenario, { arguments: { a: 1 }, budgetMs: 300 });
    await waitFor(() => providers.stdin(scenario) === HELLO + callLine(3, { a: 1 }), {
      what: 'the call at the child',
    });
    await clock.advance(300);
    assert.equal(told(await notHanging(call)), 'outcome_unknown plugin_timeout');
    assert.equal(providers.state(scenario), 'plugin_timeout');
    await assertRetired(providers, scenario);
  });
}

test('a call that is refused before sending writes no byte and retires nothing', async (t) => {
  const providers = await HostileProviders.start(t, [{ id: 'good' }]);
  const refusals = [
    ['not_started stale_plugin_provider', { instance: 'pin_of_another_start' }],
    ['not_started plugin_tool_unavailable', { tool: 'absent' }],
    ['not_started plugin_schema_changed', { observation: 'of_another_definition' }],
    ['not_started plugin_arguments_schema_invalid', { tool: 'strict', arguments: {} }],
    ['not_started plugin_arguments_schema_invalid', { tool: 'strict', arguments: { n: 1.5 } }],
    ['not_started plugin_arguments_schema_invalid', { tool: 'strict', arguments: { n: 1, planted: 'x' } }],
    ['not_started plugin_arguments_schema_invalid', { arguments: { text: 'x'.repeat(64 * 1024) } }],
    ['not_started plugin_timeout', { budgetMs: 0 }],
  ] as const;
  for (const [expected, call] of refusals) assert.equal(told(await providers.call('good', call)), expected);
  assert.equal(providers.state('good'), 'ready');
  assert.equal(providers.stdin('good'), HELLO);
  assert.equal(
    told(await providers.call('good', { tool: 'strict', arguments: { n: 1 } })),
    'completed payload',
  );
  assert.equal(providers.stdin('good'), HELLO + callLine(3, { n: 1 }, 'strict'));
});

test('the message about wrong arguments repeats nothing of them', async (t) => {
  const providers = await HostileProviders.start(t, [{ id: 'good' }]);
  const response = await providers.call('good', { tool: 'strict', arguments: { n: 'planted-value' } });
  assert.deepEqual(response, {
    dispatch_state: 'not_started',
    error: {
      code: 'plugin_arguments_schema_invalid',
      message: 'The arguments do not satisfy the tool’s input schema; nothing was sent.',
    },
  });
});

test('a second call is refused as busy while one is in flight, and says that nothing ran', async (t) => {
  const providers = await HostileProviders.start(t, [{ id: 'gate', scenario: 'gate' }]);
  const until = `${providers.folder}/open`;
  const first = providers.call('gate', { arguments: { until } });
  const second = await providers.call('gate', { arguments: { until: 'second' } });
  assert.equal(told(second), 'not_started plugin_provider_busy');
  assert.match('error' in second ? second.error.message : '', /nothing was sent/);
  writeFileSync(until, '');
  assert.equal(told(await notHanging(first)), 'completed payload');
  assert.equal(providers.stdin('gate'), HELLO + callLine(3, { until }));
  assert.equal(providers.state('gate'), 'ready');
});

test('calls wait in order where max_queued allows it, and the one too many is refused as busy', async (t) => {
  const providers = await HostileProviders.start(t, [
    { id: 'gate', scenario: 'gate', more: 'max_queued = 2' },
  ]);
  const until = `${providers.folder}/open`;
  const calls = [1, 2, 3].map((n) => providers.call('gate', { arguments: { until, n } }));
  assert.equal(
    told(await providers.call('gate', { arguments: { until, n: 4 } })),
    'not_started plugin_provider_busy',
  );
  writeFileSync(until, '');
  for (const call of calls) assert.equal(told(await notHanging(call)), 'completed payload');
  const lines = [1, 2, 3].map((n) => callLine(n + 2, { until, n })).join('');
  assert.equal(providers.stdin('gate'), HELLO + lines);
});

test('a call that waits past its own deadline ends not_started, and the plugin never sees it', async (t) => {
  const providers = await HostileProviders.start(t, [
    { id: 'gate', scenario: 'gate', more: 'max_queued = 1' },
  ]);
  const until = `${providers.folder}/open`;
  const first = providers.call('gate', { arguments: { until } });
  const waiting = await notHanging(
    providers.call('gate', { arguments: { until, late: true }, budgetMs: 100 }),
  );
  assert.equal(told(waiting), 'not_started plugin_timeout');
  assert.equal(providers.state('gate'), 'ready');
  writeFileSync(until, '');
  await notHanging(first);
  assert.equal(providers.stdin('gate'), HELLO + callLine(3, { until }));
});

test('stopping the Runner ends a call in flight as outcome_unknown and a waiting one as not_started', async (t) => {
  const providers = await HostileProviders.start(t, [
    { id: 'gate', scenario: 'gate', more: 'max_queued = 1' },
  ]);
  const until = `${providers.folder}/never`;
  const inFlight = providers.call('gate', { arguments: { until } });
  const waiting = providers.call('gate', { arguments: { until } });
  await waitFor(() => providers.stdin('gate').endsWith(callLine(3, { until })), {
    what: 'the call at the child',
  });
  await notHanging(providers.set.stop());
  assert.equal(told(await inFlight), 'outcome_unknown plugin_manager_stopping');
  assert.equal(told(await waiting), 'not_started plugin_manager_stopping');
  assert.equal(told(await providers.call('gate')), 'not_started plugin_manager_stopping');
  await allEnd(providers.pids('gate'));
});

const IDLE: readonly (readonly [string, string])[] = [
  ['idle-stray-line', 'plugin_unexpected_message'],
  ['idle-second-answer', 'plugin_unexpected_message'],
  ['idle-banner', 'plugin_malformed_json'],
  ['idle-empty-line', 'plugin_malformed_json'],
  ['idle-half-line-then-dies', 'plugin_malformed_json'],
  ['idle-huge-line', 'plugin_message_too_large'],
  ['idle-death', 'plugin_eof'],
  ['idle-closes-stdout', 'plugin_eof'],
];

test('what goes wrong on an idle provider retires it at once, and the first call afterwards tells why', async (t) => {
  const providers = await HostileProviders.start(
    t,
    IDLE.map(([scenario]) => ({ id: scenario, scenario })),
  );
  await Promise.all(
    IDLE.map(([scenario, code]) =>
      t.test(`${scenario}: ${code}`, async () => {
        assert.equal(providers.state(scenario), 'ready');
        providers.openGate(scenario);
        await waitFor(() => providers.state(scenario) === code, { what: `${scenario} to be noticed` });
        assert.equal(told(await providers.call(scenario)), `not_started ${code}`);
        assert.equal(told(await providers.call(scenario)), 'not_started plugin_provider_unavailable');
        assert.equal(providers.stdin(scenario), HELLO);
        await allEnd(providers.pids(scenario));
      }),
    ),
  );
});

test('a plugin that answers twice completes its call and is retired for the second answer', async (t) => {
  const providers = await HostileProviders.start(t, [{ id: 'twice', scenario: 'answers-twice' }]);
  assert.equal(told(await providers.call('twice')), 'completed payload');
  await waitFor(() => providers.state('twice') === 'plugin_unexpected_message', {
    what: 'the second answer',
  });
  assert.equal(told(await providers.call('twice')), 'not_started plugin_unexpected_message');
  assert.equal(providers.stdin('twice'), HELLO + callLine(3));
});

test('with a call waiting, a second answer ends that call not_started: it was never sent', async (t) => {
  const providers = await HostileProviders.start(t, [
    { id: 'twice', scenario: 'answers-twice', more: 'max_queued = 1' },
  ]);
  const calls = [
    providers.call('twice', { arguments: { n: 1 } }),
    providers.call('twice', { arguments: { n: 2 } }),
  ];
  const [first, second] = await Promise.all(calls);
  assert.ok(first !== undefined && second !== undefined);
  assert.equal(told(first), 'completed payload');
  assert.equal(told(second), 'not_started plugin_unexpected_message');
  assert.equal(providers.stdin('twice'), HELLO + callLine(3, { n: 1 }));
});

test('an answer after the deadline changes nothing: the call has ended and the plugin with it', async (t) => {
  const clock = manualClock();
  const providers = await HostileProviders.start(t, [{ id: 'late', scenario: 'gate' }], {
    services: { clock },
  });
  const until = `${providers.folder}/open`;
  const call = providers.call('late', { arguments: { until }, budgetMs: 200 });
  await waitFor(() => providers.stdin('late') === HELLO + callLine(3, { until }), {
    what: 'the call at the child',
  });
  await clock.advance(200);
  writeFileSync(until, '');
  assert.equal(told(await notHanging(call)), 'outcome_unknown plugin_timeout');
  assert.equal(providers.state('late'), 'plugin_timeout');
});

test('the last answer of a process that ends right after it is a completed call', async (t) => {
  const providers = await HostileProviders.start(t, [{ id: 'last', scenario: 'answers-then-dies' }]);
  assert.equal(told(await providers.call('last')), 'completed payload');
  await waitFor(() => providers.state('last') === 'plugin_eof', { what: 'the end of the process' });
});

test('list shows a retired provider as failed with its code and without tools', async (t) => {
  const providers = await HostileProviders.start(t, [{ id: 'dies', scenario: 'dies-on-call' }]);
  await providers.call('dies');
  assert.deepEqual(await providers.request({ kind: 'providers_list' }), {
    dispatch_state: 'completed',
    payload: {
      kind: 'providers_list',
      providers: [{ id: 'dies', name: 'Provider dies', status: 'failed', error_code: 'plugin_eof' }],
    },
  });
  assert.deepEqual(await providers.request({ kind: 'tools_list', provider: 'dies' }), {
    dispatch_state: 'completed',
    payload: {
      kind: 'tools_list',
      provider: 'dies',
      provider_instance: null,
      name: 'Provider dies',
      status: 'failed',
      error_code: 'plugin_eof',
      tools: [],
    },
  });
});

test('an error text of the plugin reaches nobody', async (t) => {
  const providers = await HostileProviders.start(t, [{ id: 'error', scenario: 'rpc-error' }]);
  const response = await providers.call('error');
  assert.equal(JSON.stringify([response, providers.logged]).includes('planted-foreign-error-text'), false);
});
