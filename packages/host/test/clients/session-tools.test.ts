import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import type { Principal } from '@fairlead/dispatch';
import { defineExtension, s } from '@fairlead/extension';
import { deactivate } from '@fairlead/hub';
import { hygiene } from '@fairlead/testing';
import { gateTool } from '../host/gate-tool.ts';
import { isResult, noRoomFor } from '../no-room.ts';
import { CLIENT, type ClientRoom, clientRoom, gist, waiter } from './client-room.ts';

const ran: string[] = [];

/** A tool that reads, one that writes, one that asks, one that fails, and one of agents alone. */
const DESK = defineExtension({
  name: 'desk',
  version: '1.0.0',
  tools: {
    look: {
      about: 'Looks at a thing.\nAnd says more.',
      effect: 'read',
      args: { what: s.string() },
      run: ({ what }) => ({ text: `a ${what}`, data: { seen: what } }),
    },
    note: {
      about: 'Writes a note.',
      args: { text: s.string() },
      run({ text }) {
        ran.push(text);
        return 'noted';
      },
    },
    push: {
      about: 'Pushes.',
      approval: 'always',
      args: { what: s.string() },
      run({ what }) {
        ran.push(what);
        return `pushed ${what}`;
      },
    },
    fail: { about: 'Fails.', args: {}, run: () => ({ text: 'no such thing', isError: true }) },
  },
  agent: {
    open: () => ({}),
    tools: { mine: { about: 'The agent’s own.', args: {}, run: () => 'mine' } },
  },
});

/** What the extension is of which nothing may be known without a scope. */
const PLUGGED = defineExtension({
  name: 'mcp-files',
  version: '1.0.0',
  tools: { files__read: { about: 'Reads a file.', args: {}, run: () => 'file' } },
});

async function opened(t: Parameters<typeof clientRoom>[0], more: Parameters<typeof clientRoom>[1] = {}) {
  ran.length = 0;
  return await clientRoom(t, { extensions: () => [DESK, PLUGGED], ...more });
}

test('call_runtime_tool runs a tool of the session as its host agent, in the client’s name, with one id everywhere', async (t) => {
  hygiene(t);
  const room = await opened(t);
  const session = await room.session('ann');
  const answer = await room.inside(session, 'look', { what: 'tree' }, { caller: waiter() });
  assert.deepEqual(answer, {
    call: answer.call,
    action: 'look',
    certainty: 'completed',
    output: { text: 'a tree', structured: { seen: 'tree' } },
    isSessionTool: true,
  });
  const [call, result] = await room.entries(session);
  assert.ok(call?.type === 'tool_call' && result?.type === 'tool_result');
  assert.deepEqual(
    [call.call, call.from, call.extension, call.arguments, call.turn],
    [answer.call, { kind: 'client', id: 'tok_client', name: 'desk' }, 'desk', { what: 'tree' }, undefined],
  );
  assert.deepEqual([result.call, result.certainty, result.text], [answer.call, 'completed', 'a tree']);
  const row = await room.journal.find(answer.call ?? '');
  assert.deepEqual([row?.principal, row?.session, row?.action], ['token:tok_client', session, 'look']);
  assert.deepEqual(await room.journalled(), ['look completed']);
});

test('without a session there is no such tool, and nothing is taken from an earlier call of the same client', async (t) => {
  const room = await opened(t);
  const session = await room.session('ann');
  await room.inside(session, 'look', { what: 'tree' });
  const answer = await room.call('call_runtime_tool', { tool: 'look', arguments: { what: 'tree' } });
  assert.deepEqual(gist(answer), ['not_started', 'unknown_tool']);
});

