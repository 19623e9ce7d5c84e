import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineExtension } from '@fairlead/extension';
import { waitFor } from '@fairlead/testing';
import { type HostRoom, hostRoom } from '../host/host-room.ts';

const BY = { id: 'tok_1', scopes: ['session:approve'] };
const boomTurn = { steps: [{ calls: [{ tool: 'boom', arguments: {} }] }, { text: 'Done.' }] };

type Test = Parameters<typeof hostRoom>[0];

/** Two turns that each ask for `boom`; the first one waits for its approval. */
async function asked(t: Test) {
  let ran = 0;
  const danger = defineExtension({
    name: 'danger',
    version: '1.0.0',
    tools: {
      boom: {
        about: 'Does it.',
        args: {},
        approval: 'always',
        run() {
          ran += 1;
          return 'boom';
        },
      },
    },
  });
  const room = await hostRoom(t, {
    scripts: { default: [boomTurn, boomTurn] },
    extensions: () => [danger],
    policy: {},
  });
  const session = await room.session('ann');
  await room.say(session, 'go');
  return { room, session, first: await open(room), ran: () => ran };
}

/** The approval that is open, once there is one. */
async function open(room: HostRoom): Promise<string> {
  const rows = () => room.host.approvals.open();
  await waitFor(async () => (await rows()).length > 0, { what: 'the question' });
  return (await rows())[0]?.id ?? '';
}

async function stateOf(room: HostRoom, approval: string): Promise<string | undefined> {
  return (await room.host.approvals.find(approval))?.state;
}

for (const [how, end] of [
  ['cancelled', (room: HostRoom, session: string) => room.host.cancel(session)],
  ['paused', (room: HostRoom) => room.host.pause()],
] as const)
  test(`what was approved as its turn was ${how} runs nothing in a later turn`, async (t) => {
    const { room, session, first, ran } = await asked(t);
    await Promise.all([
      room.host.approvals.decide(first, { decision: 'approve', by: BY, via: 'test' }),
      end(room, session),
    ]);
    assert.equal(ran(), 0);
    assert.equal(await stateOf(room, first), 'cancelled');
    await room.host.resume();
    await room.say(session, 'go again');
    const second = await open(room);
    assert.notEqual(second, first);
    await room.host.approvals.decide(second, { decision: 'deny', by: BY, via: 'test' });
    await room.host.idle();
    assert.equal(ran(), 0);
  });

test('an approval that stays open when its turn ends is cancelled with it, and the session says so', async (t) => {
  const { room, session, first } = await asked(t);
  await room.host.cancel(session);
  assert.equal(await stateOf(room, first), 'cancelled');
  const decisions = (await room.entries(session)).filter(({ type }) => type === 'approval_decision');
  assert.deepEqual(
    decisions.map((entry) => entry.type === 'approval_decision' && [entry.approval, entry.decision]),
    [[first, 'cancelled']],
  );
  assert.equal((await room.told(session)).at(-1), 'end cancelled turn_cancelled');
});
