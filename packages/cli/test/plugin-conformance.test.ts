import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { hygiene, repositoryRoot, temporaryFolder } from '@fairlead/testing';
import { main } from '../src/main.ts';
import { testContext } from './test-context.ts';

const RAW_NODE = join(repositoryRoot, 'examples/plugins/raw-node/plugin.mjs');

/** Runs one command line in `cwd` and gives what it printed. */
async function run(cwd: string, args: readonly string[]) {
  const context = testContext(cwd, { env: { PATH: process.env['PATH'] ?? '', HOME: cwd } });
  const exit = await main(args, { cloneRoot: repositoryRoot, context });
  return { exit, ...context.printed };
}

const conformance = ['plugin', 'conformance'];

test('a plugin that conforms ends with 0, and the report says what was called', async (t) => {
  hygiene(t);
  const { exit, stdout, stderr } = await run(temporaryFolder(t), [
    ...conformance,
    '--call',
    'echo={"text":"one"}',
    '--call',
    'add={"a":1,"b":2}',
    '--',
    process.execPath,
    RAW_NODE,
  ]);
  assert.match(stdout, /\ncalled: echo, add\n65 passed, 0 failed, 0 advice, 0 skipped\n$/);
  assert.equal(exit, 0);
  assert.match(stderr, /^fairlead: conformance really starts the program/);
});

test('a plugin that breaks a clause ends with 1, and --json is one line', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'plugin.mjs'), 'console.log("hello"); process.stdin.resume();');
  const { exit, stdout } = await run(folder, [
    ...conformance,
    '--json',
    '--timeout-secs',
    '20',
    '--',
    process.execPath,
    'plugin.mjs',
  ]);
  assert.equal(exit, 1);
  assert.equal(stdout.indexOf('\n'), stdout.length - 1);
  const { passed, counts } = JSON.parse(stdout);
  assert.deepEqual([passed, counts.failed], [false, 1]);
});

test('a call that cannot be made ends with 2, though the plugin conforms', async (t) => {
  hygiene(t);
  const { exit, stdout } = await run(temporaryFolder(t), [
    ...conformance,
    '--call',
    'absent={}',
    '--',
    process.execPath,
    RAW_NODE,
  ]);
  assert.equal(exit, 2);
  assert.match(stdout, /\nnot called: absent, the plugin lists no such tool\n/);
});

test('what cannot be meant is usage: no program, no JSON, no number, a flag twice', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const refused: readonly (readonly string[])[] = [
    conformance,
    [...conformance, '--', 'no-such-program-anywhere'],
    [...conformance, '--call', 'echo', '--', 'node'],
    [...conformance, '--call', '={}', '--', 'node'],
    [...conformance, '--call', 'echo=[]', '--', 'node'],
    [...conformance, '--call', 'echo={', '--', 'node'],
    [...conformance, '--timeout-secs', '0', '--', 'node'],
    [...conformance, '--timeout-secs', '121', '--', 'node'],
    [...conformance, '--timeout-secs', 'soon', '--', 'node'],
    [...conformance, '--cwd', '.', '--cwd', '.', '--', 'node'],
    ['plugin', 'hostile'],
    ['plugin', 'hostile', 'no-such-scenario'],
  ];
  for (const args of refused) assert.equal((await run(folder, args)).exit, 2, args.join(' '));
  const { stderr } = await run(folder, [...conformance, '--', 'no-such-program-anywhere']);
  assert.match(
    stderr,
    /^fairlead: The program could not be started: no program no-such-program-anywhere\. \(plugin_executable_unavailable\)\n {2}next: Check the command, its cwd and the PATH/m,
  );
});

test('a usage error names the command whose help to read, and the scenario that was meant', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  assert.equal(
    (await run(folder, [...conformance, '--call', 'x', '--', 'node'])).stderr,
    'fairlead: --call takes TOOL=JSON, the JSON being an object of arguments. (usage)\n' +
      '  next: Read `fairlead plugin conformance --help`.\n',
  );
  assert.equal(
    (await run(folder, ['plugin', 'hostile', 'baner'])).stderr,
    'fairlead: No scenario is called baner. Did you mean banner? `fairlead plugin hostile --list` shows them all. (usage)\n' +
      '  next: Read `fairlead plugin hostile --help`.\n',
  );
  assert.match(
    (await run(folder, ['plugin', 'hostile', 'nope'])).stderr,
    /^fairlead: No scenario is called nope\. (Did you mean [\w-]+\? )?`fairlead plugin hostile --list` shows/,
  );
});

test('the scenarios are listed for people and for programs', async (t) => {
  const folder = temporaryFolder(t);
  const people = await run(folder, ['plugin', 'hostile', '--list']);
  assert.match(people.stdout, /\nnever-answers +outcome_unknown plugin_timeout +wire\.call\.answers /);
  const programs = await run(folder, ['plugin', 'hostile', '--list', '--json']);
  assert.equal(JSON.parse(programs.stdout).scenarios.length > 150, true);
  assert.deepEqual([people.exit, programs.exit], [0, 0]);
  const narrow = Object.assign(new PassThrough(), { columns: 80 });
  const context = testContext(folder, { streams: { input: new PassThrough(), output: narrow } });
  await main(['plugin', 'hostile', '--list'], { cloneRoot: repositoryRoot, context });
  assert.match(
    context.printed.stdout,
    /\nnever-answers: never answers a call\n outcome_unknown plugin_timeout\n/,
  );
});

test('the command becomes the hostile plugin, and ends as its scenario says', async (t) => {
  hygiene(t);
  const entry = join(repositoryRoot, 'packages/cli/bin/fairlead.js');
  const child = spawn(process.execPath, [entry, 'plugin', 'hostile', 'dies-on-call']);
  t.after(() => child.kill('SIGKILL'));
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.stdin.write(
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"webcodex-plugin-v1"}}\n' +
      '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{}}}\n',
  );
  assert.equal(await ended, 3);
  assert.equal(stdout, '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"webcodex-plugin-v1"}}\n');
});

test('what plugin init makes conforms as it stands', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  assert.equal((await run(folder, ['plugin', 'init', 'mine'])).exit, 0);
  const scope = join(folder, 'mine/node_modules/@fairlead');
  mkdirSync(scope, { recursive: true });
  symlinkSync(join(repositoryRoot, 'packages/plugin-sdk'), join(scope, 'plugin-sdk'));
  const source = join(folder, 'mine/src/plugin.ts');
  const { exit, stdout } = await run(folder, [...conformance, '--', process.execPath, source]);
  assert.match(stdout, /\n65 passed, 0 failed, 0 advice, 0 skipped\n$/);
  assert.equal(exit, 0);
});
