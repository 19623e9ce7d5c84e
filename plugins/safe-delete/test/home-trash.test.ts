import assert from 'node:assert/strict';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { lookAt } from '../src/disk.ts';
import { openNamedFolder } from '../src/folder.ts';
import { dataHomeOf, type HomeTrashOptions, homeTrash } from '../src/home-trash.ts';
import { diskWith, fakeBackend, scene, systemError } from './scene.ts';

const TRASHED = { outcome: 'trashed', backend: 'freedesktop' };
const UNAVAILABLE = { outcome: 'error', code: 'trash_backend_unavailable', backend: null };
const FAILED = { outcome: 'error', code: 'trash_operation_failed', backend: 'freedesktop' };
const UNKNOWN = { outcome: 'error', code: 'trash_operation_unknown', backend: 'freedesktop' };

function trash(options: Partial<HomeTrashOptions> & { dataHome: string | null }) {
  return homeTrash({
    disk: diskWith(),
    now: () => new Date(2024, 1, 29, 23, 59, 1),
    randomName: () => '0123456789abcdef',
    ...options,
  });
}

test('a file goes to the home trash with the place that it came from', async (t) => {
  const { remove, rootPath, file, data, trashed } = scene(t);
  const path = file('sub folder/ü.txt', 'precious');
  const before = lstatSync(path);
  assert.deepEqual(await remove('sub folder/ü.txt', { backends: [trash({ dataHome: data })] }), TRASHED);
  assert.equal(existsSync(path), false);
  assert.deepEqual(trashed('files'), ['ü.txt']);
  assert.equal(readFileSync(join(data, 'Trash/files/ü.txt'), 'utf8'), 'precious');
  assert.equal(lstatSync(join(data, 'Trash/files/ü.txt')).ino, before.ino, 'renamed, not copied');
  assert.deepEqual(trashed('info'), ['ü.txt.trashinfo']);
  assert.equal(
    readFileSync(join(data, 'Trash/info/ü.txt.trashinfo'), 'utf8'),
    `[Trash Info]\nPath=${rootPath}/sub%20folder/%C3%BC.txt\nDeletionDate=2024-02-29T23:59:01\n`,
  );
  for (const made of ['', 'Trash', 'Trash/files', 'Trash/info']) {
    assert.equal(statSync(join(data, made)).mode & 0o777, 0o700, made);
  }
  assert.equal(statSync(join(data, 'Trash/info/ü.txt.trashinfo')).mode & 0o777, 0o600);
});

test('a folder goes whole, with the links in it', async (t) => {
  const { remove, rootPath, outside, file, data } = scene(t);
  file('folder/a.txt');
  symlinkSync(outside, join(rootPath, 'folder/out'));
  assert.deepEqual(await remove('folder', { backends: [trash({ dataHome: data })] }), TRASHED);
  assert.equal(readFileSync(join(data, 'Trash/files/folder/out/kept.txt'), 'utf8'), 'kept');
  assert.equal(readFileSync(join(outside, 'kept.txt'), 'utf8'), 'kept');
});

test('a second thing of the same name gets a number, and nothing in the trash is replaced', async (t) => {
  const { remove, file, data, trashed } = scene(t);
  const backends = [trash({ dataHome: data })];
  for (const text of ['one', 'two', 'three']) {
    file('a.txt', text);
    assert.deepEqual(await remove('a.txt', { backends }), TRASHED);
  }
  assert.deepEqual(trashed('files'), ['a.2.txt', 'a.3.txt', 'a.txt']);
  assert.deepEqual(trashed('info'), ['a.2.txt.trashinfo', 'a.3.txt.trashinfo', 'a.txt.trashinfo']);
  assert.equal(readFileSync(join(data, 'Trash/files/a.txt'), 'utf8'), 'one');
  assert.equal(readFileSync(join(data, 'Trash/files/a.3.txt'), 'utf8'), 'three');
});

test('a name that stands in the trash without an info file is passed over, and its info file is not left', async (t) => {
  const { remove, file, data, trashed } = scene(t);
  mkdirSync(join(data, 'Trash/files'), { recursive: true });
  writeFileSync(join(data, 'Trash/files/a.txt'), 'orphan');
  file('a.txt');
  assert.deepEqual(await remove('a.txt', { backends: [trash({ dataHome: data })] }), TRASHED);
  assert.equal(readFileSync(join(data, 'Trash/files/a.txt'), 'utf8'), 'orphan');
  assert.deepEqual(trashed('info'), ['a.2.txt.trashinfo']);
});

