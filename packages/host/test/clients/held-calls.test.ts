import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import type { Invocation, Principal } from '@fairlead/dispatch';
import { defineExtension } from '@fairlead/extension';
import { hygiene, waitFor } from '@fairlead/testing';
import { CLIENT, type ClientRoom, clientRoom, gist, waiter } from './client-room.ts';

const RESTRICTED = { authority: 'restricted' } as const;

const TALKER = defineExtension({
  name: 'talker',
  version: '1.0.0',
  tools: { say: { about: 'Says.', args: {}, effect: 'write', risk: 'high', run: () => 'said' } },
});

async function sayParams(room: ClientRoom, text = 'hello', observation = 'seen') {
  return { action: 'call', binding: await room.bind(observation), arguments: { text } };
}

const held = async (room: ClientRoom, by = 45_000) => {
  await room.asked();
  await room.floor.clock.advance(by);
};

test('in restricted a call waits for a person, runs when they approve, and says so in the session', async (t) => {
  hygiene(t);
  const room = await clientRoom(t, RESTRICTED);
  const session = await room.session('ann');
  const waiting = room.call('plugin_tool', await sayParams(room), { session, caller: waiter() });
  const id = await room.asked();
  assert.deepEqual(room.runner.sent, []);
  const [open] = await room.host.approvals.open();
  assert.deepEqual(
    [open?.principal, open?.session, open?.tool, open?.risk],
    ['token:tok_client', session, 'plugin_tool', 'medium'],
  );
  assert.deepEqual(JSON.parse(open?.shown ?? ''), {
    speaker: 'desk',
    principal: 'token:tok_client',
    tier: 'native',
    effect: 'write',
    extension: 'plugins',
    arguments: {
      action: 'call',
      runner: 'local',
      plugin: 'echo',
      tool: 'say',
      arguments: { text: 'hello' },
    },
  });
  await room.approve(id);
  const answer = await waiting;
  assert.deepEqual(gist(answer), ['completed', undefined]);
  assert.deepEqual(await room.told(session), [
    'approval_request',
    'approval_decision',
    'call plugin_tool',
    'result completed: said',
  ]);
  const used = await room.host.approvals.find(id);
  assert.deepEqual([used?.state, used?.used_by], ['used', answer.call]);
});

for (const where of ['in a session', 'on no session'])
  test(`held for 45 s a call is answered approval_pending, and the same call later takes the decision once, ${where}`, async (t) => {
    hygiene(t);
    const room = await clientRoom(t, RESTRICTED);
    const more = where === 'in a session' ? { session: await room.session('ann') } : {};
    const pending = room.call('plugin_tool', await sayParams(room), more);
    await held(room);
    const answer = await pending;
    assert.deepEqual(gist(answer), ['not_started', 'approval_pending']);
    const [open] = await room.host.approvals.open();
    assert.deepEqual(answer.error?.detail, {
      approval: open?.id,
      until: open?.until,
      where: 'fairlead approvals',
    });
    assert.deepEqual(room.runner.sent, []);
    await room.approve(open?.id ?? '');
    // A fresh binding of the same observation, as after a lost answer.
    assert.deepEqual(gist(await room.call('plugin_tool', await sayParams(room), more)), [
      'completed',
      undefined,
    ]);
    assert.deepEqual(room.runner.sent, ['tools_call']);
    const again = room.call('plugin_tool', await sayParams(room), more);
    const second = await room.asked();
    assert.notEqual(second, open?.id);
    const shown = JSON.parse((await room.host.approvals.find(second))?.shown ?? '{}') as JsonObject;
    assert.deepEqual(shown['ran_before'], { at: 1767225645000, certainty: 'completed' });
    await room.deny(second);
    assert.deepEqual(gist(await again), ['not_started', 'approval_denied']);
    assert.deepEqual(room.runner.sent, ['tools_call']);
  });

test('an approval of one digest serves no other: other arguments, observation, session, principal are asked anew', async (t) => {
  const room = await clientRoom(t, RESTRICTED);
  const [one, two] = [await room.session('ann'), await room.session('ann')];
  const first = room.call('plugin_tool', await sayParams(room), { session: one });
  await held(room);
  await first;
  const id = (await room.host.approvals.open())[0]?.id ?? '';
  await room.approve(id);
  const others = [
    room.call('plugin_tool', await sayParams(room, 'other'), { session: one }),
    room.call('plugin_tool', await sayParams(room, 'hello', 'changed'), { session: one }),
    room.call('plugin_tool', await sayParams(room), { session: two }),
    room.call('plugin_tool', await sayParams(room)),
    room.call('plugin_tool', await sayParams(room), {
      session: one,
      principal: { ...CLIENT, id: 'token:other' },
    }),
  ];
  await waitFor(async () => (await room.host.approvals.open()).length === 5, { what: 'five questions' });
  assert.equal((await room.host.approvals.find(id))?.state, 'approved');
  await room.floor.clock.advance(45_000);
  for (const other of others) assert.deepEqual(gist(await other), ['not_started', 'approval_pending']);
  assert.deepEqual(room.runner.sent, []);
});

