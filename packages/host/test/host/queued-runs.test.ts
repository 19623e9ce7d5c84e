import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitFor } from '@fairlead/testing';
import type { RunReport } from '../../src/host/agent-host.ts';
import { ADA } from '../sessions/session-room.ts';
import { ALLOWED, gateTool, passTurn, sayTurn } from './gate-tool.ts';
import { type HostRoom, hostRoom } from './host-room.ts';

type Test = Parameters<typeof hostRoom>[0];

/** A session in which a turn of ann runs, and a run of bob waits behind it. */
async function queued(t: Test) {
  const { extension, entered, open } = gateTool();
  const room = await hostRoom(t, {
    scripts: { 'agent:ann': [passTurn], 'agent:bob': [sayTurn('Hi.')] },
    agents: [{ name: 'ann' }, { name: 'bob' }],
    extensions: () => [extension],
    policy: ALLOWED,
  });
  const session = await room.session('ann', 'bob');
  const first = room.host.runOnce({ session, text: 'a', agent: 'ann', from: ADA });
  await entered;
  const posted = Promise.withResolvers<string>();
  const second = room.host.runOnce({ session, text: 'b', agent: 'bob', from: ADA, posted: posted.resolve });
  return { room, session, first, second, open, entry: await posted.promise };
}

const codeOf = ({ turn, status, code }: RunReport) => [turn, status, code];

async function nothingWaits(room: HostRoom): Promise<void> {
  await room.host.idle();
  assert.equal((await room.host.status()).waiting, 0);
}

test('a queued run answers when its session is closed', async (t) => {
  const { room, session, first, second } = await queued(t);
  await room.host.closeSession(session);
  assert.deepEqual(codeOf(await second), [null, 'cancelled', 'session_closed']);
  assert.equal((await first).status, 'cancelled');
  await nothingWaits(room);
});

test('a queued run answers when its agent is detached, while the turn before it goes on', async (t) => {
  const { room, session, first, second, open } = await queued(t);
  await room.host.command({
    session,
    line: '/agent remove bob',
    by: { id: 'tok_1', scopes: ['session:read', 'session:write', 'admin'] },
  });
  assert.deepEqual(codeOf(await second), [null, 'cancelled', 'agent_not_attached']);
  open();
  assert.equal((await first).status, 'completed');
  await nothingWaits(room);
});

test('a queued run answers when what it said is retracted', async (t) => {
  const { room, session, first, second, entry, open } = await queued(t);
  const taken = `UPDATE wakes SET state = 'ignored', reason = 'retracted' WHERE entry = ?`;
  await room.floor.store.write([{ sql: taken, parameters: [entry] }]);
  await room.say(session, 'something else');
  assert.deepEqual(codeOf(await second), [null, 'cancelled', 'turn_cancelled']);
  open();
  await first;
  await nothingWaits(room);
});

test('a run that is posted as the host is paused answers', async (t) => {
  const room = await hostRoom(t, { scripts: { default: [sayTurn('Hi.')] }, policy: ALLOWED });
  const session = await room.session('ann');
  const { promise: posted, resolve } = Promise.withResolvers<void>();
  let pausing: Promise<boolean> | undefined;
  const run = room.host.runOnce({
    ...{ session, text: 'a', from: ADA },
    posted: () => {
      pausing = room.host.pause();
      resolve();
    },
  });
  await posted;
  assert.deepEqual(codeOf(await run), [null, 'cancelled', 'host_paused']);
  assert.equal(await pausing, true);
  await waitFor(() => room.host.running(session) === undefined, { what: 'the end' });
});
