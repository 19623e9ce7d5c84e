import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemRandom } from '@fairlead/base';
import { temporaryFolder, waitFor } from '@fairlead/testing';
import { backup, memoryCarriers, replicate, reset, restore } from '../src/index.ts';
import { copyTo, peerTest, texts } from './peer-fixture.ts';

peerTest(
  'a backup is a folder of its own with the database and the peer’s key, and without the author’s',
  async (t, open) => {
    const { peer, store, folder, clock } = await open();
    const session = await peer.create('session');
    writeFileSync(join(folder, 'secret.key'), 'sealed', { mode: 0o600 });
    const to = join(temporaryFolder(t), 'backup');
    const writes = Promise.all(
      Array.from({ length: 300 }, (_, index) => session.table('entries').append(index)),
    );
    await backup({ store, stateDirectory: folder, to, clock });
    await writes;
    assert.deepEqual(readdirSync(to).toSorted(), ['backup.json', 'fairlead.db', 'peer.key', 'secret.key']);
    assert.equal(statSync(to).mode & 0o777, 0o700);
    for (const name of readdirSync(to)) assert.equal(statSync(join(to, name)).mode & 0o777, 0o600);
    assert.deepEqual(JSON.parse(readFileSync(join(to, 'backup.json'), 'utf8')), {
      format: 'fairlead-backup-v1',
      at_ms: clock.wallMs(),
    });
    await assert.rejects(backup({ store, stateDirectory: folder, to, clock }), {
      code: 'backup_target_exists',
    });
  },
);

peerTest('a restored peer is the same peer with its rights, under a new author', async (t, open) => {
  const first = await open();
  const session = await first.peer.create('session');
  await session.table('entries').append('kept');
  const to = join(temporaryFolder(t), 'backup');
  await backup({ store: first.store, stateDirectory: first.folder, to, clock: first.clock });
  await session.table('entries').append('lost');
  await first.close();
  await assert.rejects(restore({ from: to, stateDirectory: first.folder, clock: first.clock }), {
    code: 'restore_target_in_use',
  });
  const { putAside } = await restore({
    from: to,
    stateDirectory: first.folder,
    clock: first.clock,
    replace: true,
  });
  assert.equal(putAside, join(first.folder, `before-restore-${first.clock.wallMs()}`));
  assert.deepEqual(readdirSync(putAside ?? '').toSorted(), ['author.key', 'fairlead.db', 'peer.key']);
  const again = await open({ folder: first.folder });
  assert.equal(again.peer.peerId, first.peer.peerId);
  assert.notEqual(again.peer.author, first.peer.author);
  assert.equal(again.reports[0]?.code === 'author_minted' && again.reports[0].why, 'moved');
  const restored = await again.peer.open(session.root);
  assert.deepEqual(await texts(restored), ['kept']);
  assert.equal(restored.access.mine(), 'admin');
  await restored.table('entries').append('after');
  assert.deepEqual(await texts(restored), ['kept', 'after']);
});

peerTest('a restored peer takes its own later commits back before it writes', async (t, open) => {
  const [first, other] = [await open(), await open()];
  const session = await first.peer.create('session', undefined, {
    grants: { [other.peer.peerId]: 'append' },
  });
  await session.table('entries').append('before');
  const to = join(temporaryFolder(t), 'backup');
  await backup({ store: first.store, stateDirectory: first.folder, to, clock: first.clock });
  await session.table('entries').append('since, and sent');
  const theirs = await copyTo(other, session);
  await first.close();
  await restore({ from: to, stateDirectory: first.folder, clock: first.clock, replace: true });
  const again = await open({ folder: first.folder });
  const restored = await again.peer.open(session.root);
  const [dialing, listening] = memoryCarriers();
  const random = systemRandom();
  const mine = replicate({ peer: again.peer, carrier: dialing, side: 'dialer', clock: again.clock, random });
  const yours = replicate({
    peer: other.peer,
    carrier: listening,
    side: 'listener',
    clock: other.clock,
    random,
  });
  const even = mine.follow(session.root);
  await waitFor(() => mine.status(session.root) === 'catching_up' || mine.status(session.root) === 'even', {
    what: 'an answer',
  });
  await restored.table('entries').append('first write after the restore');
  await even;
  assert.deepEqual(await texts(restored), ['before', 'since, and sent', 'first write after the restore']);
  await waitFor(async () => (await texts(theirs)).length === 3, { what: 'the new entry' });
  assert.deepEqual(await texts(theirs), await texts(restored));
  assert.deepEqual(
    again.reports.filter(({ code }) => code === 'backup_taken_back'),
    [{ code: 'backup_taken_back', database: session.root, commits: 1 }],
  );
  assert.deepEqual(await restored.forks(), []);
  for (const one of [mine, yours]) await one.close();
});

