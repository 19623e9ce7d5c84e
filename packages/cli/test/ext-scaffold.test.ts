import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { hygiene, repositoryRoot, temporaryFolder } from '@fairlead/testing';
import { main } from '../src/main.ts';
import { testContext } from './test-context.ts';

/** Runs one command line in `cwd` and gives what it printed. */
async function run(cwd: string, ...args: readonly string[]) {
  const context = testContext(cwd, {
    env: { PATH: process.env['PATH'] ?? '', FAIRLEAD_STATE_DIR: join(cwd, 'state') },
  });
  const exit = await main(args, { cloneRoot: repositoryRoot, context });
  return { exit, ...context.printed };
}

const filesOfScaffold = [
  '.gitignore',
  'README.md',
  'package.json',
  'src/extension.ts',
  'test/extension.test.ts',
  'tsconfig.json',
  'vendor/fairlead-extension-0.1.0.tgz',
];

test('a scaffold has every file, says no path of the machine, and passes its check', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const { exit, stdout } = await run(folder, 'ext', 'init', 'a "odd" näme', '--name', 'my-notes');
  assert.equal(exit, 0);
  assert.match(stdout, /rights of whoever runs the host/);
  const made = join(folder, 'a "odd" näme');
  const found = readdirSync(made, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  assert.deepEqual(
    found.map(({ parentPath, name }) => relative(made, join(parentPath, name))).sort(),
    filesOfScaffold,
  );
  for (const path of filesOfScaffold.slice(0, 6))
    assert.equal(readFileSync(join(made, path), 'utf8').includes(folder), false, path);
  const checked = await run(folder, 'ext', 'check', made);
  assert.equal(checked.exit, 0, checked.stderr);
  assert.match(checked.stdout, /name: +my-notes 0\.1\.0\n/);
  assert.match(checked.stdout, /judges: +take_note\n/);
  assert.match(checked.stdout, /nothing is wrong with it\n$/);
});

test('the test of a scaffold passes with the library that the host has', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  await run(folder, 'ext', 'init', 'notes');
  const made = join(folder, 'notes');
  const installed = join(made, 'node_modules/@fairlead/extension');
  mkdirSync(installed, { recursive: true });
  const tarball = join(made, 'vendor/fairlead-extension-0.1.0.tgz');
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed]);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const output = execFileSync(process.execPath, ['--test', 'test/extension.test.ts'], {
    cwd: made,
    encoding: 'utf8',
    env,
  });
  assert.match(output, /pass 4\b/);
  assert.match(output, /fail 0\b/);
});

test('two scaffolds of one name are the same bytes', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  for (const name of ['one', 'two']) await run(folder, 'ext', 'init', name, '--name', 'same');
  for (const path of filesOfScaffold)
    assert.deepEqual(readFileSync(join(folder, 'one', path)), readFileSync(join(folder, 'two', path)), path);
});

test('the folder’s name must be a name of an extension, `path` is none, and neither is bent into one', async (t) => {
  const folder = temporaryFolder(t);
  for (const name of ['MyNotes', 'path']) {
    const refused = await run(folder, 'ext', 'init', name);
    assert.equal(refused.exit, 1);
    assert.match(refused.stderr, /extension_name_invalid/);
    assert.equal(existsSync(join(folder, name)), false);
  }
});

test('a folder with something in it is refused and stays as it is', async (t) => {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'full'));
  writeFileSync(join(folder, 'full', 'mine'), 'mine');
  const refused = await run(folder, 'ext', 'init', 'full');
  assert.equal(refused.exit, 1);
  assert.match(refused.stderr, /destination_not_empty/);
  assert.deepEqual(execFileSync('ls', ['-A', 'full'], { cwd: folder, encoding: 'utf8' }), 'mine\n');
});

test('a check says what is wrong and exits with 1, and as JSON it is the whole report', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  writeFileSync(
    join(folder, 'extension.ts'),
    `import { defineExtension, messenger } from '@fairlead/extension';
     export default defineExtension({ name: 'bell', version: '1.0.0', uses: { chat: messenger }, open: () => { throw new Error('no bell'); } });`,
  );
  const text = await run(folder, 'ext', 'check', '.');
  assert.equal(text.exit, 1);
  assert.match(text.stdout, /note: needs messenger\n/);
  assert.match(text.stdout, /! global scope: .*no bell.* \(instantiate_failed\)\n/);
  const json = await run(folder, 'ext', 'check', '.', '--json');
  const report = JSON.parse(json.stdout) as {
    ok: boolean;
    problems: { code: string }[];
    ref: { kind: string };
  };
  assert.deepEqual(
    [report.ok, report.problems[0]?.code, report.ref.kind],
    [false, 'instantiate_failed', 'path'],
  );
});

test('a check says `status: yes` where the author wrote status, and names the built-in of the same name', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  writeFileSync(
    join(folder, 'extension.ts'),
    `import { defineExtension, memory } from '@fairlead/extension';
     const impl = { search: () => [], remember: () => null } as never;
     export default defineExtension({ name: 'path_normalizer', version: '1.0.0', provides: { kept: { cap: memory, impl } },
       prompt: () => 'x', status: () => ({ a: 'b' }) });`,
  );
  const { exit, stdout } = await run(folder, 'ext', 'check', '.');
  assert.equal(
    stdout,
    [
      'name:        path_normalizer 1.0.0',
      'scopes:      global',
      'prompt:      yes',
      'status:      yes',
      'provides:    memory',
      'note: a built-in has this name, so a host refuses this one',
      'nothing is wrong with it',
      '',
    ].join('\n'),
  );
  assert.equal(exit, 0);
});

test('a check of what is no folder of an extension has the code, and a next step that names the folder', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const refused = await run(folder, 'ext', 'check', '.');
  assert.equal(refused.exit, 1);
  assert.match(
    refused.stderr,
    /^fairlead: That is no folder of an extension\. .*\(extension_folder_invalid\)\n/,
  );
  assert.match(
    refused.stderr,
    /next: Name the folder that holds its package\.json or src\/extension\.ts\.\n$/,
  );
});

test('where no host runs, its extensions can be neither listed nor changed', async (t) => {
  const folder = temporaryFolder(t);
  for (const args of [['list'], ['load', '.'], ['reload', 'x'], ['unload', 'x'], ['output', 'x']]) {
    const refused = await run(folder, 'ext', ...args);
    assert.equal(refused.exit, 1);
    assert.match(refused.stderr, /\(host_not_running\)\n/);
    assert.match(
      refused.stderr,
      /\n {2}next: Start one with `fairlead up` \(in a clone: `npm start` or `\.\/fairlead up`\)\.\n$/,
    );
  }
});
