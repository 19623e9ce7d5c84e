import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completed } from '@fairlead/base';
import { toolObservation } from '@fairlead/protocol';
import { dispatchFloor, EVERYTHING, gist } from './dispatch-floor.ts';
import { echoTools, fakeRunner, fault, SAY } from './fake-runners.ts';

test('list names the Runners with plugins that the caller may use, by id, and asks none of them', async (t) => {
  const floor = await dispatchFloor(t);
  floor.runners.connected = [
    { ...fakeRunner('west'), name: 'In the west' },
    fakeRunner('east'),
    { ...fakeRunner('bare'), capabilities: [] },
  ];
  assert.deepEqual((await floor.invoke({ action: 'list' })).output, {
    runners: [{ runner: 'east' }, { runner: 'west', name: 'In the west' }],
  });
  const limited = { ...EVERYTHING, runners: ['west', 'gone'] };
  assert.deepEqual((await floor.invoke({ action: 'list' }, limited)).output, {
    runners: [{ runner: 'west', name: 'In the west' }],
  });
  assert.deepEqual((await floor.invoke({ action: 'list' }, { ...EVERYTHING, runners: [] })).output, {
    runners: [],
  });
  assert.deepEqual(floor.runners.sent, []);
});

test('list of a Runner gives its plugins within 10 s', async (t) => {
  const floor = await dispatchFloor(t);
  const listed = await floor.invoke({ action: 'list', runner: 'local' });
  assert.deepEqual(listed, {
    call: listed.call,
    action: 'list',
    certainty: 'completed',
    output: {
      runner: 'local',
      plugins: [
        { plugin: 'echo', name: 'Echo', status: 'ready', errorCode: null },
        { plugin: 'broken', name: 'Broken', status: 'failed', errorCode: 'plugin_eof' },
      ],
    },
    summary: 'What there is now: Runners, the plugins of one, or the tools of one plugin.',
  });
  assert.match(listed.call ?? '', /^call_[A-Za-z0-9_-]{22}$/);
  assert.deepEqual(floor.runners.sent, [
    {
      runner: 'local',
      instanceId: 'local-1',
      request: { kind: 'providers_list' },
      options: { budgetMs: 10_000, call: listed.call },
    },
  ]);
});

test('list of a plugin gives names and titles; one that is not ready has no tools', async (t) => {
  const floor = await dispatchFloor(t);
  assert.deepEqual((await floor.invoke({ action: 'list', runner: 'local', plugin: 'echo' })).output, {
    runner: 'local',
    plugin: 'echo',
    name: 'Echo',
    status: 'ready',
    errorCode: null,
    toolCount: 2,
    tools: [{ name: 'say', title: 'Say it' }, { name: 'shout' }],
  });
  floor.runners.answers.tools_list = () =>
    completed(echoTools({ status: 'failed', error_code: 'plugin_timeout', provider_instance: null }));
  assert.deepEqual((await floor.invoke({ action: 'list', runner: 'local', plugin: 'echo' })).output, {
    runner: 'local',
    plugin: 'echo',
    name: 'Echo',
    status: 'failed',
    errorCode: 'plugin_timeout',
    toolCount: 0,
    tools: [],
  });
  assert.equal(floor.runners.sent[0]?.options.budgetMs, 10_000);
});

test('describe gives the whole definition and a fresh binding each time', async (t) => {
  const floor = await dispatchFloor(t);
  const describe = () => floor.invoke({ action: 'describe', runner: 'local', plugin: 'echo', tool: 'say' });
  const first = await describe();
  const second = await describe();
  assert.deepEqual(first.output, {
    runner: 'local',
    plugin: 'echo',
    pluginName: 'Echo',
    tool: SAY,
    binding: first.output?.['binding'],
  });
  assert.match(String(first.output?.['binding']), /^wc_pbind_[A-Za-z0-9_-]{22}$/);
  assert.notEqual(first.output?.['binding'], second.output?.['binding']);
  assert.deepEqual(floor.runners.sent[0]?.request, { kind: 'tools_list', provider: 'echo' });
  assert.equal(floor.runners.sent[0]?.options.budgetMs, 10_000);
});

test('what is not there has its code, and ids that cannot exist are not asked for', async (t) => {
  const floor = await dispatchFloor(t);
  const describe = async (names: object) =>
    gist(await floor.invoke({ action: 'describe', runner: 'local', plugin: 'echo', tool: 'say', ...names }));
  assert.deepEqual(await describe({ runner: 'nowhere' }), ['not_started', 'runner_unavailable']);
  assert.deepEqual(await describe({ plugin: 'Echo' }), ['not_started', 'plugin_unavailable']);
  assert.deepEqual(await describe({ tool: 'say it' }), ['not_started', 'tool_not_found']);
  assert.deepEqual(gist(await floor.invoke({ action: 'list', runner: 'nowhere' })), [
    'not_started',
    'runner_unavailable',
  ]);
  assert.deepEqual(gist(await floor.invoke({ action: 'list', runner: 'local', plugin: 'É' })), [
    'not_started',
    'plugin_unavailable',
  ]);
  assert.deepEqual(floor.runners.sent, []);
  assert.deepEqual(await describe({ tool: 'sing' }), ['not_started', 'tool_not_found']);
  for (const status of ['starting', 'failed'] as const) {
    const code = status === 'failed' ? 'plugin_eof' : null;
    floor.runners.answers.tools_list = () =>
      completed(echoTools({ status, error_code: code, provider_instance: null, tools: [] }));
    assert.deepEqual(await describe({}), ['not_started', 'plugin_provider_unavailable']);
  }
});

