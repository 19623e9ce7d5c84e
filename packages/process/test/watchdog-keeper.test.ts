import assert from 'node:assert/strict';
import { type SpawnOptions, spawn } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  environmentHolds,
  hygiene,
  type ManualClock,
  manualClock,
  pidIsAlive,
  processTable,
  requires,
  temporaryFolder,
  waitFor,
} from '@fairlead/testing';
import type { Watchdog, WatchdogEvent } from '../src/index.ts';
import { firstLine, gone, processState, shellTree, strayOf, testWatchdog } from './test-trees.ts';

/** A shell that waits, and does not read what the Runner tells. */
const PATIENT: [string, ...string[]] = ['/bin/sh', '-c', 'exec sleep 60'];

/** What a watchdog's owner is told, one after the other. */
class Told {
  readonly events: WatchdogEvent[] = [];
  readonly listener = (event: WatchdogEvent): void => void this.events.push(event);
  #taken = 0;

  async next(): Promise<WatchdogEvent> {
    const event = await waitFor(() => this.events[this.#taken], { what: 'an event of the watchdog' });
    this.#taken += 1;
    return event;
  }
}

async function loss(watchdog: Watchdog, told: Told): Promise<WatchdogEvent> {
  process.kill(watchdog.pid ?? 0, 'SIGKILL');
  return await told.next();
}

async function restart(clock: ManualClock, told: Told, afterMs: number): Promise<void> {
  await clock.advance(afterMs - 1);
  assert.equal(clock.pendingTimers, 1);
  await clock.advance(1);
  assert.deepEqual(await told.next(), { kind: 'restarted' });
}

test('a watchdog that was stopped is continued at close, and does what it is for', {
  skip: requires('setsid'),
}, async (t) => {
  hygiene(t);
  const watchdog = testWatchdog(t);
  const stray = await strayOf(t, watchdog);
  const pid = watchdog.pid ?? 0;
  process.kill(pid, 'SIGSTOP');
  await waitFor(() => processState(pid) === 'T', { what: 'the watchdog to be stopped' });
  await watchdog.close();
  assert.equal(pidIsAlive(pid), false);
  await gone(stray.pid ?? 0);
});

const STUBBORN = [
  { name: 'does not read', shell: PATIENT },
  { name: 'is stopped again and again', shell: ['/bin/sh', '-c', 'while :; do kill -STOP $$; done'] },
] as const;

for (const { name, shell } of STUBBORN) {
  test(`a watchdog that ${name} is killed 1.5 s after its pipe was closed`, async (t) => {
    hygiene(t);
    const clock = manualClock();
    const told = new Told();
    const watchdog = testWatchdog(t, { clock, shell: [...shell], onEvent: told.listener });
    const pid = watchdog.pid ?? 0;
    if (shell !== PATIENT) await waitFor(() => processState(pid) === 'T', { what: 'the first stop' });
    watchdog.forget(4_194_301);
    const closed = watchdog.close();
    await clock.advance(1_499);
    assert.equal(pidIsAlive(pid), true);
    await clock.advance(1);
    await closed;
    assert.equal(pidIsAlive(pid), false);
    assert.deepEqual([told.events, clock.pendingTimers], [[], 0]);
  });
}

test('a watchdog that is killed for its slowness leaves nobody standing whom it has stopped', {
  skip: requires('setsid'),
}, async (t) => {
  hygiene(t);
  const clock = manualClock();
  const slow = temporaryFolder(t);
  // It has stopped what it knows, and looks for the rest when its time is over: as on a machine that has no time for it.
  writeFileSync(join(slow, 'grep'), '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
  const watchdog = testWatchdog(t, {
    clock,
    spawn: ((program: string, args: readonly string[], options: SpawnOptions) =>
      spawn(program, args, { ...options, env: { ...options.env, PATH: `${slow}:/usr/bin:/bin` } })) as never,
  });
  const tree = await shellTree(t, 'echo up; sleep 60 & wait', { owner: watchdog, spawn });
  await firstLine(tree.stdout);
  const stray = await strayOf(t, watchdog);
  const pid = watchdog.pid ?? 0;
  const closed = watchdog.close();
  await waitFor(() => processState(tree.pid) === 'T', { what: 'the stop of what it knows' });
  await clock.advance(1_500);
  await closed;
  assert.equal(pidIsAlive(pid), false);
  for (const each of [tree.pid, stray.pid ?? 0]) await gone(each);
  assert.equal((await tree.exited).signal, 'SIGKILL');
  // What it had started to look with is nobody's: it ends by itself, sooner than here.
  for (const row of processTable())
    if (row.command === 'sleep' && environmentHolds(row.pid, `PATH=${slow}:/usr/bin:/bin`))
      process.kill(row.pid, 'SIGKILL');
});

test('a watchdog that is killed is started again and still knows the trees by their number alone', async (t) => {
  hygiene(t);
  const told = new Told();
  const watchdog = testWatchdog(t, { onEvent: told.listener });
  // Without environment: no token leads to it, only what the watchdog was told.
  const script = 'exec env -i /bin/sh -c "echo \\$\\$; exec /bin/sleep 60"';
  const tree = await shellTree(t, script, { owner: watchdog });
  assert.equal(Number(await firstLine(tree.stdout)), tree.pid);
  const first = watchdog.pid ?? 0;
  const lost = { kind: 'lost', code: null, signal: 'SIGKILL', restartMs: 100 };
  assert.deepEqual(await loss(watchdog, told), lost);
  assert.equal(watchdog.pid, null);
  assert.deepEqual(await told.next(), { kind: 'restarted' });
  assert.notEqual(watchdog.pid, first);
  await watchdog.close();
  await gone(tree.pid);
});

test('one that is lost again and again is started without a limit, ever later; a minute of life sets it back', async (t) => {
  hygiene(t);
  const clock = manualClock();
  const told = new Told();
  const watchdog = testWatchdog(t, { clock, shell: PATIENT, onEvent: told.listener });
  const pausesMs = [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000];
  for (const restartMs of pausesMs) {
    assert.deepEqual(await loss(watchdog, told), { kind: 'lost', code: null, signal: 'SIGKILL', restartMs });
    await restart(clock, told, restartMs);
  }
  await clock.advance(59_999);
  assert.deepEqual(await loss(watchdog, told), {
    kind: 'lost',
    code: null,
    signal: 'SIGKILL',
    restartMs: 30_000,
  });
  await restart(clock, told, 30_000);
  await clock.advance(60_000);
  assert.deepEqual(await loss(watchdog, told), {
    kind: 'lost',
    code: null,
    signal: 'SIGKILL',
    restartMs: 100,
  });
});

test('one that ends by itself is told with its code, and none is started after the close', async (t) => {
  hygiene(t);
  const clock = manualClock();
  const told = new Told();
  const watchdog = testWatchdog(t, { clock, shell: ['/bin/sh', '-c', 'exit 3'], onEvent: told.listener });
  assert.deepEqual(await told.next(), { kind: 'lost', code: 3, signal: null, restartMs: 100 });
  watchdog.watch(process.pid);
  await watchdog.close();
  assert.equal(clock.pendingTimers, 0);
  await clock.advance(60_000);
  assert.deepEqual([watchdog.pid, told.events.length], [null, 1]);
});

test('one that cannot be started is told once, and tried on until it can', async (t) => {
  hygiene(t);
  const clock = manualClock();
  const told = new Told();
  const shell = join(temporaryFolder(t), 'sh');
  const watchdog = testWatchdog(t, { clock, shell: [shell], onEvent: told.listener });
  assert.equal(watchdog.pid, null);
  assert.deepEqual(await told.next(), { kind: 'unavailable', code: 'ENOENT' });
  for (const restartMs of [100, 200]) {
    await waitFor(() => clock.pendingTimers === 1, { what: 'the next attempt to be set' });
    await clock.advance(restartMs);
  }
  await waitFor(() => clock.pendingTimers === 1, { what: 'the next attempt to be set' });
  symlinkSync('/bin/sh', shell);
  await restart(clock, told, 400);
  assert.equal(pidIsAlive(watchdog.pid ?? 0), true);
  assert.equal(told.events.length, 2);
});

test('a refusal that is thrown is no different, and nobody needs to listen', async (t) => {
  hygiene(t);
  const clock = manualClock();
  const told = new Told();
  const refuse = (): never => {
    throw Object.assign(new Error('spawn ENOMEM'), { code: 'ENOMEM' });
  };
  testWatchdog(t, { clock, spawn: refuse, onEvent: told.listener });
  assert.deepEqual(await told.next(), { kind: 'unavailable', code: 'ENOMEM' });
  const unheard = testWatchdog(t, { clock, spawn: refuse });
  await clock.advance(100);
  assert.deepEqual([unheard.pid, told.events.length, clock.pendingTimers], [null, 1, 2]);
});

test('on Windows there is none, and nothing is told', async (t) => {
  hygiene(t);
  const told = new Told();
  const watchdog = testWatchdog(t, { platform: 'win32', onEvent: told.listener });
  await watchdog.close();
  assert.deepEqual([watchdog.pid, told.events], [null, []]);
});