test('after 64 numbered names comes a random one, and when all are taken the trash is of no use', async (t) => {
  const { remove, file, data } = scene(t);
  const tried: string[] = [];
  const full = diskWith({
    createFile(path) {
      tried.push(path.slice(`${data}/Trash/info/`.length));
      return Promise.reject(systemError('EEXIST'));
    },
  });
  file('a.txt');
  assert.deepEqual(await remove('a.txt', { backends: [trash({ dataHome: data, disk: full })] }), UNAVAILABLE);
  assert.equal(tried.length, 68);
  assert.equal(tried[0], 'a.txt.trashinfo');
  assert.equal(tried[1], 'a.2.txt.trashinfo');
  assert.equal(tried[63], 'a.64.txt.trashinfo');
  assert.equal(tried[64], 'a.0123456789abcdef.txt.trashinfo');
  assert.equal(existsSync(join(data, '../root/a.txt')), true);
});

test('the longest name that a file can have finds its place', async (t) => {
  const { remove, file, data, trashed } = scene(t);
  const name = 'ü'.repeat(127);
  file(name);
  assert.deepEqual(await remove(name, { backends: [trash({ dataHome: data })] }), TRASHED);
  assert.deepEqual(trashed('files'), ['ü'.repeat(122)]);
});

test('another file system is refused before the trash is touched, and the next back end is asked', async (t) => {
  const { remove, file, data, trashed } = scene(t);
  const path = file('a.txt');
  const disk = diskWith({
    async look(name) {
      const entry = await lookAt(name);
      return entry !== null && name.startsWith(data) ? { ...entry, device: entry.device + 1n } : entry;
    },
    rename: () => assert.fail('renamed'),
  });
  const next = fakeBackend('unavailable');
  assert.deepEqual(await remove('a.txt', { backends: [trash({ dataHome: data, disk }), next] }), UNAVAILABLE);
  assert.equal(next.runs, 1);
  assert.equal(existsSync(path), true);
  assert.deepEqual(trashed('info'), []);
});

test('a move that only the rename shows to cross file systems leaves no info file', async (t) => {
  const { remove, file, data, trashed } = scene(t);
  file('a.txt');
  const disk = diskWith({ rename: () => Promise.reject(systemError('EXDEV')) });
  assert.deepEqual(await remove('a.txt', { backends: [trash({ dataHome: data, disk })] }), UNAVAILABLE);
  assert.deepEqual(trashed('info'), []);
  assert.deepEqual(trashed('files'), []);
});

test('a rename that fails leaves the file, no info file, and no second try by another back end', async (t) => {
  const { remove, file, data, trashed } = scene(t);
  const path = file('a.txt');
  const disk = diskWith({ rename: () => Promise.reject(systemError('EACCES')) });
  const next = fakeBackend('done');
  assert.deepEqual(await remove('a.txt', { backends: [trash({ dataHome: data, disk }), next] }), FAILED);
  assert.equal(existsSync(path), true);
  assert.deepEqual(trashed('info'), []);
  assert.equal(next.runs, 0);
});

test('a rename that says no and did it all the same keeps the way back, and nobody claims to know', async (t) => {
  const { remove, file, data, trashed } = scene(t);
  file('a.txt');
  const disk = diskWith({
    async rename(from, to) {
      await rename(from, to);
      throw systemError('ENOENT');
    },
  });
  assert.deepEqual(await remove('a.txt', { backends: [trash({ dataHome: data, disk })] }), UNKNOWN);
  assert.deepEqual(trashed('files'), ['a.txt']);
  assert.deepEqual(trashed('info'), ['a.txt.trashinfo']);
});

test('something else that has come under the name in the last moment is kept in the trash and reported as unknown', async (t) => {
  const { remove, file, data, rootPath, outside, trashed } = scene(t);
  file('a.txt');
  const disk = diskWith({
    async rename(from, to) {
      renameSync(join(rootPath, 'a.txt'), join(rootPath, 'was.txt'));
      symlinkSync(join(outside, 'kept.txt'), join(rootPath, 'a.txt'));
      await rename(from, to);
    },
  });
  assert.deepEqual(await remove('a.txt', { backends: [trash({ dataHome: data, disk })] }), UNKNOWN);
  assert.equal(lstatSync(join(data, 'Trash/files/a.txt')).isSymbolicLink(), true, 'the link itself moved');
  assert.equal(readFileSync(join(outside, 'kept.txt'), 'utf8'), 'kept');
  assert.deepEqual(trashed('info'), ['a.txt.trashinfo']);
});

test('a folder on the way that becomes a link in the last moment leads nobody out', async (t) => {
  const { remove, file, data, rootPath, outside } = scene(t);
  file('a/kept.txt', 'inside');
  const disk = diskWith({
    async rename(from, to) {
      renameSync(join(rootPath, 'a'), join(rootPath, 'was'));
      symlinkSync(outside, join(rootPath, 'a'));
      await rename(from, to);
    },
  });
  assert.deepEqual(await remove('a/kept.txt', { backends: [trash({ dataHome: data, disk })] }), TRASHED);
  assert.equal(readFileSync(join(data, 'Trash/files/kept.txt'), 'utf8'), 'inside');
  assert.equal(readFileSync(join(outside, 'kept.txt'), 'utf8'), 'kept');
});

