import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitFor } from '@fairlead/testing';
import { owedLimits } from '../../src/limits.ts';
import { ALLOWED, gateTool, passTurn, sayTurn } from '../host/gate-tool.ts';
import { hostRoom } from '../host/host-room.ts';
import { noRoomFor, noRoomForRows } from '../no-room.ts';
import { ADA } from '../sessions/session-room.ts';
import { calls, childrenOf, ends, give, gives, onlyChild } from './give-tool.ts';

const worker = { name: 'scout', system_prompt: 'You scout.', tools: ['look*'] };

test('spawn_agent: another agent does the task in a session of its own, and its last words are the result', async (t) => {
  const room = await hostRoom(t, {
    scripts: {
      'agent:ann': [gives({ kind: 'agent', name: 'bob', task: 'count' })],
      'agent:bob': [{ when: 'count', steps: [{ text: 'Four.' }] }],
    },
    agents: [{ name: 'ann' }, { name: 'bob' }],
    extensions: () => [give],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  await room.ask(session, 'ask bob');
  assert.deepEqual((await room.told(session)).slice(2), [
    ...['call give', 'result completed: completed fine: Four.', 'ann: Given.', 'end completed'],
  ]);
  const child = await onlyChild(room, session);
  assert.deepEqual(await room.told(child), [
    ...['ann asks: count', 'ack bob 1', 'bob: Four.', 'end completed'],
  ]);
  const meta = await room.host.sessions.meta(child);
  assert.equal(meta.closed, true);
  assert.equal(meta.source, 'spawn:bob');
  const entries = await room.entries(session);
  const call = entries.find((entry) => entry.type === 'tool_call');
  const ack = entries.find((entry) => entry.type === 'ack');
  assert.deepEqual(meta.parent, { session, turn: ack?.turn, call: call?.call });
  assert.equal(await room.host.workspace(child), await room.host.workspace(session));
});

test('spawn_worker: its own words, model and tools are applied, and it writes as its agent (the seed ran the caller)', async (t) => {
  const { extension } = gateTool();
  const room = await hostRoom(t, {
    scripts: {
      'agent:ann': [gives({ name: 'scout' })],
      'worker:scout': [
        {
          steps: [
            {
              text: 'Looking.',
              expect: { absent: ['give'], tools: ['pass'] },
              calls: [{ tool: 'give', arguments: { name: 'scout' } }],
            },
            { text: 'Nothing there.' },
          ],
        },
      ],
    },
    agents: [{ name: 'ann', workers: [{ ...worker, tools: ['pa*'], model: 'local/other' }] }],
    extensions: () => [give, extension],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  await room.ask(session, 'scout');
  const child = await onlyChild(room, session);
  assert.deepEqual(await room.told(child), [
    ...['ann asks: the task', 'ack worker:scout 1', 'worker:scout: Looking. …', 'call give'],
    'result not_started tool_not_allowed: tool_not_allowed: The agent may not use this tool; nothing was started. (give)',
    ...['worker:scout: Nothing there.', 'end completed'],
  ]);
  const ack = (await room.entries(child)).find((entry) => entry.type === 'ack');
  assert.equal(ack?.model, 'local/other');
});

test('a task that found the disk full leaves no open session once there is room', async (t) => {
  const room = await hostRoom(t, {
    scripts: { 'agent:ann': [gives({ kind: 'agent', name: 'bob' })], 'agent:bob': [sayTurn('Yes.')] },
    agents: [{ name: 'ann' }, { name: 'bob' }],
    extensions: () => [give],
    policy: ALLOWED,
  });
  const { peer, store, clock } = room.floor;
  const session = await room.session('ann');
  const closes = (sql: string) => sql.includes("reason = 'session_closed'");
  let turns = 0;
  const disk = noRoomFor(t, peer, (sql) => {
    if (sql.startsWith('INSERT INTO turns')) turns += 1;
    return turns === 2 && (sql.startsWith('INSERT INTO turns') || closes(sql));
  });
  const rows = noRoomForRows(t, store, closes);
  await room.ask(session, 'ask bob');
  assert.equal((await room.told(session))[3], 'result completed: not_started store_disk_full: No room.');
  const child = await onlyChild(room, session);
  assert.equal((await room.host.sessions.meta(child)).closed, false);
  disk.mock.restore();
  rows.mock.restore();
  await waitFor(
    async () => {
      await clock.advance(owedLimits.againMs);
      return (await room.host.sessions.meta(child)).closed;
    },
    { what: 'the end of the session' },
  );
  await room.host.idle();
  assert.equal((await room.host.status()).waiting, 0);
});

test('the list of tools that a giver names narrows what the child may call, globs as globs', async (t) => {
  const { extension } = gateTool();
  const room = await hostRoom(t, {
    scripts: {
      'agent:ann': [gives({ kind: 'agent', name: 'bob', tools: ['p*'] })],
      'agent:bob': [{ steps: [{ text: 'Seen.', expect: { tools: ['pass'], absent: ['give'] } }] }],
    },
    agents: [{ name: 'ann', tools: ['*'] }, { name: 'bob' }],
    extensions: () => [give, extension],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  await room.ask(session, 'go');
  assert.match((await room.told(session)).join('\n'), /completed fine: Seen\./);
});

test('a child may touch no more than its giver: grants of both, in the same folder', async (t) => {
  const room = await hostRoom(t, {
    scripts: { 'agent:ann': [gives({ kind: 'agent', name: 'bob' })], 'agent:bob': [sayTurn('Yes.')] },
    agents: [
      { name: 'ann', grants: { fs: { read: ['$workspace/docs'], write: [] }, network: { endpoints: [] } } },
      { name: 'bob' },
    ],
    extensions: () => [give],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  await room.ask(session, 'go');
  const { grants } = await room.host.sessions.meta(await onlyChild(room, session));
  assert.deepEqual(grants, {
    ...{ fs: { read: ['$workspace/docs'], write: [] }, network: { endpoints: [], allowPrivate: false } },
  });
});

test('what is switched off in a session is off in its children, with the same settings', async (t) => {
  const { extension } = gateTool();
  const room = await hostRoom(t, {
    scripts: {
      'agent:ann': [gives({ kind: 'agent', name: 'bob' })],
      'agent:bob': [{ steps: [{ text: 'Off.', expect: { absent: ['pass'], tools: ['give'] } }] }],
    },
    agents: [{ name: 'ann' }, { name: 'bob' }],
    extensions: () => [give, extension],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  const by = { id: 'tok_1', scopes: ['session:read', 'session:write'] };
  const off = await room.host.command({ session, line: '/extensions remove gate', by });
  assert.ok('text' in off, JSON.stringify(off));
  const database = await room.host.sessions.open(session);
  await database.doc('extension_settings').set(['give', 'note'], 'kept');
  await room.ask(session, 'go');
  assert.match((await room.told(session)).join('\n'), /completed fine: Off\./);
  const child = await room.host.sessions.open(await onlyChild(room, session));
  assert.deepEqual(await child.doc('extension_settings').get(), { give: { note: 'kept' } });
});

test('the depth limit is max_depth of the agents, not their iterations (the seed took max_iterations)', async (t) => {
  const deep = gives({ name: 'deeper' });
  const room = await hostRoom(t, {
    scripts: { 'agent:ann': [deep], 'worker:deeper': [deep] },
    agents: [{ name: 'ann', max_depth: 2, max_iterations: 50, workers: [{ name: 'deeper' }] }],
    extensions: () => [give],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  await room.ask(session, 'go');
  const child = await onlyChild(room, session);
  const grandchild = await onlyChild(room, child);
  assert.deepEqual(await childrenOf(room, grandchild), []);
  assert.match(
    (await room.told(grandchild)).join('\n'),
    /not_started spawn_too_deep: An agent at this depth gives no tasks to others; nothing was started\. \(it may go 2 deep\)/,
  );
});

test('an agent that may go deeper does not lift the limit of who began', async (t) => {
  const room = await hostRoom(t, {
    scripts: {
      'agent:ann': [gives({ kind: 'agent', name: 'bob' })],
      'agent:bob': [gives({ kind: 'agent', name: 'bob' })],
    },
    agents: [
      { name: 'ann', max_depth: 1 },
      { name: 'bob', max_depth: 8 },
    ],
    extensions: () => [give],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  await room.ask(session, 'go');
  const child = await onlyChild(room, session);
  assert.match((await room.told(child)).join('\n'), /spawn_too_deep/);
});

test('steps are shared with everything below (the seed gave each worker a budget of its own)', async (t) => {
  const again = { calls: [{ tool: 'give', arguments: { name: 'twin' } }] };
  const room = await hostRoom(t, {
    scripts: {
      'agent:ann': [{ steps: [calls({ name: 'twin' }), { text: 'Enough.' }, { text: 'Enough.' }] }],
      'worker:twin': [{ steps: [again, { text: 'No more.' }, { text: 'No more.' }] }],
    },
    agents: [{ name: 'ann', max_depth: 8, max_iterations: 3, workers: [{ name: 'twin' }] }],
    extensions: () => [give],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  await room.ask(session, 'go');
  let depth = 0;
  for (let at: string | undefined = session; at !== undefined && depth < 9; depth += 1)
    [at] = await childrenOf(room, at);
  assert.equal(depth, 4, 'three steps with tools make three children');
});

test('what a child costs counts for the session and the turn that began it', async (t) => {
  const usage = { input: 100, output: 10 };
  const room = await hostRoom(t, {
    scripts: {
      'agent:ann': [
        {
          steps: [
            { ...calls({ name: 'scout' }), usage },
            { text: 'Given.', usage },
          ],
        },
      ],
      'worker:scout': [{ steps: [{ text: 'Seen.', usage }] }],
    },
    agents: [{ name: 'ann', workers: [worker] }],
    extensions: () => [give],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  await room.ask(session, 'go');
  const costs = await room.host.ledger.costs(session);
  assert.deepEqual(
    costs.map(({ input, output }) => [input, output]),
    [[300, 30]],
  );
  assert.deepEqual(await room.host.ledger.costs(await onlyChild(room, session)), []);
});

test('cancelling a turn cancels what it gave away, and the call says that it ended', async (t) => {
  const { extension, entered } = gateTool();
  const room = await hostRoom(t, {
    scripts: { 'agent:ann': [gives({ name: 'scout' })], 'worker:scout': [passTurn] },
    agents: [{ name: 'ann', workers: [{ name: 'scout' }] }],
    extensions: () => [give, extension],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  await room.say(session, 'go');
  await entered;
  assert.equal(await room.host.cancel(session), true);
  await room.host.idle();
  const child = await onlyChild(room, session);
  assert.equal((await room.told(child)).at(-1), 'end cancelled turn_cancelled');
  assert.equal((await room.told(session)).at(-1), 'end cancelled turn_cancelled');
});

test('async: the call answers when the task is on disk; cancelling the session later cancels the task', async (t) => {
  const { extension, entered } = gateTool();
  const room = await hostRoom(t, {
    scripts: { 'agent:ann': [gives({ name: 'scout', async: true })], 'worker:scout': [passTurn] },
    agents: [{ name: 'ann', workers: [{ name: 'scout' }] }],
    extensions: () => [give, extension],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  await room.say(session, 'go');
  await entered;
  await waitFor(async () => (await room.told(session)).includes('end completed'), { what: 'the giver' });
  const child = await onlyChild(room, session);
  assert.deepEqual(ends.at(-1), {
    ...{
      certainty: 'completed',
      session: child,
      text: `The task was given; it is done in session ${child}.`,
    },
  });
  assert.equal(await room.host.cancel(session), true);
  await room.host.idle();
  assert.equal((await room.told(child)).at(-1), 'end cancelled turn_cancelled');
  assert.equal(await room.host.cancel(session), false);
});

test('a call whose time is over says where its child goes on, and that nobody knows how it ends', async (t) => {
  const { extension, entered, open } = gateTool();
  const room = await hostRoom(t, {
    scripts: { 'agent:ann': [gives({ name: 'scout' })], 'worker:scout': [passTurn] },
    agents: [{ name: 'ann', workers: [{ name: 'scout' }] }],
    extensions: () => [give, extension],
    policy: { ...ALLOWED, tools: { give: { timeout_secs: 5 } } },
  });
  const session = await room.session('ann');
  await room.say(session, 'go');
  await entered;
  const { clock } = room.floor;
  const before = ends.length;
  clock.advance(5000);
  const told = () => {
    clock.advance(100);
    return ends.length > before;
  };
  await waitFor(told, { what: 'the end of the wait' });
  const child = await onlyChild(room, session);
  const end = ends.at(-1);
  assert.deepEqual(
    [end?.certainty, end?.session, end?.code],
    ['outcome_unknown', child, 'spawn_still_running'],
  );
  await waitFor(async () => (await room.told(session)).includes('end completed'), { what: 'the giver' });
  open();
  await room.host.idle();
  assert.equal((await room.told(child)).at(-1), 'end completed');
});

test('what cannot be given is refused before a child is made', async (t) => {
  const room = await hostRoom(t, {
    scripts: {
      'agent:ann': [
        gives({ kind: 'agent', name: 'nobody' }, { name: 'nobody' }, { name: 'scout', model: 'local/none' }),
      ],
    },
    agents: [{ name: 'ann', workers: [worker] }],
    extensions: () => [give],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  await room.ask(session, 'go');
  const results = (await room.told(session)).filter((line) => line.startsWith('result'));
  // They are asked for side by side: each is told when it is known.
  assert.deepEqual(
    results.map((line) => /completed: (not_started \w+)/.exec(line)?.[1]).toSorted(),
    ['agent_unknown', 'model_unknown', 'worker_unknown'].map((code) => `not_started ${code}`),
  );
  assert.match(results.find((line) => line.includes('worker_unknown')) ?? '', /it has scout/);
  assert.deepEqual(await childrenOf(room, session), []);
});

test('a child that fails is told as one that ended', async (t) => {
  const room = await hostRoom(t, {
    scripts: {
      'agent:ann': [gives({ name: 'scout' })],
      'worker:scout': [{ steps: [{ faults: [{ status: 400 }] }] }],
    },
    agents: [{ name: 'ann', workers: [worker] }],
    extensions: () => [give],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  await room.ask(session, 'go');
  assert.match((await room.told(session)).join('\n'), /result completed: completed model_request_refused: /);
});

test('the approvals and states of a child show in the session that began it', async (t) => {
  const room = await hostRoom(t, {
    scripts: { 'agent:ann': [gives({ name: 'scout' })], 'worker:scout': [passTurn] },
    agents: [{ name: 'ann', workers: [{ name: 'scout' }] }],
    extensions: () => [give, gateTool().extension],
    policy: { auto_approve: ['give'], tools: { pass: { approval: 'always' } } },
  });
  const session = await room.session('ann');
  const heard = await room.hear(session);
  await room.say(session, 'go');
  const asked = await waitFor(() => heard.find((event) => event.kind === 'approval'), {
    what: 'the approval',
  });
  assert.equal(asked.kind === 'approval' && asked.state, 'open');
  const by = { id: 'tok_1', scopes: ['session:approve'] };
  if (asked.kind === 'approval')
    await room.host.approvals.decide(asked.approval, { decision: 'deny', by, via: 'test' });
  await room.host.idle();
  assert.ok(heard.some((event) => event.kind === 'approval' && event.state === 'denied'));
  const child = await onlyChild(room, session);
  const turn = (await room.entries(child)).find((entry) => entry.type === 'ack')?.turn;
  assert.ok(
    heard.some((event) => event.kind === 'state' && event.turn === turn && event.state === 'approval'),
  );
  assert.match((await room.told(child)).join('\n'), /approval_denied/);
});

test('what somebody says to a child while it works is kept, and nobody waits for an answer', async (t) => {
  const { extension, entered, open } = gateTool();
  const room = await hostRoom(t, {
    scripts: { 'agent:ann': [gives({ name: 'scout' })], 'worker:scout': [passTurn] },
    agents: [{ name: 'ann', workers: [{ name: 'scout' }] }],
    extensions: () => [give, extension],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  await room.say(session, 'go');
  await entered;
  const child = await onlyChild(room, session);
  await assert.rejects(room.host.runOnce({ session: child, text: 'hello?', from: ADA }), {
    code: 'turn_running',
  });
  await room.say(child, 'hello?');
  open();
  await room.host.idle();
  assert.ok((await room.told(child)).includes('Ada: hello?'));
  assert.equal((await room.host.status()).waiting, 0);
});
