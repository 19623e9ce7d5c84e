import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemRandom } from '@fairlead/base';
import { manualClock, waitFor } from '@fairlead/testing';
import type { ProviderConfig } from '../src/config/plugins-table.ts';
import { EnvironmentSnapshots } from '../src/provider/environment-snapshots.ts';
import { type Launch, type LaunchServices, launchProvider } from '../src/provider/launch-provider.ts';
import { injectedTree } from './injected-tree.ts';

const CONFIG: ProviderConfig = {
  id: 'p',
  name: 'P',
  command: 'p',
  args: ['a'],
  timeoutMs: 30_000,
  toolTimeoutMs: new Map(),
  maxQueued: 0,
  isolation: 'none',
};
const OWNER = { token: 't', watch: () => {}, forget: () => {} };
const HELLO = { protocolVersion: 'webcodex-plugin-v1' };

function launching(services: Partial<LaunchServices> = {}, config = CONFIG) {
  const tree = injectedTree();
  const clock = manualClock();
  const stopping = new AbortController();
  const random = systemRandom();
  const environment = new EnvironmentSnapshots({
    shell: { pathPrepend: [], env: {}, profiles: new Map(), initTimeoutMs: 30_000 },
    base: {},
    sensitive: [],
    cwd: '/',
    platform: 'linux',
    clock,
    random,
    watchdog: OWNER,
    signal: stopping.signal,
  });
  const launch = launchProvider(
    config,
    environment,
    {
      clock,
      random,
      platform: 'linux',
      log: () => {},
      cwd: '/',
      watchdog: OWNER,
      resolveExecutable: async () => ({ ok: true, path: '/p' }),
      spawnTree: async () => ({ ok: true, tree }),
      ...services,
    },
    stopping.signal,
  );
  const frames = async (count: number) => {
    await waitFor(() => tree.frames.length >= count, { what: `${count} frames` });
    assert.equal(tree.frames.length, count);
  };
  return { tree, clock, stopping, launch, frames };
}

function failure(launch: Launch): string {
  return launch.ok ? 'ready' : `${launch.phase} ${launch.code}${launch.started ? '' : ', nothing started'}`;
}

describe('the whole budget holds for initialize and again for tools/list', () => {
  test('initialize is plugin_timeout after 30 s', async () => {
    const { tree, clock, launch, frames } = launching();
    await frames(1);
    await clock.advance(29_999);
    assert.equal(tree.ends, 0);
    await clock.advance(1);
    assert.equal(failure(await launch), 'initialize plugin_timeout');
    assert.equal(tree.ends, 1);
  });

  test('29 s for initialize and 29 s for tools/list are in time', async () => {
    const { tree, clock, launch, frames } = launching();
    await frames(1);
    await clock.advance(29_000);
    tree.answers(HELLO);
    await frames(2);
    await clock.advance(29_000);
    tree.answers({ tools: [] });
    const launched = await launch;
    assert.equal(failure(launched), 'ready');
    assert.equal(clock.pendingTimers, 0);
    if (launched.ok) await launched.instance.stop();
  });

  test('tools/list is plugin_timeout 30 s after it was asked', async () => {
    const { tree, clock, launch, frames } = launching();
    await frames(1);
    await clock.advance(29_000);
    tree.answers(HELLO);
    await frames(2);
    await clock.advance(30_000);
    assert.equal(failure(await launch), 'tools_list plugin_timeout');
  });
});

describe('stopping in the middle', () => {
  test('before the process is there, nothing was started', async () => {
    const found = Promise.withResolvers<{ ok: true; path: string }>();
    const { stopping, launch, tree } = launching({ resolveExecutable: () => found.promise });
    stopping.abort();
    found.resolve({ ok: true, path: '/p' });
    const text = failure(await launch);
    assert.match(text, /^(environment|executable) plugin_manager_stopping, nothing started$/);
    assert.deepEqual(tree.frames, []);
  });

  test('while the process is made, it is ended unasked', async () => {
    const spawned = Promise.withResolvers<void>();
    const tree = injectedTree();
    const { stopping, launch } = launching({
      spawnTree: async () => {
        await spawned.promise;
        return { ok: true, tree };
      },
    });
    await nextTurn();
    stopping.abort();
    spawned.resolve();
    assert.equal(failure(await launch), 'initialize plugin_manager_stopping');
    assert.deepEqual(tree.frames, []);
    assert.equal(tree.ends, 1);
  });

  test('while it is asked, it is ended at once', async () => {
    const { tree, stopping, launch, frames } = launching();
    await frames(1);
    stopping.abort();
    assert.equal(failure(await launch), 'initialize plugin_manager_stopping');
    assert.equal(tree.ends, 1);
  });
});

describe('faults of Fairlead’s own', () => {
  test('a launch that throws is plugin_provider_state_failed and takes nobody along', async () => {
    const { launch } = launching({
      spawnTree: () => Promise.reject(new Error('planted')),
    });
    assert.equal(failure(await launch), 'spawn plugin_provider_state_failed');
  });

  test('a fault after the process was started ends the process', async () => {
    const { launch, tree, frames } = launching(
      {
        log: () => {
          throw new Error('planted');
        },
      },
      { ...CONFIG, toolTimeoutMs: new Map([['absent', 1000]]) },
    );
    await frames(1);
    tree.answers(HELLO);
    await frames(2);
    tree.answers({ tools: [] });
    assert.equal(failure(await launch), 'validation plugin_provider_state_failed');
    assert.equal(tree.ends, 1);
  });

  test('a tree that cannot be ended is logged, and the launch still ends', async () => {
    const logged: string[] = [];
    const tree = injectedTree();
    tree.end = () => Promise.reject(new Error('planted'));
    const { launch } = launching({
      spawnTree: async () => ({ ok: true, tree }),
      log: (level, event) => logged.push(`${level} ${event}`),
    });
    await nextTurn();
    tree.says('noise\n');
    assert.equal(failure(await launch), 'initialize plugin_malformed_json');
    assert.deepEqual(logged, ['error provider.end_failed']);
  });

  test('processes that survive are logged with their number and nothing else', async () => {
    const logged: unknown[] = [];
    const tree = injectedTree();
    tree.end = async () => ({ survivors: 2 });
    const { launch } = launching({
      spawnTree: async () => ({ ok: true, tree }),
      log: (...line) => logged.push(line),
    });
    await nextTurn();
    tree.closesStdout();
    assert.equal(failure(await launch), 'initialize plugin_eof');
    assert.deepEqual(logged, [['warn', 'provider.survivors', { plugin: 'p', survivors: 2 }]]);
  });
});

test('what a child writes to stderr while it is asked stands in the failure', async () => {
  const { tree, launch, frames } = launching();
  await frames(1);
  tree.stderr.push('module not found\n');
  await nextTurn();
  tree.closesStdout();
  const launched = await launch;
  assert.deepEqual(launched.stderr?.lines(), [{ text: 'module not found', truncated: false }]);
});
