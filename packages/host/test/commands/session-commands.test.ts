import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { HOST } from '../../src/entries/write-entry.ts';
import { commandRoom } from './command-room.ts';

type Lines = { readonly sessions: readonly JsonObject[]; readonly more: number };

test('/sessions lists the open ones, the one used last first, and marks this one', async (t) => {
  const { done, sessions, session, ann, host } = await commandRoom(t);
  await host.clock.advance(1000);
  const other = await sessions.create({ name: 'plans\u202e', mode: 'read_only', agents: ['bob'] });
  const gone = await sessions.create({ name: 'gone' });
  await sessions.close(gone);
  const parent = { session, turn: 'trn_1', call: 'call_1' };
  const child = await sessions.create({ parent, source: 'spawn' });
  const { text, data } = await done('/sessions');
  const [first, second] = text.split('\n');
  assert.match(
    first ?? '',
    new RegExp(`^ {3}plans\\\\u202e {2}${other} {2}read_only {2}bob {2}2026-01-01 00:00:01$`),
  );
  assert.match(second ?? '', new RegExp(`^\\* {2}— {12}${session} {2}normal {5}ann {2}2026-01-01 00:00:00$`));
  const listed = data as Lines;
  assert.deepEqual(
    listed.sessions.map(({ id }) => id),
    [other, session],
  );
  assert.deepEqual(listed.sessions[1], {
    id: session,
    name: null,
    mode: 'normal',
    closed: false,
    agents: [{ id: ann, name: 'ann' }],
    host: ann,
    parent: null,
    source: null,
    createdMs: Date.UTC(2026, 0, 1),
    lastAtMs: Date.UTC(2026, 0, 1),
  });
  const ids = async (line: string) => ((await done(line)).data as Lines).sessions.map(({ id }) => id);
  assert.deepEqual(new Set(await ids('/s --closed --all')), new Set([other, session, gone, child]));
  assert.deepEqual(await ids('/sessions --all'), [...new Set([child, other])].sort().concat(session));
});

test('more sessions than one answer has are counted, and no more are opened for it than a thousand', async (t) => {
  const { done, sessions, ports } = await commandRoom(t);
  for (let made = 0; made < 201; made += 1) await sessions.create();
  const { text, data } = await done('/sessions');
  assert.match(text, /\nand 2 more that were used longer ago$/);
  assert.equal((data as Lines).sessions.length, 200);
  assert.equal((data as Lines).more, 2);
  const [line] = await sessions.list({ limit: 1 });
  assert.ok(line !== undefined);
  ports.sessions.list = async ({ limit = 0 } = {}) => Array.from({ length: limit }, () => line);
  assert.match((await done('/sessions')).text, /\nand at least 800 more that were used longer ago$/);
});

test('/new begins with the agents of this session, who answers first', async (t) => {
  const { done, sessions, session, ann, bob } = await commandRoom(t);
  await sessions.attach(session, 'bob');
  await sessions.setHost(session, 'bob');
  const { text, data, open } = await done('/new');
  assert.equal(text, 'A new session with bob, ann.');
  assert.equal(open, (data as JsonObject)['session']);
  const meta = await sessions.meta(open ?? '');
  assert.equal(meta.host, bob);
  assert.deepEqual(
    meta.agents.map(({ id }) => id),
    [bob, ann],
  );
  assert.equal(meta.source, 'command');
});

test('a new session is never without an agent where there is only one to choose', async (t) => {
  const { done, sessions, session, agents, peer, bob } = await commandRoom(t);
  await sessions.detach(session, 'ann');
  assert.equal((await done('/new')).text, 'A new session without an agent: add one with /agent add.');
  await peer.drop(bob);
  agents.forget(bob);
  assert.equal((await done('/new')).text, 'A new session with ann.');
});

test('/new takes a group, or agents, and a name; not both, and no group that there is not', async (t) => {
  const { done, refused, sessions } = await commandRoom(t);
  const duo = await done('/new duo --name "Two of us"');
  assert.equal(duo.text, 'A new session “Two of us” with ann, bob.');
  assert.equal((await sessions.meta(duo.open ?? '')).name, 'Two of us');
  assert.equal((await done('/new --agents bob --agents ann')).text, 'A new session with bob, ann.');
  assert.match(await refused('/new duo --agents ann'), /^session_invalid: .*a group, or agents, not both/);
  assert.match(await refused('/new dou'), /^session_invalid: .*there is no group dou; did you mean duo\?/);
  assert.match(await refused('/new --agents eve'), /^agent_unknown: /);
  for (const line of ['/new duo of us', '/new --name x duo y', '/new duo "--name" x'])
    assert.match(await refused(line), /^command_usage: .*it takes one group/);
  assert.equal((await done('/new --name=us duo')).text, 'A new session “us” with ann, bob.');
  assert.match(await refused('/new --name'), /^command_usage: .*\n\/new \[group\] \[--name <name>\]/);
});

