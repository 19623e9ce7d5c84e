import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import type { ExtensionRef } from '@fairlead/extension/runtime';
import { hygiene } from '@fairlead/testing';
import { effectiveSet, missing, readActive, readOptOuts } from '../../src/activation/active-set.ts';
import { history } from '../../src/activation/history.ts';
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
  assert.deepEqual(missing(await readActive(session), new Set(['fs'])), [
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
  assert.deepEqual(missing(await readActive(copy), new Set()), [builtin('fs')]);
});

test('a row that is no switch is ignored with a report, and the one before it holds', async (t) => {
  const here = await onePeer(t);
  const session = await here.peer.create('session');
  await record(here, session);
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
  for (const value of bad) await session.latest('extensions').put('fs', value);
  await session.latest('extensions').put('Not A Name', { kind: 'activated', name: 'Not A Name' });
  assert.deepEqual([...(await readActive(session, { report: here.report })).keys()], ['fs', 'web']);
  assert.deepEqual(here.reports, [
    {
      code: 'activation_malformed',
      key: session.root,
      reason: '2 of the newest switches in this log cannot be read and are ignored',
    },
  ]);
  assert.equal(await record(here, session), 0);
  assert.equal((await history(session)).switches.length, 2);
});

test('behind eight rows that are no switches a name counts as never switched', async (t) => {
  const here = await onePeer(t);
  const session = await here.peer.create('session');
  await activate(session, builtin('fs'), here.clock);
  for (let row = 0; row < 9; row += 1) await session.latest('extensions').put('fs', row);
  assert.deepEqual(await readActive(session), new Map());
  assert.equal(await record(here, session, [builtin('fs')]), 1);
  assert.deepEqual([...(await readActive(session)).keys()], ['fs']);
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
