import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALLOWED, gateTool, passTurn, sayTurn } from './gate-tool.ts';
import { hostRoom } from './host-room.ts';

const by = { id: 'tok_1', scopes: ['session:read', 'session:write'] };

test('/compact has the model sum up, writes that in the place of what stood there, and it costs what it costs', async (t) => {
  const usage = { input: 100, output: 10 };
  const room = await hostRoom(t, {
    scripts: {
      default: [sayTurn('One.'), sayTurn('Two.'), { steps: [{ text: 'Three.', expect: { last: 'third' } }] }],
      'worker:compact': [{ steps: [{ text: 'They counted.', usage }] }, sayTurn('They went on.')],
    },
  });
  const session = await room.session('ann');
  await assert.rejects(room.host.compact(session), { code: 'nothing_to_compact' });
  await room.ask(session, 'first');
  await assert.rejects(room.host.compact(session), { code: 'nothing_to_compact' });
  await room.ask(session, 'second');
  const answer = await room.host.command({ session, line: '/compact', by });
  assert.ok('text' in answer, JSON.stringify(answer));
  const entries = await room.entries(session);
  const summary = entries.at(-1);
  assert.ok(summary?.type === 'summary');
  assert.equal(summary.text, 'They counted.');
  assert.equal(summary.upto, entries.at(-2)?.id);
  assert.equal(
    (await room.host.ledger.costs(session)).reduce((sum, { input }) => sum + input, 0) >= 100,
    true,
  );
  await room.ask(session, 'third');
  assert.equal((await room.told(session)).at(-2), 'ann: Three.');
  await assert.rejects(room.host.compact(session), { code: 'nothing_to_compact' });
  await room.ask(session, 'fourth');
  assert.equal((await room.host.compact(session)).summary, 'They went on.');
});

test('a session without an agent is summed up by nobody, and none while a turn runs', async (t) => {
  const { extension, entered, open } = gateTool();
  const room = await hostRoom(t, {
    scripts: { default: [passTurn] },
    extensions: () => [extension],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  await room.say(session, 'go');
  await entered;
  await assert.rejects(room.host.compact(session), { code: 'turn_running' });
  open();
  await room.host.idle();
  await room.host.sessions.detach(session, 'ann');
  await assert.rejects(room.host.compact(session), { code: 'agent_required' });
});

test('a summary that the model cannot give is the fault of the model, and nothing is written', async (t) => {
  const room = await hostRoom(t, {
    scripts: {
      default: [sayTurn('One.'), sayTurn('Two.')],
      'worker:compact': [{ steps: [{ faults: [{ status: 400 }] }] }],
    },
  });
  const session = await room.session('ann');
  await room.ask(session, 'first');
  await room.ask(session, 'second');
  await assert.rejects(room.host.compact(session), { code: 'model_request_refused' });
  const signal = AbortSignal.abort();
  await assert.rejects(room.host.compact(session, { signal }), { code: 'model_cancelled' });
  assert.equal((await room.told(session)).at(-1), 'end completed');
});
