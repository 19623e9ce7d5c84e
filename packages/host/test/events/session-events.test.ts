import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitFor } from '@fairlead/testing';
import { entryValue } from '../../src/entries/write-entry.ts';
import type { HeardEvent, SessionEvent } from '../../src/events/session-event.ts';
import { SessionEvents } from '../../src/events/session-events.ts';
import { room } from '../sessions/session-room.ts';

type Test = Parameters<typeof room>[0];

async function eventRoom(t: Test) {
  const made = await room(t);
  const events = new SessionEvents(made.peer);
  await events.open();
  t.after(() => events.close());
  const session = await made.sessions.create();
  /** Hears a session; what it hears is `heard`. */
  const hear = async (of: string, options: { readonly after?: number } = {}) => {
    const heard: HeardEvent[] = [];
    const subscription = await events.subscribe(of, options, (event) => heard.push(event) > 0);
    return { heard, subscription };
  };
  const say = (text: string, of = session) => made.say(of, { type: 'message', text, mentions: [] });
  return { ...made, events, session, hear, saying: say };
}

const delta = (text: string, at: number, step = 0): SessionEvent => ({
  ...{ kind: 'delta', turn: 'trn_1', step, what: 'text', at, text },
});
const state = (now: 'model' | 'tool', turn = 'trn_1'): SessionEvent => ({
  ...{ kind: 'state', turn, agent: 'agt_1', state: now },
});
/** Texts of entries, kinds of the others. */
const told = (heard: readonly HeardEvent[]) =>
  heard.map((event) => {
    if (event.kind === 'entry') return 'text' in event.entry ? event.entry.text : event.entry.type;
    return event.kind === 'delta' ? `${event.at}:${event.text}` : event.kind;
  });

test('a subscriber hears entries as they arrive, with their numbers, and what happens meanwhile', async (t) => {
  const { events, session, hear, saying } = await eventRoom(t);
  await saying('before');
  const { heard } = await hear(session);
  const id = await saying('one');
  await waitFor(() => heard.length === 1, { what: 'the entry' });
  events.emit(session, state('model'));
  events.emit(session, delta('Hel', 0));
  events.emit(session, delta('lo', 3));
  assert.deepEqual(told(heard), ['one', 'state', '0:Hel', '3:lo']);
  const [first] = heard;
  assert.equal(first?.kind === 'entry' && first.entry.id, id);
  assert.equal(first?.kind === 'entry' && first.cursor, 3);
});

test('who comes late gets the step so far from its beginning, and what the turns do', async (t) => {
  const { events, session, hear } = await eventRoom(t);
  events.emit(session, state('model'));
  events.emit(session, delta('void', 0));
  events.emit(session, { kind: 'step_reset', turn: 'trn_1', step: 0 });
  events.emit(session, delta('Hel', 0));
  events.emit(session, delta('lo', 3));
  events.emit(session, { ...delta('hm', 0), what: 'reasoning' } as SessionEvent);
  const { heard } = await hear(session);
  events.emit(session, delta('!', 5));
  assert.deepEqual(told(heard), ['state', '0:Hello', '0:hm', '5:!']);
  events.emit(session, delta('next', 0, 1));
  assert.deepEqual(told((await hear(session)).heard), ['state', '0:next']);
  events.emit(session, state('tool'));
  assert.deepEqual(told((await hear(session)).heard), ['state'], 'a step that is over is an entry');
  assert.equal(events.state(session, 'trn_1')?.state, 'tool');
  events.emit(session, delta('late', 0, 2));
  events.turnOver(session, 'trn_1');
  assert.deepEqual((await hear(session)).heard, []);
  assert.equal(events.state(session, 'trn_1'), undefined);
});

test('who comes back hears what it missed, once and in order, however many sessions wrote between', async (t) => {
  const { session, sessions, hear, saying } = await eventRoom(t);
  const { heard, subscription } = await hear(session);
  await saying('one');
  await waitFor(() => heard.length === 1, { what: 'the entry' });
  subscription.close();
  subscription.close();
  const other = await sessions.create();
  for (let index = 0; index < 70; index += 1) await saying(`m${index}`, index % 2 === 0 ? session : other);
  const [first] = heard;
  assert.ok(first?.kind === 'entry');
  const again = await hear(session, { after: first.cursor });
  await saying('last');
  await waitFor(() => told(again.heard).includes('last'), { what: 'the last entry' });
  const missed = Array.from({ length: 35 }, (_, index) => `m${index * 2}`);
  assert.deepEqual(told(again.heard), [...missed, 'last']);
  assert.equal(heard.length, 1, 'who left hears nothing more');
});

