import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '@fairlead/testing';
import { sourcesDigest } from './sources-digest.ts';

test('the digest changes with each source that a round depends on, and with nothing else', (t) => {
  const root = temporaryFolder(t);
  const write = (path: string, text: string) => {
    mkdirSync(resolve(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const path of [
    'packages/a/src/a.ts',
    'test/faults/judge.ts',
    'package-lock.json',
    'test/fairlead-process.ts',
  ])
    write(path, 'before');
  const before = sourcesDigest(root);
  for (const path of [
    'packages/a/test/a.test.ts',
    'packages/a/node_modules/b/b.js',
    'packages/a/dist/a.js',
    'packages/a/README.md',
    'test/faults/judge.test.ts',
    'test/other.ts',
    'docs/page.md',
  ])
    write(path, 'new');
  assert.equal(sourcesDigest(root), before);
  for (const path of [
    'packages/a/src/a.ts',
    'packages/a/src/b/c.mjs',
    'packages/a/package.json',
    'test/faults/judge.ts',
    'test/faults/paths/new.ts',
    'package-lock.json',
  ]) {
    const last = sourcesDigest(root);
    write(path, `after ${path}`);
    assert.notEqual(sourcesDigest(root), last, path);
  }
});
