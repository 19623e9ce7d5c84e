import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completed } from '@fairlead/base';
import type { RunnerPayload } from '@fairlead/protocol';
import { dispatchFloor, gist } from './dispatch-floor.ts';
import { fault } from './fake-runners.ts';

const CHECK = { action: 'check', runner: 'local', plugin: 'echo' };
const RELOAD = { action: 'reload', runner: 'local' };

test('a check that is ready lists names and titles, within 125 s', async (t) => {
  const floor = await dispatchFloor(t);
  floor.runners.answers.check = () =>
    completed({
      kind: 'check',
      provider: 'echo',
      ready: true,
      phase: 'ready',
      tools: [{ name: 'say', title: 'Say it' }, { name: 'shout' }],
    });
  const answer = await floor.invoke(CHECK);
  assert.deepEqual(answer, {
    call: answer.call,
    action: 'check',
    certainty: 'completed',
    output: {
      runner: 'local',
      plugin: 'echo',
      ready: true,
      phase: 'ready',
      toolCount: 2,
      tools: [{ name: 'say', title: 'Say it' }, { name: 'shout' }],
    },
    summary: 'What the check found. The plugins in use are as they were.',
  });
  assert.deepEqual(floor.runners.sent, [
    {
      runner: 'local',
      instanceId: 'local-1',
      request: { kind: 'check', provider: 'echo' },
      options: { budgetMs: 125_000, call: answer.call },
    },
  ]);
});

test('a check that is not ready is a completed report with code, detail and diagnostic', async (t) => {
  const floor = await dispatchFloor(t);
  floor.runners.answers.check = () =>
    completed({
      kind: 'check',
      provider: 'echo',
      ready: false,
      phase: 'validation',
      code: 'plugin_tools_list_invalid',
      detail: 'first line\nsecond line',
      diagnostic: { code: 'input_schema_invalid', tool: 'say', field: 'inputSchema' },
      tools: [],
    });
  const answer = await floor.invoke(CHECK);
  assert.equal(answer.certainty, 'completed');
  assert.deepEqual(answer.output, {
    runner: 'local',
    plugin: 'echo',
    ready: false,
    phase: 'validation',
    toolCount: 0,
    tools: [],
    code: 'plugin_tools_list_invalid',
    detail: 'first line second line',
    diagnostic: { code: 'input_schema_invalid', tool: 'say', field: 'inputSchema' },
  });
});

test('a reload answers the plugins in force and the candidates that failed, within 125 s', async (t) => {
  const floor = await dispatchFloor(t);
  floor.runners.answers.reload = () =>
    completed({
      kind: 'reload',
      providers: [{ id: 'echo', name: 'Echo', status: 'ready', error_code: null }],
      failures: [{ provider_id: 'broken', code: 'plugin_eof' }],
    });
  const answer = await floor.invoke(RELOAD);
  assert.deepEqual(answer.output, {
    runner: 'local',
    plugins: [{ plugin: 'echo', name: 'Echo', status: 'ready', errorCode: null }],
    failures: [{ provider_id: 'broken', code: 'plugin_eof' }],
  });
  assert.deepEqual(floor.runners.sent[0]?.options, { budgetMs: 125_000, call: answer.call });
});

test('a reload that changed nothing because of its candidates says so in the journal', async (t) => {
  const floor = await dispatchFloor(t);
  for (const failures of [[{ provider_id: 'broken', code: 'plugin_eof' }], []]) {
    floor.runners.answers.reload = () => completed({ kind: 'reload', providers: [], failures });
    assert.deepEqual(gist(await floor.invoke(RELOAD)), ['completed', undefined]);
  }
  assert.deepEqual(
    (await floor.rows()).map((row) => [row['certainty'], row['code']]),
    [
      ['completed', 'plugin_reload_failed'],
      ['completed', null],
    ],
  );
});

test('an unknown end of check or reload advises to list, and is not sent again', async (t) => {
  const floor = await dispatchFloor(t);
  for (const [params, kind] of [
    [CHECK, 'check'],
    [RELOAD, 'reload'],
  ] as const)
    for (const code of ['plugin_gateway_timeout', 'runner_unavailable']) {
      floor.runners.sent.length = 0;
      floor.runners.answers[kind] = () => fault('outcome_unknown', code);
      const answer = await floor.invoke(params);
      assert.deepEqual(gist(answer), ['outcome_unknown', code]);
      assert.match(answer.error?.recovery ?? '', /not sent again|nothing was sent again/);
      assert.match(answer.error?.recovery ?? '', /List the plugins|list the plugins/i);
      assert.doesNotMatch(JSON.stringify(answer), /FOREIGN/);
      assert.equal(floor.runners.sent.length, 1);
    }
});

test('a refusal of the Runner keeps its code', async (t) => {
  const floor = await dispatchFloor(t);
  floor.runners.answers.check = () => fault('not_started', 'plugin_check_busy');
  floor.runners.answers.reload = () => fault('not_started', 'plugin_reload_busy');
  assert.deepEqual(gist(await floor.invoke(CHECK)), ['not_started', 'plugin_check_busy']);
  assert.deepEqual(gist(await floor.invoke(RELOAD)), ['not_started', 'plugin_reload_busy']);
  assert.deepEqual(gist(await floor.invoke({ ...CHECK, plugin: 'Not An Id' })), [
    'not_started',
    'plugin_unavailable',
  ]);
  assert.deepEqual(gist(await floor.invoke({ ...RELOAD, runner: 'nowhere' })), [
    'not_started',
    'runner_unavailable',
  ]);
  assert.deepEqual(gist(await floor.invoke({ ...CHECK, runner: 'nowhere' })), [
    'not_started',
    'runner_unavailable',
  ]);
});

test('a report that is about another plugin, or that contradicts itself, leaves the outcome unknown', async (t) => {
  const floor = await dispatchFloor(t);
  const ready = { kind: 'check', provider: 'echo', ready: true, phase: 'ready', tools: [] } as const;
  const reports: unknown[] = [
    { ...ready, provider: 'other' },
    { ...ready, code: 'plugin_eof' },
    { ...ready, ready: false },
    { ...ready, extra: 1 },
    { ...ready, tools: [{ name: 'bad name' }] },
    { ...ready, ready: false, phase: 'spawn', code: 'plugin_spawn_failed', detail: '\u001b[2J' },
    { ...ready, phase: 'somewhere' },
    { kind: 'reload', providers: [], failures: [] },
  ];
  for (const report of reports) {
    floor.runners.answers.check = () => completed(report as RunnerPayload);
    assert.deepEqual(gist(await floor.invoke(CHECK)), ['outcome_unknown', 'invalid_plugin_response']);
  }
  floor.runners.answers.reload = () =>
    completed({
      kind: 'reload',
      providers: [{ id: 'NOT', name: '', status: 'ready', error_code: null }],
      failures: [],
    });
  assert.deepEqual(gist(await floor.invoke(RELOAD)), ['outcome_unknown', 'invalid_plugin_response']);
});
