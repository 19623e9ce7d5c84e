import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  type Hygiene,
  hygiene,
  pidIsAlive,
  repositoryRoot,
  requires,
  temporaryFolder,
  waitFor,
} from '@fairlead/testing';
import { launcher, type Running, start, untilGone, writeRunnerConfig } from './fairlead-process.ts';
import { personEnvironment } from './person-environment.ts';

/** A second to notice the end of npm and five to end are what is promised; this only catches hanging, on a loaded machine too. */
const goneMs = 30_000;

type Place = {
  readonly guard: Hygiene;
  readonly stateDirectory: string;
  readonly env: Record<string, string>;
};

function place(t: TestContext): Place {
  const guard = hygiene(t);
  const stateDirectory = join(temporaryFolder(t), 'state');
  return {
    guard,
    stateDirectory,
    env: personEnvironment({
      FAIRLEAD_STATE_DIR: stateDirectory,
      FAIRLEAD_PORT: '0',
      // A newer npm would keep its own compiled code in the temporary folder, which is this test's.
      NODE_DISABLE_COMPILE_CACHE: '1',
    }),
  };
}

/** The process that is up, once it is ready. */
async function upPid(running: Running, stateDirectory: string): Promise<number> {
  await running.untilStdout('Ctrl-C stops everything.');
  return (JSON.parse(readFileSync(join(stateDirectory, 'server.json'), 'utf8')) as { pid: number }).pid;
}

/** Processes that this test began and that still live, the watchdog and the plugins among them. */
function processesLeft(guard: Hygiene): string[] {
  return guard.leftovers().filter((line) => line.startsWith('process '));
}

async function untilNothingIsLeft(guard: Hygiene): Promise<void> {
  let left: string[] = [];
  await waitFor(
    () => {
      left = processesLeft(guard);
      return left.length === 0;
    },
    { what: 'the end of every process', timeoutMs: goneMs, intervalMs: 50 },
  ).catch((error: Error) => assert.fail(`${error.message}\n${left.join('\n')}`));
}

test('npm start: what it prints, commands that work as they stand, a second one, an edited runner.toml', async (t) => {
  const { guard, stateDirectory, env } = place(t);
  const first = start(t, 'npm', ['start'], { env });
  const pid = await upPid(first, stateDirectory);
  const lines = first.stdout.trimEnd().split('\n');
  assert.equal(lines.length <= 20, true, first.stdout);
  const { url } = JSON.parse(readFileSync(join(stateDirectory, 'server.json'), 'utf8')) as { url: string };
  assert.equal(lines.includes(`Fairlead is ready at ${url}`), true, first.stdout);
  assert.equal(lines.includes(`  operator token  ${stateDirectory}/operator.token`), true);
  for (const scope of [
    'plugin:inspect',
    'plugin:invoke',
    'plugin:manage',
    'runner:manage',
    'project:read',
    'session:read',
    'session:write',
    'session:approve',
    'mcp:invoke',
    'admin',
  ]) {
    assert.match(first.stdout, new RegExp(`[ ]${scope}(\\s|$)`));
  }
  assert.match(first.stdout, /\n {2}ready {11}sdk-echo, raw-node, repo-info(, raw-python)?\n/);

  // As a person would: another terminal, in the clone, with nothing but what was printed.
  const commands = lines.filter((line) => line.startsWith('  ./fairlead '));
  assert.equal(commands.length, 3, first.stdout);
  const terminal = personEnvironment();
  const outputs: string[] = [];
  for (const command of commands) {
    const copied = start(t, 'sh', ['-c', command.trim()], { env: terminal });
    assert.deepEqual(await copied.ended, { exit: 0, signal: null }, `${command}\n${copied.stderr}`);
    outputs.push(copied.stdout);
  }
  assert.match(outputs[0] ?? '', /^sdk-echo +ready +- /m);
  assert.match(outputs[1] ?? '', /^binding: +wc_pbind_[\w-]{22}$/m);
  assert.match(outputs[2] ?? '', /^hello\n/);

  const second = start(t, 'npm', ['start'], { env });
  assert.deepEqual(await second.ended, { exit: 0, signal: null }, second.stderr);
  assert.equal(second.stdout.includes(`Fairlead is already running at ${url} (process ${pid})\n`), true);

  process.kill(pid, 'SIGTERM');
  assert.deepEqual(await first.ended, { exit: 0, signal: null }, first.stderr);
  await untilNothingIsLeft(guard);

  const config = join(stateDirectory, 'runner.toml');
  appendFileSync(config, '\n# mine\n');
  const edited = readFileSync(config, 'utf8');
  const third = start(t, 'npm', ['start'], { env });
  const again = await upPid(third, stateDirectory);
  process.kill(again, 'SIGTERM');
  await third.ended;
  assert.equal(readFileSync(config, 'utf8'), edited);
});

