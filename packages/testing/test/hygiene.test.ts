import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, connect as netConnect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as importedSetTimeout } from 'node:timers';
import { promisify } from 'node:util';
import { hygiene, pidIsAlive, requires, temporaryFolder, waitFor } from '../src/index.ts';
import { fakeContext } from './fake-context.ts';

const quick = { graceMs: 40 };

async function failure(end: Promise<void>): Promise<string> {
  try {
    await end;
  } catch (error) {
    return String(error);
  }
  throw new Error('the guard did not fail');
}

const sleeper = (): ChildProcess => spawn('sleep', ['60'], { stdio: 'ignore' });

/** A process that has just started may still bear the name of whoever started it. */
const sleeps = (pid: number | undefined) =>
  waitFor(() => readFileSync(`/proc/${pid}/comm`, 'utf8') === 'sleep\n', { what: 'the sleep' });

test('a test that leaves nothing passes', async () => {
  const t = fakeContext();
  const guard = hygiene(t);
  const child = spawn('true');
  await once(child, 'exit');
  assert.deepEqual(
    guard.leftovers().filter((line) => line.startsWith('process')),
    [],
  );
  await t.end();
});

test('what is ending when the test ends is waited for', async () => {
  const t = fakeContext();
  hygiene(t);
  const child = sleeper();
  child.kill('SIGKILL');
  await t.end();
  assert.equal(pidIsAlive(child.pid ?? 0), false);
});

test('a child left running fails the test, is named, and is ended', async () => {
  const t = fakeContext();
  hygiene(t, quick);
  const child = sleeper();
  const closed = once(child, 'close');
  await sleeps(child.pid);
  const message = await failure(t.end());
  assert.match(message, new RegExp(`process ${child.pid} \\(sleep, state [A-Z]\\)`));
  await closed;
  assert.equal(child.signalCode, 'SIGKILL');
});

