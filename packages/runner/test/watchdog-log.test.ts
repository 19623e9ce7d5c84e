import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { systemClock, systemRandom } from '@fairlead/base';
import { hygiene, temporaryFolder, waitFor } from '@fairlead/testing';
import { startRunner } from '../src/runner.ts';
import { logWatchdog } from '../src/watchdog-log.ts';

test('each event of the watchdog has its line', () => {
  const logged: unknown[] = [];
  const log = (...line: unknown[]): void => void logged.push(line);
  logWatchdog(log, { kind: 'lost', code: null, signal: 'SIGKILL', restartMs: 100 });
  logWatchdog(log, { kind: 'lost', code: 3, signal: null, restartMs: 200 });
  logWatchdog(log, { kind: 'restarted' });
  logWatchdog(log, { kind: 'unavailable', code: 'EAGAIN' });
  assert.deepEqual(logged, [
    ['warn', 'watchdog.lost', { signal: 'SIGKILL', restart_ms: 100 }],
    ['warn', 'watchdog.lost', { code: 3, restart_ms: 200 }],
    ['info', 'watchdog.restarted'],
    ['error', 'watchdog.unavailable', { code: 'EAGAIN' }],
  ]);
});

/** The watchdog that this process started. */
function watchdogPid(): number | undefined {
  return readdirSync('/proc')
    .filter((name) => /^[1-9]/.test(name))
    .map(Number)
    .find((pid) => {
      try {
        const parent = /\) \w (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1];
        return (
          Number(parent) === process.pid &&
          readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('/watchdog.sh')
        );
      } catch {
        return false;
      }
    });
}

test('a Runner whose watchdog is killed says so, and has another one', async (t) => {
  hygiene(t);
  const logged: string[] = [];
  const runner = await startRunner({
    runnerId: 'r1',
    gatewayUrl: 'http://127.0.0.1:9',
    token: 'fairlead_runner_planted-token',
    stateDirectory: temporaryFolder(t),
    env: process.env,
    platform: process.platform,
    clock: systemClock(),
    random: systemRandom(),
    log: (_level, event) => logged.push(event),
  });
  t.after(() => runner.close());
  const first = await waitFor(watchdogPid, { what: 'the watchdog' });
  process.kill(first, 'SIGKILL');
  await waitFor(() => logged.includes('watchdog.restarted'), { what: 'the next watchdog' });
  assert.deepEqual(
    logged.filter((event) => event.startsWith('watchdog.')),
    ['watchdog.lost', 'watchdog.restarted'],
  );
  assert.notEqual(await waitFor(watchdogPid, { what: 'the next watchdog' }), first);
});
