import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import type { ExtensionRef } from '@fairlead/extension/runtime';
import { hygiene } from '@fairlead/testing';
import { rowOfEvent } from '../../src/activation/activation-event.ts';
import { effectiveSet, readActive, readOptOuts } from '../../src/activation/active-set.ts';
import { history } from '../../src/activation/history.ts';
import { missing, readMissing } from '../../src/activation/read-missing.ts';
import { recordActive } from '../../src/activation/record-active.ts';
import { activate, deactivate } from '../../src/activation/switch.ts';
import { copyTo, START_MS, type TestPeer, testPeer } from '../test-peer.ts';

const builtin = (name: string, version = '1.0.0') => ({
  name,
  ref: { kind: 'builtin', name, version } as ExtensionRef,
});
const INSTALLED = [builtin('fs'), builtin('web')];

async function onePeer(t: TestContext, seed = 1): Promise<TestPeer> {
  hygiene(t);
  return await testPeer(t, { seed });
}

function record(here: TestPeer, session: Parameters<typeof recordActive>[0], installed = INSTALLED) {
  return recordActive(session, installed, {
    peerId: here.peer.peerId,
    clock: here.clock,
    report: here.report,
  });
}

test('an empty log folds to an empty set (framework test 15)', async (t) => {
  const { peer } = await onePeer(t);
  assert.deepEqual(await readActive(await peer.create('session')), new Map());
  assert.deepEqual(await readOptOuts(await peer.create('agent')), new Set());
});

test('recording writes one activation for each installed extension, in one commit (framework test 16)', async (t) => {
  const here = await onePeer(t);
  const session = await here.peer.create('session');
  assert.equal(await record(here, session), 2);
  assert.deepEqual(session.version(), { [here.peer.author]: 2 });
  assert.deepEqual(
    (await session.latest('extensions').all()).map(({ key, value }) => [key, value]),
    [
      [
        'fs',
        {
          extension_ref: { kind: 'builtin', name: 'fs', version: '1.0.0' },
          kind: 'activated',
          name: 'fs',
          timestamp_ms: 1767225600000,
        },
      ],
      [
        'web',
        {
          extension_ref: { kind: 'builtin', name: 'web', version: '1.0.0' },
          kind: 'activated',
          name: 'web',
          timestamp_ms: 1767225600000,
        },
      ],
    ],
  );
  assert.deepEqual([...(await readActive(session)).keys()], ['fs', 'web']);
});

test('recording again writes nothing, and makes no commit (framework test 17)', async (t) => {
  const here = await onePeer(t);
  const session = await here.peer.create('session');
  await record(here, session);
  assert.equal(await record(here, session), 0);
  assert.deepEqual(session.version(), { [here.peer.author]: 2 });
});

test('what was switched off stays off through restarts, and through new versions (framework test 18)', async (t) => {
  const here = await onePeer(t);
  const session = await here.peer.create('session');
  await record(here, session);
  await deactivate(session, 'fs', here.clock);
  assert.equal(await record(here, session), 0);
  assert.equal(await record(here, session, [builtin('fs', '2.0.0'), builtin('web')]), 0);
  await here.close();
  const again = await testPeer(t, { seed: 2, folder: here.folder });
  const reopened = await again.peer.open(session.root);
  assert.equal(await record(again, reopened), 0);
  assert.deepEqual([...(await readActive(reopened)).keys()], ['web']);
});

test('the newest switch of a name holds (framework test 19)', async (t) => {
  const { peer, clock } = await onePeer(t);
  const session = await peer.create('session');
  const fs = builtin('fs');
  await activate(session, fs, clock);
  await deactivate(session, 'fs', clock);
  assert.deepEqual(await readActive(session), new Map());
  await activate(session, fs, clock);
  assert.deepEqual(await readActive(session), new Map([['fs', fs.ref]]));
});

test('switches of one instant, and of a clock that went back, hold in the order in which they were made (equal timestamps)', async (t) => {
  const { peer, clock } = await onePeer(t);
  const session = await peer.create('session');
  await activate(session, builtin('fs'), clock);
  await deactivate(session, 'fs', clock);
  clock.jumpWall(-3_600_000);
  await activate(session, builtin('web'), clock);
  await activate(session, builtin('fs'), clock);
  await deactivate(session, 'web', clock);
  assert.deepEqual([...(await readActive(session)).keys()], ['fs']);
});

