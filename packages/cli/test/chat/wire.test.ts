import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairleadError, type Json } from '@fairlead/base';
import { manualClock, seededRandom } from '@fairlead/testing';
import type { ChatEvent } from '../../src/chat/model/chat-events.ts';
import { Errands } from '../../src/chat/wire/errands.ts';
import { faultOf } from '../../src/chat/wire/fault-of.ts';
import { Outbox } from '../../src/chat/wire/outbox.ts';
import { firstAgent, pickSession } from '../../src/chat/wire/pick-session.ts';
import { readNames } from '../../src/chat/wire/read-names.ts';
import { SessionLink } from '../../src/chat/wire/session-link.ts';
import { entries } from './chat-screen.ts';
import { DoorInHand, ID, PATH, sessionRoutes } from './door-in-hand.ts';

/** A link to the played host, and what it told. */
function linked(door: DoorInHand) {
  const clock = manualClock();
  const told: ChatEvent[] = [];
  const link = new SessionLink({ door, clock, session: ID, hear: (event) => told.push(event) });
  const kinds = () =>
    told
      .splice(0)
      .map((event) =>
        event.kind === 'link' ? `link ${event.isLive}` : event.kind === 'stream' ? event.event : event.kind,
      );
  return { clock, link, told, kinds, last: () => door.streams[door.streams.length - 1] };
}

test('a link reads the session once it listens, and what is told meanwhile comes after that', async () => {
  const reading = Promise.withResolvers<Json>();
  const door = new DoorInHand(sessionRoutes());
  door.route(`GET ${PATH}/entries`, () => reading.promise);
  const { clock, link, told, kinds, last } = linked(door);
  await clock.advance(0);
  last()?.tell('entry', entries.said('2', 'later'), '8');
  await clock.advance(0);
  assert.deepEqual(kinds(), []);
  reading.resolve({ entries: [entries.said('1', 'first')], before: '0' });
  await clock.advance(0);
  assert.deepEqual(told[0], {
    ...{ kind: 'opened', entries: [entries.said('1', 'first')], before: '0', isNew: true },
    session: {
      id: ID,
      name: 'work',
      agents: ['ada'],
      model: '',
      mode: 'normal',
      isClosed: false,
      running: null,
    },
  });
  assert.deepEqual(kinds(), ['opened', 'link true', 'entry']);
  last()?.tell('ping');
  last()?.tell('state', { turn: 'trn_1' });
  assert.deepEqual(kinds(), ['state']);
  await link.close();
  assert.equal(last()?.isClosed, true);
  assert.equal(clock.pendingTimers, 0);
});

test('when the host comes back the stream goes on behind the last entry, and nothing is read again', async () => {
  const door = new DoorInHand(sessionRoutes());
  const { clock, link, kinds, last } = linked(door);
  await clock.advance(0);
  last()?.tell('entry', entries.said('1', 'x'), '7');
  kinds();
  door.isAway = true;
  last()?.end();
  await clock.advance(0);
  assert.deepEqual(kinds(), ['link false']);
  let isLive = false;
  void link.untilLive().then(() => {
    isLive = true;
  });
  await clock.advance(2_000);
  door.isAway = false;
  const read = door.requests.length;
  await clock.advance(4_000);
  assert.equal(last()?.after, '7');
  assert.equal(door.requests.length, read);
  assert.equal(kinds().at(-1), 'link true');
  assert.equal(isLive, true);
  await link.close();
  await link.untilLive();
});

test('where the host cannot say what came between, the entries are read again before what follows is told', async () => {
  const door = new DoorInHand(sessionRoutes(() => [entries.said('1', 'x')]));
  const { clock, link, kinds, last } = linked(door);
  await clock.advance(0);
  kinds();
  last()?.tell('reset');
  last()?.tell('state', { turn: 'trn_1' });
  assert.deepEqual(kinds(), []);
  await clock.advance(0);
  assert.deepEqual(kinds(), ['opened', 'state']);
  // A host that goes away in its middle is listened to anew.
  door.isAway = true;
  last()?.tell('reset');
  await clock.advance(0);
  assert.deepEqual([last()?.isClosed, kinds()], [true, ['link false']]);
  await link.close();
});

test('a stream that says nothing for long is opened anew, and one that is refused is not asked for all the time', async () => {
  const door = new DoorInHand(sessionRoutes());
  const { clock, link, last } = linked(door);
  await clock.advance(0);
  await clock.advance(40_000);
  assert.equal(door.streams[0]?.isClosed, true);
  await clock.advance(250);
  assert.equal(door.streams.length, 2);
  door.route(`GET ${PATH}`, () => new FairleadError('unauthorized', 'no'));
  for (let attempt = 0; attempt < 6; attempt += 1) {
    last()?.end(401);
    await clock.advance(4_000);
  }
  assert.ok(door.streams.length <= 12, String(door.streams.length));
  await link.close();
});

