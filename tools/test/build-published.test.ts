import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, repositoryRoot, temporaryFolder } from '@fairlead/testing';

/** A clone that holds what the build reads, and modules of its own where the build writes. */
function clone(t: { after(hook: () => void): void }): string {
  const folder = temporaryFolder(t);
  for (const path of [
    ...['build-published', 'lay-pages', 'link-parts'].map((name) => `tools/${name}.ts`),
    ...['plugin-sdk', 'extension', 'plugin-conformance'].flatMap((name) =>
      ['package.json', 'tsconfig.build.json', 'src'].map((entry) => `packages/${name}/${entry}`),
    ),
    'packages/plugin-conformance/bin',
    ...['base', 'process', 'protocol'].map((part) => `packages/${part}/src`),
    ...['native-plugin-protocol', 'plugin-conformance'].map((page) => `docs/reference/${page}.md`),
  ]) {
    cpSync(join(repositoryRoot, path), join(folder, path), { recursive: true });
  }
  mkdirSync(join(folder, 'node_modules'));
  for (const name of ['typescript', '@typescript', '@types', 'undici-types']) {
    symlinkSync(join(repositoryRoot, 'node_modules', name), join(folder, 'node_modules', name));
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  return folder;
}

async function build(folder: string): Promise<unknown> {
  const child = spawn(process.execPath, [join(folder, 'tools/build-published.ts')], { stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  return code;
}

test('what is published is built once, by however many at a time, and again when a source changed', async (t) => {
  hygiene(t);
  const folder = clone(t);
  const index = join(folder, 'packages/plugin-sdk/dist/index.js');
  assert.deepEqual(await Promise.all([build(folder), build(folder), build(folder)]), [0, 0, 0]);
  assert.match(readFileSync(index, 'utf8'), /from '\.\/authoring\/plugin\.js'/);
  assert.ok(existsSync(join(folder, 'packages/plugin-sdk/dist/index.d.ts')));
  for (const entry of ['index', 'builtin/index', 'testing/index', 'runtime/index', 'worker/worker-main'])
    assert.ok(existsSync(join(folder, `packages/extension/dist/${entry}.js`)), entry);
  const kit = join(folder, 'packages/plugin-conformance/dist');
  for (const path of [
    'index.js',
    'index.d.ts',
    'bin/fairlead-hostile-plugin.js',
    'pages/plugin-conformance.md',
  ])
    assert.ok(existsSync(join(kit, path)), path);

  const builtAt = statSync(index, { bigint: true }).mtimeNs;
  assert.equal(await build(folder), 0);
  assert.equal(statSync(index, { bigint: true }).mtimeNs, builtAt);

  const source = join(folder, 'packages/plugin-sdk/src/limits.ts');
  writeFileSync(source, `${readFileSync(source, 'utf8')}export const ADDED = 1;\n`);
  assert.deepEqual(await Promise.all([build(folder), build(folder)]), [0, 0]);
  assert.match(readFileSync(join(folder, 'packages/plugin-sdk/dist/limits.js'), 'utf8'), /ADDED = 1/);

  // A part's source is one of the kit's own.
  const part = join(folder, 'packages/protocol/src/limits.ts');
  writeFileSync(part, `${readFileSync(part, 'utf8')}export const ADDED = 1;\n`);
  assert.equal(await build(folder), 0);
  assert.match(readFileSync(join(kit, 'parts/protocol/limits.js'), 'utf8'), /ADDED = 1/);
  assert.equal(existsSync(join(kit, 'parts/protocol/link-frame.js')), false);

  assert.deepEqual(readdirSync(join(folder, 'node_modules/.cache')), []);
  assert.deepEqual(readdirSync(join(folder, 'packages/plugin-sdk')).sort(), [
    'dist',
    'package.json',
    'src',
    'tsconfig.build.json',
  ]);
});

test('a source that does not compile leaves what was built before', async (t) => {
  hygiene(t);
  const folder = clone(t);
  assert.equal(await build(folder), 0);
  const source = join(folder, 'packages/plugin-sdk/src/limits.ts');
  writeFileSync(source, 'export const FRAME_MAX_BYTES: string = 1;\n');
  assert.equal(await build(folder), 1);
  assert.match(readFileSync(join(folder, 'packages/plugin-sdk/dist/limits.js'), 'utf8'), /1_?048_?576/);
  assert.deepEqual(readdirSync(join(folder, 'node_modules/.cache')), []);
});

test('what is carried along and reaches a dependency is refused, and nothing is built of it', async (t) => {
  hygiene(t);
  const folder = clone(t);
  const part = join(folder, 'packages/protocol/src/limits.ts');
  writeFileSync(part, `import 'zod';\n${readFileSync(part, 'utf8')}`);
  assert.notEqual(await build(folder), 0);
  assert.equal(existsSync(join(folder, 'packages/plugin-conformance/dist')), false);
  assert.deepEqual(readdirSync(join(folder, 'node_modules/.cache')), []);
});
