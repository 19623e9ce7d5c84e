// What the system did that Fairlead grew out of, around sessions and agents, as far as the whole host has to hold it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitFor } from '@fairlead/testing';
import { copyTo, hostFloor } from '../host-floor.ts';
import { ADA } from '../sessions/session-room.ts';
import { sayTurn } from './gate-tool.ts';
import { hostRoom } from './host-room.ts';

const two = {
  scripts: {
    'agent:ann': [sayTurn('Ann.'), sayTurn('Ann.')],
    'agent:bob': [sayTurn('Bob.'), sayTurn('Bob.')],
  },
  agents: [{ name: 'ann' }, { name: 'bob' }],
};
const answers = (lines: readonly string[]) => lines.filter((line) => /^(ann|bob):/.test(line));

test('session agents: a mention beats the host agent, whom the caller names beats a mention, an unknown mention falls through', async (t) => {
  const room = await hostRoom(t, two);
  const session = await room.session('ann', 'bob');
  await room.ask(session, '@bob?');
  await room.host.post({ session, text: '@bob?', from: ADA, agent: 'ann' });
  await room.host.idle();
  await room.ask(session, '@carl?');
  assert.deepEqual(answers(await room.told(session)), ['bob: Bob.', 'ann: Ann.', 'ann: Ann.']);
});

test('session agents: detaching the host agent clears it, and nobody answers until somebody is named', async (t) => {
  const room = await hostRoom(t, two);
  const session = await room.session('ann', 'bob');
  await room.host.sessions.detach(session, 'ann');
  await room.ask(session, 'anybody?');
  assert.deepEqual(answers(await room.told(session)), []);
  await room.ask(session, '@bob?');
  assert.deepEqual(answers(await room.told(session)), ['bob: Bob.']);
});

test('server: what another peer writes wakes as what is written here does, once, and only agents that are at home here', async (t) => {
  const room = await hostRoom(t, two);
  const there = await hostFloor(t, { seed: 2 });
  const session = await room.session('ann');
  const here = await room.host.sessions.open(session);
  await here.access.grant(there.peer.peerId, 'append');
  const copy = await copyTo(there, here);
  const said = { type: 'message', at: 1, from: { ...ADA }, text: 'from afar', mentions: [] };
  await copy.table('entries').append(said);
  await copyTo(room.floor, copy);
  await copyTo(room.floor, copy);
  await waitFor(async () => (await room.told(session)).includes('end completed'), { what: 'the answer' });
  await room.host.idle();
  assert.deepEqual(answers(await room.told(session)), ['ann: Ann.']);
});

test('server: an edit of an agent is in force at its next turn, and reading the same file again does not undo it', async (t) => {
  const room = await hostRoom(t, {
    ...two,
    scripts: {
      default: [{ steps: [{ text: 'A.' }] }, { steps: [{ text: 'B.', expect: { absent: ['x'] } }] }],
    },
    agents: [{ name: 'ann', model: 'local/script' }],
  });
  const session = await room.session('ann');
  const models = async () =>
    (await room.entries(session)).flatMap((entry) => (entry.type === 'ack' ? [entry.model] : []));
  await room.ask(session, 'one');
  const [agent] = await room.host.agents.list();
  await (await room.host.agents.open(agent?.id ?? '')).doc('config').set(['model'], 'local/other');
  await room.host.reloadAgents();
  await room.ask(session, 'two');
  assert.deepEqual(await models(), ['local/script', 'local/other']);
});

test('server: a session is opened for extensions once, however many come at the same moment', async (t) => {
  const room = await hostRoom(t, two);
  const session = await room.host.sessions.create({ agents: ['ann'] });
  await Promise.all([
    room.host.openSession(session),
    room.host.openSession(session),
    room.ask(session, 'hello'),
  ]);
  assert.deepEqual(answers(await room.told(session)), ['ann: Ann.']);
});
