import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Outcome } from '@fairlead/base';
import { type AdmittedTool, admitCatalog, type RunnerPayload } from '@fairlead/protocol';
import { manualClock } from '@fairlead/testing';
import { ProviderConnection } from '../src/provider/provider-connection.ts';
import { ProviderInstance } from '../src/provider/provider-instance.ts';
import { injectedTree } from './injected-tree.ts';

// plugin_provider_state_failed stands here and in launch-provider.test.ts: it is Fairlead's own fault, which no child brings about.

function instance(
  options: { maxQueued?: number; toolTimeoutMs?: ReadonlyMap<string, number>; tool?: AdmittedTool } = {},
) {
  const tree = injectedTree();
  const clock = manualClock();
  const admitted = admitCatalog({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] });
  assert.ok(admitted.ok);
  const echo = options.tool ?? admitted.catalog.tools.get('echo');
  assert.ok(echo !== undefined);
  const retired: string[] = [];
  const connection = new ProviderConnection(tree, clock, {
    onIdleFault: (code) => made.idleFault(code),
    onIdle: () => made.sendNext(),
  });
  const made: ProviderInstance = new ProviderInstance({
    id: 'pin_1',
    config: {
      id: 'p',
      name: 'P',
      command: 'p',
      args: [],
      timeoutMs: 30_000,
      toolTimeoutMs: options.toolTimeoutMs ?? new Map(),
      maxQueued: options.maxQueued ?? 0,
      isolation: 'none',
    },
    catalog: { tools: new Map([['echo', echo]]) },
    connection,
    clock,
    endTree: async () => {
      await tree.end();
    },
    onRetired: (code) => retired.push(code),
  });
  const call = (budgetMs = 125_000) => {
    const outcomes: Outcome<RunnerPayload>[] = [];
    made.call({ tool: 'echo', observation: echo.observation, arguments: {} }, budgetMs, (outcome) =>
      outcomes.push(outcome),
    );
    return {
      told: () =>
        outcomes.map(
          (outcome) => `${outcome.certainty} ${'fault' in outcome ? outcome.fault.code : 'value'}`,
        ),
    };
  };
  return { tree, clock, made, call, retired };
}

const RESULT = { content: [] };

describe('budgets', () => {
  test('a call has the provider’s budget, however long its caller would wait', async () => {
    const { clock, call } = instance();
    const one = call(125_000);
    await clock.advance(29_999);
    assert.deepEqual(one.told(), []);
    await clock.advance(1);
    assert.deepEqual(one.told(), ['outcome_unknown plugin_timeout']);
  });

  test('a caller with less time left ends the call earlier', async () => {
    const { clock, call } = instance();
    const one = call(4_000);
    await clock.advance(3_999);
    assert.deepEqual(one.told(), []);
    await clock.advance(1);
    assert.deepEqual(one.told(), ['outcome_unknown plugin_timeout']);
  });

  test('a tool with a budget of its own has that', async () => {
    const { clock, call } = instance({ toolTimeoutMs: new Map([['echo', 2_000]]) });
    const one = call();
    await clock.advance(2_000);
    assert.deepEqual(one.told(), ['outcome_unknown plugin_timeout']);
  });

  test('waiting counts: a call that waited 20 s of its 30 s has 10 s left for its answer', async () => {
    const { tree, clock, call } = instance({ maxQueued: 1 });
    const first = call();
    const second = call();
    await clock.advance(20_000);
    tree.answers(RESULT);
    await clock.advance(9_999);
    assert.deepEqual(first.told(), ['completed value']);
    assert.deepEqual(second.told(), []);
    assert.equal(tree.frames.length, 2);
    await clock.advance(1);
    assert.deepEqual(second.told(), ['outcome_unknown plugin_timeout']);
    assert.equal(clock.pendingTimers, 0);
  });

  test('a call whose time passes while it waits ends not_started and leaves the one in flight alone', async () => {
    const { tree, clock, call, made } = instance({ maxQueued: 1 });
    const first = call();
    const second = call(5_000);
    await clock.advance(5_000);
    assert.deepEqual(second.told(), ['not_started plugin_timeout']);
    tree.answers(RESULT);
    await nextTurn();
    assert.deepEqual(first.told(), ['completed value']);
    assert.equal(tree.frames.length, 1);
    assert.equal(made.errorCode, null);
  });
});