test('a client that goes away while its call is held ends the hold, and nothing runs though somebody approves', async (t) => {
  hygiene(t);
  const room = await clientRoom(t, RESTRICTED);
  const session = await room.session('ann');
  const caller = waiter();
  const waiting = room.call('plugin_tool', await sayParams(room), { session, caller });
  const id = await room.asked();
  caller.leave();
  assert.deepEqual(gist(await waiting), ['not_started', 'call_cancelled']);
  assert.equal(await room.approve(id), true);
  assert.deepEqual(room.runner.sent, []);
  // It comes back and finds the decision.
  assert.deepEqual(gist(await room.call('plugin_tool', await sayParams(room), { session })), [
    'completed',
    undefined,
  ]);
});

test('a token that is revoked while its call is held runs nothing', async (t) => {
  const room = await clientRoom(t, RESTRICTED);
  const session = await room.session('ann');
  const caller = waiter();
  const waiting = room.call('plugin_tool', await sayParams(room), { session, caller });
  await room.asked();
  caller.end();
  assert.deepEqual(gist(await waiting), ['not_started', 'token_ended']);
  assert.deepEqual(room.runner.sent, []);
});

test('a mode that changes, a session that closes and a pause while a call is held stop it', async (t) => {
  const room = await clientRoom(t, RESTRICTED);
  const changes: [string, (session: string) => Promise<unknown>][] = [
    [
      'session_guard_denied',
      (session) => room.host.sessions.setMode(session, 'read_only', { scopes: ['admin'] }),
    ],
    ['session_closed', (session) => room.host.closeSession(session)],
  ];
  for (const [code, change] of changes) {
    const session = await room.session('ann');
    const waiting = room.call('plugin_tool', await sayParams(room), { session });
    const id = await room.asked();
    await change(session);
    await room.approve(id);
    assert.deepEqual(gist(await waiting), ['not_started', code]);
  }
  const session = await room.session('ann');
  const waiting = room.call('plugin_tool', await sayParams(room), { session });
  await room.asked();
  await room.host.pause();
  assert.equal((await waiting).certainty, 'not_started');
  assert.deepEqual(room.runner.sent, []);
});

test('check and reload of a client are asked about, and nobody is asked for what cannot be', async (t) => {
  const room = await clientRoom(t, RESTRICTED);
  const waiting = room.call('plugin_tool', { action: 'reload', runner: 'local' });
  const id = await room.asked();
  const [open] = await room.host.approvals.open();
  assert.deepEqual([open?.risk, open?.session], ['high', null]);
  await room.deny(id);
  assert.deepEqual(gist(await waiting), ['not_started', 'approval_denied']);
  const gone = await room.call('plugin_tool', { action: 'reload', runner: 'other' });
  assert.deepEqual(gist(gone), ['not_started', 'runner_unavailable']);
  assert.deepEqual(await room.host.approvals.open(), []);
});

test('an approval that came after its 300 s serves nothing', async (t) => {
  const room = await clientRoom(t, RESTRICTED);
  const first = room.call('plugin_tool', await sayParams(room));
  await held(room);
  await first;
  const id = (await room.host.approvals.open())[0]?.id ?? '';
  await room.approve(id);
  await room.floor.clock.advance(300_001);
  const again = room.call('plugin_tool', await sayParams(room));
  const next = await room.asked();
  assert.notEqual(next, id);
  await room.deny(next);
  assert.deepEqual(gist(await again), ['not_started', 'approval_denied']);
  assert.deepEqual(room.runner.sent, []);
});

test('a client that goes in the moment of the decision has nothing run for it', async (t) => {
  hygiene(t);
  const room = await clientRoom(t, RESTRICTED);
  const { approvals } = room.host;
  const ask = approvals.ask.bind(approvals);
  for (const [go, code] of [
    ['leave', 'call_cancelled'],
    ['end', 'token_ended'],
  ] as const) {
    const caller = waiter();
    approvals.ask = async (request) => {
      const held = await ask(request);
      return {
        ...held,
        // Whoever waited has heard the decision, and lets go of it.
        release() {
          held.release();
          caller[go]();
        },
      };
    };
    const waiting = room.call('plugin_tool', await sayParams(room, go), { caller });
    assert.equal(await room.approve(await room.asked()), true);
    assert.deepEqual(gist(await waiting), ['not_started', code]);
  }
  assert.deepEqual(room.runner.sent, []);
});

test('an agent that joins while the call of a limited token is held takes the session out of its reach', async (t) => {
  const room = await clientRoom(t, {
    ...RESTRICTED,
    agents: [{ name: 'ann' }, { name: 'ben', runners: ['local'] }],
    extensions: () => [TALKER],
  });
  const principal: Principal = { ...CLIENT, runners: ['local'] };
  const calls: readonly ((session: string) => Promise<Invocation>)[] = [
    async (session) => await room.call('plugin_tool', await sayParams(room), { session, principal }),
    async (session) => await room.inside(session, 'say', {}, { principal }),
  ];
  for (const call of calls) {
    const session = await room.session('ben');
    const waiting = call(session);
    const id = await room.asked();
    await room.host.sessions.attach(session, 'ann');
    assert.equal(await room.approve(id), true);
    assert.deepEqual(gist(await waiting), ['not_started', 'token_limited']);
  }
  assert.deepEqual(room.runner.sent, []);
});