test('a message keeps its key until the host has answered, and those after it wait', async () => {
  const door = new DoorInHand();
  const answers: (Json | FairleadError)[] = [
    new FairleadError('server_unreachable', 'gone'),
    new FairleadError('answer_lost', 'cut'),
    new FairleadError('gateway_stopping', 'ends'),
    { id: 'ent_1', woken: ['agt_1'], again: true },
    { id: 'ent_2', woken: [], again: false },
    new FairleadError('session_closed', 'closed'),
  ];
  door.route(`POST ${PATH}/entries`, () => answers.shift() ?? null);
  const outbox = new Outbox({ door, random: seededRandom(7) });
  const first = outbox.post(ID, 'one', async () => {});
  const second = outbox.post(ID, 'two', async () => {});
  const third = outbox.post(ID, 'three', async () => {});
  assert.deepEqual(await first, { kind: 'posted', entry: 'ent_1', isHeard: true });
  assert.deepEqual(await second, { kind: 'posted', entry: 'ent_2', isHeard: false });
  assert.equal((await third).kind, 'refused');
  const bodies = door.bodies(`POST ${PATH}/entries`) as { readonly text: string; readonly key: string }[];
  assert.deepEqual(
    bodies.map(({ text }) => text),
    ['one', 'one', 'one', 'one', 'two', 'three'],
  );
  assert.equal(new Set(bodies.map(({ key }) => key)).size, 3);
  assert.equal(new Set(bodies.slice(0, 4).map(({ key }) => key)).size, 1);
  outbox.close();
  assert.deepEqual(await outbox.post(ID, 'four', async () => {}), { kind: 'given_up' });
});

/** Errands in the session, and what they told. */
function errands(door: DoorInHand) {
  const told: ChatEvent[] = [];
  const opened: string[] = [];
  let left = 0;
  const outcome = {
    hear: (event: ChatEvent) => void told.push(event),
    open: (session: string) => void opened.push(session),
    leave: () => {
      left += 1;
    },
  };
  const link = { session: ID, untilLive: async () => {} } as SessionLink;
  const run = new Errands({ door, random: seededRandom(1), outcome });
  return {
    told,
    opened,
    left: () => left,
    do: (wish: Parameters<Errands['run']>[0]) => run.run(wish, link),
    close: () => run.close(),
  };
}

test('what a chat wants is asked of the host, and what came of it is told', async () => {
  const door = new DoorInHand(sessionRoutes());
  const chat = errands(door);
  door.route(`POST ${PATH}/entries`, () => ({ id: 'ent_1', woken: ['agt_1'] }));
  await chat.do({ do: 'post', message: 4, text: 'hi' });
  door.route(`POST ${PATH}/entries`, () => new FairleadError('session_closed', 'closed'));
  await chat.do({ do: 'post', message: 5, text: 'hi' });
  door.route(`GET ${PATH}/entries?before=ent%201`, () => ({ entries: [], before: 'x' }));
  await chat.do({ do: 'older', before: 'ent 1' });
  await chat.do({ do: 'session' });
  await chat.do({ do: 'names' });
  door.route(`POST ${PATH}/cancel`, () => ({ cancelled: true }));
  await chat.do({ do: 'cancel' });
  door.route('POST /api/approvals/apr_1', () => ({ state: 'approved' }));
  await chat.do({ do: 'decide', approval: 'apr_1', decision: 'approve' });
  await chat.do({ do: 'decide', approval: 'apr_2', decision: 'deny' });
  assert.deepEqual(
    chat.told.map(({ kind }) => kind),
    ['posted', 'unposted', 'older', 'session', 'names', 'cancelled', 'questions', 'failed'],
  );
  assert.deepEqual(door.bodies('POST /api/approvals/apr_1'), [{ decision: 'approve' }]);
  await chat.do({ do: 'clear' });
  await chat.do({ do: 'leave' });
  assert.equal(chat.left(), 1);
  chat.close();
});

test('a command is answered, opens another session, or leaves', async () => {
  const door = new DoorInHand(sessionRoutes());
  const chat = errands(door);
  const answers: Json[] = [
    { text: 'done' },
    { text: 'new', open: 'ses_other' },
    { text: 'here', open: ID },
    { quit: true },
  ];
  door.route(`POST ${PATH}/command`, () => answers.shift() ?? null);
  for (const line of ['/costs', '/new', '/join work', '/quit']) await chat.do({ do: 'command', line });
  door.route(
    `POST ${PATH}/command`,
    () => new FairleadError('command_usage', 'no', { detail: { usage: '/x <y>' } }),
  );
  await chat.do({ do: 'command', line: '/x' });
  assert.deepEqual(chat.told, [
    { kind: 'answered', line: '/costs', text: 'done' },
    { kind: 'answered', line: '/new', text: 'new' },
    { kind: 'answered', line: '/join work', text: 'here' },
    { kind: 'failed', line: '/x', fault: { code: 'command_usage', message: 'no', next: '/x <y>' } },
  ]);
  assert.deepEqual([chat.opened, chat.left()], [['ses_other'], 1]);
});

