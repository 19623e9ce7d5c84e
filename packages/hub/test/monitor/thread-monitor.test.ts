import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { hygiene, temporaryFolder, waitFor } from '@fairlead/testing';
import { monitorLimits } from '../../src/limits.ts';
import { ACTIVITY } from '../../src/monitor/monitor-order.ts';
import { type BlockedThread, ThreadMonitor } from '../../src/monitor/thread-monitor.ts';

const fixture = fileURLToPath(new URL('../fixtures/block-thread.ts', import.meta.url));

test('an extension that keeps the thread is named on standard error within a second, while it keeps it', async (t) => {
  hygiene(t);
  // It keeps the thread until this is there: what is read before was said while it kept it.
  const said = join(temporaryFolder(t), 'said');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', fixture, said], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = text(child.stdout);
  let error = '';
  child.stderr.on('data', (chunk: Buffer) => {
    error += chunk.toString('utf8');
    if (error.includes('has not answered for')) writeFileSync(said, '');
  });
  const [code] = await new Promise<[number | null]>((resolve) => {
    child.once('close', (exit) => resolve([exit]));
  });
  assert.equal(code, 0, error);
  const named = /has not answered for (\d+) ms while the extension greedy runs in it/.exec(error);
  assert.ok(named !== null, error);
  assert.ok(Number(named[1]) >= monitorLimits.silenceMs, `named after ${named[1]} ms`);
  assert.ok(monitorLimits.pollMs + monitorLimits.silenceMs < 1000, 'what within a second promises');
  assert.equal(error.trim().split('\n').length, 1, 'said once');
  assert.equal((await output).trim(), '[["greedy",false],["greedy",true]]');
});

test('many short handlers, one after another, are not named', async (t) => {
  hygiene(t);
  const told: BlockedThread[] = [];
  await using monitor = new ThreadMonitor({
    onBlocked: (blocked) => told.push(blocked),
    pollMs: 5,
    silenceMs: 20_000,
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
