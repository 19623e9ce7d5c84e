import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completed, failed, type JsonObject } from '@fairlead/base';
import {
  type Caller,
  type Permission,
  type PermissionDecision,
  type PermissionRequest,
  type Principal,
  Settler,
} from '../src/index.ts';
import { dispatchFloor, EVERYTHING, gist } from './dispatch-floor.ts';
import { fakeRunner } from './fake-runners.ts';
import { fakeSessions } from './fake-sessions.ts';

const CHECK = { action: 'check', runner: 'local', plugin: 'echo' } as const;
const DENIED = { code: 'approval_denied', message: 'A person said no.' };
const PENDING = { code: 'approval_pending', message: 'A person is asked.' };
const EXPIRED = { code: 'approval_expired', message: 'Too late.' };

type FakePermission = Permission & { readonly asked: PermissionRequest[]; answer: PermissionDecision };

/** Who decides, and one approval that the table has. */
function permission(answer: PermissionDecision): FakePermission {
  const asked: PermissionRequest[] = [];
  const fake: FakePermission = {
    asked,
    answer,
    expired: EXPIRED,
    async decide(request) {
      asked.push(request);
      return fake.answer;
    },
    use: (approval, call) => ({
      sql: "UPDATE approvals SET state = 'used', used_by = ? WHERE id = ? AND state = 'approved'",
      parameters: [call, approval],
    }),
  };
  return fake;
}

const APPROVAL = `INSERT INTO approvals (id, principal, target, digest, call, tool, risk, shown, state, opened_at, boot)
  VALUES ('apr_1', 'token:tok_all', 't', 'd', 'c', 'plugin_tool', 'medium', '{}', 'approved', 1, 'boot_now')`;