test('a new session has the folder that this one was given, and not one that was made for it alone', async (t) => {
  const { done, run, sessions, session } = await commandRoom(t);
  await sessions.setWorkspace(session, `/state/workspaces/${session}`);
  const own = await done('/new');
  assert.equal(await sessions.workspace(own.open ?? ''), null);
  await sessions.setWorkspace(session, '/home/ada/project');
  const same = await done('/new');
  assert.equal(await sessions.workspace(same.open ?? ''), '/home/ada/project');
  // Else a read-only session of a folder would be left for a normal one by who may not change its mode.
  await sessions.setMode(session, 'read_only', { scopes: ['admin'] });
  const other = await run('/new', { scopes: ['session:read', 'session:write', 'session:approve'] });
  assert.ok('text' in other);
  assert.equal(await sessions.workspace(other.open ?? ''), null);
});

test('/groups lists what /new takes', async (t) => {
  const { done, ports, run } = await commandRoom(t);
  assert.deepEqual(await done('/groups'), {
    text: 'duo  ann, bob',
    data: { groups: { duo: ['ann', 'bob'] } },
  });
  assert.equal((await run('/group x')) !== undefined, true);
  const none = { ...ports, groups: new Map<string, readonly string[]>() };
  const { runHostCommand } = await import('../../src/commands/run-host-command.ts');
  const by = { id: 'person:1', scopes: ['session:read'] };
  const session = (await ports.sessions.list())[0]?.id ?? '';
  const answer = await runHostCommand(none, { session, line: '/groups', by });
  assert.match('text' in answer ? answer.text : '', /^There is no group/);
});

test('/join goes on in another session by its name or id, and in none that there is not', async (t) => {
  const { done, refused, sessions } = await commandRoom(t);
  const id = await sessions.create({ name: 'the plan' });
  assert.deepEqual(await done('/join the plan'), {
    text: `Session “the plan” ${id}.`,
    data: { session: id, name: 'the plan' },
    open: id,
  });
  assert.equal((await done(`/open ${id}`)).open, id);
  assert.match(await refused('/join nowhere'), /^session_unknown: /);
  assert.match(await refused('/join'), /^command_usage: .*\n\/join <session>$/);
});

test('/name names this session, takes the name away, and refuses what is none', async (t) => {
  const { done, refused, sessions, session } = await commandRoom(t);
  assert.deepEqual(await done('/name The   plan'), {
    text: 'The session is “The plan” now.',
    data: { session, name: 'The plan' },
  });
  assert.equal((await sessions.meta(session)).name, 'The plan');
  assert.equal((await done('/rename')).text, 'The session has no name now.');
  assert.equal((await sessions.meta(session)).name, undefined);
  assert.match(await refused('/name ses_x'), /^session_invalid: /);
});

test('/mode shows the mode, changes it for who may approve, and takes no other word', async (t) => {
  const { done, refused, sessions, session } = await commandRoom(t);
  assert.equal((await done('/mode')).text, 'The mode of this session is normal.');
  assert.deepEqual((await done('/mode inspect')).data, { session, mode: 'inspect' });
  assert.equal((await sessions.meta(session)).mode, 'inspect');
  assert.match(await refused('/mode normal', ['session:read', 'session:write']), /^session_mode_denied: /);
  assert.match(await refused('/mode wild'), /^command_usage: .*\n\/mode \[normal\|read_only\|inspect\]$/);
});

test('/close ends the session once, and what only reads still runs there', async (t) => {
  const { done, refused, sessions, session, asked } = await commandRoom(t);
  assert.deepEqual((await done('/close')).data, { session, closed: true });
  assert.equal((await sessions.meta(session)).closed, true);
  await done('/close');
  assert.deepEqual(asked, ['closeSession']);
  assert.match((await done('/info')).text, /^mode +normal, closed$/m);
  assert.deepEqual(((await done('/help')).data as JsonObject)['extensions'], []);
  assert.match(await refused('/name late'), /^session_closed: /);
  assert.match(await refused('/extensions remove x'), /^extension_unknown: /);
  assert.match(await refused('/greet'), /^session_not_open: /);
});

test('/quit says that somebody leaves, and changes nothing', async (t) => {
  const { done } = await commandRoom(t);
  for (const line of ['/quit', '/exit', '/q'])
    assert.deepEqual(await done(line), { text: '', data: {}, quit: true });
});

