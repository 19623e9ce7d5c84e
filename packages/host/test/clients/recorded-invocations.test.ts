import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completed, FairleadError, failed } from '@fairlead/base';
import type { Principal } from '@fairlead/dispatch';
import { deactivate } from '@fairlead/hub';
import { hygiene, waitFor } from '@fairlead/testing';
import { createClientPorts } from '../../src/clients/client-ports.ts';
import { hostErrors } from '../../src/errors.ts';
import { owedLimits } from '../../src/limits.ts';
import { isResult, noRoomFor } from '../no-room.ts';
import { saidModel } from '../turn/said-model.ts';
import { CLIENT, type ClientRoom, clientRoom, gist, waiter } from './client-room.ts';

const LIST = { action: 'list', runner: 'local' } as const;

async function callWith(room: ClientRoom, session: string, args = { text: 'hello' }) {
  const params = { action: 'call', binding: await room.bind(), arguments: args };
  return await room.call('plugin_tool', params, { session, caller: waiter() });
}

test('a client’s call stands in the session under the id of its answer, from the client, without its binding', async (t) => {
  hygiene(t);
  const room = await clientRoom(t);
  const session = await room.session('ann');
  const answer = await callWith(room, session);
  assert.deepEqual(gist(answer), ['completed', undefined]);
  const entries = await room.entries(session);
  const [call, result] = entries;
  assert.ok(call?.type === 'tool_call' && result?.type === 'tool_result');
  assert.deepEqual([call.call, result.call], [answer.call, answer.call]);
  assert.deepEqual(call.from, { kind: 'client', id: 'tok_client', name: 'desk' });
  assert.deepEqual(
    [call.tool, call.extension, call.tier, call.arguments],
    [
      'plugin_tool',
      'plugins',
      'native',
      { action: 'call', runner: 'local', plugin: 'echo', tool: 'say', arguments: { text: 'hello' } },
    ],
  );
  assert.deepEqual(
    [result.certainty, result.text, result.error, result.code],
    ['completed', 'said', false, undefined],
  );
  assert.equal(JSON.stringify(entries).includes('wc_pbind_'), false);
  const row = await room.journal.find(answer.call ?? '');
  assert.deepEqual(
    [row?.session, row?.action, row?.runner, row?.tool, row?.end],
    [session, 'call', 'local', 'say', { certainty: 'completed', code: null }],
  );
  assert.deepEqual(await room.journalled(), ['call completed']);
});

test('reading through plugin_tool is recorded too, and goes on in a session that runs nothing', async (t) => {
  const room = await clientRoom(t);
  const session = await room.host.newSession({ agents: ['ann'], mode: 'inspect' });
  const listed = await room.call('plugin_tool', LIST, { session });
  assert.deepEqual(gist(listed), ['completed', undefined]);
  assert.deepEqual(await room.told(session), [
    'call plugin_tool',
    `result completed: What there is now: Runners, the plugins of one, or the tools of one plugin.\n${JSON.stringify(listed.output)}`,
  ]);
  const manifest = await room.call('read_tool_manifest', { tool_name: 'plugin_tool' }, { session });
  assert.deepEqual(gist(manifest), ['completed', undefined]);
});

for (const mode of ['inspect', 'read_only'] as const)
  test(`a ${mode} session lets no plugin_tool call, check or reload run, and says so in itself`, async (t) => {
    const room = await clientRoom(t);
    const session = await room.host.newSession({ agents: ['ann'], mode });
    const binding = await room.bind();
    for (const params of [
      { action: 'call', binding, arguments: {} },
      { action: 'check', runner: 'local', plugin: 'echo' },
      { action: 'reload', runner: 'local' },
    ])
      assert.deepEqual(gist(await room.call('plugin_tool', params, { session })), [
        'not_started',
        'session_guard_denied',
      ]);
    assert.deepEqual(room.runner.sent, []);
    const told = await room.told(session);
    assert.equal(told.length, 6);
    assert.match(told[1] ?? '', /^result not_started session_guard_denied: /);
    const reload = { tool: 'reload_runner_config', arguments: { runner: 'local' } };
    const manager: Principal = { ...CLIENT, scopes: [...CLIENT.scopes, 'runner:manage'] };
    const answer = await room.call('call_runtime_tool', reload, { session, principal: manager });
    assert.deepEqual(gist(answer), ['not_started', 'session_guard_denied']);
  });

