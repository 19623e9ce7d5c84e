import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { repositoryRoot, temporaryFolder } from '@fairlead/testing';
import { checkFloors, faultOf, floors } from '../floors.ts';

test('every package has a floor, and every floor a package', () => {
  assert.deepEqual(Object.keys(floors).sort(), readdirSync(join(repositoryRoot, 'packages')).sort());
});

test('imports go down only', () => {
  assert.equal(faultOf('runner', false, '@fairlead/protocol'), null);
  assert.equal(faultOf('cli', false, '@fairlead/gateway'), null);
  assert.equal(faultOf('protocol', false, '@fairlead/runner'), 'imports runner (floor 3) from floor 1');
  assert.equal(faultOf('dispatch', false, '@fairlead/cli'), 'imports cli (floor 5) from floor 2');
});

test('packages on one floor do not import each other', () => {
  assert.equal(faultOf('store', false, '@fairlead/process'), 'imports process (floor 1) from floor 1');
});

test('testing is for tests alone, and a test obeys its package’s floor', () => {
  assert.equal(faultOf('store', true, '@fairlead/testing'), null);
  assert.equal(faultOf('store', false, '@fairlead/testing'), 'imports testing outside its tests');
  assert.equal(faultOf('store', true, '@fairlead/dispatch'), 'imports dispatch (floor 2) from floor 1');
});

test('the SDK imports nothing and is imported by authors alone', () => {
  assert.equal(faultOf('plugin-sdk', false, 'zod'), 'plugin-sdk imports zod; it has no dependencies');
  assert.equal(faultOf('plugin-sdk', false, 'node:process'), null);
  assert.equal(
    faultOf('plugin-sdk', false, '@fairlead/base'),
    'plugin-sdk imports nothing, yet it imports base',
  );
  assert.equal(
    faultOf('runner', false, '@fairlead/plugin-sdk'),
    'imports plugin-sdk, which only authors import',
  );
});

test('the extension package imports nothing, and what stands above it may import it', () => {
  assert.equal(faultOf('extension', false, 'zod'), 'extension imports zod; it has no dependencies');
  assert.equal(faultOf('extension', true, 'zod'), null);
  assert.equal(
    faultOf('extension', false, '@fairlead/base'),
    'extension imports nothing, yet it imports base',
  );
  assert.equal(faultOf('dispatch', false, '@fairlead/extension'), null);
  assert.equal(faultOf('base', false, '@fairlead/extension'), 'imports extension (floor 0) from floor 0');
});

test('an unknown package is named', () => {
  assert.match(faultOf('attic', false, '@fairlead/base') ?? '', /attic has no floor/);
  assert.match(faultOf('cli', false, '@fairlead/attic') ?? '', /has no floor/);
});

test('an import that climbs is found in the files, however it is written', async (t) => {
  const root = temporaryFolder(t);
  await mkdir(join(root, 'packages/store/src/deep'), { recursive: true });
  await mkdir(join(root, 'packages/store/test'), { recursive: true });
  await writeFile(
    join(root, 'packages/store/src/deep/a.ts'),
    "const x = await import('@fairlead/runner');\n",
  );
  await writeFile(join(root, 'packages/store/src/b.ts'), 'export { y } from "@fairlead/gateway";\n');
  await writeFile(join(root, 'packages/store/test/c.test.ts'), "import type { z } from '@fairlead/cli';\n");
  await writeFile(
    join(root, 'packages/store/src/deep/d.ts'),
    "import { v } from '../../../runner/src/index.ts';\n",
  );
  await writeFile(
    join(root, 'packages/store/src/fine.ts'),
    "import { w } from '@fairlead/base';\nimport { x } from './deep/a.ts';\ntype Y = Z['from'][] | ['or'];\n",
  );
  assert.deepEqual(await checkFloors(root), [
    'packages/store/src/b.ts: imports gateway (floor 4) from floor 1',
    'packages/store/src/deep/a.ts: imports runner (floor 3) from floor 1',
    'packages/store/src/deep/d.ts: imports ../../../runner/src/index.ts by path; import the package by its name',
    'packages/store/test/c.test.ts: imports cli (floor 5) from floor 1',
  ]);
});
