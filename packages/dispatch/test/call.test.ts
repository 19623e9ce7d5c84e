import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completed, type JsonObject } from '@fairlead/base';
import { toolObservation } from '@fairlead/protocol';
import { dispatchFloor, EVERYTHING, gist } from './dispatch-floor.ts';
import { echoTools, fakeRunner, fault, SAY } from './fake-runners.ts';

const HELLO = { text: 'hello' };

test('call sends exactly what was described, once, and hands on the result unchanged', async (t) => {
  const floor = await dispatchFloor(t);
  const result = {
    content: [{ type: 'text', text: 'hello\n' }],
    structuredContent: { a: [1] },
    isError: false,
  };
  floor.runners.answers.tools_call = () => completed({ kind: 'tools_call', result });
  const binding = await floor.bind();
  const answer = await floor.invoke({ action: 'call', binding, arguments: HELLO });
  assert.deepEqual(answer, {
    call: answer.call,
    action: 'call',
    certainty: 'completed',
    output: result,
    isProviderResult: true,
  });
  assert.deepEqual(floor.runners.sent.slice(1), [
    {
      runner: 'local',
      instanceId: 'local-1',
      request: {
        kind: 'tools_call',
        provider: 'echo',
        provider_instance: 'instance-1',
        tool: 'say',
        observation: toolObservation(SAY),
        arguments: { text: 'hello' },
      },
      options: { budgetMs: 35_000, call: answer.call },
    },
  ]);
});

test('the budget of a call is the tool’s own timeout and 5 s', async (t) => {
  const floor = await dispatchFloor(t);
  for (const [seconds, budgetMs] of [
    [1, 6_000],
    [120, 125_000],
  ] as const) {
    const tools = echoTools().tools.map((tool) => ({ ...tool, timeout_secs: seconds }));
    floor.runners.answers.tools_list = () => completed(echoTools({ tools }));
    const binding = await floor.bind();
    await floor.invoke({ action: 'call', binding, arguments: HELLO });
    assert.equal(floor.runners.sent.at(-1)?.options.budgetMs, budgetMs);
  }
});

test('a result that says isError is completed, with its own failure kind', async (t) => {
  const floor = await dispatchFloor(t);
  const result = { content: [{ type: 'text', text: 'no such file' }], isError: true };
  floor.runners.answers.tools_call = () => completed({ kind: 'tools_call', result });
  const answer = await floor.invoke({ action: 'call', binding: await floor.bind(), arguments: HELLO });
  assert.deepEqual(answer, {
    call: answer.call,
    action: 'call',
    certainty: 'completed',
    output: result,
    isProviderResult: true,
    failureKind: 'plugin_tool_error',
  });
});

/** Code of the Runner or the port → code that the caller sees, and whether the binding still serves. */
const REMAPS = [
  ['not_started', 'stale_plugin_provider', 'plugin_replaced', 'ends'],
  ['not_started', 'plugin_provider_unavailable', 'plugin_replaced', 'ends'],
  ['not_started', 'plugin_replaced', 'plugin_replaced', 'ends'],
  ['not_started', 'plugin_schema_changed', 'plugin_schema_changed', 'ends'],
  ['not_started', 'plugin_tool_unavailable', 'plugin_tool_unavailable', 'ends'],
  ['not_started', 'plugin_arguments_schema_invalid', 'plugin_arguments_schema_invalid', 'stays'],
  ['not_started', 'plugin_provider_busy', 'plugin_provider_busy', 'stays'],
  ['not_started', 'plugin_timeout', 'plugin_timeout', 'stays'],
  ['not_started', 'plugin_eof', 'plugin_eof', 'stays'],
  ['outcome_unknown', 'plugin_timeout', 'plugin_timeout', 'stays'],
  ['outcome_unknown', 'plugin_eof', 'plugin_eof', 'stays'],
  ['completed', 'plugin_rpc_error', 'plugin_rpc_error', 'stays'],
  ['completed', 'plugin_result_invalid', 'plugin_result_invalid', 'stays'],
  ['not_started', 'runner_unavailable', 'runner_unavailable', 'stays'],
  ['outcome_unknown', 'runner_unavailable', 'runner_unavailable', 'stays'],
  ['not_started', 'plugin_gateway_unavailable', 'plugin_gateway_unavailable', 'stays'],
  ['not_started', 'plugin_gateway_timeout', 'plugin_gateway_timeout', 'stays'],
  ['outcome_unknown', 'plugin_gateway_timeout', 'plugin_gateway_timeout', 'stays'],
  ['outcome_unknown', 'invalid_plugin_response', 'invalid_plugin_response', 'stays'],
  ['completed', 'plugin_a_later_code', 'plugin_a_later_code', 'stays'],
] as const;