test('plugin_tool on a session needs the extension plugins active there, at the moment of the call', async (t) => {
  const room = await clientRoom(t);
  const session = await room.session('ann');
  assert.deepEqual(gist(await room.call('plugin_tool', LIST, { session })), ['completed', undefined]);
  const database = await room.host.sessions.open(session);
  await deactivate(database, 'plugins', room.floor.clock);
  const answer = await room.call('plugin_tool', LIST, { session });
  assert.deepEqual(gist(answer), ['not_started', 'tool_inactive']);
  assert.match(answer.error?.message ?? '', /plugins/);
  // On no session nothing is switched off.
  assert.deepEqual(gist(await room.call('plugin_tool', LIST)), ['completed', undefined]);
});

test('an id that is no session, another kind of database, a name or a wrong spelling is unknown, and stands nowhere', async (t) => {
  const room = await clientRoom(t);
  const session = await room.host.newSession({ name: 'plans', agents: ['ann'] });
  const agent = (await room.host.agents.resolve('ann')).id;
  for (const wrong of [
    ...['plans', agent, `ses_${agent.slice(4)}`, session.slice(0, -1), `${session}A`, session.toUpperCase()],
    ...['ses_', '../etc/passwd', ' '],
  ]) {
    const answer = await room.call('plugin_tool', LIST, { session: wrong });
    assert.deepEqual(gist(answer), ['not_started', 'unknown_session_id'], wrong);
    const inside = await room.inside(wrong, 'anything');
    assert.deepEqual(gist(inside), ['not_started', 'unknown_session_id'], wrong);
  }
  assert.deepEqual(await room.told(session), []);
  assert.deepEqual(
    new Set(await room.journalled()),
    new Set(['list not_started unknown_session_id', 'call_runtime_tool not_started unknown_session_id']),
  );
});

test('nothing is written into a session that was closed, and nothing runs', async (t) => {
  const room = await clientRoom(t);
  const session = await room.session('ann');
  await room.host.closeSession(session);
  assert.deepEqual(gist(await callWith(room, session)), ['not_started', 'session_closed']);
  assert.deepEqual(gist(await room.inside(session, 'say')), ['not_started', 'session_closed']);
  assert.deepEqual(room.runner.sent, []);
  assert.deepEqual(await room.told(session), []);
});

test('a token that is limited to Runners uses no session whose agents may use others', async (t) => {
  const room = await clientRoom(t, {
    agents: [{ name: 'ann' }, { name: 'ben', runners: ['local'] }],
  });
  const wide = await room.session('ann');
  const narrow = await room.session('ben');
  const principal: Principal = { ...CLIENT, runners: ['local'] };
  assert.deepEqual(gist(await room.call('plugin_tool', LIST, { session: wide, principal })), [
    'not_started',
    'token_limited',
  ]);
  assert.deepEqual(gist(await room.inside(wide, 'say', {}, { principal })), ['not_started', 'token_limited']);
  assert.deepEqual(gist(await room.call('plugin_tool', LIST, { session: narrow, principal })), [
    'completed',
    undefined,
  ]);
  const listed = await room.call('session_list', {}, { principal });
  assert.deepEqual(
    (listed.output?.['sessions'] as { id: string }[] | undefined)?.map(({ id }) => id),
    [narrow],
  );
  assert.deepEqual(gist(await room.call('session_create', { agents: ['ann'] }, { principal })), [
    'not_started',
    'token_limited',
  ]);
});

