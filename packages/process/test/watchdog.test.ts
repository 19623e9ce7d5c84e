import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemRandom } from '@fairlead/base';
import { hygiene, pidIsAlive, type Requirement, requires, temporaryFolder, waitFor } from '@fairlead/testing';
import { procReader } from '../src/process-table/process-reader.ts';
import { firstLine, gone, strayOf, testWatchdog } from './test-trees.ts';

type Test = { after(hook: () => unknown): void };
type Known = {
  readonly watchdog: number;
  readonly roots: number[];
  readonly descendants: number[];
  readonly token: string;
};

const RUNNER_LIKE = join(import.meta.dirname, 'fixtures', 'runner-like.ts');

/** What must not outlive a Runner, however the Runner goes. */
const SCRIPTS: readonly string[] = [
  'sleep 60 & echo $!; wait',
  `sh -c 'trap "" TERM HUP INT; echo $$; while :; do sleep 1; done'`,
  'setsid sh -c "echo \\$\\$; exec sleep 60" & wait',
  '(setsid sh -c "sleep 60 & echo \\$!" &) ; sleep 60',
  '(env -i /bin/sh -c "echo \\$\\$; exec /bin/sleep 60" &) ; sleep 60',
  'sh -c "env -i setsid /bin/sh -c \\"echo \\\\\\$\\\\\\$; exec /bin/sleep 60\\"; :" & wait',
  'sleep 60 & echo $!; cat >/dev/null',
];

async function startRunnerLike(
  t: Test,
  setting: Record<string, unknown>,
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ readonly runner: ChildProcess; readonly known: Known }> {
  const runner = spawn(process.execPath, [RUNNER_LIKE, JSON.stringify({ scripts: SCRIPTS, ...setting })], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
    env,
  });
  t.after(() => runner.kill('SIGKILL'));
  const known = JSON.parse(await firstLine(runner.stdout as NonNullable<typeof runner.stdout>)) as Known;
  return { runner, known };
}

async function allGone({ watchdog, roots, descendants }: Known): Promise<void> {
  for (const pid of [...roots, ...descendants]) await gone(pid);
  await gone(watchdog);
}

const shells: { readonly name: string; readonly shell: string[]; readonly needs: false | Requirement }[] = [
  { name: 'the system’s shell', shell: ['/bin/sh'], needs: 'setsid' },
  { name: 'dash', shell: ['dash'], needs: 'dash' },
  { name: 'bash', shell: ['/bin/bash', '--posix'], needs: false },
  { name: 'busybox', shell: ['busybox', 'sh'], needs: 'busybox' },
];

for (const { name, shell, needs } of shells) {
  test(`after SIGKILL of a Runner nothing is left, with ${name}`, {
    skip: needs === false ? false : requires(needs),
  }, async (t) => {
    hygiene(t);
    const { runner, known } = await startRunnerLike(t, { shell });
    for (const pid of [known.watchdog, ...known.roots, ...known.descendants])
      assert.equal(pidIsAlive(pid), true, String(pid));
    runner.kill('SIGKILL');
    await allGone(known);
  });
}

