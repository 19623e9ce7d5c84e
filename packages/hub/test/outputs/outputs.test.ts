import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hygiene } from '@fairlead/testing';
import { Outputs } from '../../src/outputs/outputs.ts';
import { testPeer } from '../test-peer.ts';

test('outputs are read as they were published, and the same again writes nothing (framework test 12)', async (t) => {
  hygiene(t);
  const { store } = await testPeer(t, { seed: 1 });
  const outputs = new Outputs(store);
  const said = [
    { owner: 'mail', segments: { unread: '3', account: 'work' } },
    { owner: 'weather', segments: { now: '21 C' } },
  ];
  assert.equal(await outputs.publish('ses_1', said), 3);
  assert.equal(await outputs.publish('ses_1', said), 0);
  assert.deepEqual(
    await outputs.of('ses_1'),
    new Map([
      ['mail', { account: 'work', unread: '3' }],
      ['weather', { now: '21 C' }],
    ]),
  );
  assert.equal(
    await outputs.publish('ses_1', [{ owner: 'mail', segments: { unread: '4', account: 'work' } }]),
    2,
  );
  assert.deepEqual(await outputs.of('ses_1'), new Map([['mail', { account: 'work', unread: '4' }]]));
  assert.deepEqual(await outputs.of('ses_2'), new Map());
});

test('an extension that says nothing any more is taken out (framework test 13)', async (t) => {
  hygiene(t);
  const { store } = await testPeer(t, { seed: 1 });
  const outputs = new Outputs(store);
  await outputs.publish('ses_1', [{ owner: 'mail', segments: { unread: '3' } }]);
  await outputs.publish('ses_2', [{ owner: 'mail', segments: { unread: '9' } }]);
  await outputs.forget('ses_1');
  assert.deepEqual(await outputs.of('ses_1'), new Map());
  assert.deepEqual(await outputs.of('ses_2'), new Map([['mail', { unread: '9' }]]));
});

test('what is published at the same time is written in the order in which it was said', async (t) => {
  hygiene(t);
  const { store } = await testPeer(t, { seed: 1 });
  const outputs = new Outputs(store);
  const counts = await Promise.all(
    ['1', '2', '2', '1'].map((unread) => outputs.publish('ses_1', [{ owner: 'mail', segments: { unread } }])),
  );
  assert.deepEqual(counts, [1, 1, 0, 1]);
  assert.deepEqual(await outputs.of('ses_1'), new Map([['mail', { unread: '1' }]]));
});

test('a failed write is told to the one who published, and holds nobody up', async (t) => {
  hygiene(t);
  const { store } = await testPeer(t, { seed: 1 });
  let fails = true;
  const outputs = new Outputs({
    ...store,
    read: (sql, parameters) => store.read(sql, parameters),
    write: (statements, durability) =>
      fails ? Promise.reject(new Error('disk')) : store.write(statements, durability),
  });
  await assert.rejects(outputs.publish('ses_1', [{ owner: 'mail', segments: { unread: '1' } }]), /disk/);
  fails = false;
  assert.equal(await outputs.publish('ses_1', [{ owner: 'mail', segments: { unread: '1' } }]), 1);
});

test('more than one batch holds is published too', async (t) => {
  hygiene(t);
  const { store } = await testPeer(t, { seed: 1 });
  const outputs = new Outputs(store);
  const many = Array.from({ length: 300 }, (_, index) => ({
    owner: `x${index}`,
    segments: { a: 'a', b: 'b', c: 'c', d: 'd' },
  }));
  assert.equal(await outputs.publish('ses_1', many), 1_200);
  assert.equal((await outputs.of('ses_1')).size, 300);
});
