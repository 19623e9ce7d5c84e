import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineExtension, type Extension, s } from '@fairlead/extension';
import { deactivate } from '@fairlead/hub';
import { waitFor } from '@fairlead/testing';
import { effectOf } from '../../src/calls/policy-of-tool.ts';
import { runCall } from '../../src/calls/run-call.ts';
import { type CallRoom, type CallRoomOptions, callRoom } from './call-room.ts';

const ran: string[] = [];
const heard: string[] = [];

const desk = defineExtension({
  name: 'desk',
  version: '1.0.0',
  tools: {
    look: {
      about: 'Looks.',
      effect: 'read',
      args: { at: s.string({ default: '.' }) },
      run: ({ at }) => void ran.push(`look ${at}`),
    },
    note: { about: 'Notes.', effect: 'records', run: () => void ran.push('note') },
    write: {
      about: 'Writes.',
      args: { to: s.string(), word: s.string({ default: '' }) },
      sensitive: ['word'],
      run: ({ to }) => void ran.push(`write ${to}`),
    },
    fetch: {
      about: 'Fetches.',
      args: { url: s.string(), method: s.string({ default: 'get' }) },
      run: () => void ran.push('fetch'),
    },
    shell: {
      about: 'Runs.',
      args: { command: s.string(), folder: s.optional(s.string()) },
      run: ({ command }) => void ran.push(`shell ${command}`),
    },
  },
});

const ears = defineExtension({
  name: 'ears',
  version: '1.0.0',
  on: {
    toolCall: ({ tool }) => void heard.push(`judges ${tool}`),
    toolResult: ({ text }) => void heard.push(`hears ${text}`),
  },
});

const TOUCHES = {
  'desk/look': { reads: ['at'] },
  'desk/write': { writes: ['to'] },
  'desk/fetch': { url: 'url', method: 'method' },
  'desk/shell': { command: 'command', folder: 'folder' },
};

async function opened(
  t: Parameters<typeof callRoom>[0],
  options: CallRoomOptions & { readonly more?: readonly Extension[] } = {},
): Promise<CallRoom> {
  ran.length = 0;
  heard.length = 0;
  return await callRoom(t, {
    extensions: [desk, ears, ...(options.more ?? [])],
    touches: TOUCHES,
    ...options,
  });
}

/** Nothing ran, nobody heard of it, and both entries stand in one commit with a row that owes nothing. */
async function assertRefused(room: CallRoom, code: string, text: string, args = '{}'): Promise<void> {
  const entries = await room.entries();
  const [call, result] = entries.slice(-2);
  assert.ok(call?.type === 'tool_call' && result?.type === 'tool_result');
  assert.equal(JSON.stringify(call.arguments), args);
  assert.deepEqual(
    [call.turn, call.step, call.index, call.approval],
    [room.place.turn?.turn, 2, 0, undefined],
  );
  assert.deepEqual(
    [result.call, result.certainty, result.code, result.error, result.text, result.redacted, result.hooks],
    [call.call, 'not_started', code, true, text, [], []],
  );
  assert.equal(call.id.split(':')[1], result.id.split(':')[1], 'one commit');
  assert.equal((await room.journalled()).at(-1), `not_started ${code}`);
  assert.deepEqual(ran, []);
}

test('a tool that nobody has is refused by name; nobody can say what in its arguments is sensitive', async (t) => {
  const room = await opened(t);
  const end = await room.call('lok', { at: 'secret' });
  assert.deepEqual(
    [end.certainty, end.code, end.isError, end.effect],
    ['not_started', 'tool_not_found', true, 'write'],
  );
  await assertRefused(
    room,
    'tool_not_found',
    'tool_not_found: The extension has no tool of this name. (lok)',
    '{"$left_out":15}',
  );
  const [call] = await room.entries();
  assert.ok(call?.type === 'tool_call');
  assert.deepEqual([call.tool, call.extension, call.target], ['lok', '-', 'ext:-/lok']);
  assert.deepEqual(heard, []);
  // Whatever a model calls a tool can be written down.
  await room.call('');
  await room.call('\ud800'.repeat(256));
  await room.call('ä'.repeat(600));
  await room.call('sk-proj-abcdefghijklmnopqrstuvwx');
  assert.equal(JSON.stringify(await room.entries()).includes('sk-proj'), false);
});