test('/info says what the session is; its folder is shown to who runs the host alone', async (t) => {
  const { done, run, sessions, session, ann, facade, say, peer, approvals, approvalOf, state } =
    await commandRoom(t);
  await sessions.rename(session, 'plans');
  await sessions.setWorkspace(session, '/home/ada/plans');
  await approvals.ask(approvalOf());
  await say(session, { type: 'message', text: 'hello', mentions: [] });
  facade.running = { turn: 'trn_1', agent: ann, state: 'tool', tool: 'shell' };
  const { text, data } = await done('/info');
  assert.equal(
    text,
    [
      `session     ${session}`,
      'name        plans',
      'created     2026-01-01 00:00:00 UTC',
      'mode        normal',
      'host agent  ann, local/small',
      'workspace   /home/ada/plans',
      'turn        ann: shell',
      'waiting     0',
      'approvals   1',
    ].join('\n'),
  );
  assert.deepEqual(data, {
    session,
    name: 'plans',
    createdMs: Date.UTC(2026, 0, 1),
    mode: 'normal',
    closed: false,
    source: null,
    host: ann,
    agents: [{ id: ann, name: 'ann', model: 'local/small', from: 'host' }],
    parent: null,
    workspace: '/home/ada/plans',
    running: { turn: 'trn_1', agent: ann, state: 'tool', tool: 'shell' },
    waiting: 0,
    approvals: 1,
    pausedAtMs: null,
    peer: peer.peerId,
  });
  await state.pause(0);
  const reader = await run('/info', { scopes: ['session:read'] });
  assert.ok('text' in reader);
  assert.doesNotMatch(JSON.stringify(reader), /home\/ada/);
  assert.match(reader.text, /^paused +since 1970-01-01 00:00:00 UTC$/m);
  const parent = { session, turn: 'trn_1', call: 'call_1' };
  const child = await sessions.create({ parent });
  assert.match((await done('/info', child)).text, new RegExp(`^spawned by +${session}$`, 'm'));
  assert.deepEqual(await done('/pubkey'), { text: peer.peerId, data: { peer: peer.peerId } });
});

test('/print shows what happened, the newest last, one line for what is no text, and nothing that moves a terminal', async (t) => {
  const { done, session, say, refused } = await commandRoom(t);
  assert.equal((await done('/print')).text, 'Nothing was said here yet.');
  const agent = { kind: 'agent', id: 'agt_1', name: 'ann' } as const;
  const call = { call: 'call_1', tool: 'shell', target: 'ext:core/shell#d', digest: 'd' };
  await say(session, { type: 'message', text: 'hello\n\u001b[2Jyou', mentions: [] });
  await say(session, { type: 'ack', turn: 'trn_1', for: [], agent: 'agt_1', model: 'local/small' }, agent);
  await say(
    session,
    { type: 'tool_call', ...call, extension: 'core', tier: 'in_process', arguments: { a: 1 } },
    agent,
  );
  const asked = {
    approval: 'apr_1',
    ...call,
    extension: 'core',
    risk: 'high',
    arguments: {},
    until: 1,
  } as const;
  await say(session, { type: 'approval_request', ...pick(asked) }, HOST);
  await say(
    session,
    { type: 'approval_decision', approval: 'apr_1', decision: 'denied', by: 'person:1', via: 'http' },
    HOST,
  );
  const result = { error: true, text: 'no', ms: 1, bytes: 2, redacted: [], hooks: [] };
  await say(
    session,
    { type: 'tool_result', call: 'call_1', certainty: 'not_started', code: 'approval_denied', ...result },
    agent,
  );
  await say(session, { type: 'tool_settled', call: 'call_1', certainty: 'completed' }, agent);
  await say(session, { type: 'error', code: 'model_timeout', text: 'silent' }, HOST);
  const usage = { input: 0, output: 0, cached: 0, written: 0, reasoning: 0 };
  await say(
    session,
    {
      type: 'turn_end',
      turn: 'trn_1',
      status: 'failed',
      code: 'model_timeout',
      usage,
      nanousd: null,
      steps: 1,
    },
    agent,
  );
  await say(session, { type: 'directive', text: 'x'.repeat(2001) }, HOST);
  const { text, data } = await done('/print');
  assert.equal(
    text,
    [
      'Ada  hello\n\\u001b[2Jyou',
      'ann  [ack] by local/small',
      'ann  [tool_call] shell {"a":1}',
      'host  [approval_request] shell, high: apr_1',
      'host  [approval_decision] denied by person:1: apr_1',
      'ann  [tool_result] not_started, approval_denied: no',
      'ann  [tool_settled] completed',
      'host  [error] model_timeout: silent',
      'ann  [turn_end] failed, model_timeout',
      `host  [directive] ${'x'.repeat(2000)}…`,
    ]
      .map((line) => `2026-01-01 00:00:00  ${line}`)
      .join('\n'),
  );
  const { entries, before } = data as { entries: JsonObject[]; before: string | null };
  assert.equal(entries.length, 10);
  assert.equal(before, null);
  assert.match(
    (await done('/print 2')).text,
    /^Older entries are left out\.\n.*\[turn_end\].*\n.*\[directive\]/,
  );
  assert.match(await refused('/print 1000'), /^command_usage: .*\n\/print \[last=20\]$/);
});

function pick<T extends { readonly target: string }>({ target: _, ...more }: T): Omit<T, 'target'> {
  return more;
}
