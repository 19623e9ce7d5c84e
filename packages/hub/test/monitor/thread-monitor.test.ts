import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { hygiene, waitFor } from '@fairlead/testing';
import { ACTIVITY } from '../../src/monitor/monitor-order.ts';
import { type BlockedThread, ThreadMonitor } from '../../src/monitor/thread-monitor.ts';

const fixture = fileURLToPath(new URL('../fixtures/block-thread.ts', import.meta.url));

test('an extension that keeps the thread is named on standard error within a second, while it keeps it', async (t) => {
  hygiene(t);
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', fixture, '2500'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = text(child.stdout);
  let saidWhileHeld = false;
  let error = '';
  child.stderr.on('data', (chunk: Buffer) => {
    error += chunk.toString('utf8');
    // Nothing of the fixture's own is printed before the thread is free again.
    saidWhileHeld = child.stdout.readableLength === 0;
  });
  const [code] = await new Promise<[number | null]>((resolve) => {
    child.once('close', (exit) => resolve([exit]));
  });
  assert.equal(code, 0, error);
  const said = /has not answered for (\d+) ms while the extension greedy runs in it/.exec(error);
  assert.ok(said !== null, error);
  assert.ok(Number(said[1]) < 1000, `named after ${said[1]} ms`);
  assert.equal(error.trim().split('\n').length, 1, 'said once');
  assert.ok(saidWhileHeld);
  const told = (await output).trim().split('\n').at(-1);
  assert.equal(told, '[["greedy",false],["greedy",true]]');
});

test('many short handlers, one after another, are not named', async (t) => {
  hygiene(t);
  const told: BlockedThread[] = [];
  await using monitor = new ThreadMonitor({
    onBlocked: (blocked) => told.push(blocked),
    pollMs: 5,
    silenceMs: 2000,
  });
  const number = monitor.add('busy');
  Atomics.store(monitor.activity, ACTIVITY.extension, number);
  // The event loop turns between them, so that questions are answered.
  await waitFor(() => (monitor.activity[ACTIVITY.answered] ?? 0) >= 20, { what: '20 answers' });
  assert.deepEqual(told, []);
});

test('a host whose monitor cannot be loaded, as without descriptors, goes on without it', async (t) => {
  hygiene(t);
  const lost = Promise.withResolvers<Error>();
  await using monitor = new ThreadMonitor({
    onBlocked: () => {},
    onLost: lost.resolve,
    program: new URL('./not-there.ts', import.meta.url),
  });
  assert.match((await lost.promise).message, /not-there\.ts/);
  assert.equal(monitor.add('late'), 1);
});
