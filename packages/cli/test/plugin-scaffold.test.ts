import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readRunnerConfig } from '@fairlead/runner';
import { hygiene, repositoryRoot, temporaryFolder } from '@fairlead/testing';
import { parse } from 'smol-toml';
import { main } from '../src/main.ts';
import { testContext } from './test-context.ts';

/** Runs one command line in `cwd` and gives what it printed. */
async function run(cwd: string, args: readonly string[], cloneRoot: string = repositoryRoot) {
  const context = testContext(cwd, {
    cloneRoot,
    env: { PATH: process.env['PATH'] ?? '', FAIRLEAD_STATE_DIR: join(cwd, 'state') },
  });
  const exit = await main(args, { cloneRoot, context });
  return { exit, ...context.printed };
}

const filesOfScaffold = [
  '.gitignore',
  'README.md',
  'package.json',
  'src/plugin.ts',
  'tsconfig.json',
  'vendor/fairlead-plugin-sdk-0.1.0.tgz',
];

test('a scaffold has every file, says no path of the machine, and its block is TOML for the Runner', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const { exit, stdout } = await run(folder, ['plugin', 'init', 'a "odd" \\ näme', '--id', 'my-plugin']);
  assert.equal(exit, 0);
  const made = join(folder, 'a "odd" \\ näme');
  const found = execFileSync('find', ['.', '-type', 'f'], { cwd: made, encoding: 'utf8' });
  assert.deepEqual(
    found
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.slice(2))
      .sort(),
    filesOfScaffold,
  );
  for (const path of filesOfScaffold.slice(0, 5)) {
    assert.equal(readFileSync(join(made, path), 'utf8').includes(folder), false, path);
  }
  const block = stdout.slice(stdout.indexOf('[[plugins.providers]]'), stdout.indexOf('Then:'));
  assert.deepEqual(JSON.parse(JSON.stringify(parse(block))), {
    plugins: {
      providers: [
        {
          id: 'my-plugin',
          name: 'my-plugin',
          command: 'node',
          args: [join(made, 'dist/plugin.js')],
          timeout_secs: 30,
        },
      ],
    },
  });
  assert.match(stdout, /rights of whoever runs the Runner/);
});

test('two scaffolds of one id are the same bytes', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  for (const name of ['one', 'two']) await run(folder, ['plugin', 'init', name, '--id', 'same']);
  for (const path of filesOfScaffold) {
    assert.deepEqual(readFileSync(join(folder, 'one', path)), readFileSync(join(folder, 'two', path)), path);
  }
});

test('the folder’s name must be an id, and is not bent into one', async (t) => {
  const folder = temporaryFolder(t);
  const refused = await run(folder, ['plugin', 'init', 'MyPlugin']);
  assert.equal(refused.exit, 1);
  assert.match(refused.stderr, /plugin_id_invalid/);
  assert.equal(existsSync(join(folder, 'MyPlugin')), false);
});

test('a file, a link and a folder with something in it are refused and stay as they are', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'file'), 'mine');
  mkdirSync(join(folder, 'full'));
  writeFileSync(join(folder, 'full', 'mine'), 'mine');
  mkdirSync(join(folder, 'empty'));
  symlinkSync(join(folder, 'empty'), join(folder, 'link'));
  for (const name of ['file', 'full', 'link']) {
    const { exit, stderr } = await run(folder, ['plugin', 'init', name]);
    assert.equal(exit, 1, name);
    assert.match(stderr, /destination_not_empty/, name);
  }
  assert.equal(readFileSync(join(folder, 'file'), 'utf8'), 'mine');
  assert.equal(readFileSync(join(folder, 'full', 'mine'), 'utf8'), 'mine');
  assert.deepEqual(execFileSync('ls', ['-A', 'empty'], { cwd: folder, encoding: 'utf8' }), '');
});

test('an empty folder is taken', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'empty'));
  assert.equal((await run(folder, ['plugin', 'init', 'empty'])).exit, 0);
});

test('add makes a file that the Runner takes, and appends the next block to it', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const state = join(folder, 'state');
  await run(folder, ['plugin', 'init', 'first']);
  assert.equal((await run(folder, ['plugin', 'add', 'first', '--state-dir', state])).exit, 0);
  const words = [
    'plugin',
    'add',
    'second',
    '--state-dir',
    state,
    '--cwd',
    '.',
    '--',
    './run me',
    '--flag',
    'a "b"',
  ];
  assert.equal((await run(folder, words)).exit, 0);
  const path = join(state, 'runner.toml');
  assert.equal(statSync(path).mode & 0o777, 0o600);
  const file = await readRunnerConfig(path, 'linux');
  assert.ok(file.ok);
  assert.deepEqual(
    file.config.plugins.providers.map(({ id, command, args, cwd }) => ({ id, command, args, cwd })),
    [
      { id: 'first', command: 'node', args: [join(folder, 'first/dist/plugin.js')], cwd: undefined },
      { id: 'second', command: join(folder, 'run me'), args: ['--flag', 'a "b"'], cwd: folder },
    ],
  );
});