test('who is cut off between two entries that were written together misses neither', async (t) => {
  const { session, sessions, peer, clock, hear } = await eventRoom(t);
  const database = await sessions.open(session);
  const { heard } = await hear(session);
  await peer.transaction((tx) => {
    for (const text of ['last words', 'the end']) {
      const body = { type: 'message', text, mentions: [] } as const;
      tx.on(database).append('entries', entryValue(body, { kind: 'host', id: 'host' }, clock));
    }
  });
  await waitFor(() => heard.length === 2, { what: 'both entries' });
  const cursors = heard.map((event) => (event.kind === 'entry' ? event.cursor : -1));
  assert.deepEqual(cursors, [1, 2]);
  assert.deepEqual(told((await hear(session, { after: 1 })).heard), ['last words', 'the end']);
  assert.deepEqual(told((await hear(session, { after: 2 })).heard), []);
});

test('entries that arrive while it catches up come after what it missed', async (t) => {
  const { session, peer, hear, saying } = await eventRoom(t);
  await saying('missed');
  const arrivals = peer.arrivals.bind(peer);
  peer.arrivals = async (after) => {
    const writes = await arrivals(after);
    await saying('meanwhile');
    return writes;
  };
  const { heard } = await hear(session, { after: 1 });
  await waitFor(() => heard.length === 2, { what: 'both entries' });
  assert.deepEqual(told(heard), ['missed', 'meanwhile']);
});

test('who is overtaken while it catches up reads the entries again', async (t) => {
  const { session, peer, hear, saying } = await eventRoom(t);
  await saying('missed');
  const other = await hear(session);
  const arrivals = peer.arrivals.bind(peer);
  peer.arrivals = async (after) => {
    const writes = await arrivals(after);
    for (let index = 0; index < 257; index += 1) await saying(`${index}`);
    await waitFor(() => told(other.heard).includes('256'), { what: 'the last one' });
    return writes.slice(0, 1);
  };
  const { heard } = await hear(session, { after: 1 });
  assert.deepEqual(told(heard).slice(0, 2), ['missed', 'reset']);
});

test('who missed more than 1,000 arrivals is told to read the entries again', async (t) => {
  const { session, peer, hear, saying } = await eventRoom(t);
  await saying('one');
  let last = 1003;
  Object.defineProperty(peer, 'lastArrival', { get: () => last });
  assert.deepEqual(told((await hear(session, { after: 2 })).heard), ['reset']);
  assert.deepEqual(told((await hear(session, { after: 3 })).heard), []);
  last = 2;
  assert.deepEqual(told((await hear(session, { after: 3 })).heard), ['reset'], 'a number from another time');
});

test('who is too far behind hears reset in the place of what it missed, then the step so far', async (t) => {
  const { events, session } = await eventRoom(t);
  const heard: HeardEvent[] = [];
  let room = 2;
  const subscription = await events.subscribe(session, {}, (event) => {
    if (room === 0) return false;
    room -= 1;
    heard.push(event);
    return true;
  });
  subscription.drained();
  for (const [index, text] of [...'abcd'].entries()) events.emit(session, delta(text, index));
  assert.deepEqual(told(heard), ['0:a', '1:b']);
  room = 9;
  events.emit(session, delta('e', 4));
  assert.deepEqual(told(heard), ['0:a', '1:b'], 'nothing before the reset');
  subscription.drained();
  events.emit(session, delta('f', 5));
  assert.deepEqual(told(heard), ['0:a', '1:b', 'reset', '0:abcde', '5:f']);
});

test('states and approvals of a child show in its root, its words do not', async (t) => {
  const { events, session, sessions, hear } = await eventRoom(t);
  const child = await sessions.create();
  const off = events.route(child, session);
  const { heard } = await hear(session);
  assert.equal(events.attended(child), true, 'who listens to the root is there for the child');
  events.emit(child, state('model', 'trn_child'));
  events.emit(child, delta('quietly', 0));
  events.emit(child, { kind: 'approval', approval: 'apr_1', state: 'open' });
  assert.deepEqual(told(heard), ['state', 'approval']);
  events.turnOver(child, 'trn_child');
  assert.deepEqual((await hear(session)).heard, []);
  off();
  events.emit(child, state('model', 'trn_child'));
  assert.equal(heard.length, 2);
  assert.equal(events.attended(child), false);
});

test('a sink that throws is one that left, and nobody else notices', async (t) => {
  const { events, session, hear } = await eventRoom(t);
  await events.subscribe(session, {}, () => {
    throw new Error('gone');
  });
  const { heard } = await hear(session);
  events.emit(session, state('model'));
  events.emit(session, state('tool'));
  assert.equal(heard.length, 2);
  assert.equal(events.attended(session), true);
});

test('a subscription that cannot be caught up is none', async (t) => {
  const { events, session, peer, saying } = await eventRoom(t);
  await saying('one');
  peer.arrivals = () => Promise.reject(new Error('the disk is gone'));
  await assert.rejects(
    events.subscribe(session, { after: 0 }, () => true),
    /the disk is gone/,
  );
  assert.equal(events.attended(session), false);
});