describe('retirement', () => {
  test('a fault ends the process tree once, and the calls that wait were never sent', async () => {
    const { tree, call, made, retired } = instance({ maxQueued: 2 });
    const calls = [call(), call(), call()];
    tree.says('noise\n');
    await nextTurn();
    assert.deepEqual(
      calls.map((each) => each.told()),
      [
        ['outcome_unknown plugin_malformed_json'],
        ['not_started plugin_provider_unavailable'],
        ['not_started plugin_provider_unavailable'],
      ],
    );
    assert.equal(made.errorCode, 'plugin_malformed_json');
    assert.deepEqual(retired, ['plugin_malformed_json']);
    await made.stop();
    assert.equal(tree.ends, 1);
    assert.deepEqual(call().told(), ['not_started plugin_provider_unavailable']);
    assert.equal(tree.frames.length, 1);
  });

  test('an idle fault is told to the first call that gets so far, and only to it', async () => {
    const { tree, call, made } = instance();
    tree.closesStdout();
    await nextTurn();
    assert.equal(made.errorCode, 'plugin_eof');
    assert.equal(tree.ends, 1);
    const refused: string[] = [];
    made.call({ tool: 'absent', observation: 'x', arguments: {} }, 1000, (outcome) =>
      refused.push('fault' in outcome ? outcome.fault.code : 'value'),
    );
    assert.deepEqual(refused, ['plugin_tool_unavailable']);
    assert.deepEqual(call().told(), ['not_started plugin_eof']);
    assert.deepEqual(call().told(), ['not_started plugin_provider_unavailable']);
  });

  test('an rpc error and a refused argument retire nothing', async () => {
    const { tree, call, made } = instance();
    const one = call();
    tree.says('{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}\n');
    await nextTurn();
    assert.deepEqual(one.told(), ['completed plugin_rpc_error']);
    assert.equal(made.errorCode, null);
    assert.equal(tree.ends, 0);
  });

  test('a check of the arguments that fails by itself is plugin_provider_state_failed, not_started', async () => {
    const tool = brokenTool({ input: 'throws' });
    const { tree, call, made } = instance({ tool });
    assert.deepEqual(call().told(), ['not_started plugin_provider_state_failed']);
    assert.equal(made.errorCode, 'plugin_provider_state_failed');
    assert.deepEqual(tree.frames, []);
    assert.equal(tree.ends, 1);
  });

  test('a check of the result that fails by itself is plugin_provider_state_failed, and what ran is not known', async () => {
    const tool = brokenTool({ output: 'throws' });
    const { tree, call, made } = instance({ tool });
    const one = call();
    tree.answers({ content: [], structuredContent: {} });
    await nextTurn();
    assert.deepEqual(one.told(), ['outcome_unknown plugin_provider_state_failed']);
    assert.equal(made.errorCode, 'plugin_provider_state_failed');
  });

  test('a schema that refuses without saying where still refuses', () => {
    const tool = brokenTool({ input: 'refuses' });
    const { call } = instance({ tool });
    assert.deepEqual(call().told(), ['not_started plugin_arguments_schema_invalid']);
  });
});

describe('replacement', () => {
  test('an idle instance that is replaced is ended at once', async () => {
    const { tree, call, made } = instance();
    made.replace();
    await made.ended;
    assert.equal(tree.ends, 1);
    assert.deepEqual(call().told(), ['not_started stale_plugin_provider']);
  });

  test('one with a call in flight is ended after its answer', async () => {
    const { tree, call, made } = instance();
    const one = call();
    made.replace();
    assert.equal(tree.ends, 0);
    tree.answers(RESULT);
    await made.ended;
    assert.deepEqual(one.told(), ['completed value']);
    assert.equal(tree.ends, 1);
  });

  test('one with a call in flight that breaks the protocol is ended with that code', async () => {
    const { tree, call, made } = instance();
    const one = call();
    made.replace();
    tree.says('noise\n');
    await made.ended;
    assert.deepEqual(one.told(), ['outcome_unknown plugin_malformed_json']);
    assert.equal(tree.ends, 1);
  });

  test('a fault that nobody was told of is not told after the replacement', async () => {
    const { tree, call, made } = instance();
    tree.closesStdout();
    await nextTurn();
    made.replace();
    assert.deepEqual(call().told(), ['not_started plugin_provider_unavailable']);
  });

  test('disposing stops: what is in flight is outcome_unknown', async () => {
    const { call, made } = instance();
    const one = call();
    await made[Symbol.asyncDispose]();
    assert.deepEqual(one.told(), ['outcome_unknown plugin_manager_stopping']);
    assert.deepEqual(call().told(), ['not_started plugin_manager_stopping']);
  });
});

function brokenTool(faults: { input?: 'throws' | 'refuses'; output?: 'throws' }): AdmittedTool {
  const admitted = admitCatalog({
    tools: [{ name: 'echo', inputSchema: { type: 'object' }, outputSchema: { type: 'object' } }],
  });
  assert.ok(admitted.ok);
  const tool = admitted.catalog.tools.get('echo');
  assert.ok(tool !== undefined);
  const throws = () => {
    throw new Error('planted');
  };
  return {
    ...tool,
    ...(faults.input === 'throws' ? { input: { matches: throws, fault: throws } } : {}),
    ...(faults.input === 'refuses' ? { input: { matches: () => false, fault: () => null } } : {}),
    ...(faults.output === 'throws' ? { output: { matches: throws, fault: throws } } : {}),
  };
}