test('what only shows how things are is asked one at a time, and once more where something changed meanwhile', async () => {
  const door = new DoorInHand(sessionRoutes());
  const chat = errands(door);
  const first = Promise.withResolvers<Json>();
  const answers = [first.promise, Promise.resolve<Json>({ data: { approvals: [] } })];
  door.route(`POST ${PATH}/command`, () => answers.shift() ?? null);
  const asked = chat.do({ do: 'questions' });
  await chat.do({ do: 'questions' });
  await chat.do({ do: 'questions' });
  first.resolve({ data: { approvals: [] } });
  await asked;
  assert.equal(door.requests.length, 2);
  door.isAway = true;
  await chat.do({ do: 'session' });
  assert.equal(chat.told.length, 2);
});

test('everything that can be completed is read from the host; what it does not answer is empty', async () => {
  assert.deepEqual(await readNames(new DoorInHand(sessionRoutes()), ID), {
    commands: [
      { name: 'costs', aliases: ['cost'], about: 'What it cost.', usages: ['/costs'] },
      { name: 'greet', aliases: [], about: 'Greets.', usages: ['/greet <agent>'] },
    ],
    ...{ agents: ['ada'], extensions: ['fs'], approvals: [], groups: ['review'] },
    ...{ sessions: ['work', 'ses_other'], models: ['demo/script'] },
  });
  const nothing = await readNames(new DoorInHand(), ID);
  assert.deepEqual([nothing.commands, nothing.models], [[], []]);
});

test('a chat goes on in the newest session of its folder, in the one that is named, or in a new one', async () => {
  const row = (id: string, workspace: string, more = {}) => ({
    id,
    workspace,
    parent: null,
    source: null,
    agents: [{ name: 'ada' }],
    ...more,
  });
  const door = new DoorInHand({
    'GET /api/sessions?limit=200': () => ({
      sessions: [
        row('ses_elsewhere', '/other'),
        row('ses_child', '/work', { parent: {} }),
        row('ses_here', '/work'),
      ],
    }),
    'GET /api/sessions?name=known': () => ({ sessions: [{ id: 'ses_known' }] }),
    'GET /api/sessions?name=new%20one': () => ({ sessions: [] }),
    'GET /api/admin/status': () => ({ agents: { agents: ['ada'], model: 'demo/script' } }),
    'GET /api/models': () => ({ models: ['demo/script'] }),
    'POST /api/sessions': () => ({ id: 'ses_made' }),
    'PATCH /api/sessions/ses_made': () => ({}),
  });
  const wish = { workspace: '/work', isNew: false };
  assert.equal(await pickSession(door, wish), 'ses_here');
  assert.equal(await pickSession(door, { ...wish, session: 'known' }), 'ses_known');
  assert.equal(await pickSession(door, { ...wish, session: ID }), ID);
  assert.equal(await pickSession(door, { ...wish, agent: 'bob' }), 'ses_made');
  assert.equal(await pickSession(door, { ...wish, isNew: true, model: 'demo/script' }), 'ses_made');
  assert.equal(await pickSession(door, { ...wish, session: 'new one' }), 'ses_made');
  // A session that nothing can be said in would stay.
  await assert.rejects(pickSession(door, { ...wish, isNew: true, model: 'x/y' }), { code: 'model_unknown' });
  assert.deepEqual(door.bodies('POST /api/sessions'), [
    { agents: ['bob'], workspace: '/work' },
    { agents: ['ada'], workspace: '/work' },
    { agents: ['ada'], workspace: '/work', name: 'new one' },
  ]);
  assert.deepEqual(door.bodies('PATCH /api/sessions/ses_made'), [{ model: 'demo/script' }]);
  door.route('GET /api/admin/status', () => ({ agents: { agents: ['ada'], model: null } }));
  assert.equal(await firstAgent(door), null);
  await assert.rejects(pickSession(door, { ...wish, isNew: true }), { code: 'model_missing' });
});

test('what goes wrong without a code of ours is called so', async () => {
  assert.equal((await faultOf(new TypeError('secret'))).code, 'internal_error');
  assert.deepEqual(await faultOf(new FairleadError('of_tomorrow', 'hm')), {
    code: 'of_tomorrow',
    message: 'hm',
    next: null,
  });
});