test('a tool whose extension is off says whose it is and how to turn it on', async (t) => {
  const room = await opened(t);
  await deactivate(room.place.database, 'desk', room.clock);
  using set = await room.liveSet();
  await room.call('look', { at: 'x' }, { set });
  await assertRefused(
    room,
    'tool_inactive',
    'tool_inactive: look belongs to desk, which is off in this session; /extensions add desk turns it on',
    '{"$left_out":10}',
  );
  const [call] = await room.entries();
  assert.equal(call?.type === 'tool_call' && call.extension, 'desk');
});

test('a tool that the agent may not use is refused, and neither counts against its rate nor is told to a hook', async (t) => {
  const room = await opened(t, { policy: { tools: { look: { rate_per_minute: 1 } } } });
  await room.call('look', {}, { allowed: () => false });
  await assertRefused(
    room,
    'tool_not_allowed',
    'tool_not_allowed: The agent may not use this tool; nothing was started. (look)',
  );
  assert.deepEqual(heard, []);
  assert.equal((await room.call('look')).certainty, 'completed');
});

test('a paused host starts no call, and its reason comes before the mode of the session', async (t) => {
  const room = await opened(t);
  await room.sessions.setMode(room.session, 'inspect', { scopes: ['admin'] });
  await room.state.pause(1);
  await room.call('look');
  await assertRefused(room, 'host_paused', 'host_paused: The host is paused: no turn and no call starts.');
  await room.state.resume();
  await room.call('look');
  const denied =
    'session_guard_denied: The mode of this session does not let this tool run; nothing was started.';
  await assertRefused(room, 'session_guard_denied', denied);
  assert.deepEqual(heard, []);
});

test('`read_only` runs what reads by a word that counts, and nothing that records or writes', async (t) => {
  const room = await opened(t);
  await room.sessions.setMode(room.session, 'read_only', { scopes: ['admin'] });
  assert.equal((await room.call('look')).certainty, 'completed');
  assert.equal((await room.call('note')).code, 'session_guard_denied');
  assert.equal((await room.call('write', { to: 'x' })).code, 'session_guard_denied');
  assert.deepEqual(ran, ['look .']);
  assert.deepEqual(
    ['look', 'note', 'write', 'nothing'].map((tool) => effectOf(room, room.place, tool)),
    ['read', 'records', 'write', 'write'],
  );
});

test('the operator’s word on what a tool touches beats the tool’s own', async (t) => {
  const room = await opened(t, { policy: { tools: { look: { effect: 'write' } } } });
  await room.sessions.setMode(room.session, 'read_only', { scopes: ['admin'] });
  assert.deepEqual([(await room.call('look')).code, ran], ['session_guard_denied', []]);
});

test('a closed session, a ceiling of the turn and one that was spent let no call start', async (t) => {
  const room = await opened(t, { limits: { turn_tokens: 10 } });
  await room.call('look', {}, { ceiling: () => 'of a turn' });
  const words = 'A ceiling on tokens or money is reached; no further model call or tool call starts.';
  await assertRefused(room, 'ceiling_reached', `ceiling_reached: ${words} (of a turn)`);
  const { turn, session } = { turn: room.place.turn?.turn ?? '', session: room.session };
  const subject = { turn, root: turn, session, agent: room.agent.id };
  const opened_ = await room.ledger.attempts(subject, { ref: 'local/x' }).open({ input: 9 });
  assert.ok(opened_.ok);
  await opened_.attempt.settle({
    known: true,
    usage: { input: 9, output: 3, cached: 0, written: 0, reasoning: 0 },
  });
  await room.call('look');
  await assertRefused(
    room,
    'ceiling_reached',
    `ceiling_reached: ${words} (of a turn: 10 tokens, 12 tokens used)`,
  );
  await room.sessions.close(room.session);
  assert.equal((await room.call('look')).code, 'session_closed');
});

test('calls that come too often are refused for the rest of the minute, also in the next turn and another session', async (t) => {
  const room = await opened(t, {
    policy: { tools: { look: { rate_per_minute: 2 }, note: { rate_per_minute: 0 } } },
  });
  await room.call('look');
  await room.host.clock.advance(10_500);
  await room.call('look');
  ran.length = 0;
  heard.length = 0;
  const turn = { turn: 'trn_2', root: 'trn_2', rootSession: room.session, step: () => 2 };
  const end = await room.call('look', {}, { turn });
  assert.deepEqual([end.code, end.detail], ['rate_limited', { after_ms: 49_500 }]);
  assert.match(end.text, /\(again in 50 s\)$/);
  assert.deepEqual([ran, heard], [[], []]);
  const off = await room.call('note');
  assert.match(off.text, /\(it is switched off\)$/);
  // Another one's calls are counted for themselves.
  assert.equal((await room.call('look', {}, { principal: 'token:2' })).certainty, 'completed');
});