test('a paused host completes no call, check or reload that names no session, goes on reading, and runs them after a resume', async (t) => {
  const room = await clientRoom(t);
  const manager: Principal = { ...CLIENT, scopes: [...CLIENT.scopes, 'runner:manage'] };
  const binding = await room.bind();
  const before = [...room.runner.sent];
  await room.host.pause();
  const call = { action: 'call', binding, arguments: { text: 'hello' } };
  for (const [tool, params] of [
    ['plugin_tool', call],
    ['plugin_tool', { action: 'check', runner: 'local', plugin: 'echo' }],
    ['plugin_tool', { action: 'reload', runner: 'local' }],
    ['call_runtime_tool', { tool: 'reload_runner_config', arguments: { runner: 'local' } }],
  ] as const) {
    const answer = await room.call(tool, params, { principal: manager });
    assert.deepEqual(gist(answer), ['not_started', 'host_paused']);
    assert.equal(answer.error?.message, hostErrors.host_paused.message);
    assert.equal(answer.error?.recovery, hostErrors.host_paused.next);
  }
  assert.deepEqual(room.runner.sent, before);
  assert.deepEqual(gist(await room.call('plugin_tool', LIST)), ['completed', undefined]);
  await room.host.resume();
  assert.deepEqual(gist(await room.call('plugin_tool', call)), ['completed', undefined]);
  assert.deepEqual((await room.journalled()).slice(0, 4), [
    'call not_started host_paused',
    'check not_started host_paused',
    'reload not_started host_paused',
    'reload_runner_config not_started host_paused',
  ]);
});

test('a pause while a person is asked about a call that names no session lets nothing begin', async (t) => {
  const room = await clientRoom(t, { authority: 'restricted' });
  const binding = await room.bind();
  const before = [...room.runner.sent];
  const held = room.call('plugin_tool', { action: 'call', binding, arguments: {} }, { caller: waiter() });
  const id = await room.asked();
  await room.host.state.pause(1);
  await room.approve(id);
  assert.deepEqual(gist(await held), ['not_started', 'host_paused']);
  assert.deepEqual(room.runner.sent, before);
});

test('a paused host runs no effect of a client in a session', async (t) => {
  const room = await clientRoom(t);
  const session = await room.session('ann');
  await room.host.pause();
  assert.deepEqual(gist(await callWith(room, session)), ['not_started', 'host_paused']);
  await room.host.resume();
  assert.deepEqual(gist(await callWith(room, session)), ['completed', undefined]);
});

test('a call whose answer was lost is unknown in the session, and settles there once when its Runner tells', async (t) => {
  hygiene(t);
  const room = await clientRoom(t);
  const session = await room.session('ann');
  room.runner.answer = () => {
    room.runner.connected = [];
    return failed('outcome_unknown', 'runner_unavailable', '');
  };
  const { connected } = room.runner;
  const answer = await callWith(room, session);
  assert.deepEqual(gist(answer), ['outcome_unknown', 'runner_unavailable']);
  await room.settler.idle();
  assert.deepEqual((await room.told(session)).length, 2);
  room.runner.connected = connected;
  room.runner.outcome = (call) =>
    completed({
      kind: 'outcome',
      call,
      state: 'completed',
      response: {
        dispatch_state: 'completed',
        payload: { kind: 'tools_call', result: { content: [{ type: 'text', text: 'said after all' }] } },
      },
    });
  const ask = { action: 'outcome', call: answer.call ?? '' };
  const now = await room.call('plugin_tool', ask);
  assert.equal(now.output?.['certainty'], 'completed');
  await room.call('plugin_tool', ask);
  const settled = (await room.entries(session)).filter(({ type }) => type === 'tool_settled');
  assert.equal(settled.length, 1);
  const [entry] = settled;
  assert.ok(entry?.type === 'tool_settled');
  assert.deepEqual(
    [entry.call, entry.certainty, entry.code, entry.text, entry.from],
    [answer.call, 'completed', undefined, 'said after all', { kind: 'host', id: 'host' }],
  );
  const row = await room.journal.find(answer.call ?? '');
  assert.deepEqual(row?.settlement, { certainty: 'completed', code: null });
});

