import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hygiene } from '@fairlead/testing';
import { unmetNeeds } from '../../src/install/unmet-needs.ts';
import { FakeExtension, manifestOf } from '../fake-extension.ts';
import { names, registryFloor } from '../registry-floor.ts';

const needs = (kind: string, provider?: string) => [provider === undefined ? { kind } : { kind, provider }];

test('a required cap that nobody provides refuses that extension alone, with its manifest', async (t) => {
  hygiene(t);
  const { registry, failures, reports } = await registryFloor(t);
  const lonely = new FakeExtension('lonely', { requires: needs('messenger'), hooks: ['tool_call'] });
  const report = await registry.install([lonely.source(), new FakeExtension('good').source()]);
  assert.deepEqual(names(report.installed), ['good']);
  const reason = 'The extension requires a cap that no installed extension provides. (messenger)';
  assert.deepEqual(report.refused, [
    {
      name: 'lonely',
      ref: { kind: 'path', name: 'lonely', digest: 'd1' },
      code: 'capability_missing',
      reason,
    },
  ]);
  assert.deepEqual(
    registry.failed().map(({ name, code, manifest }) => [name, code, manifest?.hooks]),
    [['lonely', 'capability_missing', ['tool_call']]],
  );
  assert.deepEqual(
    failures.all().map(({ scope, code, tries, nextTryMs }) => [scope, code, tries, nextTryMs]),
    [['install', 'capability_missing', 1, null]],
  );
  assert.deepEqual(reports, [{ code: 'capability_missing', extension: 'lonely', reason }]);
  assert.deepEqual(lonely.journal, ['start lonely', 'end lonely'], 'it was never opened');
});

test('a built-in whose cap is missing is refused alone as well', async (t) => {
  hygiene(t);
  const { registry } = await registryFloor(t);
  const lonely = new FakeExtension('lonely', { requires: needs('example.weather') });
  const report = await registry.install([
    lonely.source({ builtin: true }),
    new FakeExtension('good').source({ builtin: true }),
  ]);
  assert.deepEqual(names(report.installed), ['good']);
});

test('a cap may be required of one provider by name, and one kind of two', async (t) => {
  hygiene(t);
  const { registry } = await registryFloor(t);
  const signal = new FakeExtension('signal', { provides: ['messenger'] });
  const both = new FakeExtension('both', {
    requires: [...needs('messenger', 'signal'), ...needs('messenger', 'telegram')],
  });
  const { refused } = await registry.install([signal.source(), both.source()]);
  assert.deepEqual(
    refused.map(({ name, reason }) => [name, reason.slice(-25)]),
    [['both', '(messenger from telegram)']],
  );
  const { installed } = await registry.install([
    new FakeExtension('telegram', { provides: ['messenger'] }).source(),
  ]);
  assert.deepEqual(
    names(installed),
    ['both', 'telegram'],
    'the one that waited is started, at its old place',
  );
});

test('what the host alone offers is always there', () => {
  const candidate = manifestOf('agents', {
    requires: ['session_read', 'session_write', 'settings', 'agent_state_admin'].map((kind) => ({ kind })),
  });
  assert.deepEqual([...unmetNeeds([candidate], [])], []);
});

test('extensions that require each other are fine, and so is one that provides to itself', async (t) => {
  hygiene(t);
  const { registry } = await registryFloor(t);
  const report = await registry.install([
    new FakeExtension('hen', { requires: needs('farm.egg'), provides: ['farm.hen'] }).source(),
    new FakeExtension('egg', { requires: needs('farm.hen'), provides: ['farm.egg'] }).source(),
    new FakeExtension('self', { requires: needs('farm.self'), provides: ['farm.self'] }).source(),
  ]);
  assert.deepEqual([names(report.installed), report.refused], [['hen', 'egg', 'self'], []]);
});

test('who needs a refused one is refused too, through any number of steps', async (t) => {
  hygiene(t);
  const { registry } = await registryFloor(t);
  const chain = [
    new FakeExtension('third', { requires: needs('chain.second') }),
    new FakeExtension('second', { requires: needs('chain.first'), provides: ['chain.second'] }),
    new FakeExtension('first', { requires: needs('chain.nothing'), provides: ['chain.first'] }),
  ];
  const { refused } = await registry.install(chain.map((one) => one.source()));
  assert.deepEqual(
    refused.map(({ name, code, reason }) => [name, code, reason.slice(reason.indexOf('('))]),
    [
      ['third', 'capability_missing', '(chain.second)'],
      ['second', 'capability_missing', '(chain.first)'],
      ['first', 'capability_missing', '(chain.nothing)'],
    ],
  );
  // What they all lack comes, and all are started.
  const late = await registry.install([new FakeExtension('late', { provides: ['chain.nothing'] }).source()]);
  assert.deepEqual(names(late.installed), ['third', 'second', 'first', 'late']);
  assert.deepEqual(names(registry.all()), ['third', 'second', 'first', 'late']);
  assert.deepEqual(registry.failed(), []);
});

test('two that wait for each other come together when the last piece does', async (t) => {
  hygiene(t);
  const { registry } = await registryFloor(t);
  await registry.install([
    new FakeExtension('hen', { requires: needs('farm.egg'), provides: ['farm.hen'] }).source(),
  ]);
  assert.deepEqual(registry.all(), []);
  const { installed } = await registry.install([
    new FakeExtension('egg', { requires: needs('farm.hen'), provides: ['farm.egg'] }).source(),
  ]);
  assert.deepEqual(names(installed), ['hen', 'egg']);
});

test('one that waited and does not start any more is refused for that', async (t) => {
  hygiene(t);
  const { registry } = await registryFloor(t);
  const lonely = new FakeExtension('lonely', { requires: needs('messenger') });
  await registry.install([lonely.source({ builtin: true })]);
  lonely.onStart = () => Promise.reject(new Error('it is gone'));
  const report = await registry.install([new FakeExtension('signal', { provides: ['messenger'] }).source()]);
  assert.deepEqual([names(report.installed), report.refused], [['signal'], []]);
  assert.deepEqual(
    registry.failed().map(({ name, code }) => [name, code]),
    [['lonely', 'extension_load_failed']],
  );
});

test('a provider that came with a reload starts who waited for it', async (t) => {
  hygiene(t);
  const { registry } = await registryFloor(t);
  const signal = new FakeExtension('signal');
  await registry.install([
    new FakeExtension('lonely', { requires: needs('messenger') }).source(),
    signal.source(),
  ]);
  const better = new FakeExtension('signal', { provides: ['messenger'], version: '2' });
  const report = await registry.replace('signal', better.source({ digest: 'd2' }));
  assert.deepEqual(report.ok && names(report.started), ['lonely']);
});

test('an extension stays installed when its provider is unloaded: each live set says that it waits', async (t) => {
  hygiene(t);
  const { registry } = await registryFloor(t);
  await registry.install([
    new FakeExtension('signal', { provides: ['messenger'] }).source(),
    new FakeExtension('user', { requires: needs('messenger') }).source(),
  ]);
  assert.equal((await registry.unload('signal')).found, true);
  assert.deepEqual(names(registry.all()), ['user']);
  assert.equal(registry.get('user')?.gone, undefined);
});
