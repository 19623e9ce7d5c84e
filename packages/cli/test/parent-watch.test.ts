import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock, pidIsAlive } from '@fairlead/testing';
import {
  type ProcessIdentity,
  parseProcessStat,
  readProcessFromProc,
  watchNpm,
} from '../src/process/parent-watch.ts';

const own = 900;

/** A table of processes that a test changes, and a watch over it. */
function watch(
  table: Map<number, ProcessIdentity>,
  options: { readonly env?: Record<string, string>; readonly parent?: number } = {},
) {
  const clock = manualClock();
  const seen = { gone: 0, parent: options.parent ?? 800 };
  const stop = watchNpm({
    env: options.env ?? { npm_command: 'run-script' },
    pid: own,
    parentPid: () => seen.parent,
    clock,
    onGone: () => {
      seen.gone += 1;
    },
    read: (pid) => table.get(pid) ?? null,
  });
  return { clock, seen, stop };
}

function processes(
  ...rows: readonly (readonly [number, number, string, string?])[]
): Map<number, ProcessIdentity> {
  return new Map(rows.map(([pid, parent, name, startTime = '1']) => [pid, { pid, parent, name, startTime }]));
}

const underNpm = () => processes([800, 700, 'npm start'], [700, 1, 'bash']);
const underNpx = () => processes([800, 700, 'sh'], [700, 600, 'npm exec'], [600, 1, 'bash']);

test('without npm nothing is watched', async () => {
  const table = underNpm();
  const { clock, seen } = watch(table, { env: {} });
  table.clear();
  seen.parent = 1;
  await clock.advance(10_000);
  assert.equal(seen.gone, 0);
  assert.equal(clock.pendingTimers, 0);
});

test('while npm lives nothing happens', async () => {
  const { clock, seen, stop } = watch(underNpm());
  await clock.advance(60_000);
  assert.equal(seen.gone, 0);
  stop();
  assert.equal(clock.pendingTimers, 0);
});

test('the end of npm is told once, within a second', async () => {
  const table = underNpm();
  const { clock, seen } = watch(table);
  await clock.advance(5_000);
  table.delete(800);
  seen.parent = 1;
  await clock.advance(1_000);
  assert.equal(seen.gone, 1);
  await clock.advance(10_000);
  assert.equal(seen.gone, 1);
});

test('npm as a zombie is gone, although it is still the parent', async () => {
  const table = underNpm();
  const { clock, seen } = watch(table);
  // What reads the table answers null for state Z.
  table.delete(800);
  await clock.advance(1_000);
  assert.equal(seen.gone, 1);
});

test('another process under npm’s number is not npm', async () => {
  const table = underNpm();
  const { clock, seen } = watch(table);
  table.set(800, { pid: 800, parent: 700, name: 'npm start', startTime: '2' });
  await clock.advance(1_000);
  assert.equal(seen.gone, 1);
});

test('where the parent is a shell its parent is watched too', async () => {
  const table = underNpx();
  const { clock, seen } = watch(table);
  table.delete(700);
  table.set(800, { pid: 800, parent: 1, name: 'sh', startTime: '1' });
  await clock.advance(1_000);
  assert.equal(seen.gone, 1);
});

test('a parent that is no shell is the only one', async () => {
  const table = underNpm();
  const { clock, seen } = watch(table);
  table.delete(700);
  await clock.advance(5_000);
  assert.equal(seen.gone, 0);
});

test('without a table of processes the parent’s number still tells', async () => {
  const { clock, seen } = watch(new Map(), { env: { npm_execpath: '/usr/bin/npm' } });
  await clock.advance(5_000);
  assert.equal(seen.gone, 0);
  seen.parent = 1;
  await clock.advance(1_000);
  assert.equal(seen.gone, 1);
});

test('npm that ended while the launcher ran is told at once', () => {
  const env = { npm_command: 'start', FAIRLEAD_LAUNCHER: `${own} 800 700` };
  const { seen, clock } = watch(processes([1, 0, 'init']), { env, parent: 1 });
  assert.equal(seen.gone, 1);
  assert.equal(clock.pendingTimers, 0);
});

test('npx that ended while the launcher ran is told at once', () => {
  const env = { npm_command: 'exec', FAIRLEAD_LAUNCHER: `${own} 800 700` };
  const { seen } = watch(processes([800, 1, 'sh'], [1, 0, 'init']), { env });
  assert.equal(seen.gone, 1);
});

test('a launcher that saw the same parents, or no grandparent, changes nothing', async () => {
  for (const launcher of [`${own} 800 700`, `${own} 800 `]) {
    const env = { npm_command: 'exec', FAIRLEAD_LAUNCHER: launcher };
    const { seen, clock, stop } = watch(underNpx(), { env });
    await clock.advance(1_000);
    assert.equal(seen.gone, 0, launcher);
    stop();
  }
});

test('what another launcher left in the environment says nothing', () => {
  for (const launcher of ['555 1 1', 'nonsense', '']) {
    const { seen, stop } = watch(underNpm(), { env: { npm_command: 'start', FAIRLEAD_LAUNCHER: launcher } });
    assert.equal(seen.gone, 0, launcher);
    stop();
  }
});

test('a name with brackets and spaces does not shift the fields', () => {
  const rest = '7 8 9 0 -1 4194304 1 0 0 0 1 2 0 0 20 0 1 0 12345 0 0';
  assert.deepEqual(parseProcessStat(5, `5 (npm ) (x) R) S ${rest}`), {
    pid: 5,
    name: 'npm ) (x) R',
    parent: 7,
    startTime: '12345',
  });
  assert.equal(parseProcessStat(5, `5 (npm) Z ${rest}`), null);
  assert.equal(parseProcessStat(5, `5 (npm) X ${rest}`), null);
});

test('this process is read from /proc, an absent one is null', { skip: process.platform !== 'linux' }, () => {
  assert.equal(readProcessFromProc(process.pid)?.parent, process.ppid);
  assert.equal(pidIsAlive(process.pid), true);
  assert.equal(readProcessFromProc(2 ** 30), null);
});
