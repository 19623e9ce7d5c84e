import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineExtension, type Extension } from '@fairlead/extension';
import { hygiene } from '@fairlead/testing';
import { deactivate } from '../../src/activation/switch.ts';
import { callTool } from '../../src/dispatch/call-tool.ts';
import { FakeExtension, held } from '../fake-extension.ts';
import { testHub } from '../test-hub.ts';

/** Writes down everything that happens to it. */
const diary = (name: string, pages: string[], options: { readonly failing?: () => boolean } = {}) =>
  defineExtension({
    name,
    version: '1.0.0',
    on: {
      sessionStart: () => void pages.push(`${name} global starts`),
      sessionShutdown: () => void pages.push(`${name} global ends`),
    },
    session: {
      open() {
        if (options.failing?.() === true) throw new Error('no page left');
        pages.push(`${name} opens`);
      },
      on: {
        sessionStart: (_event, { session }) => void pages.push(`${name} starts ${session.id.slice(0, 4)}`),
        sessionShutdown: () => void pages.push(`${name} ends`),
      },
      close: () => void pages.push(`${name} closes`),
    },
  });

test('opening a session records, opens its instances, fires sessionStart; closing goes back in reverse', async (t) => {
  hygiene(t);
  const pages: string[] = [];
  const { hub, peer, newSession } = await testHub(t, {
    extensions: [diary('one', pages), diary('two', pages)],
  });
  const session = await newSession();
  const opened = await hub.openSession(session);
  assert.deepEqual([[...opened.active.keys()], opened.recorded], [['one', 'two'], 2]);
  assert.equal((await (await peer.open(session)).latest('extensions').all()).length, 2);
  assert.deepEqual(pages.splice(0), [
    'one opens',
    'two opens',
    'one global starts',
    'one starts ses_',
    'two global starts',
    'two starts ses_',
  ]);
  await hub.closeSession(session);
  assert.deepEqual(pages, [
    'one global ends',
    'one ends',
    'two global ends',
    'two ends',
    'two closes',
    'one closes',
  ]);
});

test('a session opens once, however many ask, and again after it has closed', async (t) => {
  hygiene(t);
  const pages: string[] = [];
  const { hub, newSession } = await testHub(t, { extensions: [diary('one', pages)] });
  const session = await newSession();
  const [first, second] = await Promise.all([hub.openSession(session), hub.openSession(session)]);
  assert.equal(first, second);
  assert.equal(await hub.openSession(session), first);
  assert.deepEqual(pages.splice(0), ['one opens', 'one global starts', 'one starts ses_']);
  const closed = Promise.all([hub.closeSession(session), hub.closeSession(session)]);
  const reopened = hub.openSession(session);
  await closed;
  assert.deepEqual((await reopened).recorded, 0);
  assert.deepEqual(pages, [
    'one global ends',
    'one ends',
    'one closes',
    'one opens',
    'one global starts',
    'one starts ses_',
  ]);
  await hub.closeSession('ses_never_opened');
});

test('what is no session here is not opened, and can be tried again', async (t) => {
  hygiene(t);
  const { hub, newSession, newAgent, peer } = await testHub(t);
  const agent = await newAgent('ann');
  await assert.rejects(hub.openSession(agent.id), { code: 'session_not_here' });
  await assert.rejects(hub.openSession('ses_nothing'), { code: 'database_not_found' });
  await assert.rejects(hub.liveSet({ session: 'ses_nothing' }), { code: 'session_not_open' });
  const session = await newSession();
  await assert.rejects(hub.liveSet({ session }), { code: 'session_not_open' });
  const open = peer.open.bind(peer);
  const failing = t.mock.method(peer, 'open', () => Promise.reject(new Error('disk')));
  await assert.rejects(hub.openSession(session), /disk/);
  failing.mock.mockImplementation(open);
  await hub.openSession(session);
  using set = await hub.liveSet({ session });
  assert.equal(set.session, session);
});

