// native-plugin-protocol §15
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import { hasEffect, type RunnerRequest, readRunnerRequest } from '../src/index.ts';

const CALL: JsonObject = {
  kind: 'tools_call',
  provider: 'repo-tools',
  provider_instance: 'pin_AAAAAAAAAAAAAAAAAAAAAA',
  tool: 'git.Summary_1-x',
  observation: '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU',
  arguments: { path: 'x' },
};

describe('requests to a Runner', () => {
  const good: readonly JsonObject[] = [
    { kind: 'providers_list' },
    { kind: 'reload' },
    { kind: 'tools_list', provider: 'a' },
    { kind: 'check', provider: 'a.b_c-9' },
    { kind: 'outcome', call: 'call_AAAAAAAAAAAAAAAAAAAAAA' },
    CALL,
    { ...CALL, arguments: {} },
  ];
  for (const request of good) {
    it(`takes ${JSON.stringify(request).slice(0, 60)}`, () => {
      assert.equal(readRunnerRequest(request), request);
    });
  }

  const bad: readonly (Json | undefined)[] = [
    undefined,
    null,
    [],
    'reload',
    {},
    { kind: 'toString' },
    { kind: 'project_catalog' },
    { kind: 7 },
    { kind: 'reload', plugin: 'x' },
    { kind: 'providers_list', provider: 'x' },
    { kind: 'tools_list' },
    { kind: 'tools_list', plugin: 'x' },
    { kind: 'tools_list', provider: 'Upper' },
    { kind: 'tools_list', provider: '' },
    { kind: 'check', provider: 'x'.repeat(65) },
    { kind: 'check', provider: 'a', force: true },
    { kind: 'outcome' },
    { kind: 'outcome', call: '' },
    { kind: 'outcome', call: 'a b' },
    { kind: 'outcome', call: 'x'.repeat(129) },
    { kind: 'outcome', call: 'a', provider: 'a' },
    { ...CALL, extra: 1 },
    { ...CALL, provider: 'a b' },
    { ...CALL, provider_instance: '' },
    { ...CALL, provider_instance: null },
    { ...CALL, tool: 'a/b' },
    { ...CALL, observation: 'a=b' },
    { ...CALL, arguments: [] },
    { ...CALL, arguments: null },
  ];
  for (const request of bad) {
    it(`refuses ${JSON.stringify(request)?.slice(0, 90)}`, () => {
      assert.equal(readRunnerRequest(request), null);
    });
  }

  it('refuses a call that lacks any one member', () => {
    for (const key of Object.keys(CALL)) {
      const { [key]: _, ...rest } = CALL;
      assert.equal(readRunnerRequest(rest as JsonObject), null, key);
      assert.equal(readRunnerRequest({ ...(rest as JsonObject), other: 'x' }), null, key);
    }
  });

  it('tells those that may change something from those that read', () => {
    const effects = good.filter((request) => hasEffect(request as RunnerRequest));
    assert.deepEqual([...new Set(effects.map(({ kind }) => kind))], ['reload', 'check', 'tools_call']);
  });
});