test('comments, order and unknown keys of an edited file stay to the letter', async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'runner.toml');
  const edited =
    '# mine\nclient_id = "x"   # here\n[future]\nkey = 1\n\n[[plugins.providers]]\nid = "a"\nname = "A"\ncommand = "true"';
  writeFileSync(path, edited, { mode: 0o600 });
  assert.equal((await run(folder, ['plugin', 'add', 'b', '--config', path, '--', 'true'])).exit, 0);
  const text = readFileSync(path, 'utf8');
  assert.equal(text.startsWith(`${edited}\n\n[[plugins.providers]]\nid = "b"`), true, text);
});

test('an id that is taken, a file that is no TOML and a list on one line are refused, and nothing is written', async (t) => {
  const folder = temporaryFolder(t);
  const cases = [
    ['client_id = "x"\n[[plugins.providers]]\nid = "b"\nname = "B"\ncommand = "true"\n', 'provider_id_taken'],
    ['client_id = \n', 'runner_file_not_toml'],
    [
      'client_id = "x"\n[plugins]\nproviders = [{ id = "a", name = "A", command = "true" }]\n',
      'provider_not_appended',
    ],
  ] as const;
  for (const [text, code] of cases) {
    const path = join(folder, `${code}.toml`);
    writeFileSync(path, text);
    const { exit, stderr } = await run(folder, ['plugin', 'add', 'b', '--config', path, '--', 'true']);
    assert.equal(exit, 1);
    assert.match(stderr, new RegExp(code));
    assert.equal(readFileSync(path, 'utf8'), text);
  }
});

test('a ninth plugin, which the Runner would refuse, is not written', async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'runner.toml');
  for (let index = 1; index <= 8; index += 1) {
    assert.equal((await run(folder, ['plugin', 'add', `p${index}`, '--config', path, '--', 'true'])).exit, 0);
  }
  const before = readFileSync(path, 'utf8');
  const { exit, stderr } = await run(folder, ['plugin', 'add', 'p9', '--config', path, '--', 'true']);
  assert.equal(exit, 1);
  assert.match(stderr, /must be at most 8.*\(runner_file_refused\)/);
  assert.equal(readFileSync(path, 'utf8'), before);
  assert.equal(existsSync(`${path}.candidate`), false);
});

test('a link to the file stays a link', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'real.toml'), 'client_id = "x"\n');
  symlinkSync(join(folder, 'real.toml'), join(folder, 'runner.toml'));
  const path = join(folder, 'runner.toml');
  assert.equal((await run(folder, ['plugin', 'add', 'b', '--config', path, '--', 'true'])).exit, 0);
  assert.match(readFileSync(join(folder, 'real.toml'), 'utf8'), /id = "b"/);
});

test('a folder without a plugin, a bad id and an unreadable file say so', async (t) => {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'nothing'));
  assert.match((await run(folder, ['plugin', 'add', 'nothing'])).stderr, /plugin_folder_invalid/);
  assert.match((await run(folder, ['plugin', 'add', 'No Id', '--', 'true'])).stderr, /plugin_id_invalid/);
  assert.match((await run(folder, ['plugin', 'add', 'a', '--id', 'b', '--', 'true'])).stderr, /--id/);
  mkdirSync(join(folder, 'runner.toml'));
  chmodSync(join(folder, 'runner.toml'), 0o700);
  const unreadable = await run(folder, [
    'plugin',
    'add',
    'b',
    '--config',
    join(folder, 'runner.toml'),
    '--',
    'true',
  ]);
  assert.match(unreadable.stderr, /runner_file_unreadable/);
});

test('a file with bytes that are no UTF-8 is refused as it is, not written back with others', async (t) => {
  const folder = temporaryFolder(t);
  await run(folder, ['plugin', 'init', 'a']);
  const path = join(folder, 'runner.toml');
  const before = Buffer.from('# caf\xe9\nclient_id = "local"\n', 'latin1');
  writeFileSync(path, before);
  const refused = await run(folder, ['plugin', 'add', 'a', '--config', path]);
  assert.match(refused.stderr, /runner_file_not_toml/);
  assert.deepEqual(readFileSync(path), before);
});

test('a scaffold outside a clone says what is missing', async (t) => {
  const folder = temporaryFolder(t);
  const { exit, stderr } = await run(folder, ['plugin', 'init', 'alone'], folder);
  assert.equal(exit, 1);
  assert.match(stderr, /sdk_not_packed/);
});
