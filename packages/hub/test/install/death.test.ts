import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@fairlead/base';
import { abortCall, type CallRequest, WorkerCarrier } from '@fairlead/extension/runtime';
import { hygiene, manualClock, waitFor } from '@fairlead/testing';
import { FakeExtension, held } from '../fake-extension.ts';
import { names, registryFloor, session } from '../registry-floor.ts';

const SESSION = session('ses_1');

test('a dead worker takes its instances with it at once, stays listed as gone, and is started again after a second', async (t) => {
  hygiene(t);
  const { registry, instances, clock, failures, reports } = await registryFloor(t);
  const notes = new FakeExtension('notes', { scopes: ['global', 'session'], hooks: ['tool_call'] });
  await registry.install([notes.source(), new FakeExtension('other').source()]);
  await instances.ensure(SESSION, new Set(['notes']));
  const [before] = instances.of(SESSION);
  let { generation } = registry;
  notes.carrier.die();
  assert.ok(registry.generation > generation, 'live sets are built anew');
  assert.deepEqual(
    [instances.of(SESSION), names(instances.of('global').map((one) => one.extension))],
    [[], ['other']],
  );
  assert.equal(before?.gone, 'it fell over');
  assert.deepEqual(registry.get('notes')?.gone, { code: 'extension_crashed', reason: 'it fell over' });
  assert.deepEqual(names(registry.all()), ['notes', 'other'], 'its gate still stands');
  assert.deepEqual(failures.of('notes', 'install', ''), {
    name: 'notes',
    scope: 'install',
    key: '',
    code: 'extension_crashed',
    reason: 'it fell over',
    tries: 1,
    nextTryMs: Date.UTC(2026, 0, 1) + 1000,
  });
  // Until then nothing of it opens.
  await instances.ensure(SESSION, new Set(['notes']));
  await clock.advance(999);
  assert.equal(notes.generations.length, 1);
  ({ generation } = registry);
  await clock.advance(1);
  assert.ok(registry.generation > generation);
  assert.deepEqual([registry.get('notes')?.gone, registry.get('notes')?.generation], [undefined, 2]);
  assert.deepEqual(names(registry.all()), ['notes', 'other'], 'it keeps its place');
  assert.equal(
    instances.of('global')[0]?.extension,
    registry.get('notes'),
    'its global instance is open again',
  );
  assert.deepEqual(failures.all(), []);
  assert.deepEqual(
    reports.map(({ code, extension }) => [code, extension]),
    [
      ['extension_crashed', 'notes'],
      ['extension_restarted', 'notes'],
    ],
  );
  await instances.ensure(SESSION, new Set(['notes']));
  assert.equal(instances.of(SESSION).length, 1);
});

test('deaths in a row double the pause up to 5 minutes; 5 minutes of life begin anew', async (t) => {
  hygiene(t);
  const { registry, clock, failures } = await registryFloor(t);
  const notes = new FakeExtension('notes');
  await registry.install([notes.source()]);
  const pauses: number[] = [];
  for (let death = 1; death <= 11; death += 1) {
    notes.carrier.die();
    const due = failures.of('notes', 'install', '')?.nextTryMs ?? 0;
    pauses.push(due - clock.wallMs());
    await clock.advance(due - clock.wallMs());
    assert.equal(notes.generations.length, death + 1);
  }
  assert.deepEqual(
    pauses.map((ms) => ms / 1000),
    [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300],
  );
  await clock.advance(299_999);
  notes.carrier.die();
  assert.equal((failures.of('notes', 'install', '')?.nextTryMs ?? 0) - clock.wallMs(), 300_000);
  await clock.advance(300_000);
  await clock.advance(300_000);
  notes.carrier.die();
  assert.equal((failures.of('notes', 'install', '')?.nextTryMs ?? 0) - clock.wallMs(), 1000);
});

test('a restart that fails is tried again, later; code that says something else is not taken', async (t) => {
  hygiene(t);
  const { registry, clock, failures, reports } = await registryFloor(t);
  const notes = new FakeExtension('notes');
  await registry.install([notes.source()]);
  const { manifest } = notes;
  notes.onStart = () => Promise.reject(new Error('no more threads'));
  notes.carrier.die();
  await clock.advance(1000);
  const failure = failures.of('notes', 'install', '');
  assert.deepEqual(
    [failure?.code, failure?.reason, failure?.tries],
    ['extension_load_failed', 'no more threads', 2],
  );
  assert.equal(registry.get('notes')?.gone?.code, 'extension_crashed');
  notes.onStart = () => {};
  notes.manifest = { ...manifest, version: '2' };
  await clock.advance(2000);
  assert.deepEqual(
    [failures.of('notes', 'install', '')?.code, failures.of('notes', 'install', '')?.tries],
    ['manifest_mismatch', 3],
  );
  assert.equal(notes.journal.at(-1), 'end notes');
  notes.manifest = manifest;
  await clock.advance(4000);
  assert.equal(registry.get('notes')?.gone, undefined);
  assert.deepEqual(
    reports.map(({ code }) => code),
    ['extension_crashed', 'extension_load_failed', 'manifest_mismatch', 'extension_restarted'],
  );
});