test('opt-outs are the names whose newest switch is off (framework test 20)', async (t) => {
  const { peer, clock } = await onePeer(t);
  const agent = await peer.create('agent');
  await deactivate(agent, 'fs', clock);
  await deactivate(agent, 'web', clock);
  await activate(agent, builtin('web'), clock);
  await activate(agent, builtin('memory'), clock);
  assert.deepEqual(await readOptOuts(agent), new Set(['fs']));
});

test('a new version of our own writes a new switch (framework test 21)', async (t) => {
  const here = await onePeer(t);
  const session = await here.peer.create('session');
  await record(here, session);
  assert.equal(await record(here, session, [builtin('fs'), builtin('web', '1.1.0')]), 1);
  assert.deepEqual((await readActive(session)).get('web'), {
    kind: 'builtin',
    name: 'web',
    version: '1.1.0',
  });
  assert.equal(await session.table('extensions').count(), 3);
});

test('two peers with two versions do not write against each other', async (t) => {
  const one = await onePeer(t);
  const other = await testPeer(t, { seed: 2 });
  const session = await one.peer.create('session', undefined, { grants: { [other.peer.peerId]: 'write' } });
  await record(one, session);
  const copy = await copyTo(other, session);
  const newer = [builtin('fs', '2.0.0'), builtin('web', '2.0.0')];
  assert.equal(await record(other, copy, newer), 0);
  // One that only the other peer has is new to the log.
  assert.equal(await record(other, copy, [...newer, builtin('mail')]), 1);
  await copyTo(one, copy);
  assert.equal(await record(one, session), 0);
  // A person there says its version; ours is not written over it.
  await activate(copy, builtin('fs', '2.0.0'), other.clock);
  await copyTo(one, copy);
  assert.equal(await record(one, session), 0);
  assert.deepEqual((await readActive(session)).get('fs'), { kind: 'builtin', name: 'fs', version: '2.0.0' });
  // Only a version of our own that moves on is said.
  assert.equal(await record(one, session, [builtin('fs', '1.0.1'), builtin('web')]), 1);
  assert.deepEqual((await readActive(session)).get('fs'), { kind: 'builtin', name: 'fs', version: '1.0.1' });
});

test('what another peer switched off is not switched on by a new version here', async (t) => {
  const one = await onePeer(t);
  const other = await testPeer(t, { seed: 2 });
  const session = await one.peer.create('session', undefined, { grants: { [other.peer.peerId]: 'append' } });
  await record(one, session);
  await deactivate(await copyTo(other, session), 'fs', other.clock);
  await copyTo(one, await other.peer.open(session.root));
  assert.equal(await record(one, session, [builtin('fs', '2.0.0'), builtin('web')]), 0);
  assert.deepEqual([...(await readActive(session)).keys()], ['web']);
});

test('nothing is recorded in a session that this peer only reads', async (t) => {
  const one = await onePeer(t);
  const other = await testPeer(t, { seed: 2 });
  const session = await one.peer.create('session', undefined, { grants: { [other.peer.peerId]: 'read' } });
  await record(one, session);
  const copy = await copyTo(other, session);
  assert.equal(await record(other, copy, [builtin('mail')]), 0);
  assert.deepEqual([...(await readActive(copy)).keys()], ['fs', 'web']);
});

test('an agent takes away from the session and never adds', async (t) => {
  const { peer, clock } = await onePeer(t);
  const session = await peer.create('session');
  const agent = await peer.create('agent');
  for (const name of ['fs', 'memory', 'web']) await activate(session, builtin(name), clock);
  await deactivate(session, 'memory', clock);
  await deactivate(agent, 'web', clock);
  await activate(agent, builtin('memory'), clock);
  await activate(agent, builtin('mail'), clock);
  assert.deepEqual([...(await effectiveSet({ session, agent })).keys()], ['fs']);
  assert.deepEqual([...(await effectiveSet({ session })).keys()], ['fs', 'web']);
});

