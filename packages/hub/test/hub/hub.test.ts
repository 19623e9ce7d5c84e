import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineExtension } from '@fairlead/extension';
import { hygiene } from '@fairlead/testing';
import { deactivate } from '../../src/activation/switch.ts';
import { openHub } from '../../src/hub/open-hub.ts';
import { FakeExtension } from '../fake-extension.ts';
import { testHub } from '../test-hub.ts';
import { testPeer } from '../test-peer.ts';

const teller = (name: string, say: () => string) =>
  defineExtension({ name, version: '1.0.0', status: () => ({ says: say() }) });

test('status is published when a session opens and when it is asked for, only where it changed', async (t) => {
  hygiene(t);
  let word = 'calm';
  const { hub, peer, store, clock, newSession } = await testHub(t, {
    extensions: [teller('mood', () => word), teller('steady', () => 'steady')],
  });
  const session = await newSession();
  await hub.openSession(session);
  const shown = async () => Object.fromEntries(await hub.outputs(session));
  assert.deepEqual(await shown(), { mood: { says: 'calm' }, steady: { says: 'steady' } });
  const writes = t.mock.method(store, 'write');
  assert.equal(await hub.publish({ session }), 0);
  assert.equal(writes.mock.callCount(), 0);
  word = 'wild';
  assert.equal(await hub.publish({ session }), 1);
  assert.deepEqual(await shown(), { mood: { says: 'wild' }, steady: { says: 'steady' } });
  await deactivate(await peer.open(session), 'steady', clock);
  assert.equal(await hub.publish({ session }), 1);
  assert.deepEqual(await shown(), { mood: { says: 'wild' } });
  await hub.unload('mood');
  await hub.publish({ session });
  assert.deepEqual(await shown(), {});
});

test('what an agent has opted out of is not asked for its status in the agent’s turn', async (t) => {
  hygiene(t);
  const { hub, peer, clock, newSession, newAgent } = await testHub(t, {
    extensions: [teller('mood', () => 'calm')],
  });
  const session = await newSession();
  const ann = await newAgent('ann');
  await hub.openSession(session);
  await deactivate(await peer.open(ann.id), 'mood', clock);
  await hub.publish({ session, agent: ann });
  assert.deepEqual(await hub.outputs(session), new Map());
});

test('a closed session shows nothing, and a disk that takes no status ends nothing', async (t) => {
  hygiene(t);
  const { hub, store, newSession, reports } = await testHub(t, {
    extensions: [teller('mood', () => 'calm')],
  });
  const [session, other] = [await newSession(), await newSession()];
  await hub.openSession(session);
  await hub.closeSession(session);
  assert.deepEqual(await hub.outputs(session), new Map());
  const failing = t.mock.method(store, 'write', () =>
    Promise.reject(Object.assign(new Error('disk'), { code: 'store_failed' })),
  );
  await hub.openSession(other);
  await hub.closeSession(other);
  failing.mock.restore();
  assert.deepEqual(
    reports.map(({ code, key }) => [code, key === other]),
    [['outputs_not_written', true]],
  );
});