peerTest('a folder that is no backup changes nothing', async (t, open) => {
  const first = await open();
  await first.peer.create('session');
  const to = join(temporaryFolder(t), 'backup');
  await backup({ store: first.store, stateDirectory: first.folder, to, clock: first.clock });
  await first.close();
  const before = readdirSync(first.folder).toSorted();
  const attempt = () =>
    restore({ from: to, stateDirectory: first.folder, clock: first.clock, replace: true });
  const about = readFileSync(join(to, 'backup.json'));
  const spoil: [string, () => void][] = [
    ['backup_invalid', () => rmSync(join(to, 'backup.json'))],
    ['backup_invalid', () => writeFileSync(join(to, 'backup.json'), '{"format":"other"}')],
    ['backup_invalid', () => writeFileSync(join(to, 'backup.json'), 'no json')],
    [
      'schema_newer',
      () => {
        writeFileSync(join(to, 'backup.json'), about);
        const database = new DatabaseSync(join(to, 'fairlead.db'));
        database.exec('PRAGMA user_version = 99');
        database.close();
      },
    ],
    ['store_not_a_database', () => writeFileSync(join(to, 'fairlead.db'), 'x'.repeat(9_000))],
    ['backup_invalid', () => rmSync(join(to, 'fairlead.db'))],
    ['backup_invalid', () => rmSync(join(to, 'peer.key'))],
  ];
  for (const [code, step] of spoil) {
    step();
    await assert.rejects(attempt(), { code });
    assert.deepEqual(readdirSync(first.folder).toSorted(), before);
  }
});

peerTest(
  'a backup restores into an empty state directory: another machine of the same peer',
  async (t, open) => {
    const first = await open();
    const session = await first.peer.create('session');
    const to = join(temporaryFolder(t), 'backup');
    await backup({ store: first.store, stateDirectory: first.folder, to, clock: first.clock });
    const folder = temporaryFolder(t);
    assert.deepEqual(await restore({ from: to, stateDirectory: folder, clock: first.clock }), {
      putAside: null,
    });
    const second = await open({ folder });
    assert.equal(second.peer.peerId, first.peer.peerId);
    const theirs = await second.peer.open(session.root);
    await theirs.table('entries').append('from the second machine');
    await first.peer.apply(session.root, (await theirs.since(session.version())) as never);
    assert.deepEqual(await texts(session), ['from the second machine']);
  },
);

peerTest(
  'a reset removes the database and keeps the peer, unless it is to be forgotten',
  async (_t, open) => {
    const first = await open();
    await first.peer.create('session');
    await first.close();
    assert.deepEqual(await reset({ stateDirectory: first.folder }), ['fairlead.db', 'author.key']);
    assert.deepEqual(await reset({ stateDirectory: first.folder }), []);
    const again = await open({ folder: first.folder });
    assert.equal(again.peer.peerId, first.peer.peerId);
    assert.deepEqual(await again.peer.list(), []);
    await again.close();
    assert.deepEqual(await reset({ stateDirectory: first.folder, forgetPeer: true }), [
      'fairlead.db',
      'author.key',
      'peer.key',
    ]);
    assert.equal(existsSync(join(first.folder, 'peer.key')), false);
  },
);

peerTest('a backup that cannot be written leaves nothing, and takes nothing away', async (t, open) => {
  const { store, folder, clock } = await open();
  const into = temporaryFolder(t);
  writeFileSync(join(into, 'file'), '');
  mkdirSync(join(into, 'b.partial'));
  symlinkSync(join(into, 'nowhere'), join(into, 'link'));
  const to = (name: string) => backup({ store, stateDirectory: folder, to: join(into, name), clock });
  await assert.rejects(to('missing/b'), { code: 'backup_unwritable', detail: { reason: 'ENOENT' } });
  await assert.rejects(to('file/b'), { code: 'backup_unwritable', detail: { reason: 'ENOTDIR' } });
  await assert.rejects(to('link'), { code: 'backup_target_exists' });
  await to('b');
  assert.deepEqual(readdirSync(into).toSorted(), ['b', 'b.partial', 'file', 'link']);
});

peerTest('a restore after a reset puts aside a key that is not the backup’s', async (t, open) => {
  const first = await open();
  const to = join(temporaryFolder(t), 'backup');
  await backup({ store: first.store, stateDirectory: first.folder, to, clock: first.clock });
  await first.close();
  await reset({ stateDirectory: first.folder });
  const { clock, folder } = first;
  assert.deepEqual(await restore({ from: to, stateDirectory: folder, clock }), { putAside: null });
  await reset({ stateDirectory: folder });
  writeFileSync(join(folder, 'peer.key'), 'of somebody else', { mode: 0o600 });
  const { putAside } = await restore({ from: to, stateDirectory: folder, clock });
  assert.equal(readFileSync(join(putAside ?? '', 'peer.key'), 'utf8'), 'of somebody else');
  const again = await open({ folder });
  assert.equal(again.peer.peerId, first.peer.peerId);
});
