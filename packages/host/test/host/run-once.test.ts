import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineExtension } from '@fairlead/extension';
import { waitFor } from '@fairlead/testing';
import { ADA } from '../sessions/session-room.ts';
import { ALLOWED, gateTool, passTurn, sayTurn } from './gate-tool.ts';
import { type HostRoom, hostRoom } from './host-room.ts';

const asked = defineExtension({
  name: 'asked',
  version: '1.0.0',
  tools: { burn: { about: 'Burns.', args: {}, approval: 'always', run: () => 'burnt' } },
});
const burn = { steps: [{ calls: [{ tool: 'burn', arguments: {} }] }, { text: 'So be it.' }] };
const once = (room: HostRoom, session: string, text: string, more = {}) =>
  room.host.runOnce({ session, text, from: ADA, ...more });

test('a run waits for exactly the turn that answers it, and reports it', async (t) => {
  const { extension, entered, open } = gateTool();
  const room = await hostRoom(t, {
    scripts: { default: [passTurn, sayTurn('For you.'), sayTurn('For the others.')] },
    extensions: () => [extension],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  await room.say(session, 'go');
  await entered;
  const posted: string[] = [];
  const run = once(room, session, 'mine', { posted: (entry: string) => posted.push(entry) });
  await waitFor(() => posted.length === 1, { what: 'the message' });
  await room.say(session, 'not mine');
  open();
  const { turn, ...report } = await run;
  assert.match(turn ?? '', /^trn_[\w-]{22}$/);
  assert.deepEqual(report, {
    ...{ session, status: 'completed', code: null, text: 'For you.', calls: [] },
    ...{ usage: report.usage, nanousd: null },
  });
  await room.host.idle();
  assert.deepEqual((await room.told(session)).slice(-6), [
    ...['ack ann 1', 'ann: For you.', 'end completed'],
    ...['ack ann 1', 'ann: For the others.', 'end completed'],
  ]);
});

test('a run that was let use a tool does, once, and its decision says how; without a word nobody is asked', async (t) => {
  const room = await hostRoom(t, { scripts: { default: [burn, burn, burn] }, extensions: () => [asked] });
  const session = await room.session('ann');
  await room.hear(session);
  const calls = async (more: object) =>
    (await once(room, session, 'burn it', more)).calls.map(({ tool, certainty, code }) => [
      tool,
      certainty,
      code,
    ]);
  assert.deepEqual(await calls({}), [['burn', 'not_started', 'approval_unattended']]);
  assert.deepEqual(await calls({ approve: ['other'] }), [['burn', 'not_started', 'approval_unattended']]);
  assert.deepEqual(await calls({ approve: ['burn'] }), [['burn', 'completed', null]]);
  const decisions = (await room.entries(session)).filter((entry) => entry.type === 'approval_decision');
  assert.deepEqual(
    decisions.map(({ decision, via }) => [decision, via]),
    [['approved', 'run']],
  );
});

test('what a run was let use it uses as long as whoever let it still may', async (t) => {
  let isLive = true;
  const ending = defineExtension({
    name: 'asked',
    version: '1.0.0',
    tools: {
      burn: {
        about: 'Burns.',
        args: {},
        approval: 'always',
        run() {
          isLive = false;
          return 'burnt';
        },
      },
    },
  });
  const call = { calls: [{ tool: 'burn', arguments: {} }] };
  const room = await hostRoom(t, {
    scripts: { default: [{ steps: [call, call, { text: 'So be it.' }] }] },
    extensions: () => [ending],
  });
  const session = await room.session('ann');
  const { calls } = await once(room, session, 'burn it', { approve: 'all', isLive: () => isLive });
  assert.deepEqual(
    calls.map(({ tool, certainty, code }) => [tool, certainty, code]),
    [
      ['burn', 'completed', null],
      ['burn', 'not_started', 'approval_unattended'],
    ],
  );
});

test('a run is cancelled with its signal and by its time, in its turn and before it', async (t) => {
  const { extension, entered } = gateTool();
  const room = await hostRoom(t, {
    scripts: { default: [passTurn, sayTurn('Next.')] },
    extensions: () => [extension],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  const stop = new AbortController();
  const first = once(room, session, 'go', { signal: stop.signal });
  await entered;
  const second = once(room, session, 'wait', { timeoutMs: 1000 });
  await waitFor(async () => (await room.told(session)).includes('Ada: wait'), { what: 'the second message' });
  room.floor.clock.advance(1000);
  assert.deepEqual(await second.then(({ turn, status, code, calls }) => ({ turn, status, code, calls })), {
    turn: null,
    status: 'cancelled',
    code: 'turn_timeout',
    calls: [],
  });
  stop.abort();
  const report = await first;
  assert.deepEqual([report.status, report.code], ['cancelled', 'turn_cancelled']);
  assert.deepEqual(
    report.calls.map(({ tool, certainty, code }) => [tool, certainty, code]),
    [['pass', 'outcome_unknown', 'call_cancelled']],
  );
  await room.ask(session, 'next');
  assert.deepEqual((await room.told(session)).slice(-3), ['ack ann 1', 'ann: Next.', 'end completed']);
});

test('a run that nobody could answer is refused before it is posted', async (t) => {
  const room = await hostRoom(t, { scripts: {} });
  const empty = await room.session();
  await assert.rejects(once(room, empty, 'hello'), { code: 'agent_required' });
  assert.deepEqual(await room.told(empty), []);
  const session = await room.session('ann');
  await assert.rejects(once(room, session, 'hello', { agent: 'bob' }), { code: 'agent_not_attached' });
  await assert.rejects(once(room, session, 'hello', { signal: AbortSignal.abort(new Error('no')) }), /no/);
});

test('a host that runs one message alone answers nothing else', async (t) => {
  const scripts = { default: [sayTurn('Only this.')] };
  const before = await hostRoom(t, { scripts });
  const session = await before.session('ann');
  await before.host.pause();
  await before.say(session, 'waiting');
  await before.host.state.resume();
  await before.close();
  const room = await hostRoom(t, { scripts, floor: before.floor, boot: 'boot_2', alone: true });
  await room.host.openSession(session);
  assert.equal((await once(room, session, 'mine')).text, 'Only this.');
  await room.host.idle();
  assert.deepEqual(await room.told(session), [
    ...['Ada: waiting', 'Ada: mine', 'ack ann 1', 'ann: Only this.', 'end completed'],
  ]);
});

test('a pause ends the wait of a run, and the message waits on', async (t) => {
  const { extension, entered } = gateTool();
  const room = await hostRoom(t, {
    scripts: { default: [passTurn, sayTurn('Later.')] },
    extensions: () => [extension],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  await room.say(session, 'go');
  await entered;
  const run = once(room, session, 'mine');
  await waitFor(async () => (await room.told(session)).includes('Ada: mine'), { what: 'the message' });
  await room.host.pause();
  const { turn, code } = await run;
  assert.deepEqual([turn, code], [null, 'host_paused']);
  await room.host.resume();
  await room.host.idle();
  assert.equal((await room.told(session)).at(-2), 'ann: Later.');
});

test('where each call is decided by itself, what a run was given beforehand decides nothing', async (t) => {
  const room = await hostRoom(t, {
    authority: 'restricted',
    scripts: { default: [burn] },
    extensions: () => [asked],
  });
  const session = await room.session('ann');
  const report = await room.host.runOnce({ session, text: 'go', from: ADA, approve: 'all' });
  assert.deepEqual(
    report.calls.map(({ certainty, code }) => [certainty, code]),
    [['not_started', 'approval_unattended']],
  );
});
