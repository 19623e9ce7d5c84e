import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '@fairlead/testing';
import { grantsInForce, judgePath } from '../../src/grants/in-place.ts';
import { machineLinks } from '../../src/grants/real-path.ts';

test('a workspace around the state directory does not open the keys and tokens in it, by no way', async (t) => {
  const workspace = temporaryFolder(t);
  const state = join(workspace, '.fairlead');
  mkdirSync(join(state, 'workspaces/ses_1'), { recursive: true });
  writeFileSync(join(state, 'operator.token'), 'planted');
  symlinkSync(state, join(workspace, 'link'));
  const place = { workspace, links: machineLinks, stateDirectory: join(workspace, 'link') };
  for (const level of [{}, { fs: { read: ['/'], write: ['/'] } }, { fs: { read: ['$workspace', state] } }]) {
    const grants = await grantsInForce([level], place);
    const granted = async (use: 'read' | 'write', path: string) =>
      (await judgePath(grants, use, path, workspace, machineLinks)).isGranted;
    for (const path of [
      '.fairlead',
      '.fairlead/operator.token',
      '.fairlead/new',
      'link/operator.token',
      '.fairlead/workspaces/ses_1/file',
      'x/../.fairlead/peer.key',
    ])
      for (const use of ['read', 'write'] as const) assert.equal(await granted(use, path), false, path);
    assert.equal(await granted('read', 'notes.md'), true);
    assert.equal(await granted('read', '.fairlead-notes'), true);
  }
});

test('a workspace in the state directory is open, and nothing else there is', async (t) => {
  const stateDirectory = temporaryFolder(t);
  const workspace = join(stateDirectory, 'workspaces', 'ses_1');
  mkdirSync(workspace, { recursive: true });
  const grants = await grantsInForce([{ fs: { read: [stateDirectory], write: ['$workspace'] } }], {
    workspace,
    links: machineLinks,
    stateDirectory,
  });
  const granted = async (path: string) =>
    (await judgePath(grants, 'read', path, workspace, machineLinks)).isGranted;
  assert.equal(await granted('notes.md'), true);
  assert.equal(await granted('.'), true);
  assert.equal(await granted('../ses_2/notes.md'), false);
  assert.equal(await granted(stateDirectory), false);
});

test('the state directory itself, or all workspaces together, are nobody’s workspace', async (t) => {
  const stateDirectory = temporaryFolder(t);
  mkdirSync(join(stateDirectory, 'workspaces'));
  for (const workspace of [stateDirectory, join(stateDirectory, 'workspaces'), join(stateDirectory, 'log')]) {
    const grants = await grantsInForce([{}], { workspace, links: machineLinks, stateDirectory });
    const verdict = await judgePath(grants, 'read', 'file', workspace, machineLinks);
    assert.equal(verdict.isGranted, false, workspace);
  }
});