for (const [certainty, code, shown, binding] of REMAPS)
  test(`${code} (${certainty}) reaches the caller as ${shown}; the binding ${binding}`, async (t) => {
    const floor = await dispatchFloor(t);
    const handle = await floor.bind();
    const answered = floor.runners.answers.tools_call;
    floor.runners.answers.tools_call = () => fault(certainty, code);
    const answer = await floor.invoke({ action: 'call', binding: handle, arguments: HELLO });
    assert.deepEqual(gist(answer), [certainty, shown]);
    assert.doesNotMatch(JSON.stringify(answer), /FOREIGN/);
    assert.ok((answer.error?.message ?? '').length > 10);
    assert.match(answer.error?.recovery ?? '', certainty === 'outcome_unknown' ? /may have run/ : /./);
    if (answered !== undefined) floor.runners.answers.tools_call = answered;
    const again = await floor.invoke({ action: 'call', binding: handle, arguments: HELLO });
    assert.deepEqual(
      gist(again),
      binding === 'ends' ? ['not_started', 'describe_required'] : ['completed', undefined],
    );
    assert.equal(floor.runners.calls().length, binding === 'ends' ? 1 : 2);
  });

test('a binding that was never made is describe_required and nothing is sent', async (t) => {
  const floor = await dispatchFloor(t);
  const binding = 'wc_pbind_AAAAAAAAAAAAAAAAAAAAAA';
  assert.deepEqual(gist(await floor.invoke({ action: 'call', binding, arguments: HELLO })), [
    'not_started',
    'describe_required',
  ]);
  assert.deepEqual(floor.runners.sent, []);
});

test('the 513th binding pushes out the one that was made first, however often that was used', async (t) => {
  const floor = await dispatchFloor(t);
  const first = await floor.bind();
  const second = await floor.bind();
  for (let made = 2; made < 512; made += 1) await floor.bind();
  const call = async (binding: string) =>
    gist(await floor.invoke({ action: 'call', binding, arguments: HELLO }));
  assert.deepEqual(await call(first), ['completed', undefined]);
  await floor.bind();
  assert.deepEqual(await call(first), ['not_started', 'describe_required']);
  assert.deepEqual(await call(second), ['completed', undefined]);
});

test('a Runner that started again is plugin_replaced before anything is sent, for good', async (t) => {
  const floor = await dispatchFloor(t);
  const binding = await floor.bind();
  floor.runners.connected = [fakeRunner('local', 'local-2')];
  const call = async () => gist(await floor.invoke({ action: 'call', binding, arguments: HELLO }));
  assert.deepEqual(await call(), ['not_started', 'plugin_replaced']);
  floor.runners.connected = [fakeRunner('local', 'local-1')];
  assert.deepEqual(await call(), ['not_started', 'describe_required']);
  assert.deepEqual(floor.runners.calls(), []);
});

test('a Runner that is away is runner_unavailable; when the same instance is back the binding serves', async (t) => {
  const floor = await dispatchFloor(t);
  const binding = await floor.bind();
  const call = async () => gist(await floor.invoke({ action: 'call', binding, arguments: HELLO }));
  floor.runners.connected = [];
  assert.deepEqual(await call(), ['not_started', 'runner_unavailable']);
  floor.runners.connected = [{ ...fakeRunner('local'), capabilities: [] }];
  assert.deepEqual(await call(), ['not_started', 'runner_unavailable']);
  floor.runners.connected = [fakeRunner('local')];
  assert.deepEqual(await call(), ['completed', undefined]);
});

