import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hygiene } from '@fairlead/testing';
import type { Registry } from '../../src/install/registry.ts';
import { contributionsOf, FakeExtension, held } from '../fake-extension.ts';
import { agent, names, registryFloor, session } from '../registry-floor.ts';

const SESSION = session('ses_1');

/** Whether there was one of the name; it is gone then. */
async function unloaded(registry: Registry, name: string): Promise<boolean> {
  const { found, drained } = await registry.unload(name);
  await drained;
  return found;
}

test('a reload opens the new generation first, then the old one drains and ends', async (t) => {
  hygiene(t);
  const { registry, instances } = await registryFloor(t);
  const journal: string[] = [];
  const old = new FakeExtension('notes', { scopes: ['global', 'session'] }, journal);
  await registry.install([
    new FakeExtension('before').source(),
    old.source(),
    new FakeExtension('after').source(),
  ]);
  await instances.ensure(SESSION, new Set(['notes']));
  const before = registry.get('notes');
  const [session1] = instances.of(SESSION);
  const { generation } = registry;
  const fresh = new FakeExtension('notes', { scopes: ['global', 'session'], version: '2' }, journal);
  journal.length = 0;
  const report = await registry.replace('notes', fresh.source({ digest: 'd2' }));
  assert.equal(report.ok, true);
  if (report.ok) await report.drained;
  assert.deepEqual(journal, [
    'start notes',
    'open notes global',
    'close notes session ses_1',
    'close notes global',
    'end notes',
  ]);
  assert.ok(registry.generation > generation);
  assert.deepEqual(names(registry.all()), ['before', 'notes', 'after'], 'it keeps its place');
  const now = registry.get('notes');
  assert.deepEqual([now?.manifest.version, now?.generation, now?.order], ['2', 2, 2]);
  assert.deepEqual(before?.gone, {
    code: 'extension_replaced',
    reason: 'The extension was reloaded since this turn began; nothing was started.',
  });
  assert.equal(session1?.gone, 'The extension was reloaded since this turn began; nothing was started.');
  assert.deepEqual(instances.of(SESSION), []);
  await instances.ensure(SESSION, new Set(['notes']));
  assert.equal(instances.of(SESSION)[0]?.extension, now, 'the session gets one of the new generation');
});

test('a broken reload leaves the old one in force and says why', async (t) => {
  hygiene(t);
  const { registry, instances, failures, reports } = await registryFloor(t);
  const old = new FakeExtension('notes');
  await registry.install([old.source()]);
  const before = registry.get('notes');
  const { generation } = registry;
  const noStart = new FakeExtension('notes');
  noStart.onStart = () =>
    Promise.reject(Object.assign(new Error('line 3'), { code: 'typescript_unsupported' }));
  const noManifest = new FakeExtension('notes');
  noManifest.manifest = { ...noManifest.manifest, scopes: [] };
  const noCap = new FakeExtension('notes', { requires: [{ kind: 'messenger' }] });
  const noOpen = new FakeExtension('notes');
  noOpen.onOpen = () => Promise.reject(new Error('no space left'));
  const otherName = new FakeExtension('diary');
  const outcomes: unknown[] = [];
  for (const next of [noStart, noManifest, noCap, noOpen, otherName]) {
    const report = await registry.replace('notes', next.source());
    outcomes.push(report.ok ? 'ok' : [report.code, report.reason]);
  }
  assert.deepEqual(outcomes, [
    ['typescript_unsupported', 'line 3'],
    ['manifest_invalid', 'scopes: /scopes must name a scope'],
    ['capability_missing', 'The extension requires a cap that no installed extension provides. (messenger)'],
    ['instantiate_failed', 'no space left'],
    ['manifest_mismatch', 'it is diary, and was to take the place of notes'],
  ]);
  assert.equal(registry.get('notes'), before);
  assert.equal(registry.generation, generation, 'no live set is built anew for it');
  assert.equal(before?.gone, undefined);
  assert.equal(instances.of('global')[0]?.extension, before);
  assert.deepEqual(failures.all(), []);
  assert.deepEqual(registry.failed(), []);
  assert.deepEqual(
    reports.map(({ code }) => code),
    ['typescript_unsupported', 'manifest_invalid', 'capability_missing', 'instantiate_failed'],
  );
  assert.deepEqual(noManifest.journal, ['start notes', 'end notes']);
  assert.deepEqual(noCap.journal, ['start notes', 'end notes']);
  assert.deepEqual(noOpen.journal, ['start notes', 'open notes global', 'close notes global', 'end notes']);
  assert.deepEqual(otherName.journal, []);
});

