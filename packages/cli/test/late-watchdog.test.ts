import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandom } from '@fairlead/base';
import { startWatchdog } from '@fairlead/process';
import { hygiene, pidIsAlive } from '@fairlead/testing';
import { LateWatchdog } from '../src/host/late-watchdog.ts';

test('a watchdog is started by the first program that needs it, once, and ended with its host', async (t) => {
  hygiene(t);
  let starts = 0;
  const late = new LateWatchdog(() => {
    starts += 1;
    return startWatchdog({ random: systemRandom() });
  });
  assert.equal(starts, 0);
  const { token } = late;
  assert.match(token, /^[\w-]{20,}$/);
  late.watch(process.pid);
  late.forget(process.pid);
  assert.ok(late.processes !== undefined && late.pipes !== undefined);
  const { pid } = late;
  assert.ok(pid !== null && pidIsAlive(pid));
  assert.equal(late.token, token);
  assert.equal(starts, 1);
  await late[Symbol.asyncDispose]();
  assert.equal(pidIsAlive(pid), false);
});

test('one that nobody needed is no process', async () => {
  const late = new LateWatchdog(() => assert.fail('nobody needs it'));
  await late[Symbol.asyncDispose]();
});