test('read_tool_manifest lists the session’s tools and tells all of one; without the session it knows none of them', async (t) => {
  const room = await opened(t);
  const session = await room.session('ann');
  const listed = await room.call('read_tool_manifest', {}, { session });
  const rows = (listed.output?.['tools'] ?? []) as { name: string; about?: string; scopes: string[] }[];
  const names = rows.map(({ name }) => name);
  for (const name of ['plugin_tool', 'session_append', 'look', 'mine', 'files__read'])
    assert.ok(names.includes(name), name);
  assert.deepEqual(
    rows.find(({ name }) => name === 'look'),
    {
      name: 'look',
      route: 'gateway',
      scopes: ['session:write'],
      extension: 'desk',
      tier: 'in_process',
      about: 'Looks at a thing.',
    },
  );
  assert.deepEqual(rows.find(({ name }) => name === 'files__read')?.scopes, ['session:write', 'mcp:invoke']);
  const one = await room.call('read_tool_manifest', { tool_name: 'look' }, { session });
  const { inputSchema, ...manifest } = one.output ?? {};
  assert.deepEqual(manifest, {
    name: 'look',
    description: 'Looks at a thing.\nAnd says more.',
    route: 'gateway',
    scopes: ['session:write'],
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    extension: 'desk',
    tier: 'in_process',
  });
  assert.ok(
    isJsonObject(inputSchema as Json) &&
      isJsonObject((inputSchema as JsonObject | undefined)?.['properties'] ?? null),
  );
  assert.deepEqual(gist(await room.call('read_tool_manifest', { tool_name: 'look' })), [
    'not_started',
    'unknown_tool',
  ]);
  assert.deepEqual(gist(await room.call('read_tool_manifest', { tool_name: 'none' }, { session })), [
    'not_started',
    'unknown_tool',
  ]);
  const bare = await room.call('read_tool_manifest', {});
  assert.equal(bare.output?.['totalCount'], 10);
});

test('a mode narrows what is listed and what runs, from one call to the next', async (t) => {
  const room = await opened(t);
  const session = await room.session('ann');
  const names = async () => {
    const { output } = await room.call('read_tool_manifest', {}, { session });
    return ((output?.['tools'] ?? []) as { name: string; extension?: string }[])
      .filter(({ extension }) => extension === 'desk')
      .map(({ name }) => name);
  };
  const admin = { scopes: ['admin'] };
  assert.deepEqual(await names(), ['look', 'note', 'push', 'fail', 'mine']);
  await room.host.sessions.setMode(session, 'read_only', admin);
  assert.deepEqual(await names(), ['look']);
  assert.deepEqual(gist(await room.inside(session, 'note', { text: 'x' })), [
    'not_started',
    'session_guard_denied',
  ]);
  assert.deepEqual(gist(await room.inside(session, 'look', { what: 'x' })), ['completed', undefined]);
  await room.host.sessions.setMode(session, 'inspect', admin);
  assert.deepEqual(await names(), []);
  assert.deepEqual(gist(await room.inside(session, 'look', { what: 'x' })), [
    'not_started',
    'session_guard_denied',
  ]);
  assert.deepEqual(ran, []);
});

test('what is off in the session, opted out by its agent, or not the agent’s to use cannot be called', async (t) => {
  const room = await opened(t, { agents: [{ name: 'ann', tools: ['look', 'note'] }] });
  const session = await room.session('ann');
  assert.deepEqual(gist(await room.inside(session, 'fail')), ['not_started', 'tool_not_allowed']);
  assert.deepEqual(gist(await room.inside(session, 'none')), ['not_started', 'tool_not_found']);
  const agent = await room.host.agents.open((await room.host.agents.resolve('ann')).id);
  await deactivate(agent, 'desk', room.floor.clock);
  assert.deepEqual(gist(await room.inside(session, 'look', { what: 'x' })), ['not_started', 'tool_inactive']);
  const other = await room.host.newSession({});
  assert.deepEqual(gist(await room.inside(other, 'look', { what: 'x' })), ['completed', undefined]);
  await deactivate(await room.host.sessions.open(other), 'desk', room.floor.clock);
  const off = await room.inside(other, 'look', { what: 'x' });
  assert.deepEqual(gist(off), ['not_started', 'tool_inactive']);
  assert.match(off.error?.message ?? '', /desk.*\/extensions add/);
  assert.match(off.error?.recovery ?? '', /extensions add/);
});

