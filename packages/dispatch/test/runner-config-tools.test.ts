// docs/reference/runtime-tools.md, "check_runner_config" and "reload_runner_config"
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { completed, type JsonObject } from '@fairlead/base';
import type { ConfigCheck, ConfigReload } from '@fairlead/protocol';
import { type Principal, scopes } from '../src/index.ts';
import { gist } from './dispatch-floor.ts';
import { fakeRunner, fault } from './fake-runners.ts';
import { OPERATOR, type ToolsFloor, toolsFloor } from './tools-floor.ts';

const CHECK: ConfigCheck = {
  kind: 'config_check',
  generation: 1,
  valid: true,
  faults: [],
  ignored: [{ field: 'colour', line: 3 }],
  changed: [{ field: 'token', applies: 'restart_only' }],
  changed_count: 1,
  restarts_plugins: false,
};
const RELOAD: ConfigReload = {
  kind: 'config_reload',
  generation: 2,
  applied: true,
  changed: [{ field: 'shell.init_timeout_secs', applies: 'live' }],
  changed_count: 1,
  plugins_restarted: false,
  providers: [{ id: 'echo', name: 'Echo', status: 'ready', error_code: null }],
  failures: [],
};
const TOOLS = ['check_runner_config', 'reload_runner_config'] as const;

async function floorOf(t: Parameters<typeof toolsFloor>[0], authority?: string): Promise<ToolsFloor> {
  const floor = await toolsFloor(t, authority);
  floor.runners.answers.config_check = () => completed(CHECK);
  floor.runners.answers.config_reload = () => completed(RELOAD);
  return floor;
}

for (const tool of TOOLS) {
  describe(tool, () => {
    test('is in no list, is described by the manifest, and is reached through call_runtime_tool alone', async (t) => {
      const floor = await floorOf(t);
      const found = floor.tools.find(({ definition }) => definition.name === tool);
      assert.deepEqual([found?.route, found?.scopes], ['gateway', ['runner:manage']]);
      const { output } = await floor.call('read_tool_manifest', { tool_name: tool });
      assert.deepEqual([output?.['route'], output?.['scopes']], ['gateway', ['runner:manage']]);
      await assert.rejects(floor.call(tool, { runner: 'local' }), /tool_route_gateway/);
    });

    test('needs runner:manage, which no other scope implies', async (t) => {
      const floor = await floorOf(t);
      const only: Principal = { id: 'token:t', scopes: ['runner:manage'] };
      assert.deepEqual(gist(await floor.runtime(tool, { runner: 'local' }, only)), ['completed', undefined]);
      const others: Principal = {
        id: 'token:t',
        scopes: scopes.filter((scope) => scope !== 'runner:manage'),
      };
      const refused = await floor.runtime(tool, { runner: 'local' }, others);
      assert.deepEqual(
        [...gist(refused), refused.needsScope],
        ['not_started', 'insufficient_scope', 'runner:manage'],
      );
      assert.equal(floor.runners.sent.length, 1);
    });

    test('asks only a Runner that is connected and that the token may use, with plugins or without', async (t) => {
      const floor = await floorOf(t);
      floor.runners.connected = [{ ...fakeRunner('local'), capabilities: [] }];
      assert.deepEqual(gist(await floor.runtime(tool, { runner: 'local' })), ['completed', undefined]);
      for (const [runner, principal] of [
        ['other', OPERATOR],
        ['local', { ...OPERATOR, runners: ['other'] }],
      ] as const)
        assert.deepEqual(gist(await floor.runtime(tool, { runner }, principal)), [
          'not_started',
          'runner_unavailable',
        ]);
      assert.equal(floor.runners.sent.length, 1);
    });

    const wrong = [
      [{}, 'invalid_arguments', { member: 'runner', problem: 'missing' }],
      [{ runner: 7 }, 'invalid_arguments', { member: 'runner', problem: 'not_a_string' }],
      [{ runner: ' ' }, 'invalid_runner', { member: 'runner', problem: 'invalid' }],
      [{ runner: 'a\nb' }, 'invalid_runner', { member: 'runner', problem: 'invalid' }],
      [{ runner: 'local', planted: 1 }, 'invalid_arguments', { problem: 'unknown_member' }],
    ] as const;
    for (const [args, code, detail] of wrong)
      test(`refuses ${JSON.stringify(args)}`, async (t) => {
        const floor = await floorOf(t);
        const { error, certainty } = await floor.runtime(tool, args);
        assert.deepEqual([certainty, error?.code, error?.detail], ['not_started', code, detail]);
        assert.equal(error?.recovery, `${tool} takes runner.`);
        assert.deepEqual(floor.runners.sent, []);
      });
  });
}