test('what was unloaded, replaced or closed in the meantime is not started again', async (t) => {
  hygiene(t);
  const { registry, clock } = await registryFloor(t);
  const [unloaded, replaced, closed] = ['unloaded', 'replaced', 'closed'].map(
    (name) => new FakeExtension(name),
  );
  assert.ok(unloaded !== undefined && replaced !== undefined && closed !== undefined);
  await registry.install([unloaded, replaced, closed].map((one) => one.source()));
  for (const one of [unloaded, replaced, closed]) one.carrier.die();
  await registry.unload('unloaded');
  const next = new FakeExtension('replaced');
  assert.equal((await registry.replace('replaced', next.source({ digest: 'd2' }))).ok, true);
  await registry.close();
  assert.equal(clock.pendingTimers, 0);
  await clock.advance(600_000);
  assert.deepEqual(
    [unloaded, replaced, next, closed].map(({ generations }) => generations.length),
    [1, 1, 1, 1],
  );
});

test('a reload that fails while the old one is dead leaves its restart planned', async (t) => {
  hygiene(t);
  const { registry, clock } = await registryFloor(t);
  const notes = new FakeExtension('notes');
  await registry.install([notes.source()]);
  notes.carrier.die();
  const broken = new FakeExtension('notes');
  broken.onStart = () => Promise.reject(new Error('line 3'));
  assert.equal((await registry.replace('notes', broken.source())).ok, false);
  await clock.advance(1000);
  assert.equal(registry.get('notes')?.gone, undefined);
});

test('a worker that dies before it is in force is installed as dead, and started again', async (t) => {
  hygiene(t);
  const { registry, clock } = await registryFloor(t);
  const gate = held();
  const slow = new FakeExtension('slow');
  slow.onStart = () => gate.promise;
  const hasty = new FakeExtension('hasty');
  const installing = registry.install([slow.source(), hasty.source()]);
  await new Promise(setImmediate);
  hasty.carrier.die();
  gate.settle();
  const report = await installing;
  assert.deepEqual([names(report.installed), report.failures], [['slow', 'hasty'], []]);
  assert.equal(registry.get('hasty')?.gone?.code, 'extension_crashed');
  await clock.advance(1000);
  assert.equal(registry.get('hasty')?.gone, undefined);
});

test('a death while an instance opens is told once, and is no failure of the instance', async (t) => {
  hygiene(t);
  const { registry, instances, failures } = await registryFloor(t);
  const notes = new FakeExtension('notes', { scopes: ['session'] });
  notes.onOpen = (_request, carrier) =>
    new Promise((_resolve, reject) => {
      carrier.die();
      reject(Object.assign(new Error('it fell over'), { code: 'extension_crashed' }));
    });
  await registry.install([notes.source()]);
  await instances.ensure(SESSION, new Set(['notes']));
  assert.deepEqual(
    failures.all().map(({ scope, code }) => [scope, code]),
    [['install', 'extension_crashed']],
  );
});

test('a death that is told twice counts once, and so does one of a generation that drains', async (t) => {
  hygiene(t);
  const { registry, failures } = await registryFloor(t);
  const notes = new FakeExtension('notes');
  await registry.install([notes.source()]);
  const first = notes.carrier;
  first.begin();
  const report = await registry.replace('notes', notes.source({ digest: 'd2' }));
  first.die();
  first.die();
  if (report.ok) await report.drained;
  assert.deepEqual([failures.all(), registry.get('notes')?.gone], [[], undefined]);
  notes.carrier.die();
  notes.carrier.die();
  assert.equal(failures.of('notes', 'install', '')?.tries, 1);
});

test('a real worker that crashes: its call is of unknown outcome, and the next life answers', async (t) => {
  hygiene(t);
  const clock = systemClock();
  const { registry, instances, reports } = await registryFloor(t, { clock: { ...manualClock(), ...clock } });
  const module = new URL('../../../extension/test/fixtures/worker/rough.ts', import.meta.url);
  let starts = 0;
  const report = await registry.install([
    {
      ref: { kind: 'path', name: 'rough', digest: 'd1' },
      tier: 'worker',
      builtin: false,
      start: (host, onDeath) => {
        starts += 1;
        return WorkerCarrier.start({ module, host, onDeath, name: 'rough' });
      },
    },
  ]);
  assert.deepEqual([names(report.installed), report.failures], [['rough'], []]);
  const call = (tool: string): CallRequest => ({
    call: `call ${tool} ${starts}`,
    instance: instances.of('global')[0]?.id ?? '',
    endpoint: 'tool',
    name: tool,
    input: tool === 'print' ? { text: 'alive' } : {},
    context: { session: 'ses_1', settings: {}, caps: {} },
  });
  const dead = registry.get('rough');
  await assert.rejects(async () => dead?.carrier.call(call('exits')), {
    code: 'extension_crashed',
    certainty: 'outcome_unknown',
  });
  assert.equal(dead?.gone?.code, 'extension_crashed');
  assert.deepEqual(instances.of('global'), []);
  await waitFor(() => instances.of('global').length === 1, { what: 'the next life', timeoutMs: 20_000 });
  assert.equal(starts, 2);
  const request = call('print');
  await registry.get('rough')?.carrier.call(request);
  abortCall(request);
  assert.deepEqual(
    reports.map(({ code }) => code),
    ['extension_crashed', 'extension_restarted'],
  );
  await registry.close();
});