test('a session without an agent has the tools that need none, and names what needs one', async (t) => {
  const room = await opened(t);
  const session = await room.host.newSession({});
  assert.deepEqual(gist(await room.inside(session, 'note', { text: 'alone' })), ['completed', undefined]);
  const answer = await room.inside(session, 'mine');
  assert.deepEqual(gist(answer), ['not_started', 'agent_required']);
  assert.deepEqual((await room.told(session)).slice(2), [
    'call mine',
    'result not_started agent_required: agent_required: No agent takes part in this session that could do this.',
  ]);
  await room.host.sessions.attach(session, 'ann');
  assert.deepEqual(gist(await room.inside(session, 'mine')), ['completed', undefined]);
});

test('without an agent the grants of the session hold, and nothing beyond them is touched', async (t) => {
  const room = await opened(t, { touches: { 'desk/look': { reads: ['what'] } } });
  const session = await room.host.newSession({});
  const outside = await room.inside(session, 'look', { what: '/etc/passwd' });
  assert.deepEqual(gist(outside), ['not_started', 'grant_denied']);
  const inside = await room.inside(session, 'look', { what: 'notes.txt' });
  assert.deepEqual(gist(inside), ['completed', undefined]);
});

test('a token needs session:write, and the scope of the tier', async (t) => {
  const room = await opened(t);
  const session = await room.session('ann');
  const without = (scope: string): Principal => ({
    ...CLIENT,
    scopes: CLIENT.scopes.filter((own) => own !== scope),
  });
  const unwritten = await room.inside(
    session,
    'look',
    { what: 'x' },
    { principal: without('session:write') },
  );
  assert.deepEqual([unwritten.error?.code, unwritten.needsScope], ['insufficient_scope', 'session:write']);
  assert.deepEqual(await room.told(session), []);
  const file = await room.inside(session, 'files__read');
  assert.deepEqual([file.error?.code, file.needsScope], ['insufficient_scope', 'mcp:invoke']);
  const principal: Principal = { ...CLIENT, scopes: [...CLIENT.scopes, 'mcp:invoke'] };
  assert.deepEqual(gist(await room.inside(session, 'files__read', {}, { principal })), [
    'completed',
    undefined,
  ]);
});

test('a tool that fails says so; one that is given wrong arguments is not started', async (t) => {
  const room = await opened(t);
  const session = await room.session('ann');
  const failing = await room.inside(session, 'fail');
  assert.deepEqual(
    [failing.certainty, failing.failureKind, failing.output, failing.error],
    ['completed', 'tool_error', { text: 'no such thing' }, undefined],
  );
  const wrong = await room.inside(session, 'look', { what: 7 });
  assert.deepEqual(gist(wrong), ['not_started', 'tool_arguments_invalid']);
});

test('a tool that asks is held 45 s for a client, and the same call later takes the decision once', async (t) => {
  hygiene(t);
  const room = await opened(t);
  const session = await room.session('ann');
  const first = room.inside(session, 'push', { what: 'main' });
  const id = await room.asked();
  await room.floor.clock.advance(45_000);
  const answer = await first;
  assert.deepEqual(gist(answer), ['not_started', 'approval_pending']);
  assert.equal(
    isJsonObject(answer.error?.detail ?? null) &&
      (answer.error?.detail as JsonObject | undefined)?.['approval'],
    id,
  );
  await room.approve(id);
  const other = room.inside(session, 'push', { what: 'other' });
  const second = await room.asked();
  assert.notEqual(second, id);
  assert.deepEqual(gist(await room.inside(session, 'push', { what: 'main' })), ['completed', undefined]);
  await room.deny(second);
  assert.deepEqual(gist(await other), ['not_started', 'approval_denied']);
  assert.deepEqual(ran, ['main']);
});

