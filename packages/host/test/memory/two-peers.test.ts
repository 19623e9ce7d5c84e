import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { memoryCarriers, replicate } from '@fairlead/store';
import { waitFor } from '@fairlead/testing';
import { hostFloor } from '../host-floor.ts';
import { fakeEmbedder, type MemoryRoom, memoryRoom } from './memory-room.ts';

const code = (expected: string) => (error: unknown) => (error as { code?: string }).code === expected;

/** Two hosts in touch: a bank of the first, of which the second has a role, and `bee`, an agent of the second. */
async function twoHosts(t: TestContext, role: 'read' | 'append' | 'write') {
  const first = await memoryRoom(t, { host: await hostFloor(t, { seed: 1 }) });
  const second = await memoryRoom(t, { host: await hostFloor(t, { seed: 2 }), embedder: fakeEmbedder() });
  const { id: bank } = await first.memory.banks.create('team');
  const database = await first.memory.banks.database(bank);
  await database.access.grant(second.room.peer.peerId, role);
  const bee = (await second.room.agents.create('bee')).id;
  const [dialing, listening] = memoryCarriers();
  const sessionOf = ({ room }: MemoryRoom, side: 'dialer' | 'listener') =>
    replicate({
      ...{ peer: room.peer, clock: room.clock, random: room.host.random, side },
      carrier: side === 'dialer' ? dialing : listening,
    });
  const [serving, asking] = [sessionOf(first, 'listener'), sessionOf(second, 'dialer')];
  t.after(async () => {
    await asking.close();
    await serving.close();
  });
  await asking.follow(bank);
  return { first, second, bank, bee, database, place: { agent: bee, bank: 'team' } };
}

test('a bank that another host granted is recalled from and remembered in, on both', async (t) => {
  const { first, second, bee, place } = await twoHosts(t, 'append');
  await first.memory.banks.grant('team', bee, 'write');
  await first.memory.banks.grant('team', first.ann, 'read');
  await first.memory.remember({ agent: first.ann, bank: 'team' }, { key: 'x', value: 'x' }).catch(() => {});
  await waitFor(async () => (await second.memory.banks.ofAgent(bee)).length === 1, { what: 'the grant' });
  await second.memory.remember(place, { key: 'berth', value: 'the ferry lies at nine' });
  const recalls = () => first.keys({ agent: first.ann, bank: 'team' }, { query: 'nine' });
  await waitFor(async () => (await recalls()).length === 1, { what: 'the memory on the first host' });
  await second.memory.caughtUp();
  assert.deepEqual(await second.keys(place, { query: 'vessel' }), ['berth']);
});

test('what is in force is the lesser of the grant and the role of the host', async (t) => {
  const { first, second, bee, place } = await twoHosts(t, 'read');
  await first.memory.banks.grant('team', bee, 'write');
  await waitFor(async () => (await second.memory.banks.ofAgent(bee)).length === 1, { what: 'the grant' });
  assert.deepEqual(
    (await second.memory.banks.ofAgent(bee)).map(({ name, role, right }) => [name, role, right]),
    [['team', 'read', 'read']],
  );
  await assert.rejects(second.memory.remember(place, { key: 'k', value: 'v' }), code('bank_read_only'));
});

test('a grant that was revoked on one host stops recall on the other, from its next question on', async (t) => {
  const { first, second, bee, place } = await twoHosts(t, 'append');
  await first.memory.banks.grant('team', bee, 'write');
  await waitFor(async () => (await second.memory.banks.ofAgent(bee)).length === 1, { what: 'the grant' });
  await second.memory.remember(place, { key: 'berth', value: 'the ferry lies at nine' });
  const topic = { recent: ['when does the ferry leave?'], limit: 3, attached: [], leastNear: 0.4 };
  assert.deepEqual(
    (await second.memory.onTopic(bee, topic)).map(({ key }) => key),
    ['berth'],
  );
  await first.memory.banks.revoke('team', bee);
  await waitFor(async () => (await second.memory.banks.ofAgent(bee))[0]?.right === undefined, {
    what: 'the revocation',
  });
  await assert.rejects(second.memory.recall(place, { query: 'ferry' }), code('bank_revoked'));
  await assert.rejects(second.memory.remember(place, { key: 'k', value: 'v' }), code('bank_revoked'));
  assert.deepEqual(await second.memory.onTopic(bee, topic), []);
});

test('a host whose role ended recalls nothing of its copy any more', async (t) => {
  const { first, second, bee, place, database } = await twoHosts(t, 'append');
  await first.memory.banks.grant('team', bee, 'write');
  await waitFor(async () => (await second.memory.banks.ofAgent(bee)).length === 1, { what: 'the grant' });
  await second.memory.remember(place, { key: 'berth', value: 'the ferry lies at nine' });
  await database.access.revoke(second.room.peer.peerId);
  await waitFor(async () => (await second.memory.banks.list())[0]?.role === null, {
    what: 'the end of the role',
  });
  for (const isPerson of [false, true])
    await assert.rejects(
      second.memory.recall({ ...place, isPerson }, { query: 'ferry' }),
      code('bank_revoked'),
    );
  const topic = { recent: ['when does the ferry leave?'], limit: 3, attached: [], leastNear: 0.4 };
  assert.deepEqual(await second.memory.onTopic(bee, topic), []);
});

test('what was forgotten on one host is recalled on no other', async (t) => {
  const { first, second, bee, place } = await twoHosts(t, 'append');
  await first.memory.banks.grant('team', bee, 'write');
  await waitFor(async () => (await second.memory.banks.ofAgent(bee)).length === 1, { what: 'the grant' });
  await second.memory.remember(place, { key: 'berth', value: 'the ferry lies at nine' });
  await second.memory.caughtUp();
  const person = { agent: first.ann, bank: 'team', isPerson: true };
  await waitFor(async () => (await first.keys(person, { query: 'ferry' })).length === 1, {
    what: 'the memory',
  });
  await first.memory.forget(person, 'berth');
  await waitFor(async () => (await second.keys(place, { query: 'ferry' })).length === 0, {
    what: 'the end of it',
  });
  assert.deepEqual(await second.keys(place, { query: 'vessel' }), []);
  assert.deepEqual(await second.keys(place, { query: '' }), []);
});