test('a handler of sessionStart may already read the live set of its session', async (t) => {
  hygiene(t);
  const seen: string[] = [];
  let read: (session: string) => Promise<unknown> = async () => {};
  const early: Extension = defineExtension({
    name: 'early',
    version: '1.0.0',
    on: {
      async sessionStart(_event, { session }) {
        await read(session.id);
      },
    },
    tools: { tell: { about: 'x', run: () => '' } },
  });
  const { hub, newSession } = await testHub(t, { extensions: [early] });
  read = async (session) => {
    using set = await hub.liveSet({ session });
    seen.push(...set.tools.keys());
  };
  await hub.openSession(await newSession());
  assert.deepEqual(seen, ['tell']);
});

test('a session that fails half-way leaves no instance open', async (t) => {
  hygiene(t);
  const pages: string[] = [];
  const { hub, peer, newSession } = await testHub(t, { extensions: [diary('one', pages)] });
  const session = await newSession();
  const database = await peer.open(session);
  const prototype = Object.getPrototypeOf(database.latest('x'));
  const all = prototype.all;
  let reads = 0;
  const failing = t.mock.method(prototype, 'all', function (this: unknown, ...args: unknown[]) {
    reads += 1;
    // Recording reads the log, then the live set does; the answer of opening is the third.
    return reads === 3 ? Promise.reject(new Error('disk')) : all.apply(this, args);
  });
  await assert.rejects(hub.openSession(session), /disk/);
  assert.deepEqual(pages.slice(-1), ['one closes']);
  failing.mock.restore();
  await assert.rejects(hub.liveSet({ session }), { code: 'session_not_open' });
  await hub.openSession(session);
});

test('a session closes although its set cannot be read any more, and says so', async (t) => {
  hygiene(t);
  const pages: string[] = [];
  const { hub, peer, clock, newSession, reports } = await testHub(t, { extensions: [diary('one', pages)] });
  const session = await newSession();
  await hub.openSession(session);
  const database = await peer.open(session);
  await deactivate(database, 'other', clock);
  const failing = t.mock.method(Object.getPrototypeOf(database.latest('x')), 'all', () =>
    Promise.reject(Object.assign(new Error('disk'), { code: 'store_failed' })),
  );
  await hub.closeSession(session);
  failing.mock.restore();
  assert.deepEqual(pages.slice(-1), ['one closes']);
  assert.deepEqual(
    reports.map(({ code, key }) => [code, key]),
    [['store_failed', session]],
  );
});

test('calls that do not end hold up the end of a session for 5 seconds', async (t) => {
  hygiene(t);
  const begun = held();
  const decided = held();
  const { hub, clock, newSession, reports } = await testHub(t, {
    extensions: [
      defineExtension({ name: 'one', version: '1.0.0', tools: { go: { about: 'x', run: () => 'went' } } }),
    ],
  });
  const session = await newSession();
  await hub.openSession(session);
  using set = await hub.liveSet({ session });
  const call = callTool(set, {
    tool: 'go',
    args: {},
    call: 'call_1',
    async decide() {
      begun.settle();
      await decided.promise;
      return { kind: 'run' };
    },
  });
  await begun.promise;
  const closing = hub.closeSession(session);
  await clock.advance(0);
  await clock.advance(5000);
  await closing;
  assert.deepEqual(
    reports.map(({ code }) => code),
    ['session_close_late'],
  );
  decided.settle();
  assert.deepEqual((await call).certainty, 'not_started');
});