test('busybox alone is enough', { skip: requires('busybox') }, async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const busybox = spawnSync('sh', ['-c', 'command -v busybox'], { encoding: 'utf8' }).stdout.trim();
  for (const applet of ['sh', 'grep', 'sleep']) symlinkSync(busybox, join(folder, applet));
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}` };
  const { runner, known } = await startRunnerLike(t, { shell: [join(folder, 'sh')] }, env);
  runner.kill('SIGKILL');
  await allGone(known);
});

test('SIGKILL of the Runner’s whole group leaves nothing either', { skip: requires('setsid') }, async (t) => {
  hygiene(t);
  const { runner, known } = await startRunnerLike(t, {});
  process.kill(-(runner.pid ?? 0), 'SIGKILL');
  await allGone(known);
});

/** So that nobody is left who could act: the Runner cannot start another watchdog, and the watchdog does not see its end. */
function killBoth(runner: ChildProcess, { watchdog }: Known): void {
  runner.kill('SIGSTOP');
  process.kill(watchdog, 'SIGKILL');
  runner.kill('SIGKILL');
}

test('a Runner and its watchdog killed together leave what they watched: the documented limit', async (t) => {
  hygiene(t);
  const { runner, known } = await startRunnerLike(t, { scripts: [SCRIPTS[0]] });
  const [root = 0, descendant = 0] = [...known.roots, ...known.descendants];
  t.after(() => process.kill(-root, 'SIGKILL'));
  killBoth(runner, known);
  await gone(known.watchdog);
  await gone(runner.pid ?? 0);
  assert.deepEqual([pidIsAlive(root), pidIsAlive(descendant)], [true, true]);
});

test('an isolated tree ends with its Runner, though no watchdog is there', {
  skip: requires('bubblewrap'),
}, async (t) => {
  hygiene(t);
  const { runner, known } = await startRunnerLike(t, { scripts: [SCRIPTS[0]], isolation: 'pid' });
  const holds = async (): Promise<number> => {
    const table = await procReader().read();
    const token = Buffer.from(known.token);
    return [...table.rows.values()].filter((row) => !row.ended && table.environmentHolds(row.pid, token))
      .length;
  };
  assert.equal((await holds()) >= 2, true);
  killBoth(runner, known);
  for (const pid of [...known.roots, known.watchdog]) await gone(pid);
  await waitFor(async () => (await holds()) === 0, { what: 'everybody in the namespace to be gone' });
});

test('a hostile environment hides nothing', { skip: requires('setsid') }, async (t) => {
  hygiene(t);
  const env = {
    A: 'line\nFAIRLEAD_PROVIDER=other.token\n',
    FAIRLEAD: '*',
    'bad name': '$(reboot) `reboot` ; reboot',
    'FAIRLEAD_PROVIDER\n': 'x',
    NOT_TEXT: '\u0001\u001b[31m) Z 1 1 1',
  };
  const { runner, known } = await startRunnerLike(t, { env });
  runner.kill('SIGKILL');
  await allGone(known);
});

test('a Runner that ends in good order leaves no watchdog', async (t) => {
  hygiene(t);
  await using watchdog = testWatchdog(t);
  const { pid } = watchdog;
  assert.equal(pidIsAlive(pid ?? 0), true);
  await Promise.all([watchdog.close(), watchdog.close()]);
  assert.equal(pidIsAlive(pid ?? 0), false);
  assert.equal(watchdog.pid, null);
});

test('closing the watchdog ends what carries its token and was never registered', {
  skip: requires('setsid'),
}, async (t) => {
  hygiene(t);
  const watchdog = testWatchdog(t);
  const stray = await strayOf(t, watchdog);
  const ended = once(stray, 'exit');
  await watchdog.close();
  await ended;
  assert.equal(stray.signalCode, 'SIGKILL');
});

test('the signals of a terminal do not end it, and it stands in a session of its own', async (t) => {
  hygiene(t);
  const watchdog = testWatchdog(t);
  const pid = watchdog.pid ?? 0;
  const ignored = (): bigint => {
    const mask = /^SigIgn:\t([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return BigInt(`0x${mask ?? '0'}`);
  };
  // Bits 1, 2, 3 and 15, counted from the first: SIGHUP, SIGINT, SIGQUIT and SIGTERM.
  await waitFor(() => (ignored() & 0x4007n) === 0x4007n, { what: 'the traps to be set' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) process.kill(pid, signal);
  await watchdog.processes.read();
  assert.equal(pidIsAlive(pid), true);
  assert.equal(procReader().row(pid)?.session, pid);
  assert.equal(readFileSync(`/proc/${pid}/environ`, 'latin1').includes(watchdog.token), false);
});

test('without /proc the process groups and what descends from them are ended', {
  skip: requires('ps'),
}, async (t) => {
  hygiene(t);
  const scripts = [SCRIPTS[0], SCRIPTS[1]];
  const { runner, known } = await startRunnerLike(t, { scripts, procRoot: '/nonexistent' });
  runner.kill('SIGKILL');
  await allGone(known);
});

test('a random token is 128 bits', (t) => {
  hygiene(t);
  const watchdog = testWatchdog(t, { random: systemRandom() });
  assert.match(watchdog.token, /^[A-Za-z0-9_-]{22}$/);
});
