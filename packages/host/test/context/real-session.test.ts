import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TurnContext } from '../../src/context/turn-context.ts';
import { postMessage } from '../../src/sessions/post-entry.ts';
import { beginTurn, endTurn } from '../../src/sessions/turns.ts';
import { pendingWakes } from '../../src/sessions/wakes.ts';
import { copyTo, hostFloor } from '../host-floor.ts';
import { ADA, NO_USAGE, room } from '../sessions/session-room.ts';
import { STEP } from './talk.ts';

test('two turns over a real store: what came during the first is answered by the second, in its place', async (t) => {
  const all = await room(t);
  const { agents, sessions, store, peer } = all;
  const { id } = await agents.create('scout');
  const scout = { id, name: 'scout' };
  const session = await sessions.create({ agents: [scout.id] });
  const database = await sessions.open(session);
  const contextOf = async (turn: string) => {
    const wakes = await pendingWakes(store, session);
    const first = wakes.slice(0, 1);
    await beginTurn(all, { turn, session, agent: scout, model: 'local/m', wakes: first });
    const waiting = new Set((await pendingWakes(store, session)).map(({ entry }) => entry));
    const asked = first.map(({ entry }) => entry);
    return new TurnContext({ database, peerId: peer.peerId, agent: scout, turn, asked, waiting });
  };
  const post = (text: string) => postMessage(all, { session, text, from: ADA });
  await post('first');
  await post('second');
  const one = await (await contextOf('trn_1')).assemble(STEP);
  assert.deepEqual(one.messages, [{ role: 'user', text: 'first' }]);
  const said = { type: 'message', text: 'answer', mentions: [], turn: 'trn_1', step: 0 } as const;
  await endTurn(all, {
    ...{
      turn: 'trn_1',
      session,
      agent: scout,
      status: 'completed',
      usage: NO_USAGE,
      nanousd: null,
      steps: 1,
    },
    entries: [said],
  });
  const two = await (await contextOf('trn_2')).assemble(STEP);
  assert.deepEqual(two.messages, [
    { role: 'user', text: 'first' },
    { role: 'assistant', text: 'answer' },
    { role: 'user', text: 'second' },
  ]);
  const elsewhere = await hostFloor(t, { seed: 2 });
  const copy = await copyTo(elsewhere, database);
  const there = new TurnContext({
    database: copy,
    peerId: elsewhere.peer.peerId,
    agent: scout,
    asked: [],
  });
  assert.deepEqual(
    (await there.assemble(STEP)).messages.map(({ text }) => text),
    ['first', 'second', 'scout: answer'],
  );
});
