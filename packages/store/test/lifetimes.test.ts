import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemRandom } from '@fairlead/base';
import { temporaryFolder, waitFor } from '@fairlead/testing';
import { backup, lockFolder, memoryCarriers, openPeer, replicate, type Store } from '../src/index.ts';
import { peerTest } from './peer-fixture.ts';

peerTest(
  'a peer and a session end with the block that uses them, and refuse what comes later',
  async (_t, open) => {
    const one = await open();
    const [mine] = memoryCarriers();
    {
      await using session = replicate({
        peer: one.peer,
        carrier: mine,
        side: 'dialer',
        clock: one.clock,
        random: systemRandom(),
      });
      session.remote.catch(() => undefined);
    }
    {
      await using peer = one.peer;
      await peer.create('session');
    }
    await assert.rejects(one.peer.create('session'), { code: 'store_closed' });
    await assert.rejects(one.peer.list(), { code: 'store_closed' });
    await one.peer.close();
  },
);

peerTest('a peer outlives nothing: with its store closed every door says so', async (_t, open) => {
  const one = await open();
  const session = await one.peer.create('session');
  const seen: number[] = [];
  await one.peer.onWrite('test', ({ cursor }) => void seen.push(cursor), { from: 'start' });
  await waitFor(() => seen.length === 1, { what: 'the first write' });
  await one.store.close();
  await assert.rejects(session.table('entries').append(1), { code: 'store_closed' });
  await assert.rejects(session.table('entries').tail(1), { code: 'store_closed' });
  await assert.rejects(
    one.peer.onWrite('other', () => undefined),
    { code: 'store_closed' },
  );
  await assert.rejects(
    one.peer.onWrite('other', () => undefined),
    { code: 'store_closed' },
  );
});

peerTest('a store of no engine that keeps a log is refused', async (t, open) => {
  const one = await open();
  const options = { stateDirectory: temporaryFolder(t), clock: one.clock, random: systemRandom() };
  await assert.rejects(openPeer({ store: {} as Store, ...options }), { code: 'store_statement_invalid' });
});

peerTest('a backup that cannot be written leaves nothing', async (t, open) => {
  const one = await open();
  const folder = temporaryFolder(t);
  await one.store.close();
  const to = join(folder, 'backup');
  await assert.rejects(backup({ store: one.store, stateDirectory: one.folder, to, clock: one.clock }));
  assert.deepEqual([existsSync(to), readdirSync(folder)], [false, []]);
});

peerTest('a held folder is released with its block', async (t) => {
  const folder = temporaryFolder(t);
  {
    await using lock = await lockFolder(folder);
    assert.notEqual(lock, null);
  }
  await using again = await lockFolder(folder);
  assert.notEqual(again, null);
});
