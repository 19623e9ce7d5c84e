import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineExtension, type Extension, s } from '@fairlead/extension';
import { hygiene, waitFor } from '@fairlead/testing';
import { RunningHost } from '../../src/host/running-host.ts';
import { clientRoom } from '../clients/client-room.ts';
import { scheduleHandler } from '../routines/schedule-handler.ts';
import { ALLOWED, gateTool, passTurn, sayTurn } from './gate-tool.ts';
import { type HostRoom, hostRoom } from './host-room.ts';

const MINUTE = 60_000;
const OPERATOR = { kind: 'person', id: 'tok_1', scopes: ['session:read', 'session:write'] } as const;

/** One that says when its instances come and go, and goes when it is let. */
function diary(pages: string[], closing: () => Promise<void> = async () => {}): Extension {
  return defineExtension({
    name: 'diary',
    version: '1.0.0',
    settings: { ink: s.string({ default: 'black' }) },
    session: {
      open: () => void pages.push('opens'),
      commands: { ink: { about: 'Which ink.', run: (_args, { settings }) => settings.ink } },
      routines: {
        turn: { about: 'Turns a page.', everyMs: 60 * MINUTE, run: () => void pages.push('turns') },
      },
      async close() {
        pages.push('closes');
        await closing();
      },
    },
  });
}

/** Ids of sessions of which something is in memory. */
function inMemory({ hub, host }: HostRoom): readonly string[] {
  return [...new Set([...hub.openSessions(), ...host.sessions.inMemory()].map(({ id }) => id))].toSorted();
}

/** Lets time pass until these alone are in memory. */
async function untilLeft(room: HostRoom, ...sessions: readonly string[]): Promise<void> {
  const expected = [...sessions].toSorted().join(' ');
  await waitFor(
    async () => {
      await room.floor.clock.advance(30_000);
      return inMemory(room).join(' ') === expected;
    },
    { what: `the sessions ${expected}` },
  );
}

test('a session that is left for ten minutes is let go of, and the next message finds what was on and set in it', async (t) => {
  hygiene(t);
  const pages: string[] = [];
  const room = await hostRoom(t, {
    scripts: { default: [sayTurn('Hello.'), sayTurn('Again.')] },
    extensions: () => [diary(pages)],
  });
  const { host, floor } = room;
  const session = await room.session('ann');
  const command = async (line: string) => {
    const answer = await host.command({ line, session, by: OPERATOR });
    return 'text' in answer ? answer.text : answer.error.code;
  };
  await command('/extensions set diary ink blue');
  await room.ask(session, 'Good morning.');
  await floor.clock.advance(10 * MINUTE - 1);
  assert.deepEqual([inMemory(room), pages.splice(0)], [[session], ['opens']]);
  await untilLeft(room);
  assert.deepEqual(pages.splice(0), ['closes']);
  const { meta } = await host.sessions.line(session);
  assert.deepEqual([meta.closed, (await host.sessions.list()).length], [false, 1]);
  await room.ask(session, 'Still there?');
  assert.deepEqual(await room.told(session), [
    ...['Ada: Good morning.', 'ack ann 1', 'ann: Hello.', 'end completed'],
    ...['Ada: Still there?', 'ack ann 1', 'ann: Again.', 'end completed'],
  ]);
  assert.equal(await command('/ink'), 'blue');
  await host.closeSession(session);
  await untilLeft(room);
  assert.deepEqual(pages, ['opens', 'closes']);
});

test('a session stays while a turn runs in it, or somebody listens', async (t) => {
  hygiene(t);
  const gate = gateTool();
  const room = await hostRoom(t, {
    scripts: { default: [passTurn] },
    extensions: () => [gate.extension],
    policy: ALLOWED,
    limits: { turn_secs: 86_400 },
  });
  const working = await room.session('ann');
  const watched = await room.session('ann');
  await room.session('ann');
  await room.say(working, 'Pass.');
  await gate.entered;
  let heard = 0;
  const listening = await room.host.events.subscribe(watched, {}, () => {
    heard += 1;
    return true;
  });
  await untilLeft(room, working, watched);
  gate.open();
  await room.host.idle();
  await untilLeft(room, watched);
  await room.say(watched, 'Hello.');
  await room.host.idle();
  assert.ok(heard > 0);
  listening.close();
  await untilLeft(room);
});