test('what is in the trash, and what holds it, stays', async (t) => {
  const { remove, file, rootPath, outside } = scene(t);
  file('data/Trash/files/a.txt');
  file('data/Trash/info/a.txt.trashinfo');
  symlinkSync(join(rootPath, 'data'), join(outside, 'data'));
  for (const dataHome of [join(rootPath, 'data'), join(outside, 'data')]) {
    const backends = [trash({ dataHome })];
    for (const path of ['data', 'data/Trash', 'data/Trash/files/a.txt', 'data/Trash/info']) {
      assert.deepEqual(await remove(path, { backends }), FAILED, path);
    }
  }
  assert.equal(existsSync(join(rootPath, 'data/Trash/files/a.txt')), true);
});

test('without a usable home trash the next back end is asked', async (t) => {
  const { remove, file, data, bin, outside } = scene(t);
  file('a.txt');
  const linked = join(bin, 'linked');
  mkdirSync(join(linked, 'Trash/files'), { recursive: true });
  symlinkSync(outside, join(linked, 'Trash/info'));
  const writing = diskWith({ createFile: () => Promise.reject(systemError('ENOSPC')) });
  const looking = diskWith({
    look: (path) => (path.endsWith('.txt') ? Promise.reject(systemError('EIO')) : lookAt(path)),
  });
  for (const options of [
    { dataHome: null },
    { dataHome: join(outside, 'kept.txt') },
    { dataHome: linked },
    { dataHome: data, disk: writing },
    { dataHome: data, disk: looking },
  ]) {
    const next = fakeBackend('unavailable');
    assert.deepEqual(await remove('a.txt', { backends: [trash(options), next] }), UNAVAILABLE);
    assert.equal(next.runs, 1);
  }
});

test('a home trash that is late moves nothing any more, and its folder is held until it has ended', async (t) => {
  const { remove, file, data, trashed, rootPath } = scene(t);
  file('a.txt');
  const stuck = Promise.withResolvers<void>();
  const removed = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  let open = 0;
  const real = diskWith();
  const disk = diskWith({
    async createFile(path, text) {
      await stuck.promise;
      await writeFile(path, text, { flag: 'wx' });
    },
    async removeCreatedFile(path) {
      assert.equal(open, 1);
      await real.removeCreatedFile(path);
      removed.resolve();
    },
    async openFolder(path) {
      const folder = await real.openFolder(path);
      open += 1;
      return {
        ...folder,
        async close() {
          open -= 1;
          await folder.close();
          closed.resolve();
        },
      };
    },
    rename: () => assert.fail('renamed'),
  });
  assert.deepEqual(
    await remove('a.txt', { disk, timeoutMs: 1, backends: [trash({ dataHome: data, disk })] }),
    { outcome: 'error', code: 'trash_operation_timeout', backend: 'freedesktop' },
  );
  assert.equal(open, 1);
  stuck.resolve();
  await removed.promise;
  await closed.promise;
  assert.equal(open, 0);
  assert.equal(existsSync(join(rootPath, 'a.txt')), true);
  assert.deepEqual(trashed('info'), []);
});

test('it works on folders held by name as well', async (t) => {
  const { remove, file, data, rootPath } = scene(t);
  file('a/b.txt');
  const named = diskWith({
    openFolder: (path) =>
      openNamedFolder(path, { look: lookAt, realPath: (name) => Promise.resolve(name), separator: '/' }),
  });
  const backends = [trash({ dataHome: data, disk: named })];
  assert.deepEqual(await remove('a/b.txt', { disk: named, backends }), TRASHED);
  assert.deepEqual(await remove('a/b.txt', { disk: named, backends }), { outcome: 'already_absent' });
  assert.equal(existsSync(join(rootPath, 'a')), true);
});

test('the folder for data comes from the environment, absolute or not at all', () => {
  for (const [env, expected] of [
    [{ XDG_DATA_HOME: '/d', HOME: '/h' }, '/d'],
    [{ XDG_DATA_HOME: 'd', HOME: '/h' }, '/h/.local/share'],
    [{ XDG_DATA_HOME: '', HOME: '/h/' }, '/h/.local/share'],
    [{ HOME: '/h' }, '/h/.local/share'],
    [{ HOME: 'h' }, null],
    [{}, null],
  ] as const) {
    assert.equal(dataHomeOf(env), expected);
  }
});

test('a file in the trash that cannot be written whole is not left half', async (t) => {
  const { data } = scene(t);
  const disk = diskWith();
  await disk.makeFolder(data);
  const path = join(data, 'half');
  // A text that is none makes the write fail after the file was made.
  await assert.rejects(disk.createFile(path, Symbol('none') as unknown as string));
  assert.equal(existsSync(path), false);
  await disk.createFile(path, 'whole');
  await assert.rejects(disk.createFile(path, 'again'), { code: 'EEXIST' });
  assert.equal(readFileSync(path, 'utf8'), 'whole');
});
