import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validateManifest } from '../src/manifest/validate-manifest.ts';

const manifest = {
  api: 1,
  name: 'large',
  version: '1.0.0',
  scopes: ['global'],
  hooks: [],
  requires: [],
  requests: [],
  provides: [],
  settings: { type: 'object', properties: {} },
  tools: [],
  commands: [],
  routines: [],
};
const many = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => `${prefix}.b${index}`);
const needs = (count: number, prefix: string) => many(count, prefix).map((kind) => ({ kind }));

test('a manifest with tens of thousands of entries does not hold the host’s thread', () => {
  const before = process.threadCpuUsage();
  const provides = validateManifest({ ...manifest, provides: many(60_000, 'a') });
  assert.ok(!provides.ok && provides.fault.check === 'capability');
  const hooks = validateManifest({ ...manifest, hooks: many(60_000, 'a') });
  assert.ok(!hooks.ok && hooks.fault.check === 'hooks');
  assert.ok(validateManifest({ ...manifest, requires: needs(20_000, 'a') }).ok);
  assert.ok(validateManifest({ ...manifest, requires: needs(10_000, 'a'), requests: needs(10_000, 'b') }).ok);
  // Comparing every pair, the four of them took more than half a minute.
  assert.ok(process.threadCpuUsage(before).user < 20_000_000);
});

test('the last of many entries is still found where it stands twice', () => {
  const twice = [...needs(5_000, 'a'), { kind: 'a.b7' }];
  const requires = validateManifest({ ...manifest, requires: twice });
  assert.deepEqual(!requires.ok && [requires.fault.check, requires.fault.path], [
    'duplicate_request',
    '/requires/5000',
  ]);
  const both = validateManifest({ ...manifest, requires: needs(9, 'a'), requests: needs(5, 'a').slice(4) });
  assert.deepEqual(!both.ok && [both.fault.check, both.fault.path], [
    'required_and_requested',
    '/requests/0',
  ]);
});
