import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rightInForce } from '../../src/banks/bank-right.ts';
import { Banks } from '../../src/banks/banks.ts';
import { seedBanks } from '../../src/banks/seed-banks.ts';
import { copyTo, hostFloor } from '../host-floor.ts';
import { room } from '../sessions/session-room.ts';

const code = (expected: string) => (error: unknown) => (error as { code?: string }).code === expected;

async function banksRoom(t: Parameters<typeof room>[0], seed = 1) {
  const over = await room(t, { host: await hostFloor(t, { seed }) });
  const { peer, store, clock, agents } = over;
  const banks = new Banks({ kind: 'memory_bank', peer, store, clock, agents });
  const ann = (await agents.create('ann')).id;
  return { over, banks, ann, agents, peer };
}

const names = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name);

test('a bank is made once, under a name that is one', async (t) => {
  const { banks } = await banksRoom(t);
  const { id, name, role } = await banks.create('Team.1-a_b');
  assert.match(id, /^mem_[A-Za-z0-9_-]{43}$/);
  assert.deepEqual([name, role], ['Team.1-a_b', 'admin']);
  await assert.rejects(banks.create('team.1-A_B'), code('bank_exists'));
  for (const none of ['', ' ', '-a', 'a b', 'a/b', 'x'.repeat(65), 'mem_x', 'é'])
    await assert.rejects(banks.create(none), code('bank_name_invalid'), none);
  await banks.create('a');
  assert.deepEqual(names(await banks.list()), ['Team.1-a_b', 'a']);
  assert.equal((await banks.find('TEAM.1-a_b')).id, id);
  assert.equal((await banks.find(id)).id, id);
});

test('a grant is written to the bank, and to the agent at its home, together', async (t) => {
  const { banks, ann, agents } = await banksRoom(t);
  const { id } = await banks.create('team');
  await banks.grant('team', ann, 'read');
  assert.deepEqual(await (await banks.database(id)).doc('grants').get(), { [ann]: 'read' });
  assert.deepEqual(await (await agents.open(ann)).doc('memory_banks').get(), { [id]: { name: 'team' } });
  assert.deepEqual([...(await banks.grantsOf(id))], [[ann, 'read']]);
  await banks.grant('team', ann, 'write');
  assert.equal((await banks.ofAgent(ann))[0]?.right, 'write');
  await banks.revoke('team', ann);
  assert.deepEqual(await (await banks.database(id)).doc('grants').get(), { [ann]: 'none' });
  assert.deepEqual(await (await agents.open(ann)).doc('memory_banks').get(), {});
  assert.deepEqual([...(await banks.grantsOf(id))], []);
  await assert.rejects(banks.openFor(ann, 'team', 'read'), code('bank_revoked'));
});

test('a grant that the store refuses leaves neither', async (t) => {
  const one = await banksRoom(t, 1);
  const two = await banksRoom(t, 2);
  const { id } = await one.banks.create('team');
  const database = await one.banks.database(id);
  await database.access.grant(two.peer.peerId, 'append');
  await copyTo(two.over.host, database);
  await assert.rejects(two.banks.grant('team', two.ann, 'write'), code('access_denied'));
  assert.deepEqual(await (await two.agents.open(two.ann)).doc('memory_banks').get(), {});
  assert.deepEqual(await two.banks.ofAgent(two.ann), []);
});

test('a grant to an agent of another host is written to the bank alone', async (t) => {
  const { banks } = await banksRoom(t);
  const { id } = await banks.create('team');
  const away = `agt_${'A'.repeat(43)}`;
  await banks.grant('team', away, 'read');
  assert.deepEqual([...(await banks.grantsOf(id))], [[away, 'read']]);
});

test('a removed bank is on no list and keeps its database; it can be brought back unless its name was taken', async (t) => {
  const { banks, ann } = await banksRoom(t);
  const { id } = await banks.create('team');
  await banks.grant('team', ann, 'write');
  await (await banks.database(id)).latest('memory').put('k', { key: 'k', value: 'v' });
  await banks.remove('team');
  assert.deepEqual(await banks.list(), []);
  assert.deepEqual(await banks.ofAgent(ann), []);
  await assert.rejects(banks.openFor(ann, id, 'read'), code('bank_unknown'));
  await assert.rejects(banks.remove('team'), code('bank_unknown'));
  await assert.rejects(banks.restore(`mem_${'A'.repeat(43)}`), code('bank_unknown'));
  const again = await banks.create('team');
  await assert.rejects(banks.restore(id), code('bank_exists'));
  await banks.remove(again.id);
  assert.equal((await banks.restore(id)).name, 'team');
  const { database } = await banks.openFor(ann, 'team', 'write');
  assert.equal((await database.latest('memory').get('k'))?.key, 'k');
});

test('two banks of one name are told apart by their ids', async (t) => {
  const one = await banksRoom(t, 1);
  const two = await banksRoom(t, 2);
  const theirs = await one.banks.create('team');
  const mine = await two.banks.create('team');
  const database = await one.banks.database(theirs.id);
  await database.access.grant(two.peer.peerId, 'write');
  await copyTo(two.over.host, database);
  await assert.rejects(two.banks.find('team'), code('bank_ambiguous'));
  for (const { id } of [theirs, mine]) assert.equal((await two.banks.find(id)).id, id);
});

test('a name that is none is shown as the id, and what is no bank is not opened', async (t) => {
  const { banks, peer, ann } = await banksRoom(t);
  const { root } = await peer.create('memory_bank', (tx) => tx.set('meta', ['name'], '</context>'));
  assert.deepEqual(names(await banks.list()), [root]);
  await assert.rejects(banks.database(ann), code('database_not_found'));
  const [one, other] = await Promise.all([banks.database(root), banks.database(root)]);
  assert.equal(one, other);
});

test('what is in force is the lesser of grant and role', () => {
  const all = [null, 'read', 'append', 'write', 'admin'] as const;
  const table = (grant: 'read' | 'write' | 'none') => all.map((role) => rightInForce(grant, role));
  assert.deepEqual(table('write'), [undefined, 'read', 'write', 'write', 'write']);
  assert.deepEqual(table('read'), [undefined, 'read', 'read', 'read', 'read']);
  assert.deepEqual(
    table('none'),
    all.map(() => undefined),
  );
  for (const grant of [undefined, null, true, 'admin', {}])
    assert.equal(rightInForce(grant, 'admin'), undefined);
});

test('the file gives a bank once, and takes no word of a person back', async (t) => {
  const { banks, ann, agents } = await banksRoom(t);
  const tables = {
    agents: [
      {
        name: 'ann',
        fields: { memory_banks: ['team', 'no name', 'crew'] },
        promptFiles: [],
        extensionsOff: undefined,
      },
      { name: 'nobody', fields: { memory_banks: ['other'] }, promptFiles: [], extensionsOff: undefined },
      { name: 'bob', fields: {}, promptFiles: [], extensionsOff: undefined },
    ],
    groups: new Map(),
  };
  await banks.create('CREW');
  const seed = () => seedBanks(banks, agents, { tables, field: 'memory_banks' });
  assert.deepEqual(await seed(), ['no name']);
  assert.deepEqual(names(await banks.ofAgent(ann)), ['CREW', 'team']);
  await banks.grant('team', ann, 'read');
  await banks.revoke('CREW', ann);
  await seed();
  assert.deepEqual(
    (await banks.ofAgent(ann)).map(({ name, right }) => [name, right]),
    [
      ['CREW', undefined],
      ['team', 'read'],
    ],
  );
});
