import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FairleadError } from '@fairlead/base';
import { defineExtension, type Extension } from '@fairlead/extension';
import type { Database } from '@fairlead/store';
import { hygiene } from '@fairlead/testing';
import { deactivate } from '../../src/activation/switch.ts';
import { callTool } from '../../src/dispatch/call-tool.ts';
import { held } from '../fake-extension.ts';
import { testHub } from '../test-hub.ts';

const LONG_MS = 600_000;
const unusedMs = LONG_MS;

/** One that says what happens to it, and closes when it is let. */
function diary(pages: string[], closing: () => Promise<void> = async () => {}): Extension {
  return defineExtension({
    name: 'diary',
    version: '1.0.0',
    session: {
      open: () => void pages.push('opens'),
      on: {
        sessionStart: () => void pages.push('starts'),
        sessionShutdown: () => void pages.push('ends'),
      },
      tools: { tell: { about: 'x', run: () => `page ${pages.length}` } },
      status: () => ({ pages: 'some' }),
      routines: { turn: { about: 'x', everyMs: 60_000, run: () => void pages.push('turns') } },
      async close() {
        pages.push('closes');
        await closing();
      },
    },
  });
}

const other = defineExtension({
  name: 'other',
  version: '1.0.0',
  tools: { sing: { about: 'x', run: () => '' } },
});

async function room(t: TestContext, closing?: () => Promise<void>) {
  hygiene(t);
  const pages: string[] = [];
  const made = await testHub(t, { extensions: [diary(pages, closing), other] });
  const session = await made.newSession();
  await made.hub.openSession(session);
  return { ...made, pages, session };
}

test('a session that nothing has used for a while is let go of, and opens again with what was on in it', async (t) => {
  const { hub, peer, clock, pages, session } = await room(t);
  await deactivate(await peer.open(session), 'other', clock);
  await clock.advance(LONG_MS);
  assert.deepEqual(hub.openSessions(), [{ id: session, usedMs: 0, isInUse: false }]);
  assert.equal(await hub.releaseSession(session, { unusedMs }), true);
  assert.deepEqual(pages.splice(0), ['opens', 'starts', 'ends', 'closes']);
  assert.deepEqual(hub.openSessions(), []);
  // What it showed stays: it is not closed.
  assert.deepEqual([...(await hub.outputs(session)).keys()], ['diary']);
  await assert.rejects(hub.liveSet({ session }), { code: 'session_not_open' });
  assert.equal(await hub.releaseSession(session, { unusedMs }), true);
  await hub.openSession(session);
  using set = await hub.liveSet({ session });
  assert.deepEqual([...set.tools.keys()], ['tell']);
  assert.deepEqual(pages, ['opens', 'starts']);
});

test('a session is kept that was used meanwhile, of which somebody holds a live set, or in which a call runs', async (t) => {
  hygiene(t);
  const running = held();
  const begun = held();
  const slow = defineExtension({
    name: 'slow',
    version: '1.0.0',
    tools: {
      wait: {
        about: 'x',
        async run() {
          begun.settle();
          await running.promise;
          return '';
        },
      },
    },
  });
  const { hub, clock, newSession } = await testHub(t, { extensions: [slow] });
  const session = await newSession();
  await hub.openSession(session);
  const release = () => hub.releaseSession(session, { unusedMs });
  await clock.advance(LONG_MS - 1);
  assert.equal(await release(), false);
  await hub.openSession(session);
  await clock.advance(1);
  assert.equal(await release(), false);
  const set = await hub.liveSet({ session });
  await clock.advance(LONG_MS);
  assert.equal(await release(), false);
  const call = callTool(set, { tool: 'wait', args: {}, call: 'call_1' });
  await begun.promise;
  set[Symbol.dispose]();
  assert.equal(await release(), false);
  running.settle();
  assert.equal((await call).certainty, 'completed');
  assert.equal(await release(), false);
  await clock.advance(LONG_MS);
  assert.equal(await release(), true);
});

test('who opened a session a moment ago finds it open, whatever the time that is asked for', async (t) => {
  const { hub, clock, session } = await room(t);
  await clock.advance(59_999);
  assert.equal(await hub.releaseSession(session, { unusedMs: 0 }), false);
  using set = await hub.liveSet({ session });
  assert.equal(set.session, session);
});

test('what comes while a session is let go of waits for that, and finds it open again', async (t) => {
  const closing = held();
  const begun = held();
  const { hub, clock, pages, session } = await room(t, async () => {
    begun.settle();
    await closing.promise;
  });
  await clock.advance(LONG_MS);
  const released = hub.releaseSession(session, { unusedMs });
  await begun.promise;
  const opened = hub.openSession(session);
  const set = hub.liveSet({ session });
  const fired = hub.dispatchRoutine({
    ...{ extension: 'diary', routine: 'turn', payload: null },
    scope: { kind: 'session', session },
  });
  const published = hub.publish({ session });
  assert.deepEqual(pages.splice(0), ['opens', 'starts', 'ends', 'closes']);
  closing.settle();
  // It is open again: nothing was gained, and nothing was lost.
  assert.equal(await released, false);
  assert.deepEqual([...(await opened).active.keys()], ['diary', 'other']);
  using leased = await set;
  assert.equal((await callTool(leased, { tool: 'tell', args: {}, call: 'call_1' })).certainty, 'completed');
  assert.equal((await fired).certainty, 'completed');
  await published;
  assert.deepEqual(pages, ['opens', 'starts', 'turns']);
});

