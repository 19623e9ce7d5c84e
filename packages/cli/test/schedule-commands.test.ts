import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { hostedMachine } from './hosted-machine.ts';
import { routedServer, success } from './loopback-server.ts';

const AT = Date.UTC(2026, 0, 2, 9);
const agent = { id: 'agt_1', name: 'fairlead' };
const NONE: JsonObject = {
  maxFires: null,
  expiresAtMs: null,
  fires: 0,
  failures: 0,
  lastCode: null,
  problem: null,
};
const SCHEDULES: readonly JsonObject[] = [
  {
    ...NONE,
    ...{ agent, id: 'morning', task: 'Look at the calendar.\u001b[31m', enabled: true, nextAtMs: AT },
    ...{ trigger: { kind: 'cron', cron: '0 9 * * *', zone: 'Europe/Berlin' }, target: { kind: 'fresh' } },
  },
  {
    ...NONE,
    ...{
      agent,
      id: 'tick',
      task: 'Tick.',
      enabled: false,
      nextAtMs: null,
      failures: 3,
      lastCode: 'turn_failed',
    },
    ...{ trigger: { kind: 'every', secs: 60 }, target: { kind: 'fresh' } },
  },
  {
    ...NONE,
    ...{ agent, id: 'odd', task: null, enabled: false, nextAtMs: null, trigger: null, target: null },
    problem: 'a schedule is an object',
  },
];

test('schedule list says what is planned, when it is due next, and why not', async (t) => {
  const { run, host } = hostedMachine(t);
  const server = await routedServer(t, {
    'GET /api/schedules': () => success({ schedules: [...SCHEDULES], more: false }),
    'GET /api/schedules?agent=nobody%20here': () => success({ schedules: [], more: false }),
  });
  await host(server.url);
  const { exit, stdout } = await run('schedule', 'list');
  assert.equal(exit, 0);
  assert.deepEqual(
    stdout.split('\n').map((line) => line.replaceAll(/ {2,}/g, '  ').trimEnd()),
    [
      'AGENT  ID  WHEN  NEXT  TASK',
      'fairlead  morning  0 9 * * * (Europe/Berlin)  2026-01-02T09:00:00Z  Look at the calendar. [31m',
      'fairlead  tick  every 60 s  off, failed 3 times (turn_failed)  Tick.',
      'fairlead  odd  -  cannot be read: a schedule is an object  -',
      '',
    ],
  );
  assert.deepEqual(JSON.parse((await run('schedule', 'list', '--json')).stdout), {
    schedules: SCHEDULES,
    more: false,
  });
  assert.match((await run('schedule', 'list', '--agent', 'nobody here')).stdout, /^nothing is planned; /);
});
