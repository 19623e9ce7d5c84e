import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineExtension } from '@fairlead/extension';
import { gateTool, passTurn } from '../host/gate-tool.ts';
import { ADA } from '../sessions/session-room.ts';
import { childrenOf, give } from '../spawn/give-tool.ts';
import { clientRoom, waiter } from './client-room.ts';

test('a client that spawns while a run goes on gets nothing of what the run was given', async (t) => {
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
  const { extension, entered, open } = gateTool();
  const room = await clientRoom(t, {
    scripts: {
      'agent:ann': [passTurn],
      'worker:scout': [{ steps: [{ calls: [{ tool: 'boom', arguments: {} }] }, { text: 'Boomed.' }] }],
    },
    agents: [{ name: 'ann', workers: [{ name: 'scout' }] }],
    extensions: () => [give, danger, extension],
    policy: { auto_approve: ['give'] },
  });
  const session = await room.session('ann');
  const run = room.host.runOnce({ session, text: 'go', from: ADA, approve: 'all' });
  await entered;
  const answer = await room.inside(session, 'give', { name: 'scout' }, { caller: waiter() });
  assert.match(JSON.stringify(answer), /not_started agent_required/);
  open();
  assert.equal((await run).status, 'completed');
  assert.deepEqual(await childrenOf(room, session), []);
  assert.equal(ran, 0);
});