test('a client that leaves, or whose token ends, while its tool waits for a person runs nothing', async (t) => {
  const room = await opened(t);
  const session = await room.session('ann');
  const leaving = waiter();
  const left = room.inside(session, 'push', { what: 'one' }, { caller: leaving });
  await room.approve(await room.asked().finally(() => leaving.leave()));
  assert.deepEqual(gist(await left), ['not_started', 'call_cancelled']);
  const ending = waiter();
  const ended = room.inside(session, 'push', { what: 'two' }, { caller: ending });
  await room.asked();
  ending.end();
  assert.deepEqual(gist(await ended), ['not_started', 'token_ended']);
  assert.deepEqual(ran, []);
  const late = await room.inside(session, 'note', { text: 'x' }, { caller: ending });
  assert.deepEqual(gist(late), ['not_started', 'token_ended']);
});

test('closing a session ends what is held there at once', async (t) => {
  const room = await opened(t);
  const session = await room.session('ann');
  const waiting = room.inside(session, 'push', { what: 'main' });
  await room.asked();
  await room.host.closeSession(session);
  assert.deepEqual(gist(await waiting), ['not_started', 'call_cancelled']);
  assert.deepEqual(ran, []);
});

test('a call that still runs after 125 s says so and goes on: its result stands in the session, though its client left', async (t) => {
  hygiene(t);
  const gate = gateTool();
  const room = await clientRoom(t, {
    extensions: () => [gate.extension],
    policy: { tools: { pass: { timeout_secs: 600 } } },
  });
  const session = await room.session('ann');
  const caller = waiter();
  const waiting = room.inside(session, 'pass', {}, { caller });
  await gate.entered;
  caller.leave();
  await room.floor.clock.advance(125_000);
  const answer = await waiting;
  assert.deepEqual(gist(answer), ['outcome_unknown', 'call_still_running']);
  assert.deepEqual(await room.told(session), ['call pass']);
  const entry = Promise.withResolvers<void>();
  await room.host.events.subscribe(session, {}, (event) => {
    if (event.kind === 'entry') entry.resolve();
    return true;
  });
  gate.open();
  await entry.promise;
  assert.deepEqual(await room.told(session), ['call pass', 'result completed: passed']);
  const report = await room.call('plugin_tool', { action: 'outcome', call: answer.call ?? '' });
  assert.equal(report.output?.['certainty'], 'completed');
  assert.equal(gate.calls, 1);
});

test('a pause ends what a client runs there, and its outcome is unknown', async (t) => {
  const gate = gateTool();
  const room = await clientRoom(t, { extensions: () => [gate.extension] });
  const session = await room.session('ann');
  const waiting = room.inside(session, 'pass');
  await gate.entered;
  await room.host.pause();
  assert.equal((await waiting).certainty, 'outcome_unknown');
  assert.deepEqual(gist(await room.inside(session, 'pass')), ['not_started', 'host_paused']);
});

test('nothing is run twice: the same call again is another call, and each has its own entries', async (t) => {
  const room: ClientRoom = await opened(t);
  const session = await room.session('ann');
  const one = await room.inside(session, 'note', { text: 'a' });
  const two = await room.inside(session, 'note', { text: 'a' });
  assert.notEqual(one.call, two.call);
  assert.deepEqual(ran, ['a', 'a']);
  assert.equal((await room.entries(session)).length, 4);
});

test('a client’s call does not begin while the disk owes the end of another one of its session, and says so', async (t) => {
  const room = await opened(t);
  const session = await room.session('ann');
  const disk = noRoomFor(t, room.floor.peer, isResult);
  const one = await room.inside(session, 'note', { text: 'one' });
  assert.deepEqual(gist(one), ['outcome_unknown', 'call_not_settled']);
  const two = await room.inside(session, 'note', { text: 'two' });
  assert.deepEqual(gist(two), ['not_started', 'journal_unavailable']);
  assert.deepEqual(ran, ['one']);
  disk.mock.restore();
  const three = await room.inside(session, 'note', { text: 'three' });
  assert.deepEqual(gist(three), ['completed', undefined]);
  assert.deepEqual(
    (await room.told(session)).map((told) => told.split(' ').slice(0, 2).join(' ')),
    ['call note', 'result outcome_unknown', 'call note', 'result completed:'],
  );
});
