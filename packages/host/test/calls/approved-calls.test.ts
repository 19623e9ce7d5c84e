import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairleadError, type JsonObject } from '@fairlead/base';
import { defineExtension, s } from '@fairlead/extension';
import type { CallPlace } from '../../src/calls/call-place.ts';
import { type CallRoom, type CallRoomOptions, callRoom, MAY } from './call-room.ts';

const ran: string[] = [];

const deed = (about: string) =>
  defineExtension({
    name: 'deeds',
    version: '1.0.0',
    tools: {
      do: {
        about,
        risk: 'high',
        approval: 'always',
        args: { what: s.string(), key: s.optional(s.string()), list: s.array(s.string(), { default: [] }) },
        sensitive: ['key'],
        run({ what }) {
          ran.push(what);
          return what === 'fail' ? { text: 'no', isError: true } : what;
        },
      },
      may: { about: 'May.', approval: 'unless_auto_approved', run: () => void ran.push('may') },
    },
  });

async function opened(t: Parameters<typeof callRoom>[0], options: CallRoomOptions = {}): Promise<CallRoom> {
  ran.length = 0;
  return await callRoom(t, { extensions: [deed('Does.')], ...options });
}

const answer = (room: CallRoom, id: string, decision: 'approve' | 'deny' | 'approve_turn' = 'approve') =>
  room.approvals.decide(id, { decision, by: MAY, via: 'http' });

