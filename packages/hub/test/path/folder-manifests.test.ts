import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hygiene } from '@fairlead/testing';
import { FolderManifests } from '../../src/path/folder-manifests.ts';
import { manifestOf } from '../fake-extension.ts';
import { testPeer } from '../test-peer.ts';

const FAULT = { code: 'extension_load_failed', reason: 'line 3' };

const loaded = (name: string, version = '1', digest = 'd1') => ({
  ref: { kind: 'path', name, digest } as const,
  manifest: manifestOf(name, { version, hooks: ['tool_call'] }),
});

test('a folder that does not load any more stands as what it was loaded as last, and does not start', async (t) => {
  hygiene(t);
  const { store, clock } = await testPeer(t, { seed: 1 });
  await new FolderManifests({ store, clock }).keep('/home/ann/guard', loaded('guard'));
  const manifests = new FolderManifests({ store, clock });
  const standIn = await manifests.standIn('/home/ann/guard', FAULT);
  assert.deepEqual(
    [standIn?.ref, standIn?.tier, standIn?.builtin, standIn?.folder, standIn?.output()],
    [{ kind: 'path', name: 'guard', digest: 'd1' }, 'worker', false, '/home/ann/guard', ''],
  );
  assert.equal(standIn?.standsFor, '/home/ann/guard');
  assert.deepEqual(standIn?.manifest, loaded('guard').manifest);
  const host = { ask: () => null, log: () => {}, changed: () => {} };
  await assert.rejects(async () => await standIn?.start(host, () => {}), {
    code: 'extension_load_failed',
    message: 'line 3',
  });
  await standIn?.[Symbol.asyncDispose]();
  assert.equal(await manifests.standIn('/home/ann/other', FAULT), undefined);
});

test('what a reload brought is what stands for the folder from then on', async (t) => {
  hygiene(t);
  const { store, clock } = await testPeer(t, { seed: 1 });
  const manifests = new FolderManifests({ store, clock });
  await manifests.keep('/guard', loaded('guard'));
  await manifests.keep('/notes', loaded('notes'));
  await manifests.renew(loaded('guard', '2', 'd2'));
  await manifests.renew(loaded('never_kept'));
  const stood = async (folder: string) => {
    const standIn = await manifests.standIn(folder, FAULT);
    return [standIn?.ref.name, standIn?.manifest.version, standIn?.ref.digest];
  };
  assert.deepEqual(await stood('/guard'), ['guard', '2', 'd2']);
  assert.deepEqual(await stood('/notes'), ['notes', '1', 'd1']);
  await manifests.keep('/guard', loaded('watch', '3', 'd3'));
  assert.deepEqual(await stood('/guard'), ['watch', '3', 'd3']);
});

test('what was kept and is no manifest of that name stands for nothing', async (t) => {
  hygiene(t);
  const { store, clock } = await testPeer(t, { seed: 1 });
  const manifests = new FolderManifests({ store, clock });
  await manifests.keep('/guard', loaded('guard'));
  for (const text of ['{', 'null', '{"api":9}', JSON.stringify(loaded('other').manifest)]) {
    await store.write([{ sql: 'UPDATE folder_manifests SET manifest = ?', parameters: [text] }]);
    assert.equal(await manifests.standIn('/guard', FAULT), undefined, text);
  }
});

test('256 folders are kept, and the one that was loaded longest ago gives way', async (t) => {
  hygiene(t);
  const { store, clock } = await testPeer(t, { seed: 1 });
  const manifests = new FolderManifests({ store, clock });
  for (let count = 0; count < 256; count += 1) {
    await manifests.keep(`/f${count}`, loaded('guard'));
    await clock.advance(1);
  }
  await manifests.keep('/f0', loaded('guard'));
  await clock.advance(1);
  await manifests.keep('/new', loaded('guard'));
  const kept = async (folder: string) => (await manifests.standIn(folder, FAULT)) !== undefined;
  assert.deepEqual(
    [await kept('/f0'), await kept('/f1'), await kept('/f2'), await kept('/new')],
    [true, false, true, true],
  );
});
