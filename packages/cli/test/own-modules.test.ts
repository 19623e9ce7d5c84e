import assert from 'node:assert/strict';
import type { ResolveFnOutput } from 'node:module';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { repositoryRoot } from '@fairlead/testing';
import { ownModules } from '../src/process/own-modules.ts';

const packages = `${pathToFileURL(repositoryRoot).href}/packages/`;

/** A resolver with what it hands on to Node. */
function resolver() {
  const asked: string[] = [];
  const resolve = ownModules(packages);
  const next = (specifier: string): ResolveFnOutput => {
    asked.push(specifier);
    return { url: `asked:${specifier}`, format: 'commonjs' };
  };
  const from = (parentURL: string | undefined, specifier: string) =>
    resolve(specifier, { parentURL, conditions: ['node', 'import'], importAttributes: {} }, next);
  return { asked, from };
}

test('a path beside a module of ours is that file, and nobody is asked', () => {
  const { asked, from } = resolver();
  const parent = `${packages}cli/src/commands/run/run.ts`;
  assert.deepEqual(from(parent, './run-wish.ts'), {
    url: `${packages}cli/src/commands/run/run-wish.ts`,
    format: 'module-typescript',
    shortCircuit: true,
  });
  assert.deepEqual(from(parent, '../../limits.ts').url, `${packages}cli/src/limits.ts`);
  assert.deepEqual(from(`${packages}extension/dist/index.js`, './clock.js'), {
    url: `${packages}extension/dist/clock.js`,
    format: 'module',
    shortCircuit: true,
  });
  assert.deepEqual(asked, []);
});

test('a package of ours is asked for once, as Node found it', () => {
  const { asked, from } = resolver();
  const first = from(`${packages}cli/src/main.ts`, '@fairlead/base');
  assert.deepEqual(first, { url: 'asked:@fairlead/base', format: 'commonjs', shortCircuit: true });
  assert.equal(from(`${packages}host/src/index.ts`, '@fairlead/base'), first);
  assert.deepEqual(asked, ['@fairlead/base']);
});

test('everything else is Node’s to find', () => {
  const { asked, from } = resolver();
  for (const [parent, specifier] of [
    [undefined, './entry.ts'],
    [`${pathToFileURL(repositoryRoot).href}/node_modules/commander/index.js`, './lib/command.js'],
    ['file:///elsewhere/extension.ts', '@fairlead/extension'],
    [`${packages}cli/src/main.ts`, 'commander'],
    [`${packages}cli/src/main.ts`, 'node:fs'],
    [`${packages}cli/src/main.ts`, './data.json'],
  ] as const)
    assert.equal(from(parent, specifier).url, `asked:${specifier}`);
  assert.equal(asked.length, 6);
});
