import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemRandom } from '@fairlead/base';
import { manualClock } from '@fairlead/testing';
import { handleRequest } from '../src/answer-request.ts';
import { parseRunnerConfig, type RunnerConfig } from '../src/config/runner-config.ts';
import { EnvironmentSnapshots } from '../src/provider/environment-snapshots.ts';
import { ProviderSet, type ProviderSetOptions } from '../src/providers/provider-set.ts';
import { type InjectedTree, injectedTree } from './injected-tree.ts';

// plugin_check_state_failed and plugin_reload_state_failed: Fairlead's own fault, which no child brings about.

function configOf(...ids: string[]): RunnerConfig {
  const text = ids
    .map((id) => `[[plugins.providers]]\nid = "${id}"\nname = "${id}"\ncommand = "p"\n`)
    .join('\n');
  const reading = parseRunnerConfig(text, 'linux');
  assert.ok(reading.ok);
  return reading.config;
}

function providerSet(options: Partial<ProviderSetOptions> = {}) {
  const clock = manualClock();
  const random = systemRandom();
  const watchdog = { token: 't', watch: () => {}, forget: () => {} };
  const trees: InjectedTree[] = [];
  const logged: string[] = [];
  const set = new ProviderSet({
    services: {
      clock,
      random,
      platform: 'linux',
      log: (level, event) => logged.push(`${level} ${event}`),
      cwd: '/',
      watchdog,
      resolveExecutable: async () => ({ ok: true, path: '/p' }),
      spawnTree: async () => {
        const tree = injectedTree();
        trees.push(tree);
        return { ok: true, tree };
      },
    },
    readConfig: async () => ({ ok: true, config: configOf('a', 'b'), warnings: [] }),
    environmentsOf: ({ shell }, signal) =>
      new EnvironmentSnapshots({
        shell,
        base: {},
        sensitive: [],
        cwd: '/',
        platform: 'linux',
        clock,
        random,
        watchdog,
        signal,
      }),
    ...options,
  });
  /** Lets `count` trees be spawned from `from` on, and admits each. */
  const admit = async (from: number, count: number) => {
    for (const method of ['initialize', 'tools/list']) {
      for (let index = from; index < from + count; index += 1) {
        await turnsUntil(() => trees[index]?.frames.at(-1)?.includes(method) === true);
        trees[index]?.answers(
          method === 'initialize' ? { protocolVersion: 'webcodex-plugin-v1' } : { tools: [] },
        );
      }
    }
  };
  return { set, clock, trees, logged, admit };
}

async function turnsUntil(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1000; turn += 1) {
    if (condition()) return;
    await nextTurn();
  }
  assert.fail('waited 1000 turns in vain');
}

test('a candidate that was ready and has ended since cannot be committed', async () => {
  const { set, trees, admit } = providerSet();
  const reload = handleRequest(set, { kind: 'reload' }, 1000);
  await turnsUntil(() => trees.length === 2);
  trees[0]?.answers({ protocolVersion: 'webcodex-plugin-v1' });
  await turnsUntil(() => trees[0]?.frames.length === 2);
  trees[0]?.answers({ tools: [] });
  await nextTurn();
  trees[0]?.closesStdout();
  await nextTurn();
  await admit(1, 1);
  const response = await reload;
  assert.ok('payload' in response && response.payload.kind === 'reload');
  assert.deepEqual(response.payload.failures, [{ provider_id: 'a', code: 'plugin_eof' }]);
  assert.deepEqual(set.rows(), []);
  assert.deepEqual(
    trees.map(({ ends }) => ends),
    [1, 1],
  );
});

test('a check or reload that fails by itself is told as such, and frees the slot', async () => {
  const { set } = providerSet({ readConfig: () => Promise.reject(new Error('planted')) });
  const told = async (kind: 'check' | 'reload') => {
    const request = kind === 'check' ? { kind, provider: 'a' } : { kind };
    const response = await handleRequest(set, request, 1000);
    return 'error' in response ? [response.dispatch_state, response.error.code] : [];
  };
  assert.deepEqual(await told('check'), ['not_started', 'plugin_check_state_failed']);
  assert.deepEqual(await told('reload'), ['not_started', 'plugin_reload_state_failed']);
  assert.deepEqual(await told('check'), ['not_started', 'plugin_check_state_failed']);
});

test('one that fails by itself once programs may have been started is outcome_unknown', async () => {
  const { set } = providerSet({
    environmentsOf: () => {
      throw new Error('planted');
    },
  });
  assert.deepEqual(await handleRequest(set, { kind: 'reload' }, 1000), {
    dispatch_state: 'outcome_unknown',
    error: {
      code: 'plugin_reload_state_failed',
      message: 'The Runner lost track of its candidates; programs may have been started.',
    },
  });
});

test('stopping does not wait longer than 2 s for a process tree that does not end', async () => {
  const { set, trees, clock, logged, admit } = providerSet();
  const started = set.start(configOf('a'));
  await turnsUntil(() => trees.length === 1);
  await admit(0, 1);
  await started;
  const [tree] = trees;
  assert.ok(tree !== undefined);
  tree.end = () => new Promise(() => {});
  let stopped = false;
  const stop = set.stop().then(() => {
    stopped = true;
  });
  await clock.advance(1999);
  assert.equal(stopped, false);
  await clock.advance(1);
  await stop;
  assert.deepEqual(logged, ['info provider.ready', 'warn providers.slow_end']);
});

test('a launch that ends well while the Runner stops is ended too', async () => {
  const { set, trees, admit } = providerSet();
  const started = set.start(configOf('a'));
  await turnsUntil(() => trees.length === 1);
  await admit(0, 1);
  await set[Symbol.asyncDispose]();
  await started;
  assert.equal(trees[0]?.ends, 1);
});
