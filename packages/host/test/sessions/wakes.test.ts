import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hygiene } from '@fairlead/testing';
import type { Speaker } from '../../src/entries/entry.ts';
import { postMessage } from '../../src/sessions/post-entry.ts';
import { beginTurn, endTurn, speakerOf } from '../../src/sessions/turns.ts';
import { nextTurn, pendingWakes } from '../../src/sessions/wakes.ts';
import { copyTo } from '../host-floor.ts';
import { ADA, NO_USAGE, type Room, room } from './session-room.ts';

type Context = Parameters<typeof hygiene>[0] & { after(hook: () => unknown): void };

async function setUp(t: Context) {
  hygiene(t);
  const made = await room(t);
  const ann = await made.agents.create('ann');
  const bob = await made.agents.create('bob');
  const session = await made.sessions.create({ agents: ['ann', 'bob'] });
  let turns = 0;
  /** One turn from beginning to end; what it answered. */
  const answer = async (agent = ann, status: 'completed' | 'silent' | 'failed' = 'completed') => {
    turns += 1;
    const turn = `trn_${turns}`;
    const next = nextTurn(await pendingWakes(made.store, session));
    const wakes = next?.agent === agent.id ? next.wakes : [];
    await beginTurn(made, { turn, session, agent, model: 'local/m', wakes });
    await endTurn(made, { turn, session, agent, status, usage: NO_USAGE, nanousd: null, steps: 1 });
    return wakes.length;
  };
  return { made, ann, bob, session, answer };
}

const text = (said: string) => ({ type: 'message', text: said, mentions: [] }) as const;

async function woken(made: Room, session: string, said: string, from: Speaker): Promise<readonly string[]> {
  const before = (await made.wakes(session)).length;
  await made.say(session, text(said), from);
  await made.fed();
  return (await made.wakes(session)).slice(before);
}

test('people and clients wake who is mentioned, in order, else the host agent; extensions and the host wake nobody', async (t) => {
  const { made, session } = await setUp(t);
  assert.deepEqual(await woken(made, session, 'hello', ADA), ['ann:pending']);
  assert.deepEqual(await woken(made, session, '@bob then @ann', ADA), ['bob:pending', 'ann:pending']);
  assert.deepEqual(await woken(made, session, '@Bob', { kind: 'client', id: 'token:1' }), ['bob:pending']);
  assert.deepEqual(await woken(made, session, 'hi', { kind: 'client', id: 'ext:irc/eve' }), ['ann:pending']);
  assert.deepEqual(await woken(made, session, '@ann', { kind: 'extension', id: 'irc' }), []);
  assert.deepEqual(await woken(made, session, '@ann', { kind: 'host', id: 'host' }), []);
  await made.sessions.setHost(session, null);
  assert.deepEqual(await woken(made, session, 'anybody?', ADA), []);
  await made.sessions.close(session);
  assert.deepEqual(await woken(made, session, '@ann', ADA), []);
});

test('a directive wakes the host agent or whom it names, unless an extension wrote it', async (t) => {
  const { made, session, bob } = await setUp(t);
  const schedule = { kind: 'schedule', id: 'daily' } as const;
  await made.say(session, { type: 'directive', text: 'report @bob' }, schedule);
  await made.say(session, { type: 'directive', text: 'report', agent: bob.id }, schedule);
  await made.say(session, { type: 'directive', text: 'report', agent: 'agt_other' }, schedule);
  await made.say(session, { type: 'directive', text: 'report' }, { kind: 'extension', id: 'irc' });
  await made.fed();
  assert.deepEqual(await made.wakes(session), ['ann:pending', 'bob:pending']);
});

test('an agent wakes another that it mentions, never itself, and only with its last words', async (t) => {
  const { made, session, ann } = await setUp(t);
  const from = speakerOf(ann);
  assert.deepEqual(await woken(made, session, 'I, @ann, ask @bob', from), ['bob:pending']);
  assert.deepEqual(await woken(made, session, 'nobody', from), []);
  await made.say(session, { ...text('@bob'), final: false }, from);
  await made.fed();
  assert.equal((await made.wakes(session)).length, 1);
});

