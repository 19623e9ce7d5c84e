import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { repositoryRoot, temporaryFolder } from '@fairlead/testing';
import { checkFolders, standing } from '../folders.ts';

/** A package of these files, each importing those that are named. */
async function packageOf(
  t: TestContext,
  files: Readonly<Record<string, readonly string[]>>,
): Promise<string> {
  const root = temporaryFolder(t);
  for (const [file, imports] of Object.entries(files)) {
    const path = join(root, 'packages/attic/src', file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, imports.map((specifier) => `import '${specifier}';\n`).join(''));
  }
  return root;
}

test('two folders that import each other are a circle, told with the files that make it', async (t) => {
  const root = await packageOf(t, {
    'http/server.ts': ['../link/endpoint.ts', './answer.ts'],
    'http/answer.ts': [],
    'link/endpoint.ts': ['../http/answer.ts'],
  });
  assert.deepEqual(await checkFolders(root), [
    'packages/attic/src: http → link → http (http/server.ts imports link/endpoint.ts; link/endpoint.ts imports http/answer.ts)',
  ]);
});

test('a way around over several folders, a file beside them, a type or a late import is a circle too', async (t) => {
  const root = await packageOf(t, { 'a/a.ts': ['../b/b.ts'], 'b/b.ts': ['../c.ts'], 'd/e/d.ts': [] });
  await writeFile(join(root, 'packages/attic/src/c.ts'), "export const late = () => import('./d/e/d.ts');\n");
  await writeFile(join(root, 'packages/attic/src/d/e/d.ts'), "import type { A } from '../../a/a.ts';\n");
  assert.deepEqual(await checkFolders(root), [
    'packages/attic/src: a → b → c.ts → d/e → a (a/a.ts imports b/b.ts; b/b.ts imports c.ts; c.ts imports d/e/d.ts; d/e/d.ts imports a/a.ts)',
  ]);
});

test('a file beside folders is a room of its own, at every depth', async (t) => {
  const root = await packageOf(t, {
    'models/model.ts': [],
    'models/models.ts': ['./kit/kit.ts', './model.ts'],
    'models/kit/kit.ts': ['../model.ts'],
  });
  assert.deepEqual(await checkFolders(root), []);
  await writeFile(join(root, 'packages/attic/src/models/model.ts'), "import './kit/kit.ts';\n");
  assert.deepEqual(await checkFolders(root), [
    'packages/attic/src: models/kit → models/model.ts → models/kit (models/kit/kit.ts imports models/model.ts; models/model.ts imports models/kit/kit.ts)',
  ]);
});

test('what goes one way, circles of files and what other packages are called are none', async (t) => {
  const root = await packageOf(t, {
    'main.ts': ['./a/one.ts', './b/b.ts'],
    'a/one.ts': ['./two.ts', '../b/b.ts', '@fairlead/base'],
    'a/two.ts': ['./one.ts', '../limits.ts'],
    'b/b.ts': ['../limits.ts'],
    'limits.ts': ['./others.ts'],
    'others.ts': ['./limits.ts'],
  });
  assert.deepEqual(await checkFolders(root), []);
});

test('a circle that stands is passed over, but not one that leads out of its rooms', async (t) => {
  const root = await packageOf(t, {
    'a/a.ts': ['../b/b.ts'],
    'b/b.ts': ['../a/a.ts', '../c/c.ts'],
    'c/c.ts': ['../a/a.ts'],
  });
  const found = await checkFolders(root, { attic: ['a', 'b'] });
  assert.deepEqual(
    found.map((sentence) => sentence.replace(/ \(.*/, '')),
    ['packages/attic/src: c → a → b → c'],
  );
});

test('the folders of every package go one way, but for those that are known', async () => {
  assert.deepEqual(await checkFolders(repositoryRoot), []);
});

test('what is known to stand is there: a circle that was mended is taken out of the list', async () => {
  for (const [name, rooms] of Object.entries(standing)) {
    const without = await checkFolders(repositoryRoot, { ...standing, [name]: [] });
    const told = without.filter((sentence) => sentence.startsWith(`packages/${name}/`)).join(' ');
    for (const room of rooms) assert.equal(told.includes(room), true, `${name}: ${room}`);
  }
});