test('a session that is closed while it is let go of, or afterwards, shows nothing any more', async (t) => {
  const { hub, clock, pages, session, newSession } = await room(t);
  await clock.advance(LONG_MS);
  await Promise.all([hub.releaseSession(session, { unusedMs }), hub.closeSession(session)]);
  assert.deepEqual([(await hub.outputs(session)).size, pages.splice(0).length], [0, 4]);
  const next = await newSession();
  await hub.openSession(next);
  await clock.advance(LONG_MS);
  await hub.releaseSession(next, { unusedMs });
  assert.equal((await hub.outputs(next)).size, 1);
  await hub.closeSession(next);
  assert.equal((await hub.outputs(next)).size, 0);
});

test('an extension that writes into a session while it is let go of has written, and no handle is left behind', async (t) => {
  hygiene(t);
  const closing = held();
  const begun = held();
  const sink = { deliver: async (_session: string): Promise<void> => {} };
  const chat = defineExtension({
    name: 'chat',
    version: '1.0.0',
    access: ['session_write'],
    open(scope) {
      sink.deliver = async (id) =>
        void (await (await scope.sessions.open(id)).append({ type: 'message', text: id }));
    },
    session: {
      async close() {
        begun.settle();
        await closing.promise;
      },
    },
  });
  const { hub, peer, clock, newSession } = await testHub(t, { extensions: [chat] });
  const session = await newSession();
  const opened: Database[] = [];
  const open = peer.open.bind(peer);
  t.mock.method(peer, 'open', async (root: string) => {
    const database = await open(root);
    opened.push(database);
    return database;
  });
  await hub.openSession(session);
  await sink.deliver(session);
  await clock.advance(LONG_MS);
  const released = hub.releaseSession(session, { unusedMs });
  await begun.promise;
  await sink.deliver(session);
  closing.settle();
  assert.equal(await released, true);
  await sink.deliver(session);
  await hub.missing(session);
  for (const database of opened)
    assert.throws(() => database.changes('entries'), { code: 'database_released' });
  assert.equal(await (await open(session)).table('entries').count(), 3);
});

test('an opening that fails, wherever it does, leaves no handle of the session behind', async (t) => {
  hygiene(t);
  const { hub, peer, newSession, newAgent } = await testHub(t, { extensions: [other] });
  const session = await newSession();
  const unwritten = await newSession();
  const agent = await newAgent('ann');
  const full = () => new FairleadError('store_disk_full', 'No room.');
  const opened: Database[] = [];
  const open = peer.open.bind(peer);
  let spoil: (database: Database) => void = () => {};
  t.mock.method(peer, 'open', async (root: string) => {
    const database = await open(root);
    opened.push(database);
    spoil(database);
    return database;
  });
  // What the log says is read before it is written, for the live set, and for the answer.
  for (const look of [1, 2, 3]) {
    spoil = (database) => {
      const latest = database.latest.bind(database);
      let looks = 0;
      database.latest = (table) => {
        looks += 1;
        if (looks === look) throw full();
        return latest(table);
      };
    };
    await assert.rejects(hub.openSession(session), { code: 'store_disk_full' }, `look ${look}`);
  }
  spoil = (database) => {
    database.commit = () => Promise.reject(full());
  };
  await assert.rejects(hub.openSession(unwritten), { code: 'store_disk_full' });
  spoil = () => {};
  await assert.rejects(hub.openSession(agent.id), { code: 'session_not_here' });
  assert.equal(opened.length, 5);
  for (const database of opened)
    assert.throws(() => database.changes('entries'), { code: 'database_released' });
  await hub.openSession(session);
  assert.deepEqual(
    hub.openSessions().map(({ id }) => id),
    [session],
  );
});

test('who writes into a session whose opening is failing has written, although its handle is given back', async (t) => {
  hygiene(t);
  const closing = held();
  const begun = held();
  const sink = { deliver: async (_session: string): Promise<void> => {} };
  const chat = defineExtension({
    name: 'chat',
    version: '1.0.0',
    access: ['session_write'],
    open(scope) {
      sink.deliver = async (id) =>
        void (await (await scope.sessions.open(id)).append({ type: 'message', text: id }));
    },
    session: {
      async close() {
        begun.settle();
        await closing.promise;
      },
    },
  });
  const { hub, peer, newSession } = await testHub(t, { extensions: [chat] });
  const session = await newSession();
  const slow = held();
  const open = peer.open.bind(peer);
  let first: Database | undefined;
  t.mock.method(peer, 'open', async (root: string) => {
    const database = await open(root);
    if (first !== undefined) return database;
    first = database;
    const latest = database.latest.bind(database);
    const table = database.table.bind(database);
    let looks = 0;
    database.latest = (name) => {
      looks += 1;
      if (looks === 3) throw new FairleadError('store_disk_full', 'No room.');
      return latest(name);
    };
    t.mock.method(database, 'table', (name: string) => {
      const rows = table(name);
      const append = rows.append.bind(rows);
      rows.append = (value) => slow.promise.then(() => append(value));
      return rows;
    });
    return database;
  });
  const failed = assert.rejects(hub.openSession(session), { code: 'store_disk_full' });
  await begun.promise;
  const delivered = sink.deliver(session);
  closing.settle();
  await failed;
  slow.settle();
  await delivered;
  assert.equal(await (await open(session)).table('entries').count(), 1);
});