test('a Runner that may not be used looks like one that is not there', async (t) => {
  const floor = await dispatchFloor(t);
  const stranger = { ...EVERYTHING, runners: ['other'] };
  for (const params of [
    { action: 'list', runner: 'local' },
    { action: 'list', runner: 'local', plugin: 'echo' },
    { action: 'describe', runner: 'local', plugin: 'echo', tool: 'say' },
    { action: 'check', runner: 'local', plugin: 'echo' },
    { action: 'reload', runner: 'local' },
  ])
    assert.deepEqual(gist(await floor.invoke(params, stranger)), ['not_started', 'runner_unavailable']);
  assert.deepEqual(floor.runners.sent, []);
});

test('a fault of a read never leaves anything unknown, and is told in our words', async (t) => {
  const floor = await dispatchFloor(t);
  for (const [answered, certainty, code] of [
    [fault('not_started', 'plugin_unavailable'), 'not_started', 'plugin_unavailable'],
    [fault('outcome_unknown', 'plugin_gateway_timeout'), 'not_started', 'plugin_gateway_timeout'],
    [fault('outcome_unknown', 'runner_unavailable'), 'not_started', 'runner_unavailable'],
    [fault('completed', 'plugin_provider_state_failed'), 'completed', 'plugin_provider_state_failed'],
    [fault('not_started', 'stale_plugin_provider'), 'not_started', 'plugin_replaced'],
  ] as const) {
    floor.runners.answers.providers_list = () => answered;
    floor.runners.answers.tools_list = () => answered;
    for (const params of [
      { action: 'list', runner: 'local' },
      { action: 'list', runner: 'local', plugin: 'echo' },
      { action: 'describe', runner: 'local', plugin: 'echo', tool: 'say' },
    ]) {
      const answer = await floor.invoke(params);
      assert.deepEqual(gist(answer), [certainty, code]);
      assert.doesNotMatch(JSON.stringify(answer), /FOREIGN/);
      const isLost = answered.certainty === 'outcome_unknown';
      const changedNothing = answer.error?.recovery?.startsWith('It only reads, so nothing was changed. ');
      assert.equal(changedNothing, isLost, code);
    }
  }
});

test('a Runner that is replaced while it is read answers plugin_replaced', async (t) => {
  const floor = await dispatchFloor(t);
  const replace = () => {
    floor.runners.connected = [fakeRunner('local', 'local-2')];
  };
  const reset = () => {
    floor.runners.connected = [fakeRunner('local')];
  };
  const reads = [
    { action: 'list', runner: 'local' },
    { action: 'list', runner: 'local', plugin: 'echo' },
    { action: 'describe', runner: 'local', plugin: 'echo', tool: 'say' },
  ];
  for (const lost of [true, false])
    for (const params of reads) {
      reset();
      floor.runners.answers.providers_list = () => {
        replace();
        return lost
          ? fault('outcome_unknown', 'runner_unavailable')
          : completed({ kind: 'providers_list', providers: [] });
      };
      floor.runners.answers.tools_list = () => {
        replace();
        return lost ? fault('not_started', 'runner_unavailable') : completed(echoTools());
      };
      assert.deepEqual(gist(await floor.invoke(params)), ['not_started', 'plugin_replaced']);
    }
  reset();
  floor.runners.answers.providers_list = () => {
    floor.runners.connected = [];
    return fault('outcome_unknown', 'runner_unavailable');
  };
  assert.deepEqual(gist(await floor.invoke({ action: 'list', runner: 'local' })), [
    'not_started',
    'runner_unavailable',
  ]);
});

test('a definition whose digest is not its own, or that no plugin may have, is never described', async (t) => {
  const floor = await dispatchFloor(t);
  const tools = echoTools().tools;
  const [say] = tools;
  assert.ok(say);
  const withSay = (changes: object) => echoTools({ tools: [{ ...say, ...changes }] });
  for (const payload of [
    withSay({ observation: toolObservation({ name: 'other' }) }),
    withSay({ definition: { ...SAY, extra: 1 }, observation: toolObservation({ ...SAY, extra: 1 }) }),
    withSay({ definition: { name: 'say', inputSchema: { type: 'object', $ref: '#' } } }),
    echoTools({ provider_instance: null }),
  ]) {
    floor.runners.answers.tools_list = () => completed(payload);
    const answer = await floor.invoke({ action: 'describe', runner: 'local', plugin: 'echo', tool: 'say' });
    assert.deepEqual(gist(answer), ['not_started', 'invalid_plugin_response']);
  }
  for (const definitions of [
    [SAY, SAY],
    [{ name: 'bad name' }],
    [{ name: 'a', title: '\u001b[2J' }],
    [{ name: 5 }],
  ]) {
    floor.runners.answers.tools_list = () => completed(echoTools({}, definitions));
    const answer = await floor.invoke({ action: 'list', runner: 'local', plugin: 'echo' });
    assert.deepEqual(gist(answer), ['not_started', 'invalid_plugin_response']);
  }
});