test('the set as of a moment is taken in each log, and as of a clock in one', async (t) => {
  const { peer, clock } = await onePeer(t);
  const session = await peer.create('session');
  const agent = await peer.create('agent');
  await activate(session, builtin('fs'), clock);
  await clock.advance(1_000);
  await activate(session, builtin('web'), clock);
  await clock.advance(1_000);
  await deactivate(agent, 'fs', clock);
  const names = async (atMs: number) => [
    ...(await effectiveSet({ session, agent }, { asOf: { atMs } })).keys(),
  ];
  assert.deepEqual(await names(START_MS - 1), []);
  assert.deepEqual(await names(START_MS), ['fs']);
  assert.deepEqual(await names(START_MS + 1_999), ['fs', 'web']);
  assert.deepEqual(await names(START_MS + 2_000), ['web']);
  const { switches } = await history(session);
  const first = await session.table('extensions').at(switches.at(-1)?.id ?? '');
  assert.deepEqual([...(await readActive(session, { asOf: { hlc: first?.hlc ?? 0 } })).keys()], ['fs']);
});

test('what is on and not installed is missing, with the ref under which it can be fetched', async (t) => {
  const { peer, clock } = await onePeer(t);
  const session = await peer.create('session');
  const wasm = { kind: 'oci', name: 'zoo', registry: 'example.org', digest: 'sha256:1' } as ExtensionRef;
  const git = { kind: 'git', name: 'mail', repo: 'https://example.org/mail', sha: 'abc' } as ExtensionRef;
  await activate(session, { name: 'zoo', ref: wasm }, clock);
  await activate(session, { name: 'mail', ref: git }, clock);
  await activate(session, builtin('fs'), clock);
  assert.deepEqual(missing(await readActive(session), new Set(['fs'])).extensions, [
    { name: 'mail', ref: { kind: 'git', name: 'mail', repo: 'https://example.org/mail', sha: 'abc' } },
    { name: 'zoo', ref: { kind: 'oci', name: 'zoo', registry: 'example.org', digest: 'sha256:1' } },
  ]);
});

test('the set replays on a peer that gets only the database', async (t) => {
  const one = await onePeer(t);
  const third = await testPeer(t, { seed: 3, skewMs: -86_400_000 });
  const session = await one.peer.create('session');
  await record(one, session);
  await deactivate(session, 'web', one.clock);
  const copy = await copyTo(third, session);
  assert.deepEqual(await readActive(copy), new Map([['fs', builtin('fs').ref]]));
  assert.deepEqual(missing(await readActive(copy), new Set()), { extensions: [builtin('fs')], more: 0 });
});

test('a name whose newest row is no switch is off, told once, and the host does not answer it', async (t) => {
  const here = await onePeer(t);
  const session = await here.peer.create('session');
  const bad: JsonObject[] = [
    { kind: 'exploded', name: 'fs', timestamp_ms: 1 },
    { kind: 'deactivated', name: 'web', timestamp_ms: 1 },
    { kind: 'activated', name: 'fs', timestamp_ms: 1 },
    { kind: 'activated', name: 'fs', timestamp_ms: 1, extension_ref: { kind: 'builtin', name: 'fs' } },
    {
      kind: 'activated',
      name: 'fs',
      timestamp_ms: 1,
      extension_ref: { kind: 'builtin', name: 'web', version: '1' },
    },
    { kind: 'deactivated', name: 'fs', timestamp_ms: 'yesterday' },
    { kind: 'deactivated', name: 'fs' },
  ];
  await record(here, session);
  await session.latest('extensions').put('Not A Name', { kind: 'activated', name: 'Not A Name' });
  for (const value of bad) {
    await activate(session, builtin('fs'), here.clock);
    assert.deepEqual([...(await readActive(session)).keys()], ['fs', 'web']);
    await session.latest('extensions').put('fs', value);
    assert.deepEqual([...(await readActive(session)).keys()], ['web']);
  }
  await readActive(session, { report: here.report });
  assert.deepEqual(here.reports, [
    {
      code: 'activation_malformed',
      key: session.root,
      reason: '2 of the newest switches in this log cannot be read and count as off',
    },
  ]);
  assert.equal(await record(here, session), 0);
  await activate(session, builtin('fs'), here.clock);
  assert.deepEqual([...(await readActive(session)).keys()], ['fs', 'web']);
});

test('an unreadable row beside a switch, in one commit or at one clock, never brings an older one back', async (t) => {
  const here = await onePeer(t);
  const session = await here.peer.create('session');
  await activate(session, builtin('fs'), here.clock);
  await session.commit((tx) => {
    tx.put('extensions', 'fs', { kind: 'deactivated', name: 'fs', timestamp_ms: 1 });
    tx.put('extensions', 'fs', 'garbage');
  });
  assert.deepEqual(await readActive(session), new Map());
  const rows = await session.table('extensions').tail(2);
  assert.equal(rows.rows[0]?.hlc, rows.rows[1]?.hlc);
  const there = await testPeer(t, { seed: 2 });
  assert.deepEqual(await readActive(await copyTo(there, session)), new Map());
});

