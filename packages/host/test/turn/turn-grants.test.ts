import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ToolPolicy } from '../../src/policy/tool-policy.ts';
import { TurnGrants } from '../../src/turn/turn-grants.ts';
import { turnRoom } from './turn-room.ts';

const POLICY: ToolPolicy = {
  ...{ risk: 'low', approval: 'never', effect: 'read', timeoutMs: 1000, sensitive: [] },
  grants: [{ fs: { read: ['/'] } }],
};

test('all levels are in force together, and `$workspace` is the session’s', async (t) => {
  const room = await turnRoom(t, {
    config: { tool_grants: { narrow: { fs: { read: [] } } }, grants: { network: { endpoints: [] } } },
  });
  const place = { session: room.session, agent: room.agent.id, workspace: room.host.folder };
  const grants = new TurnGrants(room, place);
  assert.deepEqual(await grants.of('look', POLICY), {
    fs: { read: [room.host.folder], write: [room.host.folder] },
    network: { endpoints: [], allowPrivate: false },
  });
  assert.deepEqual((await grants.of('narrow', POLICY)).fs?.read, []);
});

test('grants are worked out once a tool, and again when the agent or the session changed', async (t) => {
  const room = await turnRoom(t);
  const place = { session: room.session, agent: room.agent.id, workspace: room.host.folder };
  const grants = new TurnGrants(room, place);
  const first = await grants.of('look', POLICY);
  assert.equal(await grants.of('look', POLICY), first);
  await (await room.agents.open(room.agent.id)).doc('config').set(['grants'], { fs: { write: [] } });
  const narrowed = await grants.of('look', POLICY);
  assert.deepEqual(narrowed.fs?.write, []);
  await (await room.sessions.open(room.session)).doc('meta').set(['grants'], { fs: { read: [] } });
  assert.deepEqual((await grants.of('look', POLICY)).fs, { read: [], write: [] });
});
