import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { lookAt } from '../src/disk.ts';
import { openNamedFolder } from '../src/folder.ts';
import { rememberRoot } from '../src/root.ts';
import { findTarget, isWithin } from '../src/target.ts';
import { diskWith, fakeBackend, scene, systemError } from './scene.ts';

const never = fakeBackend('done', () => assert.fail('a back end ran'));

test('a link is refused, also a dangling one and one to a folder, and what it points to is not touched', async (t) => {
  const { remove, rootPath, outside } = scene(t);
  symlinkSync(join(outside, 'kept.txt'), join(rootPath, 'file'));
  symlinkSync(outside, join(rootPath, 'folder'));
  symlinkSync('nowhere', join(rootPath, 'dangling'));
  for (const path of ['file', 'folder', 'folder/', 'dangling']) {
    assert.deepEqual(await remove(path, { backends: [never] }), {
      outcome: 'error',
      code: 'symlink_unsupported',
      backend: null,
    });
  }
  assert.deepEqual(readdirSync(outside), ['kept.txt']);
});

test('a path through a link is refused, wherever the link leads', async (t) => {
  const { remove, rootPath, outside, file } = scene(t);
  file('inside/a.txt');
  symlinkSync(outside, join(rootPath, 'out'));
  symlinkSync('inside', join(rootPath, 'in'));
  mkdirSync(join(rootPath, 'deep'));
  symlinkSync(outside, join(rootPath, 'deep/out'));
  for (const path of ['out/kept.txt', 'out/absent', 'in/a.txt', 'deep/out/kept.txt']) {
    assert.deepEqual(await remove(path, { backends: [never] }), {
      outcome: 'error',
      code: 'symlink_unsupported',
      backend: null,
    });
  }
});

test('a path that names nothing is a success without a back end', async (t) => {
  const { remove, file } = scene(t);
  file('a.txt');
  for (const path of ['absent', 'absent/b', 'a.txt/below']) {
    assert.deepEqual(await remove(path, { backends: [never] }), { outcome: 'already_absent' });
  }
});

test('a socket is neither file nor folder', async (t) => {
  const { remove, rootPath } = scene(t);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(rootPath, 's'), resolve));
  t.after(() => server.close());
  assert.deepEqual(await remove('s', { backends: [never] }), {
    outcome: 'error',
    code: 'unsupported_file_type',
    backend: null,
  });
});

test('a root that is gone, or another folder by now, is no root', async (t) => {
  const { remove, rootPath, outside, root, file } = scene(t);
  file('kept.txt');
  const remembered = await root();
  renameSync(rootPath, `${rootPath}-away`);
  const unavailable = { outcome: 'error', code: 'root_unavailable', backend: null };
  const options = { root: remembered, backends: [never] };
  const names = ['kept.txt'] as const;
  const gone = await findTarget([...names], { disk: diskWith(), root: remembered, separator: '/' });
  assert.deepEqual(gone, { state: 'rejected', code: 'root_unavailable' });

  renameSync(outside, rootPath);
  assert.deepEqual(await remove('kept.txt', options), unavailable);

  renameSync(rootPath, outside);
  symlinkSync(`${rootPath}-away`, rootPath);
  assert.deepEqual(await remove('kept.txt', options), unavailable);
  assert.deepEqual(await remove('kept.txt', { root: null, backends: [never] }), unavailable);
});

test('a root is remembered by its real path, and nothing else than a folder is one', async (t) => {
  const { rootPath, outside } = scene(t);
  symlinkSync(rootPath, join(outside, 'link'));
  assert.equal((await rememberRoot(diskWith(), join(outside, 'link')))?.path, rootPath);
  assert.equal(await rememberRoot(diskWith(), join(outside, 'kept.txt')), null);
  assert.equal(await rememberRoot(diskWith(), join(outside, 'absent')), null);
});

test('what cannot be looked at is not touched', async (t) => {
  const { remove, file } = scene(t);
  file('a/b.txt');
  const blind = diskWith({
    look: (path) => (path.endsWith('/b.txt') ? Promise.reject(systemError('EACCES')) : lookAt(path)),
  });
  assert.deepEqual(await remove('a/b.txt', { disk: blind, backends: [never] }), {
    outcome: 'error',
    code: 'path_inspection_failed',
    backend: null,
  });
});

test('a folder that is exchanged for a link, or for another folder, between the look and the step into it is not entered', async (t) => {
  const { remove, rootPath, outside, file } = scene(t);
  file('a/kept.txt');
  const exchanges = [() => symlinkSync(outside, join(rootPath, 'a')), () => mkdirSync(join(rootPath, 'a'))];
  for (const exchange of exchanges) {
    const disk = diskWith({
      async look(path) {
        const entry = await lookAt(path);
        if (path.endsWith('/a')) {
          renameSync(join(rootPath, 'a'), join(rootPath, 'was'));
          exchange();
        }
        return entry;
      },
    });
    assert.deepEqual(await remove('a/kept.txt', { disk, backends: [never] }), {
      outcome: 'error',
      code: 'path_inspection_failed',
      backend: null,
    });
    rmSync(join(rootPath, 'a'), { recursive: true });
    renameSync(join(rootPath, 'was'), join(rootPath, 'a'));
  }
});

test('a folder that is carried out of the root while the path is walked is outside', async (t) => {
  const { remove, rootPath, outside, file } = scene(t);
  file('a/b.txt');
  const disk = diskWith({
    async look(path) {
      if (path.endsWith('/b.txt')) renameSync(join(rootPath, 'a'), join(outside, 'a'));
      return lookAt(path);
    },
  });
  assert.deepEqual(await remove('a/b.txt', { disk, backends: [never] }), {
    outcome: 'error',
    code: 'path_outside_root',
    backend: null,
  });
});

test('where folders cannot be pinned, a link that only the real path shows is found as well', async (t) => {
  const { remove, outside, file } = scene(t);
  file('a/kept.txt');
  const disk = diskWith({
    openFolder: (path) =>
      openNamedFolder(path, { look: lookAt, realPath: () => Promise.resolve(outside), separator: '/' }),
  });
  assert.deepEqual(await remove('a/kept.txt', { disk, backends: [never] }), {
    outcome: 'error',
    code: 'path_outside_root',
    backend: null,
  });
});

test('inside is below the folder, not beside it', () => {
  assert.equal(isWithin('/a/b', '/a', '/'), true);
  assert.equal(isWithin('/a', '/a', '/'), true);
  assert.equal(isWithin('/ab', '/a', '/'), false);
  assert.equal(isWithin('/a', '/', '/'), true);
  assert.equal(isWithin('C:\\a', 'C:\\', '\\'), true);
  assert.equal(isWithin('C:\\ab', 'C:\\a', '\\'), false);
});
