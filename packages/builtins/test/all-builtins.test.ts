import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkExtension, isExtension, ThreadCarrier } from '@fairlead/extension/runtime';
import { SaidOnce } from '../src/core/shell/said-once.ts';
import { allBuiltins, builtinTouches, type Touches } from '../src/index.ts';
import { fakePeer } from './fake-peer.ts';

/** Every tool with what it says of itself. */
async function tools() {
  const found = [];
  for (const extension of allBuiltins) {
    const host = { ask: () => null, log: () => {}, changed: () => {} };
    const carrier = new ThreadCarrier(extension, { host, peer: fakePeer({ workspace: '/' }) });
    const instance = { instance: 'g', kind: 'global', key: '', settings: {} } as const;
    for (const tool of (await carrier.open(instance)).tools)
      found.push({ owner: extension.manifest.name, ...tool });
    await carrier.end();
  }
  return found;
}

test('the built-ins stand in this order, and nothing is wrong with them', () => {
  assert.deepEqual(
    allBuiltins.map(({ manifest }) => manifest.name),
    [
      'core',
      'fs',
      'system',
      'web',
      'memory',
      'skills',
      'schedule',
      'agent_schedule',
      'plugins',
      'path_normalizer',
      'security_warnings',
    ],
  );
  for (const extension of allBuiltins) {
    assert.equal(isExtension(extension), true);
    assert.deepEqual(checkExtension(extension), []);
  }
});

test('each tool says its risk, when it is asked for, its time and what it touches', async () => {
  assert.deepEqual(
    (await tools()).map(({ owner, name, risk, approval, timeout_ms, effect, sensitive, per_minute }) => [
      `${owner}/${name}`,
      risk,
      approval,
      timeout_ms,
      effect,
      sensitive.length,
      per_minute,
    ]),
    [
      ['core/shell', 'high', 'always', 30_000, 'write', 0, undefined],
      ['core/compact', 'low', 'never', 60_000, 'records', 0, undefined],
      ['core/spawn_agent', 'medium', 'unless_auto_approved', 300_000, 'write', 0, undefined],
      ['core/spawn_worker', 'medium', 'unless_auto_approved', 300_000, 'write', 0, undefined],
      ['fs/read_file', 'low', 'never', 60_000, 'read', 0, undefined],
      ['fs/write_file', 'medium', 'unless_auto_approved', 60_000, 'write', 0, undefined],
      ['fs/edit_file', 'medium', 'unless_auto_approved', 60_000, 'write', 0, undefined],
      ['system/get_time', 'low', 'never', 60_000, 'read', 0, undefined],
      ['system/calculate', 'low', 'never', 60_000, 'read', 0, undefined],
      ['system/describe_tool', 'low', 'never', 60_000, 'read', 0, undefined],
      ['web/web_fetch', 'medium', 'unless_auto_approved', 60_000, 'write', 0, undefined],
      ['web/web_search', 'low', 'never', 120_000, 'read', 0, undefined],
      ['memory/remember', 'low', 'never', 60_000, 'records', 0, undefined],
      ['memory/recall', 'low', 'never', 60_000, 'read', 0, undefined],
      ['memory/list_memory_banks', 'low', 'never', 60_000, 'read', 0, undefined],
      ['skills/skill_list', 'low', 'never', 60_000, 'read', 0, undefined],
      ['skills/skill_search', 'low', 'never', 60_000, 'read', 0, undefined],
      ['skills/skill_show', 'low', 'never', 60_000, 'read', 0, undefined],
      ['schedule/schedule_add', 'low', 'never', 60_000, 'write', 0, undefined],
      ['schedule/schedule_modify', 'low', 'never', 60_000, 'write', 0, undefined],
      ['schedule/schedule_remove', 'low', 'never', 60_000, 'write', 0, undefined],
      ['schedule/schedule_list', 'low', 'never', 60_000, 'read', 0, undefined],
      ['schedule/schedule_once', 'low', 'never', 60_000, 'write', 0, undefined],
      ['plugins/plugin_tool', 'medium', 'unless_auto_approved', 130_000, 'write', 0, undefined],
    ],
  );
});

/** The arguments that are named. */
function namesIn({ looks, needsOneOf: _, ...named }: Touches): readonly string[] {
  return [...Object.values(named).flat(), ...(looks === undefined ? [] : [looks.argument])];
}

test('what a tool is said to touch is an argument that it has', async () => {
  const all = await tools();
  for (const [key, touches] of Object.entries(builtinTouches)) {
    const tool = all.find(({ owner, name }) => key === `${owner}/${name}`);
    assert.ok(tool, key);
    for (const name of namesIn(touches)) assert.ok(name in (tool.args.properties ?? {}), name);
  }
  assert.deepEqual(Object.keys(builtinTouches).sort(), [
    'core/shell',
    'fs/edit_file',
    'fs/read_file',
    'fs/write_file',
    'plugins/plugin_tool',
    'web/web_fetch',
  ]);
});

test('what was said is forgotten when there is too much of it, the oldest first', () => {
  const said = new SaidOnce();
  assert.equal(said.first('a'), true);
  assert.equal(said.first('a'), false);
  for (let index = 0; index < 4096; index += 1) said.first(String(index));
  assert.equal(said.first('4095'), false);
  assert.equal(said.first('a'), true);
});
