import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sessionBounds } from '../../src/limits.ts';
import { lineageOf, modeInForce } from '../../src/sessions/lineage.ts';
import { readMeta, type SessionMeta } from '../../src/sessions/session-meta.ts';
import { room } from './session-room.ts';

const APPROVER = { scopes: ['session:approve'] };

test('the strictest mode of a session and of those that it was made in holds, as they are now', async (t) => {
  const { sessions } = await room(t);
  const root = await sessions.create();
  const child = await sessions.create({ parent: { session: root, turn: 'trn_1', call: 'call_1' } });
  const grandchild = await sessions.create({ parent: { session: child, turn: 'trn_2', call: 'call_2' } });
  assert.equal(await modeInForce(sessions, grandchild), 'normal');
  await sessions.setMode(child, 'read_only', APPROVER);
  assert.equal(await modeInForce(sessions, grandchild), 'read_only');
  assert.equal(await modeInForce(sessions, root), 'normal');
  await sessions.setMode(root, 'inspect', APPROVER);
  assert.equal(await modeInForce(sessions, grandchild), 'inspect');
  const { metas, isWhole } = await lineageOf(sessions, grandchild);
  assert.deepEqual([metas.map(({ mode }) => mode), isWhole], [['normal', 'read_only', 'inspect'], true]);
});

test('a session whose giver is not here runs nothing, and one that leads round is not followed for ever', async (t) => {
  const { sessions } = await room(t);
  const parent = { session: 'ses_nowhere', turn: 'trn_1', call: 'call_1' };
  const orphan = await sessions.create({ parent });
  assert.equal(await modeInForce(sessions, orphan), 'inspect');
  let asked = 0;
  const round: Pick<typeof sessions, 'meta'> = {
    async meta(): Promise<SessionMeta> {
      asked += 1;
      return readMeta({ parent }, () => true);
    },
  };
  assert.equal(await modeInForce(round, 'ses_round'), 'inspect');
  assert.equal(asked, sessionBounds.above + 1);
});

test('what is wrong with the store is told, and a session that is not here is unknown', async (t) => {
  const { sessions } = await room(t);
  await assert.rejects(lineageOf(sessions, 'ses_nowhere'), { code: 'session_unknown' });
  const broken: Pick<typeof sessions, 'meta'> = {
    async meta(id: string): Promise<SessionMeta> {
      if (id === 'ses_2') throw new Error('disk');
      return readMeta({ parent: { session: 'ses_2', turn: 'trn_1', call: 'call_1' } }, () => true);
    },
  };
  await assert.rejects(lineageOf(broken, 'ses_1'), /disk/);
});
