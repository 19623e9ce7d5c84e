import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readRunnerConfig } from '@fairlead/runner';
import { repositoryRoot, temporaryFolder } from '@fairlead/testing';
import {
  hasExamples,
  type StarterInputs,
  starterRunnerConfig,
  writeStarterRunnerConfig,
} from '../src/host/starter-runner-config.ts';

/** A folder whose `python3` may or may not be there. */
function pathWith(t: TestContext, python: 'executable' | 'plain' | 'absent'): string {
  const folder = temporaryFolder(t);
  if (python === 'absent') return folder;
  writeFileSync(join(folder, 'python3'), '#!/bin/sh\n');
  chmodSync(join(folder, 'python3'), python === 'executable' ? 0o755 : 0o644);
  return folder;
}

function inputs(path: string, cloneRoot: string = repositoryRoot): StarterInputs {
  return { cloneRoot, nodePath: '/opt/node/bin/node', env: { PATH: path }, command: './fairlead' };
}

test('the file is one that the Runner takes without a word, with absolute paths that exist', async (t) => {
  const path = join(temporaryFolder(t), 'runner.toml');
  assert.equal(await writeStarterRunnerConfig(path, inputs(pathWith(t, 'executable'))), true);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  const file = await readRunnerConfig(path, 'linux');
  assert.equal(file.ok, true);
  if (!file.ok) return;
  assert.deepEqual(file.warnings, []);
  assert.equal(file.config.clientId, 'local');
  const { providers } = file.config.plugins;
  assert.deepEqual(
    providers.map(({ id, command }) => [id, command]),
    [
      ['sdk-echo', '/opt/node/bin/node'],
      ['raw-node', '/opt/node/bin/node'],
      ['repo-info', '/opt/node/bin/node'],
      ['raw-python', 'python3'],
    ],
  );
  for (const { cwd = '', args } of providers) {
    assert.equal(isAbsolute(cwd) && existsSync(cwd), true, cwd);
    assert.equal(args.length === 1 && isAbsolute(args[0] ?? '') && existsSync(args[0] ?? ''), true);
  }
  assert.equal(providers.find(({ id }) => id === 'repo-info')?.cwd, repositoryRoot);
});

test('Python joins only where python3 can be run', (t) => {
  assert.match(starterRunnerConfig(inputs(pathWith(t, 'executable'))), /raw-python/);
  assert.doesNotMatch(starterRunnerConfig(inputs(pathWith(t, 'plain'))), /raw-python/);
  assert.doesNotMatch(starterRunnerConfig(inputs(pathWith(t, 'absent'))), /raw-python/);
  assert.doesNotMatch(starterRunnerConfig({ ...inputs(''), env: {} }), /raw-python/);
});

test('a clone under a strange path is still TOML', async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'runner.toml');
  const cloneRoot = join(folder, 'it’s "mine" \\ né');
  await writeStarterRunnerConfig(path, inputs(pathWith(t, 'absent'), cloneRoot));
  const file = await readRunnerConfig(path, 'linux');
  assert.equal(file.ok && file.config.plugins.providers[2]?.cwd, cloneRoot);
});

test('an existing file, edited or empty, is not touched', async (t) => {
  const path = join(temporaryFolder(t), 'runner.toml');
  for (const text of ['', 'client_id = "mine"\n']) {
    writeFileSync(path, text);
    assert.equal(await writeStarterRunnerConfig(path, inputs(pathWith(t, 'absent'))), false);
    assert.equal(readFileSync(path, 'utf8'), text);
  }
});

test('it says how it is applied after an edit', (t) => {
  const text = starterRunnerConfig(inputs(pathWith(t, 'absent')));
  assert.match(text, /^# After an edit: \.\/fairlead plugin reload --runner local$/m);
});

test('a clone has examples, an installed package none', (t) => {
  assert.equal(hasExamples(repositoryRoot), true);
  const other = temporaryFolder(t);
  mkdirSync(join(other, 'examples'));
  assert.equal(hasExamples(other), false);
});
