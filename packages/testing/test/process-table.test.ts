import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { hygiene, pidIsAlive, requires } from '../src/index.ts';
import { environmentHolds, processTable, processTableOfPs } from '../src/process-table.ts';

test('a process lives until it has ended', async (t) => {
  hygiene(t);
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  assert.equal(pidIsAlive(pid), true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.equal(pidIsAlive(pid), false);
});

test('a command with brackets and spaces does not shift the fields', async (t) => {
  hygiene(t);
  const child = spawn(
    process.execPath,
    ['-e', 'process.title = ") R (x y) "; console.log(1); setInterval(() => {}, 1e6)'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  t.after(async () => {
    child.kill('SIGKILL');
    await once(child, 'close');
  });
  await once(child.stdout, 'data');
  const row = processTable().find(({ pid }) => pid === child.pid);
  assert.equal(row?.parent, process.pid);
  assert.equal(row?.command, ') R (x y) ');
});

test('the table of ps agrees with the one of /proc', { skip: requires('ps') }, (t) => {
  hygiene(t);
  const [own] = processTableOfPs(['-p', String(process.pid)]);
  assert.equal(own?.parent, process.ppid);
  assert.equal(own?.state === 'S' || own?.state === 'R', true);
  assert.deepEqual(processTableOfPs(['-p', '4194304']), []);
});

test('an environment entry is matched whole', async (t) => {
  hygiene(t);
  const child = spawn('sleep', ['60'], {
    stdio: 'ignore',
    env: { PATH: process.env['PATH'] ?? '', TOKEN: 'abc' },
  });
  t.after(async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  assert.equal(environmentHolds(pid, 'TOKEN=abc'), true);
  assert.equal(environmentHolds(pid, 'TOKEN=ab'), false);
  assert.equal(environmentHolds(pid, 'OKEN=abc'), false);
  assert.equal(environmentHolds(4_194_304, 'TOKEN=abc'), false);
});
