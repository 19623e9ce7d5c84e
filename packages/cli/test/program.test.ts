import assert from 'node:assert/strict';
import { type TestContext as NodeTest, test } from 'node:test';
import { temporaryFolder } from '@fairlead/testing';
import { main } from '../src/index.ts';
import { buildProgram } from '../src/program.ts';
import { type TestContext, testContext } from './test-context.ts';

async function run(
  t: NodeTest,
  args: readonly string[],
): Promise<{ readonly exit: number; readonly context: TestContext } & TestContext['printed']> {
  const context = testContext(temporaryFolder(t));
  const exit = await main(args, { cloneRoot: context.cloneRoot, context });
  return { exit, context, ...context.printed };
}

/** Every command that does something, as it is typed. */
function leaves(command: ReturnType<typeof buildProgram>, path: readonly string[] = []): string[][] {
  const own = command.parent === null ? [] : [...path, command.name()];
  return command.commands.length === 0 ? [own] : command.commands.flatMap((child) => leaves(child, own));
}

test('help is asked for with --help, -h or help, on stdout, exit 0', async (t) => {
  for (const args of [
    ['--help'],
    ['-h'],
    ['help'],
    ['help', 'up'],
    ['up', '--help'],
    ['plugin', 'help', 'call'],
  ]) {
    const { exit, stdout, stderr } = await run(t, args);
    assert.equal(exit, 0, args.join(' '));
    assert.match(stdout, /^Usage: fairlead /);
    assert.equal(stderr, '');
  }
});

test('--version is the version alone', async (t) => {
  const { exit, stdout, stderr } = await run(t, ['--version']);
  assert.deepEqual([exit, stdout, stderr], [0, '0.1.0\n', '']);
});

test('every command has help of its own, at most 80 columns wide', async (t) => {
  const program = buildProgram(testContext(temporaryFolder(t)), () => {});
  for (const path of leaves(program)) {
    const { exit, stdout } = await run(t, [...path, '--help']);
    assert.equal(exit, 0);
    assert.equal(stdout.startsWith(`Usage: fairlead ${path.join(' ')} `), true, stdout);
    for (const line of stdout.split('\n')) assert.equal(line.length <= 80, true, line);
  }
});

test('no command, or half of one, is a usage error that shows the help on stderr', async (t) => {
  for (const args of [[], ['plugin'], ['runner'], ['token'], ['config']]) {
    const { exit, stdout, stderr } = await run(t, args);
    assert.equal(exit, 2, args.join(' '));
    assert.equal(stdout, '');
    assert.match(stderr, /^Usage: fairlead /);
  }
});

test('an unknown command, flag or argument is a usage error that names it', async (t) => {
  for (const [args, line] of [
    [['strat'], "fairlead: unknown command 'strat'\n"],
    [['memory', 'list'], "fairlead: unknown command 'memory'\n(/memory is typed in `fairlead chat`)\n"],
    [['skills'], "fairlead: unknown command 'skills'\n(/skills is typed in `fairlead chat`)\n"],
    [['plugin', 'lits'], "fairlead: unknown command 'lits'\n(Did you mean list?)\n"],
    [['up', '--prot', '1'], "fairlead: unknown option '--prot'\n(Did you mean --port?)\n"],
    [['plugin', 'reload', '--runner', 'a', '--plugin', 'b'], "fairlead: unknown option '--plugin'\n"],
    [['status', 'now'], "fairlead: too many arguments for 'status'."],
    [['runner', 'stderr'], "fairlead: missing required argument 'plugin'\n"],
    [['plugin', 'call', '--runner', 'a'], "fairlead: required option '--plugin <id>' not specified\n"],
    [['up', '--port'], "fairlead: option '--port <port>' argument missing\n"],
  ] as const) {
    const { exit, stdout, stderr } = await run(t, args);
    assert.equal(exit, 2, args.join(' '));
    assert.equal(stdout, '');
    assert.equal(stderr.startsWith(line), true, stderr);
  }
});