const ways = [
  { name: 'npm start', command: 'npm', args: ['start'] },
  { name: 'npx --no fairlead up', command: 'npx', args: ['--no', 'fairlead', 'up', '--examples'] },
] as const;

for (const { name, command, args } of ways) {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    test(`${signal} to ${name} leaves nothing`, async (t) => {
      const { guard, stateDirectory, env } = place(t);
      const running = start(t, command, args, { env });
      const pid = await upPid(running, stateDirectory);
      assert.equal(processesLeft(guard).length >= 3, true);
      process.kill(running.pid, signal);
      await untilGone([running.pid, pid], goneMs);
      await untilNothingIsLeft(guard);
      assert.equal(existsSync(join(stateDirectory, 'server.json')), false);
      await running.ended;
      assert.match(running.stderr, /fairlead: stopping\n/);
    });
  }

  test(`SIGKILL to the process under ${name} leaves nothing`, async (t) => {
    const { guard, stateDirectory, env } = place(t);
    const running = start(t, command, args, { env });
    const pid = await upPid(running, stateDirectory);
    process.kill(pid, 'SIGKILL');
    await untilGone([pid], goneMs);
    await running.ended;
    await untilNothingIsLeft(guard);
  });

  test(`Ctrl-C in the terminal of ${name} stops everything`, { skip: requires('python3') }, async (t) => {
    const { guard, stateDirectory, env } = place(t);
    // A terminal of its own, whose keyboard is this process's pipe.
    const session = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';
    const keys = start(t, 'python3', ['-c', session, command, ...args], { env, keepInput: true });
    const pid = await upPid(keys, stateDirectory);
    keys.type('\u0003');
    const { exit } = await keys.ended;
    // npx runs a shell in between, which the signal ends, and then npx does the same to itself.
    if (command === 'npm') assert.equal(exit, 0, keys.stdout);
    await untilGone([pid], goneMs);
    await untilNothingIsLeft(guard);
    // Both the terminal and npm have told it, and it took that for one wish: it ended in its own order.
    assert.equal(existsSync(join(stateDirectory, 'server.json')), false);
    assert.match(keys.stdout, /fairlead: stopping\r?\n/);
  });
}

test('npm that is killed while the launcher still runs leaves no host behind', async (t) => {
  const { guard, stateDirectory, env } = place(t);
  const marker = join(stateDirectory, '../launched');
  // Node holds here, before anything of ours runs, until its parent is another one.
  const hold = `import { writeFileSync } from 'node:fs';
    const parent = process.ppid;
    writeFileSync(${JSON.stringify(marker)}, String(process.pid));
    while (process.ppid === parent) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);`;
  const npm = `
    const { spawn } = require('node:child_process');
    const options = { env: { ...process.env, NODE_OPTIONS: process.env.HOLD }, stdio: 'inherit' };
    spawn(${JSON.stringify(launcher)}, ['up', '--runner-config', process.env.CONFIG], options);`;
  const config = writeRunnerConfig(join(stateDirectory, '../runner.toml'), 'local', []);
  const running = start(t, process.execPath, ['-e', npm], {
    env: {
      ...env,
      npm_command: 'start',
      CONFIG: config,
      HOLD: `--import=data:text/javascript,${encodeURIComponent(hold)}`,
    },
  });
  await waitFor(() => existsSync(marker), { what: 'the launcher to reach Node', timeoutMs: 30_000 });
  const pid = Number(await waitFor(() => readFileSync(marker, 'utf8'), { what: 'its number' }));
  assert.equal(pidIsAlive(pid), true);
  process.kill(running.pid, 'SIGKILL');
  await untilGone([pid], goneMs);
  await untilNothingIsLeft(guard);
  assert.equal(existsSync(join(stateDirectory, 'server.json')), false);
  assert.equal(running.stdout, '');
});

test('a nested folder of the clone has its commands by their path', async (t) => {
  const { stateDirectory, env } = place(t);
  const running = start(t, 'npm', ['start'], { env, cwd: join(repositoryRoot, 'docs') });
  const pid = await upPid(running, stateDirectory);
  assert.equal(running.stdout.includes(`\n  ${repositoryRoot}/fairlead plugin list --state-dir `), true);
  process.kill(pid, 'SIGTERM');
  await running.ended;
});
