import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { randomId, systemRandom } from '@fairlead/base';
import { hygiene, pidIsAlive, waitFor } from '@fairlead/testing';
import { procReader } from '../src/process-table/process-reader.ts';
import { ProcFolder } from './proc-folder.ts';
import { processState } from './test-trees.ts';

// The script by itself, spoken to as a Runner would. Where the moment matters, the processes are real and the table is the
// test's own: the script waits in the middle of its reading until the test has changed it.

type Test = { after(hook: () => unknown): void };
type Bystander = { readonly pid: number; readonly exited: Promise<unknown> };

const WATCHDOG = join(import.meta.dirname, '..', 'src', 'watchdog', 'watchdog.sh');

/** Another one for each run of this file: what one run starts is never another's to end. */
const TOKEN = randomId('', systemRandom());

/** Numbers that no process of this machine has: above what Linux gives. */
const [NOBODY, NOBODY_ELSE] = [4_194_304, 4_194_305];

function startScript(t: Test): ChildProcess & { readonly pid: number } {
  const script = spawn('/bin/sh', [WATCHDOG], { stdio: ['pipe', 'inherit', 'inherit'], detached: true });
  t.after(() => script.kill('SIGKILL'));
  assert.ok(script.pid !== undefined);
  return Object.assign(script, { pid: script.pid });
}

/** `lines` end the conversation; waits until the script has done what follows. */
async function say(script: ChildProcess, lines: readonly string[]): Promise<void> {
  const exit = once(script, 'exit');
  script.stdin?.end(`${lines.join('\n')}\n`);
  const [code] = await exit;
  assert.equal(code, 0);
}

async function tellWatchdog(t: Test, lines: readonly string[]): Promise<void> {
  await say(startScript(t), lines);
}

/** The same with a table of the test's own, in which a Runner of session 1 began at 100. */
function tellWatchdogOf(t: Test, proc: ProcFolder, lines: readonly string[]): Promise<void> {
  const script = startScript(t);
  proc.show(script.pid, { session: script.pid, started: 100 });
  return say(script, [`proc ${proc.root}`, `token ${TOKEN}`, 'runner 1 1 100', ...lines]);
}

/** A process in a session of its own that no tree owns. */
async function bystander(t: Test, env: Record<string, string> = {}): Promise<Bystander> {
  const child = spawn('sleep', ['60'], {
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env['PATH'] ?? '', ...env },
  });
  const exited = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  await once(child, 'spawn');
  const { pid = 0 } = child;
  await waitFor(() => processState(pid) === 'S', { what: 'the bystander to sleep' });
  return { pid, exited };
}

test('a tree is stopped before the first reading, and ended after it', async (t) => {
  hygiene(t);
  const owned = await bystander(t);
  const proc = new ProcFolder(t);
  proc.show(owned.pid, { session: owned.pid, started: 101 });
  proc.hold();
  const done = tellWatchdogOf(t, proc, [`watch ${owned.pid} 101`]);
  const release = await proc.held();
  await waitFor(() => processState(owned.pid) === 'T', { what: 'the tree to be stopped' });
  release();
  await owned.exited;
  proc.hide(owned.pid);
  await done;
});

test('one reading that finds nobody is no proof', async (t) => {
  hygiene(t);
  const late = await bystander(t);
  const proc = new ProcFolder(t);
  proc.hold();
  const done = tellWatchdogOf(t, proc, [`watch ${NOBODY} 101`]);
  const release = await proc.held();
  // Forked behind the reading's back, by somebody who has gone since.
  proc.show(late.pid, { session: NOBODY, started: 102 });
  release();
  await Promise.race([late.exited, done]);
  assert.equal(pidIsAlive(late.pid), false);
  proc.hide(late.pid);
  await done;
});

test('who was found stays known, in another session and without its parent too', async (t) => {
  hygiene(t);
  const child = await bystander(t);
  const proc = new ProcFolder(t);
  proc.show(NOBODY, { session: NOBODY, started: 101 });
  proc.show(NOBODY_ELSE, { session: NOBODY, parent: NOBODY, started: 102 });
  proc.hold();
  const done = tellWatchdogOf(t, proc, [`watch ${NOBODY} 101`]);
  const release = await proc.held();
  // Its parent ends; it makes a session and a child. SIGKILL does not reach it: no such process is there.
  proc.hide(NOBODY);
  proc.show(NOBODY_ELSE, { session: NOBODY_ELSE, started: 102 });
  proc.show(child.pid, { session: child.pid, parent: NOBODY_ELSE, started: 103 });
  release();
  await Promise.race([child.exited, done]);
  assert.equal(pidIsAlive(child.pid), false);
  proc.hide(child.pid);
  proc.hide(NOBODY_ELSE);
  await done;
});

test('a registered number that another session has by now is neither stopped nor ended', async (t) => {
  hygiene(t);
  const [reused, member, owned] = [await bystander(t), await bystander(t), await bystander(t)];
  const proc = new ProcFolder(t);
  proc.show(reused.pid, { session: reused.pid, started: 105 });
  proc.show(member.pid, { session: reused.pid, parent: reused.pid, started: 106 });
  proc.show(owned.pid, { session: owned.pid, started: 107 });
  proc.hold();
  const done = tellWatchdogOf(t, proc, [`watch ${reused.pid} 101`, `watch ${owned.pid} 107`]);
  const release = await proc.held();
  await waitFor(() => processState(owned.pid) === 'T', { what: 'the tree to be stopped' });
  assert.deepEqual(
    [reused, member].filter(({ pid }) => processState(pid) === 'T'),
    [],
  );
  release();
  await owned.exited;
  proc.hide(owned.pid);
  await done;
  assert.deepEqual([pidIsAlive(reused.pid), pidIsAlive(member.pid)], [true, true]);
});

test('a tree that was taken off is not signalled', async (t) => {
  hygiene(t);
  const { pid } = await bystander(t);
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
  const { pid: older } = await bystander(t, { FAIRLEAD_PROVIDER: `${TOKEN}.a` });
  const started = procReader().row(older)?.started ?? 0;
  const { pid: other } = await bystander(t, { FAIRLEAD_PROVIDER: 'othertoken.a', NOTE: `${TOKEN}.` });
  await tellWatchdog(t, [`token ${TOKEN}`, `runner 1 1 ${started + 1}`, `watch ${older} ${started}`]);
  assert.deepEqual([pidIsAlive(older), pidIsAlive(other)], [true, true]);
});

test('lines that say nothing known are passed over', async (t) => {
  hygiene(t);
  await tellWatchdog(t, ['', 'unknown 1 2', 'forget 1 1', 'token']);
});