test('the list has every extension in install order: what runs, what fails, what does not run', async (t) => {
  hygiene(t);
  const fine = defineExtension({
    name: 'fine',
    version: '1.0.0',
    tools: { x: { about: 'x', run: () => '' } },
    on: { toolCall: () => undefined },
  });
  const { hub, newSession } = await testHub(t, { extensions: [fine] });
  const needy = new FakeExtension('needy', { requires: [{ kind: 'example.x' }] });
  const broken = new FakeExtension('broken', { scopes: ['session'] });
  broken.onOpen = () => Promise.reject(new Error('no key'));
  const unread = new FakeExtension('unread');
  unread.onStart = () => {
    throw new Error('no such file');
  };
  await hub.install([needy.source(), broken.source(), unread.source()]);
  const session = await newSession();
  await hub.openSession(session);
  assert.deepEqual(
    hub
      .extensions()
      .map(
        ({ name, version, tier, builtin, scopes, hooks, generation, state, reason, failures, manifest }) => [
          name,
          [version, tier, builtin, scopes, hooks, generation],
          [state, reason?.code, failures.map(({ scope, code }) => `${scope} ${code}`), manifest?.name],
        ],
      ),
    [
      [
        'fine',
        ['1.0.0', 'in_process', true, ['global'], ['tool_call', 'tool'], 1],
        ['running', undefined, [], 'fine'],
      ],
      [
        'needy',
        ['d1', null, false, ['global'], [], 0],
        ['down', 'capability_missing', ['install capability_missing'], 'needy'],
      ],
      [
        'broken',
        ['d1', 'worker', false, ['session'], [], 1],
        ['failing', undefined, ['session instantiate_failed'], 'broken'],
      ],
      [
        'unread',
        ['d1', null, false, [], [], 0],
        ['down', 'extension_load_failed', ['install extension_load_failed'], undefined],
      ],
    ],
  );
  assert.deepEqual(
    hub.failures().map(({ name }) => name),
    ['broken', 'needy', 'unread'],
  );
  broken.onStart = unread.onStart;
  broken.carrier.die();
  assert.deepEqual(
    hub.extensions().map(({ state }) => state),
    ['running', 'down', 'down', 'down'],
  );
});

test('what is on and not installed here shows as missing, with the ref that it can be fetched by', async (t) => {
  hygiene(t);
  const { hub, newSession } = await testHub(t, {
    extensions: [teller('mood', () => 'calm'), teller('gone', () => 'x')],
  });
  const [session, closed] = [await newSession(), await newSession()];
  await hub.openSession(session);
  await hub.unload('gone');
  const extensions = [{ name: 'gone', ref: { kind: 'builtin', name: 'gone', version: '1.0.0' } }];
  assert.deepEqual(await hub.missing(session), { extensions, more: 0 });
  assert.deepEqual(await hub.missing(closed), { extensions: [], more: 0 });
  using set = await hub.liveSet({ session });
  assert.deepEqual(set.waiting, []);
});

test('an invalid built-in stops the start, and nothing of the others is left', async (t) => {
  hygiene(t);
  const { peer, store, clock, report } = await testPeer(t, { seed: 1 });
  const journal: string[] = [];
  const good = new FakeExtension('good', {}, journal);
  const bad = new FakeExtension('bad', { provides: ['settings'] }, journal);
  await assert.rejects(
    openHub({
      peer,
      store,
      clock,
      report,
      agents: { resolve: async () => null, open: (id) => peer.open(id) },
      sources: [good.source({ builtin: true }), bad.source({ builtin: true })],
    }),
    { code: 'manifest_invalid' },
  );
  assert.deepEqual(journal.toSorted(), ['end bad', 'end good', 'start bad', 'start good']);
});

test('the ports of /extensions see what is installed, what waits, and what failed', async (t) => {
  hygiene(t);
  const { hub, peer, newSession, newAgent } = await testHub(t, {
    extensions: [teller('mood', () => 'calm')],
  });
  const broken = new FakeExtension('broken', { scopes: ['session'] });
  broken.onOpen = () => Promise.reject(new Error('no key'));
  await hub.install([broken.source()]);
  const session = await newSession();
  const ann = await newAgent('ann');
  const ports = hub.commandPorts;
  assert.deepEqual(await ports.waiting(session, undefined), []);
  await hub.openSession(session);
  assert.equal(ports.peerId, peer.peerId);
  assert.deepEqual(
    ports.installed().map(({ name }) => name),
    ['mood', 'broken'],
  );
  assert.deepEqual(ports.failed(), []);
  assert.equal(ports.failures().length, 1);
  for (const agent of [undefined, ann.id])
    assert.deepEqual(
      (await ports.waiting(session, agent)).map(({ extension, scope }) => [extension, scope]),
      [['broken', 'session']],
    );
  assert.deepEqual(await ports.waiting(session, 'agt_nobody'), []);
});