test('a person sees every argument whole, where the call runs and what it may touch, and only then it runs', async (t) => {
  const room = await opened(t, { grants: { fs: { read: ['/srv'] }, network: { allowPrivate: false } } });
  const waiting = room.call('do', { what: `line one\n\u202e${'x'.repeat(60_000)}`, key: 'hunter2' });
  const id = await room.asked();
  assert.deepEqual(ran, []);
  const [row] = await room.approvals.open();
  assert.ok(row !== undefined);
  const shown = JSON.parse(row.shown) as JsonObject;
  assert.deepEqual(
    [row.tool, row.risk, row.principal, row.session],
    ['do', 'high', `agent:${room.agent.id}`, room.session],
  );
  assert.match(row.target, /^ext:deeds\/do#[\w-]{43}$/);
  assert.match(row.digest, /^[\w-]{43}$/);
  assert.deepEqual(shown, {
    agent: { id: room.agent.id, name: 'ann' },
    principal: `agent:${room.agent.id}`,
    tier: 'in_process',
    effect: 'write',
    workspace: room.host.folder,
    grants: { network: { allow_private: false }, fs: { read: ['/srv'] } },
    rewritten_by: [],
    extension: 'deeds',
    arguments: { what: `line one\n\u202e${'x'.repeat(60_000)}`, key: { $masked: 7 }, list: [] },
  });
  assert.deepEqual(row.decisions, ['approve', 'deny', 'approve_turn']);
  await answer(room, id);
  assert.equal((await waiting).certainty, 'completed');
  const [asked, decision, call] = await room.entries();
  assert.ok(asked?.type === 'approval_request' && call?.type === 'tool_call');
  assert.deepEqual([decision?.type, call.approval], ['approval_decision', id]);
  assert.deepEqual(
    [asked.digest, asked.call, asked.until - row.opened_at],
    [call.digest, call.call, 300_000],
  );
  assert.equal((await room.approvals.find(id))?.state, 'used');
  assert.deepEqual(
    room.events.filter(({ kind }) => kind !== 'progress'),
    [
      { kind: 'state', turn: room.place.turn?.turn, agent: room.agent.id, state: 'approval', tool: 'do' },
      { kind: 'approval', approval: id, state: 'open' },
      { kind: 'approval', approval: id, state: 'approved' },
      { kind: 'state', turn: room.place.turn?.turn, agent: room.agent.id, state: 'tool', tool: 'do' },
    ],
  );
});

test('a gate cannot change arguments that a person has approved, though it keeps what it was shown', async (t) => {
  const kept: JsonObject[] = [];
  const sly = defineExtension({
    name: 'sly',
    version: '1.0.0',
    on: {
      toolCall({ args }) {
        kept.push(args as JsonObject);
        const own = { ...args, what: 'kind', list: ['kind'] };
        kept.push(own);
        return { args: own };
      },
    },
  });
  const room = await opened(t, { extensions: [deed('Does.'), sly] });
  const waiting = room.call('do', { what: 'asked for' });
  const id = await room.asked();
  for (const args of kept as { what: string; list: string[] }[]) {
    try {
      args.what = 'evil';
      args.list.push('evil');
    } catch {
      // What the host keeps is frozen; its own copy it may spoil.
    }
  }
  await answer(room, id);
  await waiting;
  const [asked, , call] = await room.entries();
  assert.ok(asked?.type === 'approval_request' && call?.type === 'tool_call');
  assert.deepEqual(
    [ran, asked.arguments, call.arguments],
    [['kind'], call.arguments, { what: 'kind', list: ['kind'] }],
  );
  assert.equal(asked.digest, call.digest);
  const [row] = await room.store.read<{ shown: string }>('SELECT shown FROM approvals');
  assert.deepEqual((JSON.parse(row?.shown ?? '') as JsonObject)['rewritten_by'], ['sly']);
});

test('what was approved for one digest serves no other: not other arguments, not another tool of the name, nobody else', async (t) => {
  const room = await opened(t, { client: true });
  const first = room.call('do', { what: 'this' });
  const id = await room.asked();
  await room.host.clock.advance(45_000);
  assert.equal((await first).code, 'approval_pending');
  await answer(room, id);
  const others: Promise<{ code?: string }>[] = [
    room.call('do', { what: 'that' }),
    room.call('do', { what: 'this', key: '' }),
    room.call('do', { what: 'this' }, { principal: 'token:2' }),
  ];
  // The same name and words, described in another way since, is another tool.
  const source = (await import('@fairlead/hub')).builtinSource(deed('Does it thoroughly.'), {
    version: '2.0.0',
    clock: room.clock,
  });
  assert.equal((await room.hub.replace('deeds', source)).ok, true);
  using set = await room.liveSet();
  others.push(room.call('do', { what: 'this' }, { set }));
  await room.askedFor(others.length);
  await room.host.clock.advance(45_000);
  assert.deepEqual(
    (await Promise.all(others)).map(({ code }) => code),
    // The second one's set was replaced under it.
    ['approval_pending', 'approval_pending', 'approval_pending', 'approval_pending'],
  );
  assert.deepEqual(ran, []);
});

test('a decision that was taken after `approval_pending` is used once', async (t) => {
  const room = await opened(t, { client: true });
  const first = room.call('do', { what: 'this' });
  const id = await room.asked();
  await room.host.clock.advance(44_999);
  assert.deepEqual(ran, []);
  await room.host.clock.advance(1);
  const pending = await first;
  const until = room.clock.wallMs() - 45_000 + 300_000;
  assert.deepEqual(
    [pending.certainty, pending.code, pending.detail],
    ['not_started', 'approval_pending', { approval: id, until, where: 'fairlead approvals' }],
  );
  assert.match(pending.text, new RegExp(`\\(${id}\\)$`));
  await answer(room, id);
  assert.equal((await room.call('do', { what: 'this' })).text, 'this');
  assert.equal((await room.approvals.find(id))?.used_by, 'call_0000000000000000000002');
  const again = room.call('do', { what: 'this' });
  const second = await room.asked();
  assert.notEqual(second, id);
  await answer(room, second, 'deny');
  assert.equal((await again).code, 'approval_denied');
  assert.deepEqual(ran, ['this']);
});

test('two calls alike that find one approved decision run once', async (t) => {
  const room = await opened(t, { client: true });
  const first = room.call('do', { what: 'this' });
  const id = await room.asked();
  await room.host.clock.advance(45_000);
  await first;
  await answer(room, id);
  const both = [room.call('do', { what: 'this' }), room.call('do', { what: 'this' })];
  const second = await room.asked();
  assert.notEqual(second, id);
  await room.host.clock.advance(45_000);
  const codes = (await Promise.all(both)).map(({ code = 'ran' }) => code).sort();
  assert.deepEqual([codes, ran], [['approval_pending', 'ran'], ['this']]);
});

test('a client that goes away while it waits leaves the question open, and nothing runs', async (t) => {
  const room = await opened(t, { client: true });
  const waiting = room.call('do', { what: 'this' });
  const id = await room.asked();
  room.cancel.abort();
  assert.deepEqual([(await waiting).code, ran], ['call_cancelled', []]);
  assert.equal((await room.approvals.find(id))?.state, 'open');
  await answer(room, id);
  const later = { signal: new AbortController().signal };
  assert.equal((await room.call('do', { what: 'this' }, later)).text, 'this');
});

test('a turn that is cancelled while it waits cancels its question, and the call was never started', async (t) => {
  const room = await opened(t);
  const waiting = room.call('do', { what: 'this' });
  const id = await room.asked();
  await room.host.clock.advance(200_000);
  room.cancel.abort();
  const end = await waiting;
  assert.deepEqual([end.certainty, end.code, ran], ['not_started', 'call_cancelled', []]);
  assert.equal(await answer(room, id), false);
  assert.deepEqual((await room.told()).slice(1), [
    'cancelled via cancelled',
    'call do {"list":[],"what":"this"}',
    'result not_started call_cancelled: call_cancelled: The call was cancelled before it began; nothing was started.',
  ]);
});

test('a call nobody decides about hung the turn for ever: it expires after 300 s, and a late answer is ignored', async (t) => {
  const room = await opened(t);
  const waiting = room.call('do', { what: 'this' });
  const id = await room.asked();
  await room.host.clock.advance(300_000);
  assert.deepEqual([(await waiting).code, ran], ['approval_expired', []]);
  assert.equal(await answer(room, id), false);
});

test('an approval that can be used no more when the call begins is no approval', async (t) => {
  const room = await opened(t);
  const use = room.approvals.use.bind(room.approvals);
  t.mock.method(room.approvals, 'use', (id: string, call: string) => {
    room.host.clock.jumpWall(300_001);
    return use(id, call);
  });
  const waiting = room.call('do', { what: 'this' });
  await answer(room, await room.asked());
  const end = await waiting;
  assert.deepEqual([end.certainty, end.code, ran], ['not_started', 'approval_expired', []]);
  assert.deepEqual(await room.journalled(), ['not_started approval_expired']);
});

test('what narrows while a person decides stops the call that was approved', async (t) => {
  const room = await opened(t);
  const waiting = room.call('do', { what: 'this' });
  const id = await room.asked();
  await room.sessions.setMode(room.session, 'read_only', { scopes: ['admin'] });
  await answer(room, id);
  assert.deepEqual([(await waiting).code, ran], ['session_guard_denied', []]);
  assert.equal((await room.approvals.find(id))?.state, 'approved');
});

test('a grant that is taken back while a person decides stops the call that was approved', async (t) => {
  const room = await opened(t, { touches: { 'deeds/do': { writes: ['what'] } } });
  let granted: readonly string[] = ['/'];
  const waiting = room.call('do', { what: '/srv/x' }, { grants: async () => ({ fs: { write: granted } }) });
  const id = await room.asked();
  granted = [];
  await answer(room, id);
  assert.deepEqual([(await waiting).code, ran], ['grant_denied', []]);
});

test('where nobody is there to answer a call that needs one is refused at once', async (t) => {
  const room = await opened(t);
  const place: Partial<CallPlace> = { attended: () => false };
  const end = await room.call('do', { what: 'this' }, place);
  assert.deepEqual([end.certainty, end.code, ran], ['not_started', 'approval_unattended', []]);
  assert.deepEqual(await room.approvals.open(), []);
  assert.equal((await room.told()).length, 2);
});

test('`--approve` stands for a person: nobody is asked, and the decision says where it came from', async (t) => {
  const room = await opened(t);
  const place: Partial<CallPlace> = {
    attended: () => false,
    preApproved: (tool) => (tool === 'do' ? 'run --approve' : undefined),
  };
  assert.equal((await room.call('do', { what: 'this' }, place)).text, 'this');
  assert.equal((await room.call('may', {}, place)).code, 'approval_unattended');
  assert.deepEqual((await room.told()).slice(0, 3), [
    'asked {"list":[],"what":"this"}',
    'approved via run --approve',
    'call do {"list":[],"what":"this"}',
  ]);
  const [row] = await room.store.read<{ state: string; used_by: string }>(
    'SELECT state, used_by FROM approvals',
  );
  assert.deepEqual([row?.state, row?.used_by], ['used', 'call_0000000000000000000001']);
});

test('a tool in `auto_approve` is asked about only where its policy says always', async (t) => {
  const room = await opened(t, { policy: { auto_approve: ['*'] } });
  const place: Partial<CallPlace> = { attended: () => false };
  assert.equal((await room.call('may', {}, place)).certainty, 'completed');
  assert.equal((await room.call('do', { what: 'x' }, place)).code, 'approval_unattended');
});

test('the rest of a turn is approved for one tool: each later call has a row of its own, and another turn is asked anew', async (t) => {
  const room = await opened(t);
  const first = room.call('do', { what: 'one' });
  const id = await room.asked();
  await answer(room, id, 'approve_turn');
  await first;
  assert.equal((await room.call('do', { what: 'two' })).text, 'two');
  const rows = await room.store.read<Record<string, string>>(
    'SELECT id, state, rule, digest FROM approvals ORDER BY seq',
  );
  assert.deepEqual(
    rows.map(({ state, rule }) => [state, rule]),
    [
      ['used', null],
      ['used', id],
    ],
  );
  assert.notEqual(rows[0]?.['digest'], rows[1]?.['digest']);
  const turn = { turn: 'trn_2', root: 'trn_2', rootSession: room.session, step: () => 0 };
  const third = room.call('do', { what: 'three' }, { turn });
  await answer(room, await room.asked(), 'deny');
  assert.equal((await third).code, 'approval_denied');
});

test('a person who is asked for the same within ten minutes is told when it ran and how it ended', async (t) => {
  const room = await opened(t);
  const place: Partial<CallPlace> = { preApproved: () => 'run --approve' };
  await room.call('do', { what: 'fail' }, place);
  const ranAt = room.clock.wallMs();
  const before = async (args: JsonObject) => {
    const waiting = room.call('do', args);
    const id = await room.asked();
    const row = await room.approvals.find(id);
    await answer(room, id, 'deny');
    await waiting;
    return (JSON.parse(row?.shown ?? '') as JsonObject)['ran_before'];
  };
  await room.host.clock.advance(60_000);
  assert.deepEqual(await before({ what: 'fail' }), { at: ranAt, certainty: 'completed', code: 'tool_error' });
  assert.equal(await before({ what: 'other' }), undefined);
  await room.host.clock.advance(540_000);
  // What was denied meanwhile did not run.
  assert.equal(await before({ what: 'fail' }), undefined);
});

test('arguments that grow too large when secrets are taken out are refused, not cut', async (t) => {
  const room = await opened(t, { secrets: ['hunter22'] });
  const end = await room.call('do', { what: 'hunter22'.repeat(8000) });
  assert.deepEqual([end.code, ran], ['arguments_too_large', []]);
});

test('a question that cannot be written down lets nothing run', async (t) => {
  const room = await opened(t);
  t.mock.method(room.approvals, 'ask', () => Promise.reject(new FairleadError('store_io_failed', 'full')));
  const end = await room.call('do', { what: 'this' });
  assert.deepEqual([end.certainty, end.code, ran], ['not_started', 'call_not_decided', []]);
  assert.deepEqual(await room.journalled(), ['not_started call_not_decided']);
});

test('a question that somebody else cancelled lets nothing run', async (t) => {
  const room = await opened(t);
  const waiting = room.call('do', { what: 'this' });
  await room.approvals.cancel(await room.asked());
  assert.deepEqual([(await waiting).code, ran], ['approval_cancelled', []]);
});
