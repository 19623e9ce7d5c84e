import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { defineExtension, s } from '@fairlead/extension';
import { hygiene } from '@fairlead/testing';
import { attenuate } from '../../src/grants/attenuate.ts';
import { grantsInForce, judgePath, sessionGrants } from '../../src/grants/in-place.ts';
import { readGrants } from '../../src/grants/read-grants.ts';
import type { LinkReader } from '../../src/grants/real-path.ts';
import { readPolicy } from '../../src/policy/read-policy.ts';
import { hostRoom } from '../host/host-room.ts';

const NO_LINKS: LinkReader = { linkAt: async () => null };
const PLACE = { workspace: '/desk', links: NO_LINKS };

const files = defineExtension({
  name: 'files',
  version: '1.0.0',
  tools: {
    look: { about: 'Looks.', args: { at: s.string() }, effect: 'read', run: ({ at }) => `saw ${at}` },
    list: { about: 'Lists.', args: { at: s.string() }, effect: 'read', run: ({ at }) => `listed ${at}` },
  },
});

const ANYTHING = { fs: { read: ['/'] } };
const NOTHING = { fs: { read: [] } };

/** What became of one call of `look` and one of `list`, with each level saying what it is given. */
async function called(
  t: TestContext,
  levels: {
    readonly tool?: JsonObject;
    readonly session?: JsonObject;
    readonly agent?: JsonObject;
    readonly agentTool?: JsonObject;
  },
): Promise<readonly string[]> {
  const { tool = ANYTHING, session = ANYTHING, agent = ANYTHING, agentTool = ANYTHING } = levels;
  const at = { at: '/srv/notes' };
  const calls = [
    { tool: 'look', arguments: at },
    { tool: 'list', arguments: at },
  ];
  const room = await hostRoom(t, {
    scripts: { default: [{ steps: [{ calls }, { text: 'Done.' }] }] },
    extensions: () => [files],
    touches: { 'files/look': { reads: ['at'] }, 'files/list': { reads: ['at'] } },
    policy: { auto_approve: ['*'], grants: ANYTHING, tools: { look: { grants: tool } } },
    agents: [{ name: 'ann', grants: agent, tool_grants: { look: agentTool } }],
  });
  const id = await room.host.newSession({ agents: ['ann'], grants: session });
  await room.ask(id, 'go');
  const entries = await room.entries(id);
  await room.close();
  // Calls that only read end in any order.
  return ['look', 'list'].map((name) => {
    const call = entries.find((entry) => entry.type === 'tool_call' && entry.tool === name);
    const result = entries.find(
      (entry) => entry.type === 'tool_result' && call?.type === 'tool_call' && entry.call === call.call,
    );
    assert.ok(result?.type === 'tool_result');
    return result.code ?? result.certainty;
  });
}

test('a call needs the word of all four levels: the policy of the tool, the session, the agent, the agent on this tool', async (t) => {
  hygiene(t);
  const [runs, denied] = ['completed', 'grant_denied'];
  assert.deepEqual(await called(t, {}), [runs, runs]);
  assert.deepEqual(await called(t, { tool: NOTHING }), [denied, runs]);
  assert.deepEqual(await called(t, { session: NOTHING }), [denied, denied]);
  assert.deepEqual(await called(t, { agentTool: NOTHING }), [denied, runs]);
});

test('what an agent may touch binds also where the tool and the session allow everything', async (t) => {
  hygiene(t);
  const denied = 'grant_denied';
  assert.deepEqual(await called(t, { agent: NOTHING }), [denied, denied]);
});

test('/work and /workother were one grant: a folder beside another of like name is granted by neither', async () => {
  const both = attenuate({ fs: { read: ['/work'] } }, { fs: { read: ['/workother'] } });
  assert.deepEqual(both.fs?.read, []);
  const verdict = await judgePath(both, 'read', '/workother/x', '/work', NO_LINKS);
  assert.deepEqual(verdict, { isGranted: false, path: '/workother/x' });
});

test('".." inside a grant was taken as it stood: it is folded before anything is compared', async () => {
  const reading = readGrants({ fs: { read: ['/desk/../etc'], write: ['/desk/./a/'] } });
  assert.ok(reading.ok);
  const inForce = await grantsInForce([reading.value], PLACE);
  assert.deepEqual(inForce.fs, { read: ['/etc'], write: ['/desk/a'] });
  const asked = async (use: 'read' | 'write', path: string) =>
    (await judgePath(inForce, use, path, '/desk', NO_LINKS)).isGranted;
  assert.deepEqual(
    [
      await asked('read', '/desk/secret'),
      await asked('read', '/etc/passwd'),
      await asked('write', 'a/../../etc/passwd'),
      await asked('write', 'a/../a/b'),
    ],
    [false, true, false, true],
  );
});

test('an empty list of endpoints was taken as "all": it is nothing, at every level', async () => {
  for (const level of ['configured', 'record'] as const) {
    const empty = { network: { endpoints: [], allowPrivate: true } };
    const levels = level === 'configured' ? sessionGrants(empty, undefined) : sessionGrants({}, empty);
    assert.deepEqual((await grantsInForce(levels, PLACE)).network?.endpoints, []);
  }
});

test('a new session without a word may touch its workspace and the public network, and nothing else', async () => {
  const inForce = await grantsInForce(sessionGrants({}, undefined), PLACE);
  assert.deepEqual(inForce, {
    fs: { read: ['/desk'], write: ['/desk'] },
    network: { allowPrivate: false },
  });
});

test('the lists of the earlier system are not read as something else: a level with one is refused', () => {
  for (const [key, value] of [
    ['shell_denylist', ['rm']],
    ['allowed_endpoints', ['example.com']],
    ['shell', { allowlist: ['ls'] }],
    ['fs', { allow_read: ['/'] }],
    ['network', { endpoints: [{ host: 'example.com', prefix: '/api' }] }],
  ] as const)
    assert.equal(readGrants({ [key]: value }).ok, false, key);
  const policy = readPolicy({ policy: { grants: { shell_allowlist: ['ls'] } } });
  assert.equal(policy.ok, false);
});