test('a binding is no credential: scope and Runner are judged anew at every call', async (t) => {
  const floor = await dispatchFloor(t);
  const binding = await floor.bind();
  const call = async (principal: typeof EVERYTHING) =>
    gist(await floor.invoke({ action: 'call', binding, arguments: HELLO }, principal));
  assert.deepEqual(await call({ id: 'token:b', scopes: ['plugin:inspect', 'plugin:manage', 'admin'] }), [
    'not_started',
    'insufficient_scope',
  ]);
  assert.deepEqual(await call({ ...EVERYTHING, runners: ['other'] }), ['not_started', 'describe_required']);
  assert.deepEqual(await call({ ...EVERYTHING, runners: [] }), ['not_started', 'describe_required']);
  assert.deepEqual(floor.runners.calls(), []);
  // Somebody else who may do it can use the same handle.
  assert.deepEqual(await call({ id: 'token:c', scopes: ['plugin:invoke'], runners: ['local'] }), [
    'completed',
    undefined,
  ]);
});

test('two Runners with the same plugins and tools never mix', async (t) => {
  const floor = await dispatchFloor(t);
  floor.runners.connected = [fakeRunner('east', 'instance'), fakeRunner('west', 'instance')];
  const east = await floor.bind({ runner: 'east' });
  const west = await floor.bind({ runner: 'west' });
  for (const [binding, runner] of [
    [west, 'west'],
    [east, 'east'],
  ]) {
    await floor.invoke({ action: 'call', binding: binding ?? '', arguments: HELLO });
    assert.equal(floor.runners.sent.at(-1)?.runner, runner);
  }
  floor.runners.connected = [fakeRunner('east', 'instance')];
  const count = floor.runners.calls().length;
  assert.deepEqual(gist(await floor.invoke({ action: 'call', binding: west, arguments: HELLO })), [
    'not_started',
    'runner_unavailable',
  ]);
  assert.equal(floor.runners.calls().length, count);
});

test('what is no result of a call is invalid_plugin_result: it has run', async (t) => {
  const floor = await dispatchFloor(t);
  const binding = await floor.bind();
  const text = (value: string) => ({ type: 'text', text: value });
  const results: JsonObject[] = [
    {},
    { content: 'text' },
    { content: [{ type: 'image', data: '' }] },
    { content: [], other: 1 },
    { content: [text('\u001b[31mred')] },
    { content: [], structuredContent: [] },
    { content: [], isError: 'yes' },
    { content: Array.from({ length: 33 }, () => text('')) },
    { content: [text('x'.repeat(524_289))] },
  ];
  for (const result of results) {
    floor.runners.answers.tools_call = () => completed({ kind: 'tools_call', result });
    assert.deepEqual(gist(await floor.invoke({ action: 'call', binding, arguments: HELLO })), [
      'completed',
      'invalid_plugin_result',
    ]);
  }
});

test('an answer of another kind, or a code in disguise, leaves a call unknown', async (t) => {
  const floor = await dispatchFloor(t);
  const binding = await floor.bind();
  for (const answer of [
    completed({ kind: 'providers_list', providers: [] } as const),
    fault('not_started', 'insufficient_scope'),
    fault('not_started', 'unauthorized'),
    fault('completed', 'describe_required'),
    fault('completed', 'Not A Code'),
    fault('completed', 'x'.repeat(81)),
    fault('completed', ''),
  ]) {
    floor.runners.answers.tools_call = () => answer;
    assert.deepEqual(gist(await floor.invoke({ action: 'call', binding, arguments: HELLO })), [
      'outcome_unknown',
      'invalid_plugin_response',
    ]);
  }
});

test('a port that breaks leaves a call unknown, and the journal knows', async (t) => {
  const floor = await dispatchFloor(t);
  const binding = await floor.bind();
  floor.runners.answers.tools_call = () => Promise.reject(new Error('MARKER of the port'));
  const answer = await floor.invoke({ action: 'call', binding, arguments: HELLO });
  assert.deepEqual(gist(answer), ['outcome_unknown', 'dispatch_failed']);
  assert.doesNotMatch(JSON.stringify(answer), /MARKER/);
  floor.runners.answers.providers_list = () => Promise.reject(new Error('MARKER of the port'));
  assert.deepEqual(gist(await floor.invoke({ action: 'list', runner: 'local' })), [
    'not_started',
    'dispatch_failed',
  ]);
  const failed = floor.logged.filter((line) => line.includes('dispatch'));
  assert.deepEqual(failed, ['error dispatch.failed', 'error dispatch.failed']);
  const rows = await floor.rows();
  assert.deepEqual(
    rows.map((row) => [row['action'], row['certainty'], row['code']]),
    [
      ['describe', 'completed', null],
      ['call', 'outcome_unknown', 'dispatch_failed'],
      ['list', 'not_started', 'dispatch_failed'],
    ],
  );
});