test('agents stop waking each other after the burst, silent and failed turns among it, until a person speaks', async (t) => {
  const { made, session, ann, bob, answer } = await setUp(t);
  await made.sessions.setBurst(session, 3);
  await made.say(session, text('begin'));
  await made.fed();
  await answer(ann, 'failed');
  await answer(bob, 'silent');
  assert.deepEqual(await woken(made, session, '@bob', speakerOf(ann)), ['bob:pending']);
  assert.equal(await answer(bob), 1);
  assert.deepEqual(await woken(made, session, '@ann', speakerOf(bob)), []);
  await made.say(
    session,
    { type: 'message', text: '@nobody', mentions: [] },
    { kind: 'client', id: 'token:1' },
  );
  assert.deepEqual((await woken(made, session, '@ann', speakerOf(bob))).at(-1), 'ann:pending');
});

test('consecutive messages to one agent are one turn, whose ack names them all; a directive is a turn of its own', async (t) => {
  const { made, session, ann } = await setUp(t);
  for (const said of ['one', 'two']) await made.say(session, text(said));
  await made.say(session, { type: 'directive', text: 'task' });
  for (const said of ['three', '@bob', 'four', 'five']) await made.say(session, text(said));
  await made.fed();
  const groups: (readonly [string, number])[] = [];
  for (let turn = 0; turn < 10; turn += 1) {
    const next = nextTurn(await pendingWakes(made.store, session));
    if (next === undefined) break;
    const agent = next.agent === ann.id ? ann : await made.agents.resolve('bob');
    groups.push([agent.name, next.wakes.length]);
    await beginTurn(made, { turn: `trn_${turn}`, session, agent, model: 'local/m', wakes: next.wakes });
    const end = {
      turn: `trn_${turn}`,
      session,
      agent,
      status: 'completed',
      usage: NO_USAGE,
      nanousd: 0,
      steps: 1,
    } as const;
    assert.equal(await endTurn(made, end), true);
    assert.equal(await endTurn(made, end), false);
  }
  assert.deepEqual(groups, [
    ['ann', 2],
    ['ann', 1],
    ['ann', 1],
    ['bob', 1],
    ['ann', 2],
  ]);
  assert.ok((await made.wakes(session)).every((wake) => wake.endsWith(':done')));
  assert.deepEqual(
    (await made.entries(session)).slice(7, 9).map((entry) => (entry as { type: string }).type),
    ['ack', 'turn_end'],
  );
});

test('one turn of a session at a time, and what was taken is not taken again', async (t) => {
  const { made, session, ann } = await setUp(t);
  await made.say(session, text('one'));
  await made.fed();
  const wakes = nextTurn(await pendingWakes(made.store, session))?.wakes ?? [];
  await beginTurn(made, { turn: 'trn_1', session, agent: ann, model: 'local/m', wakes });
  const again = { session, agent: ann, model: 'local/m' };
  await assert.rejects(beginTurn(made, { ...again, turn: 'trn_2', wakes: [] }), { code: 'turn_running' });
  await assert.rejects(beginTurn(made, { ...again, turn: 'trn_3', wakes }), { code: 'turn_running' });
  assert.deepEqual(await made.wakes(session), ['ann:taken']);
  assert.equal((await made.entries(session)).length, 2);
});

test('a key stands for one entry, also when both come at once', async (t) => {
  const { made, session } = await setUp(t);
  const message = { session, text: '@bob hi', key: 'k1', from: ADA };
  const [one, two] = await Promise.all([postMessage(made, message), postMessage(made, message)]);
  assert.equal(one.id, two.id);
  assert.deepEqual([one.again, two.again].sort(), [false, true]);
  assert.equal((await postMessage(made, message)).id, one.id);
  assert.notEqual((await postMessage(made, { ...message, key: 'k2' })).id, one.id);
  await made.fed();
  assert.deepEqual(await made.wakes(session), ['bob:pending', 'bob:pending']);
  await made.sessions.close(session);
  assert.equal((await postMessage(made, message)).id, one.id);
  await assert.rejects(postMessage(made, { ...message, key: 'k3' }), { code: 'session_closed' });
  await assert.rejects(postMessage(made, { ...message, key: '' }), { code: 'entry_invalid' });
});