test('arguments that are no JSON, do not fit, or are too large to be shown are refused before any hook', async (t) => {
  const room = await opened(t);
  const request = { call: 'call_x', index: 0, tool: 'look', unparsable: '{"at": "half' };
  const end = await runCall(room, room.place, request);
  assert.deepEqual([end.code, end.call], ['tool_arguments_invalid', 'call_x']);
  assert.match(end.text, /\(they are no JSON object\)$/);
  await room.call('look', { at: 5 });
  assert.deepEqual((await room.told()).slice(-2)[0], 'call look {"at":5}');
  const large = await room.call('look', { at: 'x'.repeat(65_536) });
  assert.equal(large.code, 'arguments_too_large');
  assert.equal((await room.told()).at(-2), 'call look {"$left_out":65545}');
  assert.equal((await room.call('shell', { command: 'x'.repeat(65_535 - 14) })).text, '');
  assert.equal(heard.length, 2);
});

test('arguments that grow too large by their defaults are refused before anybody is asked', async (t) => {
  const wordy = defineExtension({
    name: 'wordy',
    version: '1.0.0',
    tools: {
      say: {
        about: 'Says.',
        approval: 'always',
        args: { word: s.string(), tone: s.string({ default: 'calm'.repeat(10) }) },
        run: () => void ran.push('say'),
      },
    },
  });
  const room = await opened(t, { extensions: [wordy] });
  assert.equal((await room.call('say', { word: 'x'.repeat(65_500) })).code, 'arguments_too_large');
  assert.deepEqual([ran, await room.approvals.open()], [[], []]);
});

test('a misspelled sensitive argument is not written down either', async (t) => {
  const room = await opened(t);
  const end = await room.call('write', { to: 'x', wrod: 'hunter2' });
  assert.equal(end.code, 'tool_arguments_invalid');
  assert.equal(JSON.stringify(await room.entries()).includes('hunter2'), false);
});

test('a tool may have an argument that is called `unparsable`', async (t) => {
  const odd = defineExtension({
    name: 'odd',
    version: '1.0.0',
    tools: { say: { about: 'Says.', args: { unparsable: s.string() }, run: ({ unparsable }) => unparsable } },
  });
  const room = await opened(t, { extensions: [odd] });
  assert.equal((await room.call('say', { unparsable: 'yes' })).text, 'yes');
});

test('what a gate blocks was never started: both entries, in its own words, and who judged it is told', async (t) => {
  const gate = defineExtension({
    name: 'gate',
    version: '1.0.0',
    on: { toolCall: () => ({ block: 'Not on a Sunday.' }) },
  });
  const room = await opened(t, { more: [gate], extensions: [desk, ears, gate] });
  const end = await room.call('write', { to: 'x', word: 'hunter2' });
  assert.deepEqual([end.certainty, end.code], ['not_started', 'tool_blocked']);
  const said = 'blocked by gate: Not on a Sunday.';
  await assertRefused(room, 'tool_blocked', said, '{"to":"x","word":{"$masked":7}}');
  assert.deepEqual(heard, ['judges write', `hears ${said}`]);
});

test('a gate that hangs hung the turn: it blocks when its time is over, and one that throws blocks at once', async (t) => {
  const gate = (name: string, toolCall: () => Promise<undefined>) =>
    defineExtension({ name, version: '1.0.0', on: { toolCall } });
  const hangs = await opened(t, { extensions: [desk, gate('hangs', () => new Promise(() => {}))] });
  const waiting = hangs.call('look');
  await waitFor(() => hangs.host.clock.pendingTimers > 0, { what: 'the gate' });
  await hangs.host.clock.advance(60_000);
  const late = await waiting;
  assert.deepEqual([late.certainty, late.code, ran], ['not_started', 'hook_timeout', []]);
  const throws = await opened(t, {
    extensions: [desk, gate('throws', () => Promise.reject(new Error('x')))],
  });
  const failed = await throws.call('look');
  assert.deepEqual([failed.certainty, failed.code, ran], ['not_started', 'hook_failed', []]);
  assert.match(failed.text, /^blocked by throws: /);
});

