import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hygiene } from '@fairlead/testing';
import type { PlannedSchedule } from '../src/sessions/session-port.ts';
import { FakeSessions, FOX, OWL } from './fixture/fake-sessions.ts';
import { startGateway } from './fixture/gateway-fixture.ts';
import { ask } from './fixture/http-client.ts';

const planned = (agent: typeof FOX, id: string): PlannedSchedule => ({
  agent,
  line: {
    id,
    schedule: {
      trigger: { kind: 'every', ...{ secs: 60 } },
      task: 'Look around.',
      target: { kind: 'fresh' },
      enabled: true,
      maxFires: 3,
    },
    ...{ next: 1_800_000_000_000, fires: 2, failures: 0, lastCode: null },
  },
});

test('schedules are listed by agent, for who may read sessions, within the Runners of the token', async (t) => {
  hygiene(t);
  const sessions = new FakeSessions();
  sessions.planned.push(planned(FOX, 'a'), planned(OWL, 'b'), {
    agent: OWL,
    line: { id: 'c', problem: 'a schedule is an object', next: null, fires: 0, failures: 0, lastCode: null },
  });
  sessions.runners.set(FOX.id, ['one']);
  const gateway = await startGateway(t, { sessions });
  const { token } = gateway;
  const list = async (query: string, by = token) =>
    (await ask(gateway.port, { path: `/api/schedules${query}`, token: by })).envelope;
  const { output } = await list('');
  const { schedules } = output as unknown as { schedules: readonly { id: string }[] };
  assert.deepEqual(
    schedules.map(({ id }) => id),
    ['a', 'b', 'c'],
  );
  assert.deepEqual(schedules[0], {
    ...{ agent: { ...FOX }, id: 'a', trigger: { kind: 'every', secs: 60 }, task: 'Look around.' },
    ...{ target: { kind: 'fresh' }, enabled: true, maxFires: 3, expiresAtMs: null },
    ...{ nextAtMs: 1_800_000_000_000, fires: 2, failures: 0, lastCode: null, problem: null },
  });
  assert.equal((await list('?agent=nobody')).error?.code, 'agent_unknown');
  assert.equal((await list('?when=now')).error?.code, 'query_invalid');
  assert.equal((await list('', await gateway.mint(['admin']))).error?.code, 'insufficient_scope');
});