test('a call in a session has its intent and its end there, under the id of the answer, and no row of its own', async (t) => {
  const sessions = fakeSessions();
  const floor = await dispatchFloor(t, { sessions });
  const binding = await floor.bind();
  const answer = await floor.invoke(
    { action: 'call', binding, arguments: { text: 'hello' } },
    EVERYTHING,
    'ses_here',
  );
  assert.deepEqual(gist(answer), ['completed', undefined]);
  assert.deepEqual(sessions.told, ['guard plugins effect', 'begin call', 'settle call']);
  const [begun] = sessions.calls;
  assert.equal(begun?.entry.id, answer.call);
  assert.equal(begun?.tool, 'plugin_tool');
  assert.equal(begun?.tier, 'native');
  assert.match(begun?.target ?? '', /^plugin:local\/echo\/say#[\w-]{16}$/);
  assert.equal(begun?.digest, begun?.entry.argumentsDigest);
  assert.deepEqual(begun?.arguments, {
    action: 'call',
    runner: 'local',
    plugin: 'echo',
    tool: 'say',
    arguments: { text: 'hello' },
  });
  assert.equal(JSON.stringify(sessions.calls).includes(binding), false);
  assert.deepEqual(
    (await floor.rows()).map((row) => row['action']),
    ['describe'],
  );
});

test('a read in a session is written there whole, before its answer', async (t) => {
  const sessions = fakeSessions();
  const floor = await dispatchFloor(t, { sessions });
  const answer = await floor.invoke({ action: 'list' }, EVERYTHING, 'ses_here');
  assert.deepEqual(sessions.told, ['guard plugins read', 'whole list']);
  assert.equal(sessions.calls[0]?.entry.isRead, true);
  assert.deepEqual(sessions.ends, [
    {
      certainty: 'completed',
      code: null,
      text: `What there is now: Runners, the plugins of one, or the tools of one plugin.\n${JSON.stringify(answer.output)}`,
      structured: answer.output,
      isError: false,
    },
  ]);
  assert.deepEqual(await floor.rows(), []);
});

test('a token without session:write records nothing, and the row says why', async (t) => {
  const sessions = fakeSessions();
  const floor = await dispatchFloor(t, { sessions });
  const reader: Principal = { id: 'token:reader', scopes: ['plugin:inspect', 'session:read'] };
  const answer = await floor.invoke({ action: 'list' }, reader, 'ses_here');
  assert.deepEqual([answer.error?.code, answer.needsScope], ['insufficient_scope', 'session:write']);
  assert.deepEqual(sessions.told, []);
  assert.deepEqual(
    (await floor.rows()).map((row) => row['code']),
    ['insufficient_scope'],
  );
});

test('a session that is closed, out of reach or unknown is refused before it is written to', async (t) => {
  const sessions = fakeSessions();
  sessions.known.set('ses_closed', { code: 'session_closed', message: 'It is closed.' });
  const floor = await dispatchFloor(t, { sessions });
  for (const [id, code] of [
    ['ses_closed', 'session_closed'],
    ['ses_none', 'unknown_session_id'],
    ['', 'unknown_session_id'],
    ['SES_HERE', 'unknown_session_id'],
  ] as const) {
    const answer = await floor.invoke(CHECK, EVERYTHING, id);
    assert.deepEqual(gist(answer), ['not_started', code]);
  }
  assert.deepEqual(sessions.told, []);
  assert.deepEqual(floor.runners.sent, []);
  assert.equal((await floor.rows()).length, 4);
});

test('what the guard refuses is written into the session with its refusal, and nothing is sent', async (t) => {
  const sessions = fakeSessions();
  const floor = await dispatchFloor(t, { sessions });
  sessions.guards.push({ code: 'session_guard_denied', message: 'Not in this mode.' });
  const answer = await floor.invoke(CHECK, EVERYTHING, 'ses_here');
  assert.deepEqual(gist(answer), ['not_started', 'session_guard_denied']);
  assert.deepEqual(sessions.told, ['guard plugins effect', 'whole check']);
  assert.deepEqual(sessions.ends, [
    {
      certainty: 'not_started',
      code: 'session_guard_denied',
      text: 'session_guard_denied: Not in this mode.',
      isError: true,
    },
  ]);
  assert.deepEqual(floor.runners.sent, []);
});

test('a guard that cannot answer denies', async (t) => {
  const sessions = fakeSessions();
  const { open } = sessions;
  sessions.open = async (id, by) => {
    const opened = await open(id, by);
    return opened.ok
      ? { ok: true, session: { ...opened.session, guard: () => Promise.reject(new Error('MARKER')) } }
      : opened;
  };
  const floor = await dispatchFloor(t, { sessions });
  assert.equal((await floor.invoke(CHECK, EVERYTHING, 'ses_here')).certainty, 'not_started');
  assert.deepEqual(floor.runners.sent, []);
});

test('an intent that the session does not take starts nothing; an end that it does not take changes nothing about the call', async (t) => {
  const sessions = fakeSessions();
  const floor = await dispatchFloor(t, { sessions });
  sessions.failing = 'begin';
  assert.deepEqual(gist(await floor.invoke(CHECK, EVERYTHING, 'ses_here')), [
    'not_started',
    'journal_unavailable',
  ]);
  assert.deepEqual(floor.runners.sent, []);
  floor.runners.answers.check = () =>
    completed({ kind: 'check', provider: 'echo', ready: true, phase: 'ready', tools: [] });
  sessions.failing = 'settle';
  const done = await floor.invoke(CHECK, EVERYTHING, 'ses_here');
  assert.deepEqual(gist(done), ['completed', 'journal_unsettled']);
  assert.equal(done.output?.['ready'], true);
  sessions.failing = 'whole';
  const listed = await floor.invoke({ action: 'list' }, EVERYTHING, 'ses_here');
  assert.deepEqual(gist(listed), ['completed', 'journal_unsettled']);
  sessions.guards.push(DENIED);
  assert.deepEqual(gist(await floor.invoke(CHECK, EVERYTHING, 'ses_here')), [
    'not_started',
    'approval_denied',
  ]);
});

test('an unknown outcome in a session is unknown there', async (t) => {
  const sessions = fakeSessions();
  const floor = await dispatchFloor(t, { sessions });
  floor.runners.answers.check = () => failed('outcome_unknown', 'plugin_gateway_timeout', '');
  await floor.invoke(CHECK, EVERYTHING, 'ses_here');
  assert.deepEqual(
    [sessions.ends[0]?.certainty, sessions.ends[0]?.code],
    ['outcome_unknown', 'plugin_gateway_timeout'],
  );
});

test('in restricted a person is asked for the call that runs, and what is approved is used with its intent', async (t) => {
  const decides = permission({ kind: 'allowed', approval: 'apr_1' });
  const floor = await dispatchFloor(t, { authority: 'restricted', permission: decides });
  await floor.store.write([{ sql: APPROVAL }]);
  const binding = await floor.bind();
  const params = { action: 'call', binding, arguments: { text: 'hello' } };
  const answer = await floor.invoke(params);
  assert.deepEqual(gist(answer), ['completed', undefined]);
  const [asked] = decides.asked;
  assert.deepEqual([asked?.call, asked?.session, asked?.principal.id], [answer.call, null, 'token:tok_all']);
  assert.deepEqual(
    (await floor.store.read<{ used_by: string }>("SELECT used_by FROM approvals WHERE state = 'used'")).map(
      (row) => row.used_by,
    ),
    [answer.call],
  );
  // What was used up serves no second call.
  const again = await floor.invoke(params);
  assert.deepEqual(gist(again), ['not_started', 'approval_expired']);
  assert.equal(floor.runners.sent.filter(({ request }) => request.kind === 'tools_call').length, 1);
  const rows = (await floor.rows()).filter((row) => row['action'] === 'call');
  assert.deepEqual(
    rows.map((row) => [row['certainty'], row['code']]),
    [
      ['completed', null],
      ['not_started', 'approval_expired'],
    ],
  );
});

test('a fresh binding of the same observation asks for the same call; other arguments ask for another', async (t) => {
  const decides = permission({ kind: 'denied', error: DENIED });
  const floor = await dispatchFloor(t, { authority: 'restricted', permission: decides });
  const call = async (args: JsonObject) =>
    await floor.invoke({ action: 'call', binding: await floor.bind(), arguments: args });
  await call({ text: 'hello' });
  await call({ text: 'hello' });
  await call({ text: 'other' });
  const seen = decides.asked.map(({ target, digest }) => `${target} ${digest}`);
  assert.equal(seen[0], seen[1]);
  assert.notEqual(seen[0], seen[2]);
  assert.deepEqual(
    floor.runners.sent.filter(({ request }) => request.kind === 'tools_call'),
    [],
  );
});

test('a held call that nobody decided says so, whole in the journal, and keeps nothing open', async (t) => {
  const decides = permission({ kind: 'pending', approval: 'apr_1', until: 9, error: PENDING });
  const floor = await dispatchFloor(t, { authority: 'restricted', permission: decides });
  assert.deepEqual(gist(await floor.invoke(CHECK)), ['not_started', 'approval_pending']);
  const [row] = await floor.rows();
  assert.deepEqual([row?.['certainty'], row?.['code']], ['not_started', 'approval_pending']);
});

test('nobody is asked for what would be refused anyway', async (t) => {
  const decides = permission({ kind: 'denied', error: DENIED });
  const floor = await dispatchFloor(t, { authority: 'restricted', permission: decides });
  const binding = await floor.bind();
  const refused = async (params: JsonObject, principal = EVERYTHING) =>
    (await floor.invoke(params, principal)).error?.code;
  const call = { action: 'call', binding, arguments: {} };
  const other: Principal = { ...EVERYTHING, runners: ['other'] };
  assert.equal(await refused({ ...call, binding: 'wc_pbind_AAAAAAAAAAAAAAAAAAAAAA' }), 'describe_required');
  assert.equal(await refused(call, other), 'describe_required');
  assert.equal(await refused({ ...CHECK, runner: 'none' }), 'runner_unavailable');
  assert.equal(await refused({ action: 'reload', runner: 'none' }), 'runner_unavailable');
  floor.runners.connected = [];
  assert.equal(await refused(call), 'runner_unavailable');
  assert.deepEqual(decides.asked, []);
});

test('nothing runs for a token that ended while its call was held', async (t) => {
  const sessions = fakeSessions();
  const decides = permission({ kind: 'allowed', approval: 'apr_1' });
  const floor = await dispatchFloor(t, { authority: 'restricted', permission: decides, sessions });
  let isLive = true;
  const caller: Caller = { isLive: () => isLive, onGone: () => () => {} };
  const { decide } = decides;
  decides.decide = async (request) => {
    isLive = false;
    return await decide(request);
  };
  const answer = await floor.executor.invoke({
    tool: 'plugin_tool',
    params: CHECK,
    principal: EVERYTHING,
    recordingSessionId: 'ses_here',
    caller,
  });
  assert.deepEqual(gist(answer), ['not_started', 'token_ended']);
  assert.deepEqual(sessions.told, ['guard plugins effect', 'whole check']);
  assert.deepEqual(floor.runners.sent, []);
});

test('a session that changed its mode while the call was held is asked again', async (t) => {
  const sessions = fakeSessions();
  sessions.guards.push(undefined, { code: 'session_guard_denied', message: 'Not in this mode.' });
  const floor = await dispatchFloor(t, {
    authority: 'restricted',
    permission: permission({ kind: 'allowed', approval: 'apr_1' }),
    sessions,
  });
  const answer = await floor.invoke(CHECK, EVERYTHING, 'ses_here');
  assert.deepEqual(gist(answer), ['not_started', 'session_guard_denied']);
  assert.deepEqual(sessions.told, ['guard plugins effect', 'guard plugins effect', 'whole check']);
  assert.equal(sessions.calls[0]?.approval, undefined);
  sessions.canBegin = false;
  const late = await floor.invoke(CHECK, EVERYTHING, 'ses_here');
  assert.deepEqual(gist(late), ['not_started', 'approval_expired']);
  assert.deepEqual(floor.runners.sent, []);
});

test('what starts programs names the Runner process that it is for: another process is another question', async (t) => {
  const decides = permission({ kind: 'denied', error: DENIED });
  const floor = await dispatchFloor(t, { authority: 'restricted', permission: decides });
  const RELOAD = { action: 'reload', runner: 'local' };
  await floor.invoke(CHECK);
  await floor.invoke(RELOAD);
  await floor.invoke(RELOAD);
  floor.runners.registers(fakeRunner('local', 'local-2'));
  await floor.invoke(RELOAD);
  const targets = decides.asked.map(({ target, risk }) => `${risk} ${target}`);
  assert.match(targets[0] ?? '', /^high plugin:local\/echo#[\w-]{16}$/);
  assert.match(targets[1] ?? '', /^high runner:local\/plugins#[\w-]{16}$/);
  assert.equal(targets[1], targets[2]);
  assert.notEqual(targets[2], targets[3]);
});

test('who cannot decide denies', async (t) => {
  const decides = permission({ kind: 'allowed' });
  decides.decide = () => Promise.reject(new Error('MARKER'));
  const floor = await dispatchFloor(t, { authority: 'restricted', permission: decides });
  assert.deepEqual(gist(await floor.invoke(CHECK)), ['not_started', 'journal_unavailable']);
  const unknown = await dispatchFloor(t, {
    authority: 'someday',
    permission: permission({ kind: 'allowed' }),
  });
  assert.deepEqual(gist(await unknown.invoke(CHECK)), ['not_started', 'permission_denied']);
});

test('a call that the host has recorded and decided is neither recorded nor decided again; its row learns which Runner it is for', async (t) => {
  const decides = permission({ kind: 'denied', error: DENIED });
  const floor = await dispatchFloor(t, { authority: 'restricted', permission: decides });
  const call = 'call_0000000000000000000001';
  const place = {
    session: 'ses_1',
    extension: 'plugins',
    tier: 'in_process',
    target: 'ext:plugins/plugin_tool#1',
  };
  const entry = { id: call, principal: 'agent:a', action: 'plugin_tool', bindingPresent: false };
  await floor.store.write(floor.journal.sessionIntent(entry, place));
  const binding = await floor.bind();
  const params = { action: 'call', binding, arguments: { text: 'hello' } };
  const agent: Principal = { id: 'agent:a', scopes: ['plugin:inspect', 'plugin:invoke'] };
  const answer = await floor.executor.invoke({
    tool: 'plugin_tool',
    params,
    principal: agent,
    recorded: { call },
  });
  assert.deepEqual([answer.call, ...gist(answer)], [call, 'completed', undefined]);
  assert.deepEqual(decides.asked, []);
  const record = await floor.journal.find(call);
  assert.deepEqual(
    [record?.action, record?.runner, record?.tool, record?.session, record?.end],
    ['call', 'local', 'say', 'ses_1', null],
  );
  // A refusal has no second row either.
  const refused = await floor.executor.invoke({
    tool: 'plugin_tool',
    params: CHECK,
    principal: agent,
    recorded: { call },
  });
  assert.deepEqual([refused.call, refused.error?.code], [call, 'insufficient_scope']);
  assert.deepEqual(
    (await floor.rows()).map((row) => row['action']),
    ['call', 'describe'],
  );
});

test('what is learnt later of a call in a session is told there', async (t) => {
  const sessions = fakeSessions();
  const floor = await dispatchFloor(t);
  const call = 'call_0000000000000000000002';
  const place = { session: 'ses_1', extension: 'plugins', tier: 'native', target: 'plugin:local/echo/say#1' };
  const entry = {
    id: call,
    principal: EVERYTHING.id,
    action: 'call',
    runner: 'local',
    runnerInstance: 'local-1',
    plugin: 'echo',
    tool: 'say',
    bindingPresent: true,
  };
  await floor.store.write(floor.journal.sessionIntent(entry, place));
  const end = { certainty: 'outcome_unknown', code: 'plugin_gateway_timeout', text: '?' } as const;
  await floor.store.write([floor.journal.sessionEnd(call, end)]);
  await floor.settler[Symbol.asyncDispose]();
  await using settler = new Settler({ runners: floor.runners, journal: floor.journal, sessions });
  floor.runners.answers.outcome = () =>
    completed({
      kind: 'outcome',
      call,
      state: 'completed',
      response: {
        dispatch_state: 'completed',
        payload: {
          kind: 'tools_call',
          result: { content: [{ type: 'text', text: 'hello' }] },
        },
      },
    });
  floor.journal.sessionEnded(call, end);
  await settler.idle();
  assert.deepEqual(sessions.settlements, [
    { session: 'ses_1', call, certainty: 'completed', code: null, text: 'hello' },
  ]);
});
