import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { randomId, systemRandom } from '@fairlead/base';
import {
  hygiene,
  manualClock,
  pidIsAlive,
  type Requirement,
  requires,
  temporaryFolder,
  waitFor,
} from '@fairlead/testing';
import { procReader } from '../src/tree/process-reader.ts';
import { firstLine, gone, shellTree, testWatchdog } from './test-trees.ts';

type Test = { after(hook: () => unknown): void };
type Known = {
  readonly watchdog: number;
  readonly roots: number[];
  readonly descendants: number[];
  readonly token: string;
};

const RUNNER_LIKE = join(import.meta.dirname, 'fixtures', 'runner-like.ts');
const WATCHDOG = join(import.meta.dirname, '..', 'src', 'watchdog', 'watchdog.sh');

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
  const env = { PATH: process.env['PATH'] ?? '', FAIRLEAD_PROVIDER: `${watchdog.token}.unregistered` };
  const stray = spawn('setsid', ['sleep', '60'], { env, stdio: 'ignore' });
  await once(stray, 'spawn');
  const ended = once(stray, 'exit');
  await watchdog.close();
  await ended;
  assert.equal(stray.signalCode, 'SIGKILL');
});

test('the signals of a terminal do not end it, and it stands in a session of its own', async (t) => {
  hygiene(t);
  const watchdog = testWatchdog(t);
  const pid = watchdog.pid ?? 0;
  await waitFor(
    () => readFileSync(`/proc/${pid}/status`, 'utf8').match(/^SigIgn:\t[0-9a-f]*[1-9a-f][0-9a-f]{0,3}$/m),
    {
      what: 'the traps to be set',
    },
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) process.kill(pid, signal);
  await watchdog.processes.read();
  assert.equal(pidIsAlive(pid), true);
  assert.equal(procReader().row(pid)?.session, pid);
  assert.equal(readFileSync(`/proc/${pid}/environ`, 'latin1').includes(watchdog.token), false);
});

test('a watchdog that is killed is started again and still knows the trees', {
  skip: requires('setsid'),
}, async (t) => {
  hygiene(t);
  const watchdog = testWatchdog(t);
  const tree = await shellTree(t, SCRIPTS[4] ?? '', { owner: watchdog });
  const descendant = Number(await firstLine(tree.stdout));
  const first = watchdog.pid ?? 0;
  process.kill(first, 'SIGKILL');
  await waitFor(() => watchdog.pid !== null && watchdog.pid !== first, { what: 'another watchdog' });
  await watchdog.close();
  await gone(descendant);
  await gone(tree.pid);
});

test('one that always dies is given up, and a missing shell is not fatal', async (t) => {
  hygiene(t);
  const watchdog = testWatchdog(t, { shell: ['/bin/sh', '-c', 'exit 1'] });
  await waitFor(() => watchdog.pid === null, { what: 'the last restart' });
  watchdog.watch(process.pid);
  const without = testWatchdog(t, { shell: ['/nonexistent/sh'] });
  assert.equal(without.pid, null);
  const onWindows = testWatchdog(t, { platform: 'win32' });
  assert.equal(onWindows.pid, null);
});

test('a watchdog that does not end when its pipe closes is killed after ten seconds', async (t) => {
  hygiene(t);
  const clock = manualClock();
  const watchdog = testWatchdog(t, { clock, shell: ['/bin/sh', '-c', 'exec sleep 60'] });
  const pid = watchdog.pid ?? 0;
  watchdog.forget(4_194_301);
  const closed = watchdog.close();
  await clock.advance(9_999);
  assert.equal(pidIsAlive(pid), true);
  await clock.advance(1);
  await closed;
  assert.equal(pidIsAlive(pid), false);
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

/** Another one for each run of this file: what one run starts is never another's to end. */
const TOKEN = randomId('', systemRandom());

/** Speaks to the script as a Runner would; `lines` end the conversation. */
async function tellWatchdog(t: Test, lines: readonly string[]): Promise<void> {
  const script = spawn('/bin/sh', [WATCHDOG], { stdio: ['pipe', 'inherit', 'inherit'], detached: true });
  t.after(() => script.kill('SIGKILL'));
  script.stdin.end(`${lines.join('\n')}\n`);
  const [code] = await once(script, 'exit');
  assert.equal(code, 0);
}

/** A process in a session of its own that no tree owns. */
async function bystander(t: Test, env: Record<string, string> = {}): Promise<number> {
  const child = spawn('sleep', ['60'], {
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env['PATH'] ?? '', ...env },
  });
  t.after(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  await once(child, 'spawn');
  return child.pid ?? 0;
}

test('a registered number that another process has by now is not signalled', async (t) => {
  hygiene(t);
  const [reused, owned] = [await bystander(t), await bystander(t)];
  const started = procReader().row(owned)?.started ?? 0;
  await tellWatchdog(t, [
    `token ${TOKEN}`,
    `runner 1 1 ${started}`,
    `watch ${reused} ${started - 1}`,
    `watch ${owned} ${started}`,
  ]);
  await gone(owned);
  assert.equal(pidIsAlive(reused), true);
});

test('a tree that was taken off is not signalled', async (t) => {
  hygiene(t);
  const pid = await bystander(t);
  const started = procReader().row(pid)?.started ?? 0;
  await tellWatchdog(t, [
    `token ${TOKEN}`,
    `runner 1 1 ${started}`,
    'watch 4194301 5',
    `watch ${pid} ${started}`,
    'watch 4194302 5',
    `forget ${pid} ${started}`,
  ]);
  assert.equal(pidIsAlive(pid), true);
});

test('nothing older than the Runner, and no other Runner’s tree, is signalled', async (t) => {
  hygiene(t);
  const older = await bystander(t, { FAIRLEAD_PROVIDER: `${TOKEN}.a` });
  const started = procReader().row(older)?.started ?? 0;
  const other = await bystander(t, { FAIRLEAD_PROVIDER: 'othertoken.a', NOTE: `${TOKEN}.` });
  await tellWatchdog(t, [`token ${TOKEN}`, `runner 1 1 ${started + 1}`, `watch ${older} ${started}`]);
  assert.deepEqual([pidIsAlive(older), pidIsAlive(other)], [true, true]);
});

test('lines that say nothing known are passed over', async (t) => {
  hygiene(t);
  await tellWatchdog(t, ['', 'unknown 1 2', 'forget 1 1', 'token']);
});

test('a random token is 128 bits', (t) => {
  hygiene(t);
  const watchdog = testWatchdog(t, { random: systemRandom() });
  assert.match(watchdog.token, /^[A-Za-z0-9_-]{22}$/);
});