test('a grandchild that was given to another parent is found by its environment', {
  skip: requires('setsid'),
}, async () => {
  const t = fakeContext();
  hygiene(t, quick);
  const child = spawn('sh', ['-c', 'setsid sleep 60 >/dev/null 2>&1 & echo $!'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [printed] = await once(child.stdout, 'data');
  await once(child, 'close');
  const pid = Number(String(printed));
  assert.equal(pidIsAlive(pid), true);
  await sleeps(pid);
  const message = await failure(t.end());
  assert.match(message, new RegExp(`process ${pid} \\(sleep`));
  await waitFor(() => !pidIsAlive(pid), { what: 'the grandchild to be ended' });
});

test('a zombie counts as dead', async () => {
  const t = fakeContext();
  hygiene(t);
  // The shell becomes a program that never collects its children; the child ends once it has.
  const child = 'while ! grep -q sleep /proc/$PPID/comm; do :; done';
  const parent = spawn('sh', ['-c', `sh -c '${child}' & echo $!; exec sleep 60`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [printed] = await once(parent.stdout, 'data');
  const pid = Number(String(printed));
  await waitFor(() => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(' Z '), { what: 'the zombie' });
  assert.equal(pidIsAlive(pid), false);
  parent.kill('SIGKILL');
  await once(parent, 'close');
  await t.end();
});

test('a listening server left open fails the test and is named with its port', async () => {
  const t = fakeContext();
  hygiene(t, quick);
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  assert.match(await failure(t.end()), new RegExp(`handle: Server \\(listening on .*"port":${port}`));
  server.close();
  await once(server, 'close');
});

test('an open socket fails the test, also one that the event loop does not wait for', async () => {
  const server = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  for (const unref of [false, true]) {
    const t = fakeContext();
    hygiene(t, quick);
    server.unref();
    const accepted = once(server, 'connection');
    const socket = netConnect(port, '127.0.0.1');
    await once(socket, 'connect');
    const [peer] = await accepted;
    if (unref) {
      socket.unref();
      peer.unref();
    }
    assert.match(
      await failure(t.end()),
      unref ? /an open socket \(socket:/ : new RegExp(`remotePort ${port}`),
    );
    socket.destroy();
    peer.destroy();
    await once(socket, 'close');
    server.ref();
  }
  server.close();
  await once(server, 'close');
});

test('a timer left running fails the test and is named by the place it was set at', async () => {
  const t = fakeContext();
  hygiene(t, quick);
  const interval = setInterval(() => {}, 60_000);
  assert.match(await failure(t.end()), /timer: setInterval at .*hygiene\.test\.ts:\d+:\d+/);
  assert.equal(interval.hasRef() && Reflect.get(interval, '_destroyed') !== true, false);
});

test('a timer set through the module is counted too', async () => {
  const t = fakeContext();
  hygiene(t, quick);
  const timer = importedSetTimeout(() => {}, 60_000);
  assert.match(await failure(t.end()), /timer: 1 × a timer that was not set through the global functions/);
  clearTimeout(timer);
});

test('a fired, a cleared and an unreferenced timer are no leftovers', async () => {
  const t = fakeContext();
  hygiene(t, quick);
  await promisify(setTimeout)(1);
  await new Promise<void>((resolve) => setTimeout(resolve, 1));
  clearTimeout(setTimeout(() => {}, 60_000));
  const resting = setTimeout(() => {}, 60_000).unref();
  await t.end();
  clearTimeout(resting);
});

test('the global timer functions are put back', async () => {
  const originals = [globalThis.setTimeout, globalThis.setInterval];
  const t = fakeContext();
  hygiene(t);
  assert.notEqual(globalThis.setTimeout, originals[0]);
  await t.end();
  assert.deepEqual([globalThis.setTimeout, globalThis.setInterval], originals);
});

test('a file left in the temporary folder fails the test; the folder is then removed', async () => {
  const t = fakeContext();
  const { temporaryRoot } = hygiene(t, quick);
  assert.equal(tmpdir(), temporaryRoot);
  mkdirSync(join(tmpdir(), 'some'));
  writeFileSync(join(tmpdir(), 'some', 'left.txt'), '');
  const message = await failure(t.end());
  assert.match(message, /file: some \(a folder\)\n/);
  assert.match(message, /file: some\/left\.txt$/);
  assert.notEqual(tmpdir(), temporaryRoot);
  assert.throws(() => readFileSync(join(temporaryRoot, 'some', 'left.txt')), { code: 'ENOENT' });
});

test('a FIFO left in the temporary folder is named as one', async () => {
  const t = fakeContext();
  hygiene(t, quick);
  assert.equal(spawnSync('mkfifo', [join(tmpdir(), 'pipe')]).status, 0);
  assert.match(await failure(t.end()), /file: pipe \(a FIFO\)/);
});

test('hooks given after the guard run before its check, the last one first, all of them', async () => {
  const t = fakeContext();
  hygiene(t, quick);
  const order: string[] = [];
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'kept'), '');
  t.after(() => order.push('first'));
  t.after(async () => {
    throw new Error('the hook failed');
  });
  t.after(() => order.push('last'));
  assert.match(await failure(t.end()), /the hook failed/);
  assert.deepEqual(order, ['last', 'first']);
});

test('a failing hook and a leftover are both told', async () => {
  const t = fakeContext();
  hygiene(t, quick);
  writeFileSync(join(tmpdir(), 'left'), '');
  t.after(() => {
    throw new Error('the hook failed');
  });
  const message = await failure(t.end());
  assert.match(message, /the hook failed/);
  assert.match(message, /file: left/);
});

test('what was there before the guard is not its business', async () => {
  const child = sleeper();
  const interval = setInterval(() => {}, 60_000);
  const outer = fakeContext();
  hygiene(outer);
  const t = fakeContext();
  hygiene(t);
  await t.end();
  clearInterval(interval);
  child.kill('SIGKILL');
  await once(child, 'close');
  await outer.end();
});

test('under the test runner a leftover fails the test that left it, and the run ends', () => {
  const run = spawnSync(
    process.execPath,
    ['--test', '--test-reporter=spec', join(import.meta.dirname, 'fixtures', 'leaves-a-child.ts')],
    { encoding: 'utf8', env: { PATH: process.env['PATH'] ?? '' }, timeout: 120_000 },
  );
  assert.equal(run.status, 1);
  assert.match(run.stdout, /✖ leaves a child/);
  assert.match(run.stdout, /process \d+ \(sleep, state [A-Z]\)/);
  assert.match(run.stdout, /✔ leaves nothing/);
});
