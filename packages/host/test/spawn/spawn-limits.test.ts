import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitFor } from '@fairlead/testing';
import { ALLOWED, gateTool, passTurn } from '../host/gate-tool.ts';
import { hostRoom } from '../host/host-room.ts';
import { ADA } from '../sessions/session-room.ts';
import { childrenOf, ends, give, gives, onlyChild } from './give-tool.ts';

test('the seventeenth task at one time is spawn_too_many, also where all are given at once; one that ended makes room', async (t) => {
  const { extension, open } = gateTool();
  const many = Array.from({ length: 18 }, () => ({ name: 'leaf', async: true }));
  const room = await hostRoom(t, {
    scripts: {
      'agent:ann': [gives(...many), gives({ name: 'leaf', async: true })],
      'worker:leaf': [passTurn],
    },
    agents: [{ name: 'ann', max_iterations: 200, workers: [{ name: 'leaf' }] }],
    extensions: () => [give, extension],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  const before = ends.length;
  await room.say(session, 'go');
  await waitFor(() => ends.length === before + 18, { what: 'the answers' });
  const codes = ends.slice(before).map(({ certainty, code }) => `${certainty} ${code ?? 'given'}`);
  assert.deepEqual(codes.toSorted(), [
    ...Array.from({ length: 16 }, () => 'completed given'),
    ...Array.from({ length: 2 }, () => 'not_started spawn_too_many'),
  ]);
  assert.equal((await childrenOf(room, session)).length, 16);
  open();
  await room.host.idle();
  await room.ask(session, 'once more');
  assert.equal(ends.at(-1)?.certainty, 'completed');
  assert.equal((await childrenOf(room, session)).length, 17);
});

test('a task that cannot be given leaves its place', async (t) => {
  const wrong = Array.from({ length: 17 }, () => ({ name: 'nobody' }));
  const room = await hostRoom(t, {
    scripts: { 'agent:ann': [gives(...wrong), gives({ name: 'leaf' })] },
    agents: [{ name: 'ann', workers: [{ name: 'leaf' }] }],
    extensions: () => [give],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  await room.ask(session, 'go');
  await room.ask(session, 'again');
  assert.equal((await childrenOf(room, session)).length, 1);
});

test('the time of a run ends what it gave away, with its reason', async (t) => {
  const { extension, entered } = gateTool();
  const room = await hostRoom(t, {
    scripts: { 'agent:ann': [gives({ name: 'scout' })], 'worker:scout': [passTurn] },
    agents: [{ name: 'ann', workers: [{ name: 'scout' }] }],
    extensions: () => [give, extension],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  const run = room.host.runOnce({ session, text: 'go', from: ADA, timeoutMs: 5000 });
  await entered;
  room.floor.clock.advance(5000);
  const child = await onlyChild(room, session);
  // Nobody but the turn above it tells the child.
  const over = async () => (await room.told(child)).at(-1) === 'end cancelled turn_timeout';
  await waitFor(over, { what: 'the end of the child' });
  const { status, code } = await run;
  assert.deepEqual([status, code], ['cancelled', 'turn_timeout']);
});