test('a secret in a result is left out of the session, and the client has it as the plugin gave it', async (t) => {
  const room = await clientRoom(t, { secrets: ['hunter2-hunter2'] });
  const session = await room.session('ann');
  room.runner.answer = () =>
    completed({ kind: 'tools_call', result: { content: [{ type: 'text', text: 'key hunter2-hunter2' }] } });
  const answer = await callWith(room, session, { text: 'hunter2-hunter2' });
  assert.match(JSON.stringify(answer.output), /hunter2-hunter2/);
  const [call, result] = await room.entries(session);
  assert.equal(JSON.stringify([call, result]).includes('hunter2-hunter2'), false);
  assert.ok(result?.type === 'tool_result');
  assert.deepEqual(result.redacted, ['configured_secret']);
});

test('arguments that no tool takes are not kept', async (t) => {
  const room = await clientRoom(t);
  const session = await room.session('ann');
  const huge = { tool: 'plugin_tool', arguments: { text: 'x'.repeat(200_000) } };
  const answer = await room.call('call_runtime_tool', huge, { session });
  assert.deepEqual(gist(answer), ['not_started', 'tool_route_direct']);
  const [call] = await room.entries(session);
  assert.ok(call?.type === 'tool_call');
  assert.deepEqual(Object.keys(call.arguments), ['$left_out']);
});

test('what was learnt of a call is written once, whoever tells it again', async (t) => {
  const room = await clientRoom(t);
  const session = await room.session('ann');
  room.runner.answer = () => failed('outcome_unknown', 'plugin_gateway_timeout', '');
  room.runner.outcome = (call) => completed({ kind: 'outcome', call, state: 'running' });
  const { call = '' } = await callWith(room, session);
  await room.settler.idle();
  const { sessions } = createClientPorts(room.host);
  const end = { certainty: 'not_started', code: 'call_not_delivered' } as const;
  const tell = () => sessions.settled({ session, call, ...end }, room.journal.settlement(call, end));
  assert.deepEqual([await tell(), await tell()], [true, false]);
  const told = (await room.entries(session)).filter(({ type }) => type === 'tool_settled');
  assert.equal(told.length, 1);
});

test('a session that closes while its call runs has the end of it all the same', async (t) => {
  const room = await clientRoom(t);
  const session = await room.session('ann');
  const { promise, resolve } = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  room.runner.answer = async () => {
    entered.resolve();
    await promise;
    return completed({ kind: 'tools_call', result: { content: [{ type: 'text', text: 'late' }] } });
  };
  const waiting = callWith(room, session);
  await entered.promise;
  await room.host.closeSession(session);
  resolve();
  assert.deepEqual(gist(await waiting), ['completed', undefined]);
  assert.deepEqual(await room.told(session), ['call plugin_tool', 'result completed: late']);
});

test('a recorded call whose end found the disk full is known at once, and stands in its session as soon as there is room', async (t) => {
  const room = await clientRoom(t);
  const session = await room.session('ann');
  const { peer, clock } = room.floor;
  const original = peer.transaction.bind(peer);
  const intent = 1;
  let transactions = 0;
  const disk = t.mock.method(peer, 'transaction', (...given: Parameters<typeof original>) => {
    transactions += 1;
    return transactions > intent
      ? Promise.reject(new FairleadError('store_disk_full', 'No room.'))
      : original(...given);
  });
  const answer = await callWith(room, session);
  assert.deepEqual(gist(answer), ['completed', 'journal_unsettled']);
  const end = { certainty: 'completed', code: null };
  assert.deepEqual((await room.journal.find(answer.call ?? ''))?.end, end);
  assert.equal((await room.journal.page({ limit: 1 }))?.entries[0]?.certainty, 'completed');
  assert.equal((await room.entries(session)).at(-1)?.type, 'tool_call');
  disk.mock.restore();
  await clock.advance(owedLimits.againMs);
  await waitFor(async () => (await room.entries(session)).at(-1)?.type === 'tool_result', {
    what: 'the end in its session',
  });
  assert.deepEqual(await room.journalled(), ['call completed']);
  assert.deepEqual((await room.journal.find(answer.call ?? ''))?.end, end);
});

