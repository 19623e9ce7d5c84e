import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import type { CapabilityRequest, Manifest } from '@fairlead/extension/runtime';
import type { Database } from '@fairlead/store';
import { hygiene } from '@fairlead/testing';
import type { AgentStateAllowlist } from '../../src/agent-state/agent-scope.ts';
import { AgentStates } from '../../src/agent-state/agent-state.ts';
import { testPeer } from '../test-peer.ts';

const ANYBODY: readonly CapabilityRequest[] = [{ kind: 'agent_state_admin' }];

function callerWith(requests: readonly CapabilityRequest[] = ANYBODY) {
  return { extension: 'schedule', manifest: { requires: [], requests } as unknown as Manifest };
}

async function agentsOf(t: TestContext, allowlist: AgentStateAllowlist) {
  hygiene(t);
  const { peer } = await testPeer(t, { seed: 1 });
  const ann = await peer.create('agent');
  const bob = await peer.create('agent');
  const names = new Map<string, Database>([
    ['ann', ann],
    ['bob', bob],
  ]);
  const states = new AgentStates(
    {
      async resolve(nameOrId) {
        for (const [name, { root }] of names)
          if (nameOrId === name || nameOrId === root) return { id: root, name };
        return null;
      },
      open: (id) => peer.open(id),
    },
    allowlist,
  );
  const resolve = (agent: string, caller = callerWith()) =>
    states.answer({ op: 'agent_state.resolve', agent }, caller);
  const read = (agent: string, place: JsonObject, caller = callerWith()) =>
    states.answer({ op: 'agent_state.read', agent, place }, caller);
  const write = (agent: string, place: JsonObject, caller = callerWith()) =>
    states.answer({ op: 'agent_state.write', agent, place }, caller);
  return { ann, bob, resolve, read, write };
}

const ANN_ONLY = { schedule: ['ann'] };

test('an agent on the list resolves by name (agent state 1)', async (t) => {
  const { resolve, ann } = await agentsOf(t, ANN_ONLY);
  assert.deepEqual(await resolve('ann'), { id: ann.root, name: 'ann' });
});

test('an unknown agent does not resolve (agent state 2)', async (t) => {
  const { resolve } = await agentsOf(t, ANN_ONLY);
  assert.equal(await resolve('carl'), null);
});

test('an agent on the list resolves by its id (agent state 3)', async (t) => {
  const { resolve, ann } = await agentsOf(t, ANN_ONLY);
  assert.deepEqual(await resolve(ann.root), { id: ann.root, name: 'ann' });
  const byId = await agentsOf(t, { schedule: [ann.root] });
  assert.equal(await byId.resolve('carl'), null);
});

test('an agent out of reach is answered like one that there is not (agent state 4)', async (t) => {
  const { resolve, read, write, bob } = await agentsOf(t, ANN_ONLY);
  for (const agent of ['bob', bob.root, 'carl']) {
    assert.equal(await resolve(agent), null);
    assert.equal(await read(agent, { doc: 'meta' }), null);
    assert.equal(await write(agent, { doc: 'meta', path: ['a'], value: 1 }), null);
  }
  assert.deepEqual(await bob.doc('meta').get(), {});
});

test('a document of an agent out of reach is not written (agent state 5)', async (t) => {
  const { write, bob } = await agentsOf(t, ANN_ONLY);
  await write(bob.root, { table: 'schedules', key: 'x', value: { a: 1 } });
  assert.equal(await bob.table('schedules').count(), 0);
});

test('an agent on the list is read and written (agent state 6)', async (t) => {
  const { read, write, ann } = await agentsOf(t, ANN_ONLY);
  await write('ann', { doc: 'meta', path: ['recall', 'most'], value: 3 });
  await write('ann', { doc: 'meta', path: ['name'], value: 'Ann' });
  await write(ann.root, { table: 'schedules', key: 'b', value: { cron: '0 * * * *' } });
  await write(ann.root, { table: 'schedules', key: 'a', value: { cron: '5 * * * *' } });
  assert.deepEqual(await read('ann', { doc: 'meta' }), { name: 'Ann', recall: { most: 3 } });
  assert.deepEqual(await read('ann', { table: 'schedules' }), [
    { key: 'b', value: { cron: '0 * * * *' } },
    { key: 'a', value: { cron: '5 * * * *' } },
  ]);
  // null takes away.
  await write('ann', { doc: 'meta', path: ['recall'], value: null });
  await write('ann', { table: 'schedules', key: 'b', value: null });
  assert.deepEqual(await read('ann', { doc: 'meta' }), { name: 'Ann' });
  assert.deepEqual(await read('ann', { table: 'schedules' }), [{ key: 'a', value: { cron: '5 * * * *' } }]);
  assert.deepEqual(await read('ann', { table: 'nothing' }), []);
  await ann.table('schedule_fires').append({ at: 1 });
  await ann.table('schedule_fires').append({ at: 2 });
  assert.deepEqual(await read('ann', { table: 'schedule_fires' }), [
    { value: { at: 1 } },
    { value: { at: 2 } },
  ]);
});

