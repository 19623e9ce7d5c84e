import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitFor } from '@fairlead/testing';
import { ALLOWED, gateTool, passTurn, sayTurn } from './gate-tool.ts';
import { hostRoom } from './host-room.ts';

test('a message is answered, and the next one after it', async (t) => {
  const room = await hostRoom(t, { scripts: { default: [sayTurn('One.'), sayTurn('Two.')] } });
  const session = await room.session('ann');
  await room.ask(session, 'first');
  await room.ask(session, 'second');
  assert.deepEqual(await room.told(session), [
    ...['Ada: first', 'ack ann 1', 'ann: One.', 'end completed'],
    ...['Ada: second', 'ack ann 1', 'ann: Two.', 'end completed'],
  ]);
});

test('messages during a turn are answered after it, in order and together (the seed lost all but the last)', async (t) => {
  const { extension, entered, open } = gateTool();
  const room = await hostRoom(t, {
    scripts: { default: [passTurn, { when: 'three', steps: [{ text: 'All three.' }] }] },
    extensions: () => [extension],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  await room.say(session, 'go');
  await entered;
  await room.say(session, 'one');
  await room.say(session, 'two');
  await room.say(session, 'three');
  open();
  await room.host.idle();
  assert.deepEqual(await room.told(session), [
    ...['Ada: go', 'ack ann 1', 'call pass', 'Ada: one', 'Ada: two', 'Ada: three'],
    ...['result completed: passed', 'ann: Done.', 'end completed'],
    ...['ack ann 3', 'ann: All three.', 'end completed'],
  ]);
});

test('two sessions take their turns side by side', async (t) => {
  const { extension, entered, open } = gateTool();
  const room = await hostRoom(t, {
    scripts: { default: [passTurn], 'agent:bob': [sayTurn('Here.')] },
    agents: [{ name: 'ann' }, { name: 'bob' }],
    extensions: () => [extension],
    policy: ALLOWED,
  });
  const held = await room.session('ann');
  const other = await room.session('bob');
  await room.say(held, 'go');
  await entered;
  await room.say(other, 'there?');
  await waitFor(async () => (await room.told(other)).includes('end completed'), {
    what: 'the other session',
  });
  assert.equal((await room.told(held)).at(-1), 'call pass');
  open();
  await room.host.idle();
  assert.equal((await room.told(held)).at(-1), 'end completed');
});

test('a message that mentions two agents wakes each, in the order of the mentions', async (t) => {
  const room = await hostRoom(t, {
    scripts: { 'agent:ann': [sayTurn('Ann here.')], 'agent:bob': [sayTurn('Bob here.')] },
    agents: [{ name: 'ann' }, { name: 'bob' }],
  });
  const session = await room.session('ann', 'bob');
  await room.ask(session, '@bob and @ann, are you there?');
  assert.deepEqual((await room.told(session)).slice(1), [
    ...['ack bob 1', 'bob: Bob here.', 'end completed'],
    ...['ack ann 1', 'ann: Ann here.', 'end completed'],
  ]);
});

test('two agents that mention each other stop when the burst is used up, and a person lets them go on', async (t) => {
  const ping = Array.from({ length: 9 }, () => sayTurn('@bob your turn'));
  const pong = Array.from({ length: 9 }, () => sayTurn('@ann your turn'));
  const room = await hostRoom(t, {
    scripts: { 'agent:ann': ping, 'agent:bob': pong },
    agents: [{ name: 'ann' }, { name: 'bob' }],
  });
  const session = await room.session('ann', 'bob');
  await room.host.sessions.setBurst(session, 3);
  await room.ask(session, 'begin');
  const turns = async () => (await room.told(session)).filter((line) => line.startsWith('ack'));
  assert.deepEqual(await turns(), ['ack ann 1', 'ack bob 1', 'ack ann 1']);
  await room.ask(session, 'go on');
  assert.equal((await turns()).length, 6);
});
