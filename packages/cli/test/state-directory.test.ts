import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { repositoryRoot } from '@fairlead/testing';
import { resolveStateDirectory, type StateDirectoryInputs } from '../src/state/state-directory.ts';

const inClone = (path: string) => path === '/src/fairlead/tools/on-node24';
const installed = () => false;

function inputs(more: Partial<StateDirectoryInputs>): StateDirectoryInputs {
  return {
    env: {},
    cwd: '/here',
    home: '/home/you',
    cloneRoot: '/src/fairlead',
    exists: installed,
    ...more,
  };
}

test('the flag wins over everything, and is relative to where the command is typed', () => {
  const env = { FAIRLEAD_STATE_DIR: '/env', XDG_STATE_HOME: '/xdg' };
  assert.equal(resolveStateDirectory(inputs({ flag: 'here', env, exists: inClone })), '/here/here');
  assert.equal(resolveStateDirectory(inputs({ flag: '/there', env })), '/there');
});

test('FAIRLEAD_STATE_DIR comes next; an empty one says nothing', () => {
  const env = { FAIRLEAD_STATE_DIR: 'state', XDG_STATE_HOME: '/xdg' };
  assert.equal(resolveStateDirectory(inputs({ env, exists: inClone })), '/here/state');
  assert.equal(resolveStateDirectory(inputs({ env: { ...env, FAIRLEAD_STATE_DIR: '' } })), '/xdg/fairlead');
});

test('a clone has its own', () => {
  const env = { XDG_STATE_HOME: '/xdg' };
  assert.equal(resolveStateDirectory(inputs({ env, exists: inClone })), '/src/fairlead/.fairlead');
});

test('elsewhere it is below XDG_STATE_HOME, unless that is relative', () => {
  assert.equal(resolveStateDirectory(inputs({ env: { XDG_STATE_HOME: '/xdg' } })), '/xdg/fairlead');
  const relative = inputs({ env: { XDG_STATE_HOME: 'xdg' } });
  assert.equal(resolveStateDirectory(relative), '/home/you/.local/state/fairlead');
  assert.equal(resolveStateDirectory(inputs({})), '/home/you/.local/state/fairlead');
});

test('the launcher’s own clone is found on disk', () => {
  const { exists: _exists, ...real } = inputs({ cloneRoot: repositoryRoot });
  assert.equal(resolveStateDirectory(real), join(repositoryRoot, '.fairlead'));
  assert.equal(
    resolveStateDirectory({ ...real, cloneRoot: join(repositoryRoot, 'docs') }),
    '/home/you/.local/state/fairlead',
  );
});