test('a reload whose global instance hangs is given up after 30 s', async (t) => {
  hygiene(t);
  const { registry, clock } = await registryFloor(t);
  await registry.install([new FakeExtension('notes').source()]);
  const before = registry.get('notes');
  const hangs = new FakeExtension('notes');
  hangs.onOpen = () => new Promise(() => {});
  const replacing = registry.replace('notes', hangs.source());
  await clock.advance(30_000);
  const report = await replacing;
  assert.deepEqual([report.ok, !report.ok && report.code], [false, 'instantiate_timeout']);
  assert.equal(registry.get('notes'), before);
  assert.deepEqual(hangs.journal, ['start notes', 'open notes global', 'close notes global', 'end notes']);
});

test('a generation that dies while it is tried out is no replacement', async (t) => {
  hygiene(t);
  const { registry } = await registryFloor(t);
  await registry.install([new FakeExtension('notes').source()]);
  const dies = new FakeExtension('notes');
  dies.onOpen = async ({ kind }, carrier) => {
    carrier.die();
    return contributionsOf(dies.manifest, kind);
  };
  const report = await registry.replace('notes', dies.source());
  assert.deepEqual(
    [report.ok, !report.ok && [report.code, report.reason]],
    [false, ['extension_crashed', 'it fell over']],
  );
  assert.equal(registry.get('notes')?.gone, undefined);
});

test('what is not installed cannot be replaced', async (t) => {
  hygiene(t);
  const { registry } = await registryFloor(t);
  const report = await registry.replace('notes', new FakeExtension('notes').source());
  assert.deepEqual([report.ok, !report.ok && report.code], [false, 'extension_unknown']);
});

test('a reload of what was refused shows the newest reason, until it starts', async (t) => {
  hygiene(t);
  const { registry, failures } = await registryFloor(t);
  const notes = new FakeExtension('notes');
  notes.onStart = () => Promise.reject(new Error('line 3'));
  await registry.install([notes.source()]);
  notes.onStart = () => Promise.reject(new Error('line 4'));
  await registry.replace('notes', notes.source());
  assert.deepEqual(
    registry.failed().map(({ reason }) => reason),
    ['line 4'],
  );
  assert.deepEqual(
    failures.all().map(({ reason, tries }) => [reason, tries]),
    [['line 4', 2]],
  );
  notes.onStart = () => {};
  const lonely = new FakeExtension('notes', { requires: [{ kind: 'messenger' }] });
  await registry.replace('notes', lonely.source({ digest: 'd2' }));
  assert.deepEqual(
    registry.failed().map(({ code, manifest }) => [code, manifest?.name]),
    [['capability_missing', 'notes']],
  );
  const { installed } = await registry.install([
    new FakeExtension('signal', { provides: ['messenger'] }).source(),
  ]);
  assert.deepEqual(names(installed), ['notes', 'signal']);
});

test('a reload forgets what had failed before, so that every scope is tried at once', async (t) => {
  hygiene(t);
  const { registry, instances, failures } = await registryFloor(t);
  const notes = new FakeExtension('notes', { scopes: ['session'] });
  notes.onOpen = () => Promise.reject(new Error('not yet'));
  await registry.install([notes.source()]);
  await instances.ensure(SESSION, new Set(['notes']));
  assert.equal(failures.all().length, 1);
  await registry.replace('notes', new FakeExtension('notes', { scopes: ['session'] }).source());
  assert.deepEqual(failures.all(), []);
  await instances.ensure(SESSION, new Set(['notes']));
  assert.equal(instances.of(SESSION).length, 1);
});

test('calls of the old generation end before its instances do, and hold nothing else up', async (t) => {
  hygiene(t);
  const { registry, instances } = await registryFloor(t);
  const old = new FakeExtension('notes');
  await registry.install([old.source()]);
  const end = old.carrier.begin();
  const next = new FakeExtension('notes');
  const report = await registry.replace('notes', next.source());
  assert.equal(instances.of('global')[0]?.extension, registry.get('notes'));
  assert.deepEqual(old.journal, ['start notes', 'open notes global'], 'its call is still in flight');
  // The next reload does not wait for it either.
  const third = await registry.replace('notes', new FakeExtension('notes').source());
  assert.equal(third.ok, true);
  end();
  if (report.ok) await report.drained;
  assert.deepEqual(old.journal.slice(2), ['close notes global', 'end notes']);
});