test('an agent that is unloaded ends its instances, and its next turn has new ones', async (t) => {
  hygiene(t);
  const pages: string[] = [];
  const personal = defineExtension({
    name: 'personal',
    version: '1.0.0',
    agent: {
      open: (scope) => void pages.push(`opens ${scope.key?.slice(0, 4)}`),
      close: () => void pages.push('closes'),
      tools: { mine: { about: 'x', run: () => 'mine' } },
    },
  });
  const { hub, newSession, newAgent } = await testHub(t, { extensions: [personal] });
  const [left, right] = [await newSession(), await newSession()];
  const ann = await newAgent('ann');
  await hub.openSession(left);
  await hub.openSession(right);
  {
    using one = await hub.liveSet({ session: left, agent: ann });
    using other = await hub.liveSet({ session: right, agent: { ...ann, name: 'anne' } });
    assert.deepEqual([...one.tools.keys(), ...other.tools.keys()], ['mine', 'mine']);
    assert.equal(other.agent?.name, 'anne');
  }
  assert.deepEqual(pages, ['opens agt_']);
  await hub.unloadAgent(ann.id);
  assert.deepEqual(pages, ['opens agt_', 'closes']);
  using again = await hub.liveSet({ session: left, agent: 'ann' });
  assert.equal(again.tools.size, 1);
  assert.deepEqual(pages, ['opens agt_', 'closes', 'opens agt_']);
  await assert.rejects(hub.liveSet({ session: left, agent: 'bob' }), { code: 'agent_not_here' });
  await hub.unloadAgent('agt_nobody');
});

test('two agents have an instance each, and one agent the same in two sessions', async (t) => {
  hygiene(t);
  const opened: string[] = [];
  const personal = defineExtension({
    name: 'personal',
    version: '1.0.0',
    agent: {
      open: (scope) => {
        opened.push(scope.key ?? '');
        return { calls: 0 };
      },
      tools: { count: { about: 'x', run: (_args, { state }) => `${++state.calls}` } },
    },
  });
  const { hub, newSession, newAgent } = await testHub(t, { extensions: [personal] });
  const [left, right] = [await newSession(), await newSession()];
  const [ann, bob] = [await newAgent('ann'), await newAgent('bob')];
  await hub.openSession(left);
  await hub.openSession(right);
  const count = async (session: string, agent: typeof ann) => {
    using set = await hub.liveSet({ session, agent });
    return (await callTool(set, { tool: 'count', args: {}, call: 'call_1' })).text;
  };
  assert.deepEqual(
    [await count(left, ann), await count(left, bob), await count(right, ann)],
    ['1', '1', '2'],
  );
  assert.deepEqual(opened, [ann.id, bob.id]);
});

test('an agent’s own command stays where the agent has opted out of its extension', async (t) => {
  hygiene(t);
  const personal = defineExtension({
    name: 'personal',
    version: '1.0.0',
    agent: {
      tools: { mine: { about: 'x', run: () => 'mine' } },
      commands: { mine: { about: 'x', run: () => 'mine' } },
    },
  });
  const { hub, peer, clock, newSession, newAgent } = await testHub(t, { extensions: [personal] });
  const session = await newSession();
  const ann = await newAgent('ann');
  await hub.openSession(session);
  await deactivate(await peer.open(ann.id), 'personal', clock);
  using set = await hub.liveSet({ session, agent: ann });
  assert.deepEqual([...set.tools.keys()], []);
  assert.deepEqual([...set.commands.keys()], ['mine']);
});

test('closing the hub closes sessions, agents, extensions, each in reverse, and takes nothing more', async (t) => {
  hygiene(t);
  const journal: string[] = [];
  const { hub, newSession, newAgent } = await testHub(t);
  const every = new FakeExtension('every', { scopes: ['global', 'agent', 'session'] }, journal);
  const other = new FakeExtension('other', { scopes: ['global', 'session'] }, journal);
  await hub.install([every.source(), other.source()]);
  const session = await newSession();
  const ann = await newAgent('ann');
  await hub.openSession(session);
  (await hub.liveSet({ session, agent: ann }))[Symbol.dispose]();
  journal.length = 0;
  await Promise.all([hub.close(), hub.close()]);
  assert.deepEqual(
    journal.map((line) => line.replace(session, 'S').replace(ann.id, 'A')),
    [
      'close other session S',
      'close every session S',
      'close every agent A',
      'close other global',
      'close every global',
      'end other',
      'end every',
    ],
  );
  await assert.rejects(hub.openSession(session), { code: 'hub_closed' });
  await assert.rejects(hub.liveSet({ session }), { code: 'hub_closed' });
  await assert.rejects(hub.publish({ session }), { code: 'hub_closed' });
  assert.deepEqual(await hub.commandPorts.waiting(session, undefined), []);
});