test('a second call of a session whose end waits behind another one on a full disk is known at once as well', async (t) => {
  const room = await clientRoom(t);
  const session = await room.session('ann');
  const { peer, clock } = room.floor;
  const said = [Promise.withResolvers<string>(), Promise.withResolvers<string>()] as const;
  const asked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  let calls = 0;
  room.runner.answer = async () => {
    const call = calls === 0 ? 0 : 1;
    calls += 1;
    asked[call].resolve();
    return completed({
      kind: 'tools_call',
      result: { content: [{ type: 'text', text: await said[call].promise }] },
    });
  };
  const first = callWith(room, session);
  await asked[0].promise;
  const second = callWith(room, session);
  await asked[1].promise;
  const disk = t.mock.method(peer, 'transaction', () =>
    Promise.reject(new FairleadError('store_disk_full', 'No room.')),
  );
  said[0].resolve('one');
  const one = await first;
  said[1].resolve('two');
  const two = await second;
  assert.deepEqual(
    [gist(one), gist(two)],
    [
      ['completed', 'journal_unsettled'],
      ['completed', 'journal_unsettled'],
    ],
  );
  for (const { call = '' } of [one, two])
    assert.deepEqual((await room.journal.find(call))?.end, { certainty: 'completed', code: null });
  disk.mock.restore();
  await clock.advance(owedLimits.againMs);
  await waitFor(() => !room.host.floor.owed.has(session), { what: 'both ends in their session' });
  assert.deepEqual(await room.told(session), [
    ...['call plugin_tool', 'call plugin_tool'],
    ...['result completed: one', 'result completed: two'],
  ]);
  assert.deepEqual(await room.journalled(), ['call completed', 'call completed']);
});

test('a recorded call does not begin while the disk owes the end of another one of its session', async (t) => {
  const room = await clientRoom(t);
  const session = await room.session('ann');
  const disk = noRoomFor(t, room.floor.peer, isResult);
  assert.deepEqual(gist(await callWith(room, session)), ['completed', 'journal_unsettled']);
  const sent = room.runner.sent.length;
  assert.deepEqual(gist(await callWith(room, session)), ['not_started', 'journal_unavailable']);
  assert.equal(room.runner.sent.length, sent);
  disk.mock.restore();
  assert.deepEqual(gist(await callWith(room, session)), ['completed', undefined]);
  assert.deepEqual(await room.told(session), [
    ...['call plugin_tool', 'result completed: said'],
    ...['call plugin_tool', 'result completed: said'],
  ]);
});

test('a turn does not begin before the end of a recorded call that the disk owes, and its model reads it', async (t) => {
  const room = await clientRoom(t);
  const session = await room.session('ann');
  const { clock, peer } = room.floor;
  const { models } = room.host;
  const model = saidModel({ text: 'On it.' });
  const resolve = models.resolve.bind(models);
  models.resolve = (ref) => ({ ...resolve(ref), model, load: async () => {} });
  const disk = noRoomFor(t, peer, isResult);
  assert.deepEqual(gist(await callWith(room, session)), ['completed', 'journal_unsettled']);
  await room.say(session, 'Go on from that.');
  await waitFor(() => room.reports.length > 0 || model.requests.length > 0, { what: 'the turn' });
  assert.deepEqual(await room.told(session), ['call plugin_tool', 'Ada: Go on from that.']);
  disk.mock.restore();
  await waitFor(
    async () => {
      await clock.advance(owedLimits.againMs);
      return (await room.told(session)).includes('end completed');
    },
    { what: 'the end of the turn' },
  );
  assert.deepEqual((await room.told(session)).slice(2), [
    'result completed: said',
    'ack ann 1',
    'ann: On it.',
    'end completed',
  ]);
  assert.match(JSON.stringify(model.requests[0]?.messages), /desk called plugin_tool/);
});