test('what is not granted is refused before anybody is asked, naming the argument and not its value', async (t) => {
  const room = await opened(t, {
    policy: { tools: { write: { approval: 'always' } } },
    grants: {
      fs: { read: ['/srv'], write: [] },
      shell: { allow: [['git', 'log']] },
      network: { allowPrivate: false, endpoints: [{ host: 'example.com', methods: ['GET'] }] },
    },
  });
  const denied = 'grant_denied: What the call would touch is not granted; nothing was started.';
  const end = await room.call('write', { to: '/etc/passwd' });
  assert.deepEqual(end.detail, { argument: 'to', use: 'write' });
  const args = '{"to":"/etc/passwd","word":{"$masked":0}}';
  await assertRefused(room, 'grant_denied', `${denied} (to: write)`, args);
  assert.deepEqual(await room.approvals.open(), []);
  assert.deepEqual(heard, ['judges write', `hears ${denied} (to: write)`]);
  const refused = async (tool: string, given: Record<string, string>) =>
    (await room.call(tool, given)).text.replace(/^(\w+): .*\((.*)\)$/, '$1 $2');
  assert.deepEqual(
    [
      await refused('look', { at: 'here' }),
      await refused('look', { at: '/srv/../etc' }),
      await refused('shell', { command: 'git push', folder: '/srv' }),
      await refused('shell', { command: 'git log; rm x', folder: '/srv' }),
      await refused('shell', { command: 'git log' }),
      await refused('fetch', { url: 'https://elsewhere.com/' }),
      await refused('fetch', { url: 'https://example.com/', method: 'post' }),
      await refused('fetch', { url: 'file:///etc/passwd' }),
    ],
    [
      'grant_denied at: read',
      'grant_denied at: read',
      'grant_denied command: shell',
      'grant_denied command: shell',
      'grant_denied folder: read',
      'grant_denied url: network',
      'grant_denied url: network',
      'network_request_invalid url: neither http nor https',
    ],
  );
  assert.deepEqual(ran, []);
  for (const [tool, given] of [
    ['look', { at: '/srv/x' }],
    ['shell', { command: 'git log -1', folder: '/srv' }],
    ['shell', { command: '', folder: '/srv' }],
    ['fetch', { url: 'https://example.com/' }],
  ] as const)
    assert.equal((await room.call(tool, given)).certainty, 'completed');
});

test('an authority that is none denies every call; `restricted` asks before whatever may write', async (t) => {
  const unknown = await opened(t, { authority: 'trusted', grants: { fs: { read: [] } } });
  assert.equal((await unknown.call('look')).code, 'permission_denied');
  const room = await opened(t, { authority: 'restricted', policy: { auto_approve: ['*'] } });
  const place = { attended: () => false };
  assert.equal((await room.call('look', {}, place)).certainty, 'completed');
  assert.equal((await room.call('note', {}, place)).certainty, 'completed');
  assert.equal((await room.call('write', { to: 'x' }, place)).code, 'approval_unattended');
});

test('a call whose turn was cancelled before is not started', async (t) => {
  const room = await opened(t);
  room.cancel.abort();
  await room.call('look');
  const said = 'call_cancelled: The call was cancelled before it began; nothing was started.';
  await assertRefused(room, 'call_cancelled', said);
  assert.deepEqual(heard, []);
});

test('a pause or a mode that comes while gates judge stops the call all the same', async (t) => {
  let room: CallRoom;
  const slow = defineExtension({
    name: 'slow',
    version: '1.0.0',
    on: { toolCall: async () => void (await room.state.pause(1)) },
  });
  room = await opened(t, { extensions: [desk, slow, ears] });
  assert.equal((await room.call('look')).code, 'host_paused');
  assert.deepEqual([ran, heard.length], [[], 2]);
});

test('a session that belongs to somebody else by now keeps its refusals in the journal alone', async (t) => {
  const room = await opened(t);
  const denied = Object.assign(new Error('no'), { code: 'access_denied' });
  const { FairleadError } = await import('@fairlead/base');
  t.mock.method(room.peer, 'transaction', () =>
    Promise.reject(new FairleadError('access_denied', denied.message)),
  );
  const end = await room.call('look', { at: 5 });
  assert.equal(end.code, 'tool_arguments_invalid');
  assert.deepEqual(await room.journalled(), ['not_started tool_arguments_invalid']);
  // Without its entry a call does not run.
  assert.deepEqual([(await room.call('look')).code, ran], ['call_not_decided', []]);
});