test('a message that comes while an extension of the session takes its leave is answered', async (t) => {
  hygiene(t);
  const pages: string[] = [];
  const closing = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const room = await hostRoom(t, {
    scripts: { default: [sayTurn('Here.')] },
    extensions: () => [
      diary(pages, async () => {
        begun.resolve();
        await closing.promise;
      }),
    ],
  });
  const session = await room.session('ann');
  await room.floor.clock.advance(10 * MINUTE + 30_000);
  await begun.promise;
  const heard = await room.hear(session);
  await room.say(session, 'Wait.');
  assert.deepEqual(await room.told(session), ['Ada: Wait.']);
  closing.resolve();
  await room.host.idle();
  await room.host.events.caughtUp();
  assert.deepEqual(await room.told(session), ['Ada: Wait.', 'ack ann 1', 'ann: Here.', 'end completed']);
  assert.equal(heard.filter(({ kind }) => kind === 'entry').length, 4);
  assert.deepEqual(pages, ['opens', 'closes', 'opens']);
});

test('a routine of a session fires although nothing of the session is in memory', async (t) => {
  hygiene(t);
  const pages: string[] = [];
  const room = await hostRoom(t, { scripts: {}, extensions: () => [diary(pages)] });
  const { host, floor } = room;
  assert.ok(host instanceof RunningHost);
  await room.session('ann');
  await waitFor(() => host.routines.engine.list().length === 1, { what: 'the routine' });
  await untilLeft(room);
  assert.deepEqual(pages.splice(0), ['opens', 'closes']);
  await waitFor(
    async () => {
      await floor.clock.advance(MINUTE);
      await host.idle();
      return pages.includes('turns');
    },
    { what: 'the routine' },
  );
  await untilLeft(room);
  assert.deepEqual(pages.splice(0, 3), ['opens', 'turns', 'closes']);
  assert.equal(host.routines.engine.list().length, 1);
});

test('a host with a schedule each minute has no more sessions in memory than those of the last minutes', async (t) => {
  hygiene(t);
  const room = await hostRoom(t, {
    scripts: { default: [sayTurn('Done.')] },
    extensions: () => [scheduleHandler, diary([])],
  });
  const { host, floor } = room;
  assert.ok(host instanceof RunningHost);
  const { id: ann } = await host.agents.resolve('ann');
  const trigger = { kind: 'every', secs: 60 };
  await host.routines.book.add(ann, 'tick', { trigger, task: 'Look.', target: { kind: 'fresh' } });
  let most = 0;
  for (let minute = 0; minute < 40; minute += 1) {
    await floor.clock.advance(MINUTE / 2);
    await host.idle();
    await floor.clock.advance(MINUTE / 2);
    await host.idle();
    most = Math.max(most, inMemory(room).length);
  }
  const sessions = await host.sessions.list({ closed: true });
  assert.ok(sessions.length >= 39, `${sessions.length} sessions`);
  assert.ok(most >= 9 && most <= 25, `${most} in memory`);
  // A person may read what was done, and go on there.
  assert.deepEqual(
    sessions.filter(({ meta }) => meta.closed),
    [],
  );
});

test('of many that are left those used last stay, and the others go after a minute', async (t) => {
  hygiene(t);
  const room = await hostRoom(t, {
    scripts: { default: [sayTurn('Hello.')] },
    extensions: () => [diary([])],
  });
  const made: string[] = [];
  for (let count = 0; count < 66; count += 1) made.push(await room.session('ann'));
  const [first = '', second = '', third = ''] = made;
  await room.floor.clock.advance(1);
  await room.host.openSession(second);
  await room.floor.clock.advance(MINUTE - 2);
  assert.equal(inMemory(room).length, 66);
  await waitFor(
    async () => {
      await room.floor.clock.advance(30_000);
      return inMemory(room).length === 64;
    },
    { what: 'two that go' },
  );
  const left = inMemory(room);
  assert.deepEqual(
    [first, second, third].map((id) => left.includes(id)),
    [false, true, false],
  );
});

test('a client’s call that is recorded in a session ends there, however long it takes', async (t) => {
  hygiene(t);
  const room = await clientRoom(t);
  const answer = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const { answer: answered } = room.runner;
  room.runner.answer = async () => {
    asked.resolve();
    await answer.promise;
    return await answered();
  };
  const session = await room.session('ann');
  const binding = await room.bind();
  const call = room.call('plugin_tool', { action: 'call', binding, arguments: {} }, { session });
  await asked.promise;
  await room.session('ann');
  await untilLeft(room, session);
  answer.resolve();
  assert.equal((await call).certainty, 'completed');
  assert.deepEqual(await room.told(session), ['call plugin_tool', 'result completed: said']);
  await untilLeft(room);
});