test('a message may name its agent, which must take part', async (t) => {
  const { made, session, bob } = await setUp(t);
  const posted = await postMessage(made, { session, text: 'for @ann', agent: 'BOB', from: ADA });
  assert.deepEqual(posted.woken, [bob.id]);
  await made.fed();
  assert.deepEqual(await made.wakes(session), ['bob:pending']);
  const other = postMessage(made, { session, text: 'x', agent: 'eve', from: ADA });
  await assert.rejects(other, { code: 'agent_not_attached' });
});

test('a hundred wait and no more: one that is posted is refused, one that an extension delivers is shown and not answered', async (t) => {
  const { made, session, answer } = await setUp(t);
  for (let n = 0; n < 100; n += 1) await postMessage(made, { session, text: `${n}`, from: ADA });
  await assert.rejects(postMessage(made, { session, text: 'more', key: 'k', from: ADA }), {
    code: 'session_busy',
  });
  assert.deepEqual(await woken(made, session, 'hi', { kind: 'client', id: 'ext:irc/eve' }), [
    'ann:ignored:session_busy',
  ]);
  assert.equal((await made.entries(session)).length, 101);
  assert.equal(await answer(), 100);
  assert.equal((await postMessage(made, { session, text: 'more', key: 'k', from: ADA })).again, false);
});

test('what waits for an agent that leaves, or in a session that closes, is ignored', async (t) => {
  const { made, session } = await setUp(t);
  await made.say(session, text('@bob @ann'));
  await made.fed();
  await made.sessions.detach(session, 'bob');
  assert.deepEqual(await made.wakes(session), ['bob:ignored:agent_not_attached', 'ann:pending']);
  await made.sessions.close(session);
  assert.deepEqual(await made.wakes(session), [
    'bob:ignored:agent_not_attached',
    'ann:ignored:session_closed',
  ]);
});

test('only the home of an agent wakes it; a session that arrives there is answered from its last ack on', async (t) => {
  const { made, session, ann, answer } = await setUp(t);
  const there = await room(t, { seed: 2 });
  await made.say(session, text('old'));
  await made.fed();
  await answer();
  await made.say(session, text('new'));
  const agent = await made.agents.open(ann.id);
  await agent.access.grant(there.peer.peerId, 'admin');
  await agent.doc('meta').set(['home'], there.peer.peerId);
  const database = await made.sessions.open(session);
  await database.access.grant(there.peer.peerId, 'admin');
  await copyTo(there.host, agent);
  (await copyTo(there.host, database)).release();
  await there.fed();
  assert.deepEqual(await there.wakes(session), ['ann:pending']);
  assert.equal(await there.sessions.workspace(session), null);
  assert.deepEqual(await woken(made, session, 'and now', ADA), []);
  await copyTo(there.host, database);
  await there.fed();
  assert.deepEqual(await there.wakes(session), ['ann:pending', 'ann:pending']);
});

test('a message that rights undo while it waits is answered by nobody', async (t) => {
  const { made, session } = await setUp(t);
  const there = await room(t, { seed: 2 });
  const database = await made.sessions.open(session);
  await database.access.grant(there.peer.peerId, 'append');
  (await copyTo(there.host, database)).release();
  await there.say(session, text('let me in'), { kind: 'person', id: 'eve' });
  await copyTo(made.host, await there.sessions.open(session));
  await made.fed();
  assert.deepEqual(await made.wakes(session), ['ann:pending']);
  await database.access.revoke(there.peer.peerId, { cuts: { [there.peer.author]: 0 } });
  await made.fed();
  assert.deepEqual(await made.wakes(session), ['ann:ignored:retracted']);
});