test('an unreadable switch in an agent’s log counts as an opt-out', async (t) => {
  const here = await onePeer(t);
  const [session, agent] = [await here.peer.create('session'), await here.peer.create('agent')];
  await record(here, session);
  await agent.latest('extensions').put('fs', 7);
  assert.deepEqual([...(await effectiveSet({ session, agent })).keys()], ['web']);
});

test('of a log of more than 10,000 records only the names that are asked for are read', async (t) => {
  const here = await onePeer(t);
  const session = await here.peer.create('session');
  await record(here, session);
  await deactivate(session, 'web', here.clock);
  for (let done = 0; done < 10_000; done += 400)
    await session.commit((tx) => {
      for (let index = done; index < done + 400; index += 1)
        tx.put(
          'extensions',
          `x${index}`,
          rowOfEvent({ kind: 'activated', ...builtin(`x${index}`), atMs: 1 }),
        );
    });
  const names = ['fs', 'web', 'never', 'fs'];
  assert.deepEqual([...(await readActive(session, { names })).keys()], ['fs']);
  assert.equal((await readActive(session)).size, 10_001);
  const whole = await readMissing(session, new Set(['fs']));
  assert.deepEqual([whole.extensions.length, whole.extensions[0], whole.more], [1000, builtin('x0'), 9000]);
  const latest = session.latest('extensions');
  const wholes = t.mock.method(Object.getPrototypeOf(latest), 'all');
  assert.equal(await record(here, session), 0);
  assert.equal(await record(here, session, [builtin('fs', '2.0.0'), builtin('fresh')]), 2);
  assert.deepEqual([...(await readActive(session, { names: ['fs', 'fresh'] })).keys()], ['fs', 'fresh']);
  assert.equal(wholes.mock.callCount(), 0);
});

test('more extensions than one commit holds are recorded too', async (t) => {
  const here = await onePeer(t);
  const session = await here.peer.create('session');
  const many = Array.from({ length: 450 }, (_, index) => builtin(`x${String(index).padStart(3, '0')}`));
  assert.equal(await record(here, session, many), 450);
  assert.equal((await readActive(session)).size, 450);
});

test('history is newest first, in pages, of one name where it is asked, and says which peer it was', async (t) => {
  const here = await onePeer(t);
  const session = await here.peer.create('session');
  await record(here, session);
  await here.clock.advance(5);
  await deactivate(session, 'fs', here.clock);
  await activate(session, builtin('fs', '1.1.0'), here.clock);
  const first = await history(session, { limit: 3 });
  assert.deepEqual(
    first.switches.map(({ kind, name, atMs, peer }) => [
      kind,
      name,
      atMs - START_MS,
      peer === here.peer.peerId,
    ]),
    [
      ['activated', 'fs', 5, true],
      ['deactivated', 'fs', 5, true],
      ['activated', 'web', 0, true],
    ],
  );
  const second = await history(session, { limit: 3, before: first.before ?? '' });
  assert.deepEqual(
    second.switches.map(({ kind, name }) => [kind, name]),
    [['activated', 'fs']],
  );
  assert.equal(second.before, null);
  const ofWeb = await history(session, { name: 'web' });
  assert.deepEqual(
    ofWeb.switches.map(({ name }) => name),
    ['web'],
  );
  assert.deepEqual(await history(await here.peer.create('session')), { switches: [], before: null });
});

test('history of a name looks through a bounded number of pages', async (t) => {
  const here = await onePeer(t);
  const session = await here.peer.create('session');
  await activate(session, builtin('fs'), here.clock);
  for (let done = 0; done < 4_400; done += 400)
    await session.commit((tx) => {
      for (let index = 0; index < 400; index += 1)
        tx.put('extensions', 'web', { kind: 'deactivated', name: 'web', timestamp_ms: done + index });
    });
  const page = await history(session, { name: 'fs' });
  assert.deepEqual(page.switches, []);
  const rest = await history(session, { name: 'fs', before: page.before ?? '' });
  assert.deepEqual(
    rest.switches.map(({ name }) => name),
    ['fs'],
  );
});