test('an extension that the operator does not name may touch every agent (agent state 7)', async (t) => {
  const { resolve, bob } = await agentsOf(t, { other: [] });
  assert.deepEqual(await resolve('bob'), { id: bob.root, name: 'bob' });
});

test('an empty list is no agent at all (agent state 8)', async (t) => {
  const { resolve } = await agentsOf(t, { schedule: [] });
  assert.equal(await resolve('ann'), null);
});

test('what the manifest asks for narrows what the operator allows, and never widens it', async (t) => {
  const { resolve } = await agentsOf(t, { schedule: ['ann'] });
  const asks = (agents: readonly string[]) => callerWith([{ kind: 'agent_state_admin', agents }]);
  assert.equal(await resolve('ann', asks([])), null);
  assert.equal(await resolve('ann', asks(['bob'])), null);
  assert.equal(await resolve('bob', asks(['bob'])), null);
  assert.notEqual(await resolve('ann', asks(['ann', 'bob'])), null);
  assert.equal(await resolve('ann', callerWith([])), null);
});

test('a place that there is not, or that people alone write, is refused', async (t) => {
  const { read, write, ann } = await agentsOf(t, {});
  const bad: JsonObject[] = [
    {},
    { doc: 'meta', table: 'memory' },
    { doc: '_settings' },
    { table: 'No Table' },
    { doc: 5 },
  ];
  for (const place of bad) {
    await assert.rejects(read('ann', place), { code: 'agent_state_invalid' });
    await assert.rejects(write('ann', { ...place, path: ['a'], key: 'a', value: 1 }), {
      code: 'agent_state_invalid',
    });
  }
  for (const place of [
    { table: 'extensions', key: 'schedule', value: { kind: 'activated' } },
    { doc: 'extension_settings', path: ['schedule', 'a'], value: 1 },
    { doc: 'meta', path: 'a', value: 1 },
    { doc: 'meta', path: [1], value: 1 },
    { doc: 'meta', path: [], value: 1 },
    { doc: 'meta', path: ['a'] },
    { table: 'memory', value: 1 },
    { table: 'memory', key: 'a', value: 'x'.repeat(262_144) },
  ] as JsonObject[])
    await assert.rejects(write('ann', place), { code: 'agent_state_invalid' });
  assert.deepEqual(ann.version(), { [Object.keys(ann.version())[0] ?? '']: 1 });
  await assert.rejects(write('ann', { doc: 'meta', path: ['a\u0000'], value: 1 }), {
    code: 'doc_path_invalid',
  });
});

test('an answer stays under a frame: of a table the newest rows, of a document nothing', async (t) => {
  const { read, ann } = await agentsOf(t, {});
  for (let index = 0; index < 5; index += 1)
    await ann.latest('memory').put(`k${index}`, { text: 'x'.repeat(200_000) });
  const rows = (await read('ann', { table: 'memory' })) as { key: string }[];
  assert.deepEqual(
    rows.map(({ key }) => key),
    ['k2', 'k3', 'k4'],
  );
  for (let index = 0; index < 5; index += 1) await ann.doc('config').set([`k${index}`], 'x'.repeat(200_000));
  await assert.rejects(read('ann', { doc: 'config' }), { code: 'agent_state_invalid' });
  for (let done = 0; done < 2; done += 1)
    await ann.commit((tx) => {
      for (let index = 0; index < 125; index += 1) tx.put('skills', `s${done * 125 + index}`, index);
    });
  assert.equal(((await read('ann', { table: 'skills' })) as unknown[]).length, 200);
});
