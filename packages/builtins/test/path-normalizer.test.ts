import assert from 'node:assert/strict';
import { test } from 'node:test';
import { harness } from '@fairlead/extension/testing';
import { pathNormalizer } from '../src/path-normalizer.ts';

async function argsAfter(tool: string, args: object): Promise<object> {
  await using t = await harness(pathNormalizer);
  const verdict = await t.toolCall({ tool, args });
  assert.ok('args' in verdict);
  return verdict.args;
}

test('trailing slashes of a path are taken away for each tool that takes a file', async () => {
  for (const tool of ['read_file', 'write_file', 'edit_file'])
    assert.deepEqual(await argsAfter(tool, { path: 'notes/todo///', content: 'x/' }), {
      path: 'notes/todo',
      content: 'x/',
    });
});

test('the root stays the root', async () => {
  assert.deepEqual(await argsAfter('read_file', { path: '/' }), { path: '/' });
  assert.deepEqual(await argsAfter('read_file', { path: '///' }), { path: '/' });
});

test('a path without one, one that is no text, and none at all are left as they are', async () => {
  assert.deepEqual(await argsAfter('read_file', { path: 'a/b' }), { path: 'a/b' });
  assert.deepEqual(await argsAfter('read_file', { path: 7 }), { path: 7 });
  assert.deepEqual(await argsAfter('read_file', {}), {});
  assert.deepEqual(await argsAfter('read_file', { path: '' }), { path: '' });
});

test('other tools are not judged', async () => {
  assert.deepEqual(await argsAfter('list_folder', { path: 'a/' }), { path: 'a/' });
});