describe('what check_runner_config answers', () => {
  test('is what the Runner found, and its row in the journal is that of a read', async (t) => {
    const floor = await floorOf(t, 'restricted');
    const answer = await floor.runtime('check_runner_config', { runner: 'local' });
    assert.deepEqual(answer.output, {
      runner: 'local',
      generation: 1,
      valid: true,
      faults: [],
      ignored: [{ field: 'colour', line: 3 }],
      changed: [{ field: 'token', applies: 'restart_only' }],
      changedCount: 1,
      restartsPlugins: false,
    });
    assert.deepEqual(floor.runners.sent[0]?.request, { kind: 'config_check' });
    assert.deepEqual(floor.runners.sent[0]?.options, { budgetMs: 10_000, call: answer.call });
    const [row] = await floor.rows();
    assert.deepEqual(
      [row?.['action'], row?.['runner'], row?.['certainty'], row?.['code']],
      ['check_runner_config', 'local', 'completed', null],
    );
  });

  test('says why a file cannot be used', async (t) => {
    const floor = await floorOf(t);
    floor.runners.answers.config_check = () =>
      completed({
        ...CHECK,
        valid: false,
        code: 'plugin_config_invalid',
        faults: [{ field: 'token', line: 1 }],
        changed: [],
        changed_count: 0,
      });
    const { output, error } = await floor.runtime('check_runner_config', { runner: 'local' });
    assert.deepEqual(
      [output?.['valid'], output?.['code'], output?.['faults'], error],
      [false, 'plugin_config_invalid', [{ field: 'token', line: 1 }], undefined],
    );
  });

  test('is a read: whatever goes wrong, nothing has happened', async (t) => {
    const floor = await floorOf(t);
    const rows = [
      [() => fault('outcome_unknown', 'plugin_gateway_timeout'), 'plugin_gateway_timeout'],
      [() => fault('outcome_unknown', 'runner_unavailable'), 'runner_unavailable'],
      [() => completed({ ...CHECK, code: 'contradiction' }), 'invalid_plugin_response'],
      [() => completed(RELOAD), 'invalid_plugin_response'],
    ] as const;
    for (const [answer, code] of rows) {
      floor.runners.answers.config_check = answer;
      assert.deepEqual(gist(await floor.runtime('check_runner_config', { runner: 'local' })), [
        'not_started',
        code,
      ]);
    }
  });
});

describe('what reload_runner_config answers', () => {
  test('is what was applied, and the plugins in force', async (t) => {
    const floor = await floorOf(t);
    const answer = await floor.runtime('reload_runner_config', { runner: 'local' });
    assert.deepEqual(answer.output, {
      runner: 'local',
      generation: 2,
      applied: true,
      changed: [{ field: 'shell.init_timeout_secs', applies: 'live' }],
      changedCount: 1,
      pluginsRestarted: false,
      plugins: [{ plugin: 'echo', name: 'Echo', status: 'ready', errorCode: null }],
    });
    assert.deepEqual(floor.runners.sent[0]?.request, { kind: 'config_reload' });
    assert.deepEqual(floor.runners.sent[0]?.options, { budgetMs: 125_000, call: answer.call });
  });

  test('is plugin_reload_failed, completed, with the plugins that were not admitted', async (t) => {
    const floor = await floorOf(t);
    const failures = [{ provider_id: 'echo', code: 'plugin_eof' }];
    floor.runners.answers.config_reload = () =>
      completed({ ...RELOAD, generation: 1, applied: false, failures });
    const answer = await floor.runtime('reload_runner_config', { runner: 'local' });
    assert.deepEqual(answer, {
      call: answer.call,
      action: 'reload_runner_config',
      certainty: 'completed',
      error: {
        code: 'plugin_reload_failed',
        message: 'A plugin of the new configuration was not admitted, so nothing of it was applied.',
        recovery: 'Mend the plugins that `detail` names, or check them one by one, then reload again.',
        detail: { generation: 1, failures },
      },
    });
    const [row] = await floor.rows();
    assert.deepEqual([row?.['certainty'], row?.['code']], ['completed', 'plugin_reload_failed']);
  });

  test('keeps the certainty of what went wrong, and says how to look', async (t) => {
    const floor = await floorOf(t);
    const rows = [
      [() => fault('not_started', 'plugin_config_invalid'), 'not_started', 'plugin_config_invalid'],
      [() => fault('not_started', 'plugin_reload_busy'), 'not_started', 'plugin_reload_busy'],
      [() => fault('outcome_unknown', 'plugin_gateway_timeout'), 'outcome_unknown', 'plugin_gateway_timeout'],
      [
        () => fault('outcome_unknown', 'plugin_manager_stopping'),
        'outcome_unknown',
        'plugin_manager_stopping',
      ],
      [
        () => completed({ ...RELOAD, failures: [{ provider_id: 'a', code: 'b' }] }),
        'outcome_unknown',
        'invalid_plugin_response',
      ],
      [() => completed(CHECK), 'outcome_unknown', 'invalid_plugin_response'],
    ] as const;
    for (const [answer, certainty, code] of rows) {
      floor.runners.answers.config_reload = answer;
      const invocation = await floor.runtime('reload_runner_config', { runner: 'local' });
      assert.deepEqual(gist(invocation), [certainty, code]);
      if (certainty === 'outcome_unknown')
        assert.match(invocation.error?.recovery ?? '', /^The configuration may have been put in force/);
      assert.doesNotMatch(JSON.stringify(invocation), /FOREIGN/);
    }
  });

  test('is permission_denied under restricted authority, before any Runner is asked', async (t) => {
    const floor = await floorOf(t, 'restricted');
    assert.deepEqual(gist(await floor.runtime('reload_runner_config', { runner: 'local' })), [
      'not_started',
      'permission_denied',
    ]);
    assert.deepEqual(floor.runners.sent, []);
  });

  test('is journalled before it is sent', async (t) => {
    const floor = await floorOf(t);
    let before: JsonObject[] = [];
    floor.runners.answers.config_reload = async () => {
      before = await floor.store.read<JsonObject>('SELECT action, certainty, finished FROM journal');
      return completed(RELOAD);
    };
    await floor.runtime('reload_runner_config', { runner: 'local' });
    assert.deepEqual(
      before.map((row) => ({ ...row })),
      [{ action: 'reload_runner_config', certainty: null, finished: null }],
    );
  });
});
