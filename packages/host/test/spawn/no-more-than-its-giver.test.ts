import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineExtension, s } from '@fairlead/extension';
import { ALLOWED, gateTool } from '../host/gate-tool.ts';
import { hostRoom } from '../host/host-room.ts';
import { give, gives, onlyChild } from './give-tool.ts';

const note = defineExtension({
  name: 'note',
  version: '1.0.0',
  tools: { touch: { about: 'Touches.', args: { path: s.string() }, run: () => 'touched' } },
});
const TOUCHES = { 'note/touch': { writes: ['path'] } };
const touch = { calls: [{ tool: 'touch', arguments: { path: 'x' } }] };
const pass = { calls: [{ tool: 'pass', arguments: {} }] };
const APPROVER = { scopes: ['session:approve'] };
/** Bob says at once what he is given. */
const toBob = gives({ kind: 'agent', name: 'bob' });
const bobTouches = { 'agent:ann': [toBob], 'agent:bob': [{ steps: [touch, { text: 'Done.' }] }] };

test('what is granted to a tool of the giver bounds that tool in a child', async (t) => {
  const room = await hostRoom(t, {
    scripts: bobTouches,
    agents: [{ name: 'ann', tool_grants: { touch: { fs: { write: [] } } } }, { name: 'bob' }],
    extensions: () => [give, note],
    policy: ALLOWED,
    touches: TOUCHES,
  });
  const session = await room.session('ann');
  await room.ask(session, 'go');
  assert.match((await room.told(await onlyChild(room, session))).join('\n'), /grant_denied/);
});

test('what the giver alone has switched off is off in its child', async (t) => {
  const { extension } = gateTool();
  const room = await hostRoom(t, {
    scripts: {
      'agent:ann': [toBob],
      'agent:bob': [{ steps: [{ text: 'Off.', expect: { absent: ['pass'], tools: ['give'] } }] }],
    },
    agents: [{ name: 'ann' }, { name: 'bob' }],
    extensions: () => [give, extension],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  const by = { id: 'tok_1', scopes: ['session:read', 'session:write', 'admin'] };
  const off = await room.host.command({ session, line: '/extensions remove gate agent', by });
  assert.ok('text' in off, JSON.stringify(off));
  await room.ask(session, 'go');
  assert.match((await room.told(session)).join('\n'), /completed fine: Off\./);
});

for (const mode of ['inspect', 'read_only'] as const)
  test(`a session that becomes ${mode} while its child works becomes so for the child's children too`, async (t) => {
    const { extension, entered, open } = gateTool();
    const room = await hostRoom(t, {
      scripts: {
        'agent:ann': [gives({ name: 'lead' })],
        'worker:lead': [gives({ name: 'scout' })],
        'worker:scout': [{ steps: [pass, touch, { text: 'Done.' }] }],
      },
      agents: [{ name: 'ann', workers: [{ name: 'lead' }, { name: 'scout' }] }],
      extensions: () => [give, extension, note],
      policy: ALLOWED,
    });
    const session = await room.session('ann');
    await room.say(session, 'go');
    await entered;
    await room.host.sessions.setMode(session, mode, APPROVER);
    open();
    await room.host.idle();
    const grandchild = await onlyChild(room, await onlyChild(room, session));
    assert.match((await room.told(grandchild)).join('\n'), /session_guard_denied/);
  });

for (const [what, narrow] of [
  [
    'session',
    async (room, session) => await (await room.host.sessions.open(session)).doc('meta').set(['grants'], NONE),
  ],
  [
    'agent',
    async (room) => {
      const { id } = await room.host.agents.resolve('ann');
      await (await room.host.agents.open(id)).doc('config').set(['grants'], NONE);
    },
  ],
] as readonly (readonly [string, Narrow])[])
  test(`grants that are taken from the giver's ${what} while a child works are taken from the child`, async (t) => {
    const { extension, entered, open } = gateTool();
    const room = await hostRoom(t, {
      scripts: {
        'agent:ann': [toBob],
        'agent:bob': [{ steps: [touch, pass, touch, { text: 'Done.' }] }],
      },
      agents: [{ name: 'ann' }, { name: 'bob' }],
      extensions: () => [give, extension, note],
      policy: ALLOWED,
      touches: TOUCHES,
    });
    const session = await room.session('ann');
    await room.say(session, 'go');
    await entered;
    await narrow(room, session);
    open();
    await room.host.idle();
    const results = (await room.told(await onlyChild(room, session))).filter((line) =>
      line.startsWith('result'),
    );
    assert.deepEqual(
      results.map((line) => /grant_denied|touched|passed/.exec(line)?.[0]),
      ['touched', 'passed', 'grant_denied'],
    );
  });

type Narrow = (room: Awaited<ReturnType<typeof hostRoom>>, session: string) => Promise<unknown>;
const NONE = { fs: { write: [] } };

test('a child may call what its giver may call and no more: its lists of tools are handed down', async (t) => {
  const { extension } = gateTool();
  const room = await hostRoom(t, {
    scripts: {
      'agent:ann': [toBob],
      'agent:bob': [{ steps: [{ ...pass, expect: { tools: ['give'], absent: ['pass'] } }, { text: 'No.' }] }],
    },
    agents: [{ name: 'ann', tools: ['give'] }, { name: 'bob' }],
    extensions: () => [give, extension],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  await room.ask(session, 'go');
  assert.match((await room.told(await onlyChild(room, session))).join('\n'), /tool_not_allowed/);
});

test('what is hidden from a giver is hidden from its child', async (t) => {
  const { extension } = gateTool();
  const room = await hostRoom(t, {
    scripts: {
      'agent:ann': [toBob],
      'agent:bob': [{ steps: [{ ...pass, expect: { tools: ['give'], absent: ['pass'] } }, { text: 'No.' }] }],
    },
    agents: [{ name: 'ann', tool_profile: { pass: 'hidden' } }, { name: 'bob' }],
    extensions: () => [give, extension],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  await room.ask(session, 'go');
  assert.match((await room.told(await onlyChild(room, session))).join('\n'), /tool_not_allowed/);
});

test('a child uses no Runner that its giver may not use', async (t) => {
  const { extension, entered, open } = gateTool();
  const room = await hostRoom(t, {
    scripts: { 'agent:ann': [toBob], 'agent:bob': [{ steps: [pass, { text: 'Done.' }] }] },
    agents: [
      { name: 'ann', runners: ['near'] },
      { name: 'bob', runners: ['near', 'far'] },
    ],
    extensions: () => [give, extension],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  await room.say(session, 'go');
  await entered;
  const child = room.host.floor.turns.of(await onlyChild(room, session));
  assert.deepEqual(child?.config.runners, ['near']);
  open();
  await room.host.idle();
});

test('a child begins in the mode of the session that it comes from', async (t) => {
  const { extension } = gateTool();
  const room = await hostRoom(t, {
    scripts: {
      'agent:ann': [toBob],
      'agent:bob': [{ steps: [{ text: 'Only read.', expect: { tools: ['give'], absent: ['pass'] } }] }],
    },
    agents: [{ name: 'ann' }, { name: 'bob' }],
    extensions: () => [give, extension],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  await room.host.sessions.setMode(session, 'read_only', APPROVER);
  await room.ask(session, 'go');
  const { mode, closed } = await room.host.sessions.meta(await onlyChild(room, session));
  assert.deepEqual([mode, closed], ['read_only', true]);
  assert.match((await room.told(session)).join('\n'), /completed fine: Only read\./);
});
