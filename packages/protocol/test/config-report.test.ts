// native-plugin-protocol §15
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { checkResponse, isConfigField, readRunnerRequest, readRunnerResponse } from '../src/index.ts';

const CHECK: JsonObject = {
  kind: 'config_check',
  generation: 1,
  valid: true,
  faults: [],
  ignored: [{ field: 'colour', line: 3 }, { field: 'policy' }],
  changed: [
    { field: 'shell.init_timeout_secs', applies: 'live' },
    { field: 'token', applies: 'restart_only' },
  ],
  changed_count: 2,
  restarts_plugins: false,
};
const INVALID: JsonObject = {
  ...CHECK,
  valid: false,
  code: 'plugin_config_invalid',
  faults: [{ field: 'plugins.providers[0].timeout_secs', line: 12 }],
  changed: [],
  changed_count: 0,
};
const RELOAD: JsonObject = {
  kind: 'config_reload',
  generation: 2,
  applied: true,
  changed: [{ field: 'plugins.providers.echo.args', applies: 'live' }],
  changed_count: 1,
  plugins_restarted: true,
  providers: [{ id: 'echo', name: 'Echo', status: 'ready', error_code: null }],
  failures: [],
};
const FAILED: JsonObject = {
  ...RELOAD,
  generation: 1,
  applied: false,
  plugins_restarted: false,
  failures: [{ provider_id: 'echo', code: 'plugin_eof' }],
};

function reads(payload: JsonObject): boolean {
  return readRunnerResponse({ dispatch_state: 'completed', payload }) !== null;
}

describe('the requests about the configuration', () => {
  for (const kind of ['config_check', 'config_reload']) {
    it(`${kind} has no member beside its kind`, () => {
      const request = { kind };
      assert.equal(readRunnerRequest(request), request);
      assert.equal(readRunnerRequest({ kind, path: '/etc/runner.toml' }), null);
    });
  }
});

describe('the payloads about the configuration', () => {
  for (const payload of [CHECK, INVALID, RELOAD, FAILED, { ...FAILED, failures: [] }]) {
    it(`takes ${JSON.stringify(payload).slice(0, 80)}`, () => assert.equal(reads(payload), true));
  }

  const bad: readonly (readonly [string, JsonObject])[] = [
    ['a valid file with a code', { ...CHECK, code: 'plugin_config_invalid' }],
    ['a valid file with faults', { ...CHECK, faults: INVALID['faults'] ?? [] }],
    ['an invalid file without a code', { ...CHECK, valid: false, changed: [], changed_count: 0 }],
    ['an invalid file that changes something', { ...INVALID, changed_count: 1 }],
    ['an invalid file that restarts plugins', { ...INVALID, restarts_plugins: true }],
    ['more changes than it counts', { ...CHECK, changed_count: 1 }],
    ['a generation of 0', { ...CHECK, generation: 0 }],
    ['a value beside a field', { ...CHECK, changed: [{ field: 'token', applies: 'live', value: 'secret' }] }],
    ['a path in the place of a field', { ...CHECK, ignored: [{ field: '/etc/runner.toml' }] }],
    ['an effect that is none', { ...CHECK, changed: [{ field: 'token', applies: 'later' }] }],
    ['a line of 0', { ...CHECK, ignored: [{ field: 'a', line: 0 }] }],
    [
      'too many changes',
      { ...CHECK, changed: Array(257).fill({ field: 'a', applies: 'live' }), changed_count: 257 },
    ],
    ['too many faults', { ...INVALID, faults: Array(9).fill({ field: 'a' }) }],
    ['another member', { ...CHECK, path: '/x' }],
    ['failures of a reload that was applied', { ...RELOAD, failures: FAILED['failures'] ?? [] }],
    [
      'plugins restarted by a reload that was not applied',
      { ...FAILED, failures: [], plugins_restarted: true },
    ],
    ['more changes than a reload counts', { ...RELOAD, changed_count: 0 }],
    ['a failure without a code', { ...FAILED, failures: [{ provider_id: 'echo' }] }],
  ];
  for (const [what, payload] of bad) it(`refuses ${what}`, () => assert.equal(reads(payload), false));

  it('answer a request of their own kind only', () => {
    for (const payload of [CHECK, RELOAD]) {
      const response = readRunnerResponse({ dispatch_state: 'completed', payload });
      assert.ok(response !== null);
      assert.equal(checkResponse({ kind: 'config_check' }, response), payload === CHECK);
      assert.equal(checkResponse({ kind: 'config_reload' }, response), payload === RELOAD);
    }
  });
});

describe('the name of a configuration key', () => {
  it('has letters, digits and the marks of a key, and no others', () => {
    for (const good of [
      'token',
      'plugins.providers[0].args[3]',
      'shell.profiles.node-22',
      'shell.env.*',
      'x'.repeat(256),
    ])
      assert.equal(isConfigField(good), true, good);
    for (const bad of ['', 'a b', 'a/b', '"a"', 'ä', 'a=b', 'x'.repeat(257), 7, null])
      assert.equal(isConfigField(bad), false, String(bad));
  });
});