test('a flag that is given twice is a usage error, with a value or without one', async (t) => {
  for (const [args, flag] of [
    [['plugin', 'list', '--json', '--json'], '--json'],
    [['plugin', 'list', '--runner', 'a', '--runner', 'b'], '--runner'],
    [['plugin', 'call', '--arguments', '{}', '--arguments={}'], '--arguments'],
    [['up', '--port', '0', '--port', '0'], '--port'],
    [['up', '--examples', '--examples'], '--examples'],
    [['serve', '--allow-remote', '--allow-remote'], '--allow-remote'],
    [['status', '--state-dir', 'a', '--state-dir', 'a'], '--state-dir'],
  ] as const) {
    const { exit, stderr } = await run(t, args);
    assert.equal(exit, 2, args.join(' '));
    assert.equal(
      stderr,
      `fairlead: option '${flag}' was given twice\n(add --help to see what the command takes)\n`,
    );
  }
});

test('a blank value is a usage error for every flag that takes one', async (t) => {
  const program = buildProgram(testContext(temporaryFolder(t)), () => {});
  for (const path of leaves(program)) {
    let command = program;
    for (const name of path) command = command.commands.find((child) => child.name() === name) ?? command;
    for (const option of command.options.filter((one) => one.required)) {
      const { exit, stderr } = await run(t, [...path, option.long ?? '', ' ']);
      assert.equal(exit, 2, `${path.join(' ')} ${option.long}`);
      assert.match(stderr, /is invalid\. (it must not be empty|a port is a number from 0 to 65535)\n/);
    }
  }
});

test('a port is a number from 0 to 65535', async (t) => {
  for (const port of ['65536', '-1', '1e3', '0x10', '7420.5', 'http', '99999999999']) {
    const { exit, stderr } = await run(t, ['serve', `--port=${port}`]);
    assert.equal(exit, 2, port);
    assert.match(stderr, /a port is a number from 0 to 65535/);
  }
});

test('a token is not shown back, wherever it was typed', async (t) => {
  for (const secret of [`fairlead_pat_${'s'.repeat(43)}`, `fairlead_runner_${'s'.repeat(43)}`]) {
    for (const args of [
      [secret],
      ['plugin', secret],
      ['plugin', 'list', secret],
      ['plugin', 'list', `--${secret}`],
      ['plugin', 'list', `--tokne=${secret}`],
      ['plugin', 'list', '--token', 'a', '--token', secret],
      ['plugin', 'list', '--token', secret, '--token', secret],
      ['plugin', 'list', '--runner', secret, '--runner', secret],
      ['serve', '--port', secret],
      ['token', 'create', '--expires', secret, '--name', 'x', '--scopes', 'admin'],
    ]) {
      const { exit, stdout, stderr } = await run(t, args);
      assert.equal(exit, 2, args.join(' '));
      assert.equal(`${stdout}${stderr}`.includes('sss'), false, stderr);
    }
  }
});

test('a command line that cannot be meant is a usage error with its next step', async (t) => {
  for (const [args, message] of [
    [['token', 'create'], 'A personal token needs --name and --scopes, a Runner token needs --runner.'],
    [
      ['token', 'create', '--name', 'x'],
      'A personal token needs --name and --scopes, a Runner token needs --runner.',
    ],
    [
      ['token', 'create', '--runner', 'a', '--scopes', 'admin'],
      'A Runner token has no scopes and one Runner: leave out --scopes and --runners.',
    ],
    [
      ['token', 'create', '--runner', 'a', '--expires', 'soon'],
      '--expires is a number with m, h or d, such as 90d, 12h or 30m.',
    ],
  ] as const) {
    const { exit, stderr } = await run(t, args);
    assert.equal(exit, 2);
    assert.equal(stderr, `fairlead: ${message} (usage)\n  next: Read \`fairlead token create --help\`.\n`);
  }
});

test('an error that nobody expected has no stack', async (t) => {
  const context = testContext(temporaryFolder(t));
  const failing = {
    ...context,
    stdout: () => {
      throw new TypeError('secret /path');
    },
  };
  assert.equal(await main(['status'], { cloneRoot: context.cloneRoot, context: failing }), 1);
  assert.equal(
    context.printed.stderr,
    'fairlead: Something went wrong inside Fairlead. (internal_error)\n' +
      '  next: Run it again with FAIRLEAD_DEBUG=1 and report what it prints.\n',
  );
});