test('unloading takes an extension off every list at once, waits for its calls, and ends it in reverse order', async (t) => {
  hygiene(t);
  const { registry, instances, failures } = await registryFloor(t);
  const notes = new FakeExtension('notes', { scopes: ['global', 'agent', 'session'] });
  await registry.install([notes.source(), new FakeExtension('other').source()]);
  await instances.ensure(agent('agt_1'), new Set(['notes']));
  await instances.ensure(SESSION, new Set(['notes']));
  const held1 = instances.of(SESSION);
  const end = notes.carrier.begin();
  let done = false;
  const unloading = unloaded(registry, 'notes').then((found) => {
    done = true;
    return found;
  });
  await new Promise(setImmediate);
  assert.deepEqual(names(registry.all()), ['other']);
  assert.equal(registry.get('notes'), undefined);
  assert.deepEqual(
    [instances.of(SESSION), instances.of(agent('agt_1')), instances.of('global').length],
    [[], [], 1],
  );
  assert.deepEqual(held1[0]?.extension.gone, {
    code: 'extension_unknown',
    reason: 'No extension of this name is installed here.',
  });
  assert.equal(instances.find(held1[0]?.id ?? ''), held1[0], 'its calls may still ask');
  assert.equal(done, false);
  assert.deepEqual(notes.journal.slice(4), []);
  end();
  assert.equal(await unloading, true);
  assert.deepEqual(notes.journal.slice(4), [
    'close notes session ses_1',
    'close notes agent agt_1',
    'close notes global',
    'end notes',
  ]);
  assert.equal(instances.find(held1[0]?.id ?? ''), undefined);
  assert.deepEqual(failures.all(), []);
  assert.equal(await unloaded(registry, 'notes'), false);
});

test('unloading what was refused takes it off the list', async (t) => {
  hygiene(t);
  const { registry, failures } = await registryFloor(t);
  await registry.install([new FakeExtension('lonely', { requires: [{ kind: 'messenger' }] }).source()]);
  assert.equal(await unloaded(registry, 'lonely'), true);
  assert.deepEqual([registry.failed(), failures.all()], [[], []]);
  // What comes later does not bring it back.
  await registry.install([new FakeExtension('signal', { provides: ['messenger'] }).source()]);
  assert.deepEqual(names(registry.all()), ['signal']);
});

test('one that is installed again after it was unloaded stands last', async (t) => {
  hygiene(t);
  const { registry } = await registryFloor(t);
  const notes = new FakeExtension('notes');
  await registry.install([notes.source(), new FakeExtension('other').source()]);
  await registry.unload('notes');
  await registry.install([notes.source()]);
  assert.deepEqual(names(registry.all()), ['other', 'notes']);
  assert.equal(registry.get('notes')?.generation, 2);
});

test('what touches one name runs one after another, the rest side by side', async (t) => {
  hygiene(t);
  const { registry } = await registryFloor(t);
  const gate = held();
  const slow = new FakeExtension('slow');
  slow.onStart = () => gate.promise;
  const installing = registry.install([slow.source()]);
  const unloading = unloaded(registry, 'slow');
  await registry.install([new FakeExtension('quick').source()]);
  assert.deepEqual(names(registry.all()), ['quick']);
  gate.settle();
  assert.deepEqual(names((await installing).installed), ['slow']);
  assert.equal(await unloading, true);
  assert.deepEqual(names(registry.all()), ['quick']);
});

test('a carrier whose end hangs or throws holds up nobody for longer than 10 s', async (t) => {
  hygiene(t);
  const { registry, clock } = await registryFloor(t);
  const hangs = new FakeExtension('hangs');
  hangs.onEnd = () => new Promise(() => {});
  const throws = new FakeExtension('throws');
  throws.onEnd = () => Promise.reject(new Error('stuck'));
  await registry.install([hangs.source(), throws.source()]);
  assert.equal(await unloaded(registry, 'throws'), true);
  const unloading = unloaded(registry, 'hangs');
  await clock.advance(10_000);
  assert.equal(await unloading, true);
});

test('a call that its own budget does not end holds up nobody for longer than the longest call may last', async (t) => {
  hygiene(t);
  const { registry, clock } = await registryFloor(t);
  const stuck = new FakeExtension('stuck');
  await registry.install([stuck.source()]);
  stuck.carrier.begin();
  const mute = new FakeExtension('mute');
  await registry.install([mute.source()]);
  mute.carrier.idle = () => {
    throw new Error('it cannot say');
  };
  assert.equal(await unloaded(registry, 'mute'), true, 'one that cannot say is not waited for');
  const unloading = unloaded(registry, 'stuck');
  await clock.advance(3_601_999);
  assert.equal(stuck.carrier.ended, 0);
  await clock.advance(1);
  assert.equal(await unloading, true);
  assert.equal(stuck.carrier.ended, 1);
});

test('closing does not wait for calls in flight, neither of what runs nor of what drains', async (t) => {
  hygiene(t);
  const { registry } = await registryFloor(t);
  const old = new FakeExtension('notes');
  await registry.install([old.source()]);
  old.carrier.begin();
  const next = new FakeExtension('notes');
  await registry.replace('notes', next.source());
  next.carrier.begin();
  await registry.close();
  assert.deepEqual(old.journal.slice(2), ['close notes global', 'end notes']);
  assert.deepEqual(next.journal.slice(2), ['close notes global', 'end notes']);
});
