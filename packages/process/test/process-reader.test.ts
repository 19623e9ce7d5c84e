import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, manualClock, requires, temporaryFolder, waitFor } from '@fairlead/testing';
import { hasProc, parseStat, procReader } from '../src/process-table/process-reader.ts';
import { parsePs, psReader } from '../src/process-table/ps-reader.ts';

const REST = '0 -1 4194304 96 0 0 0 0 0 0 0 20 0';

test('a stat line is read from behind the last bracket, whatever the command is called', () => {
  assert.deepEqual(parseStat(42, `42 (a) Z 1 (b\n) c) S 7 8 9 ${REST} 3 0 186388 2322432 401\n`), {
    pid: 42,
    parent: 7,
    group: 8,
    session: 9,
    started: 186_388,
    ended: false,
  });
  assert.equal(parseStat(42, ''), null);
  assert.equal(parseStat(42, '42 (cut) S 7'), null);
});

test('a zombie has ended, unless threads of it run on', () => {
  const ended = (state: string, threads: number): boolean | undefined =>
    parseStat(1, `1 (x) ${state} 7 8 9 ${REST} ${threads} 0 5`)?.ended;
  assert.deepEqual(
    [ended('Z', 1), ended('Z', 2), ended('X', 0), ended('T', 1), ended('D', 1)],
    [true, false, true, false, false],
  );
});

test('the table of this machine holds this process and its child', async (t) => {
  hygiene(t);
  assert.equal(hasProc(), true);
  assert.equal(hasProc('/nonexistent'), false);
  const child = spawn('sleep', ['60'], {
    stdio: 'ignore',
    env: { PATH: process.env['PATH'] ?? '', MARK: 'a b' },
  });
  t.after(() => child.kill('SIGKILL'));
  await once(child, 'spawn');
  const reader = procReader();
  const table = await reader.read();
  const row = table.rows.get(child.pid ?? 0);
  assert.equal(row?.parent, process.pid);
  // In the middle of an exec the environment looks empty.
  await waitFor(() => table.environmentHolds(child.pid ?? 0, Buffer.from('MARK=a b')), {
    what: 'the environment of the child',
  });
  assert.equal(table.environmentHolds(child.pid ?? 0, Buffer.from('MARK=a c')), false);
  assert.equal(table.environmentHolds(4_194_304, Buffer.from('MARK')), false);
  assert.ok(row);
  assert.equal(reader.isCurrent(row), true);
  assert.equal(reader.isCurrent({ ...row, started: row.started + 1 }), false);
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.equal(reader.isCurrent(row), false);
});

test('those who ask in one tick share a reading; one who asks later gets a newer', async () => {
  const reader = procReader();
  const [first, second] = [reader.read(), reader.read()];
  assert.equal(first, second);
  const later = reader.read().then(() => reader.read());
  assert.notEqual(await first, await later);
});

test('a long table is read in slices, between which other work goes on', async (t) => {
  hygiene(t);
  const root = temporaryFolder(t);
  for (let pid = 1; pid <= 600; pid += 1) {
    mkdirSync(join(root, String(pid)));
    writeFileSync(join(root, String(pid), 'stat'), `${pid} (x) S 1 1 1 ${REST} 1 0 5`);
  }
  writeFileSync(join(root, 'version'), '');
  let turns = 0;
  const count = (): void => {
    turns += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  const { rows } = await procReader(root).read();
  clearImmediate(counting);
  assert.equal(rows.size, 600);
  assert.equal(turns >= 3, true);
});

test('a machine without a process table shows nobody', async () => {
  const { rows } = await procReader('/nonexistent').read();
  assert.equal(rows.size, 0);
});

test('lines of ps are read; the listing itself is left out', () => {
  const rows = parsePs('  1     0     1 Ss\n 20     1    20 Z+\nheading\n 21 20 20 R\n', 21);
  assert.deepEqual(
    [...rows.values()],
    [
      { pid: 1, parent: 0, group: 1, session: 1, started: 0, ended: false },
      { pid: 20, parent: 1, group: 20, session: 20, started: 0, ended: true },
    ],
  );
});

test('ps shows this process, knows no environments, and its absence is an empty table', {
  skip: requires('ps'),
}, async (t) => {
  hygiene(t);
  const reader = psReader(spawn, manualClock());
  const [table, same] = await Promise.all([reader.read(), reader.read()]);
  assert.equal(table, same);
  assert.equal(table.rows.get(process.pid)?.parent, process.ppid);
  assert.equal(table.environmentHolds(process.pid, Buffer.from('')), false);
  assert.equal(reader.row(process.pid), null);
  const missing = psReader(((_: string, args: string[], options: object) =>
    spawn('/nonexistent/ps', args, options)) as typeof spawn);
  assert.equal((await missing.read()).rows.size, 0);
});

test('a ps that never ends is killed after 0.5 s and shows nobody, whatever it wrote before', async (t) => {
  hygiene(t);
  const clock = manualClock();
  const said = Promise.withResolvers<void>();
  const stuck = ((_: string, _args: string[], options: object) => {
    const child = spawn('/bin/sh', ['-c', 'echo " 1 0 1 S"; exec sleep 61'], options);
    child.stdout?.once('data', () => said.resolve());
    return child;
  }) as typeof spawn;
  const table = psReader(stuck, clock).read();
  await said.promise;
  await clock.advance(500);
  assert.equal((await table).rows.size, 0);
});
