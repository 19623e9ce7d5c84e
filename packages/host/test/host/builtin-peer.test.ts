import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Json } from '@fairlead/base';
import { defineExtension, type Extension } from '@fairlead/extension';
import { definerFor } from '@fairlead/extension/builtin';
import type { HostPeer, PeerCaller } from '../../src/host/host-peer.ts';
import { ALLOWED, sayTurn } from './gate-tool.ts';
import { type HostRoom, type HostRoomOptions, hostRoom } from './host-room.ts';

type Asks = (peer: HostPeer, caller: PeerCaller) => unknown;

/** A host whose agent asks the peer something from within a call; answers what came of it, or the code of the refusal. */
async function asking(
  t: Parameters<typeof hostRoom>[0],
  asks: Asks,
  more: Partial<HostRoomOptions> = {},
  others: readonly Extension[] = [],
) {
  const answers: unknown[] = [];
  const extension = definerFor<HostPeer>()({
    name: 'asks',
    version: '1.0.0',
    open: (scope) => scope.peer,
    tools: {
      ask: {
        about: 'Asks the host.',
        args: {},
        async run(_args, { state, session, agent }) {
          const caller = { session: session?.id ?? '', agent: agent?.id ?? '', tool: 'ask' };
          try {
            answers.push(await asks(state, caller));
          } catch (error) {
            answers.push(error instanceof Error && 'code' in error ? error.code : error);
          }
          return 'asked';
        },
      },
    },
  });
  const turn: Json = { steps: [{ calls: [{ tool: 'ask', arguments: {} }] }, { text: 'Asked.' }] };
  const room = await hostRoom(t, {
    scripts: { default: [turn, turn] },
    extensions: () => [extension, ...others],
    policy: ALLOWED,
    ...more,
  });
  const session = await room.session('ann');
  await room.ask(session, 'ask it');
  return { room, session, answers };
}

test('a built-in is told what is granted to its call: all levels, in the real folder of the session', async (t) => {
  const { room, session, answers } = await asking(t, (peer, caller) => peer.grants(caller), {
    agents: [{ name: 'ann', grants: { fs: { write: [] }, shell: { allow: ['ls'] } } }],
  });
  const workspace = realpathSync(await room.host.workspace(session));
  assert.equal(workspace, realpathSync(join(room.floor.folder, 'workspaces', session)));
  const { fs, network, shell, workspace: told } = answers[0] as Awaited<ReturnType<HostPeer['grants']>>;
  assert.deepEqual(
    { fs, network, shell, told },
    {
      ...{ fs: { read: [workspace], write: [] }, network: { allowPrivate: false } },
      ...{ shell: { allow: [['ls']] }, told: workspace },
    },
  );
});

test('a built-in opens the path that was judged, and no other', async (t) => {
  const asks: Asks = async (peer, caller) => [
    await peer.path(caller, 'read', 'notes.txt'),
    await peer.path(caller, 'write', '/etc/passwd').catch((error) => error.code),
    await peer.path(caller, 'read', '../../script.json').catch((error) => error.code),
  ];
  const { room, session, answers } = await asking(t, asks);
  const workspace = realpathSync(await room.host.workspace(session));
  assert.deepEqual(answers, [[join(workspace, 'notes.txt'), 'grant_denied', 'grant_denied']]);
});

test('a built-in runs the words that were judged', async (t) => {
  const asks: Asks = async (peer, caller) => [
    await peer.command(caller, 'ls -l'),
    await peer.command(caller, '  '),
    await peer.command(caller, 'rm -r .').catch((error) => error.code),
    await peer.command(caller, 'ls; rm -r .').catch((error) => error.code),
  ];
  const { answers } = await asking(t, asks, {
    agents: [{ name: 'ann', grants: { shell: { allow: ['ls'] } } }],
  });
  assert.deepEqual(answers, [[['ls', '-l'], [], 'grant_denied', 'grant_denied']]);
});

test('what a built-in starts has no variable that holds a secret', async (t) => {
  const env = { PATH: '/bin', FAIRLEAD_TOKEN: 'x', NODE_V8_COVERAGE: '/tmp/x', MINE: 'y' };
  const { answers } = await asking(t, (peer) => peer.childEnvironment(), { env });
  assert.deepEqual(answers, [{ PATH: '/bin', MINE: 'y' }]);
});

test('a summary by a tool stands for everything before the turn, and the next turn reads it in its place', async (t) => {
  const { room, session, answers } = await asking(t, (peer, caller) => peer.compact(caller, 'We began.'));
  assert.deepEqual(answers, [undefined]);
  const entries = await room.entries(session);
  const summary = entries.find((entry) => entry.type === 'summary');
  assert.equal(summary?.upto, entries.find((entry) => entry.type === 'message')?.id);
  assert.equal(summary?.from.name, 'ann');
});

test('a summary by a tool does not stand for what waits: nobody has read it yet', async (t) => {
  const more = { agents: [{ name: 'ann' }, { name: 'bob' }] };
  const { room } = await asking(t, (peer, caller) => peer.compact(caller, 'We began.'), more);
  const session = await room.session('ann', 'bob');
  await room.host.pause();
  await room.say(session, 'one');
  await room.say(session, '@bob two');
  await room.host.resume();
  await room.host.idle();
  const entries = await room.entries(session);
  const summary = entries.find((entry) => entry.type === 'summary' && entry.from.name === 'ann');
  const one = entries.find((entry) => entry.type === 'message' && entry.text === 'one');
  assert.ok(summary?.type === 'summary' && one !== undefined);
  assert.equal(summary.upto, one.id);
});

test('a built-in describes the tools that its caller may use, and knows no other', async (t) => {
  const hidden = defineExtension({
    name: 'hidden',
    version: '1.0.0',
    tools: { secret: { about: 'Is not for everybody.', args: {}, run: () => '' } },
  });
  const asks: Asks = async (peer, caller) => [
    (await peer.describeTool(caller, 'ask'))?.split('\n')[0],
    await peer.describeTool(caller, 'secret'),
    await peer.describeTool(caller, 'nothing'),
  ];
  const more = { agents: [{ name: 'ann', tools: ['ask'] }] };
  const { answers } = await asking(t, asks, more, [hidden]);
  assert.deepEqual(answers, [['# ask', undefined, undefined]]);
});

test('a question after the call has ended is answered by nobody', async (t) => {
  const kept: { peer?: HostPeer; caller?: PeerCaller } = {};
  const { answers } = await asking(t, (peer, caller) => void Object.assign(kept, { peer, caller }));
  assert.deepEqual(answers, [undefined]);
  const { peer, caller } = kept;
  assert.ok(peer !== undefined && caller !== undefined);
  await assert.rejects(peer.grants(caller), { code: 'context_expired' });
  await assert.rejects(peer.compact(caller, 'x'), { code: 'context_expired' });
  const signal = new AbortController().signal;
  const request = { kind: 'worker', name: 'x', task: 'y', async: false, signal } as const;
  assert.deepEqual(await peer.spawn(caller, request).then(({ certainty, code }) => [certainty, code]), [
    ...['not_started', 'context_expired'],
  ]);
});

test('before its start a host answers none of its built-ins', async (t) => {
  const early: unknown[] = [];
  const nosy = definerFor<HostPeer>()({
    name: 'nosy',
    version: '1.0.0',
    async open({ peer }) {
      const caller = { session: 's', agent: 'a', tool: 't' };
      early.push(await peer.grants(caller).catch((error: { code: string }) => error.code));
      const signal = new AbortController().signal;
      const request = { kind: 'worker', name: 'x', task: 'y', async: false, signal } as const;
      early.push((await peer.spawn(caller, request)).code);
    },
  });
  const room: HostRoom = await hostRoom(t, { scripts: {}, extensions: () => [nosy] });
  assert.deepEqual(early, ['host_not_started', 'host_not_started']);
  await assert.rejects(room.prepared.start(room.hub), /once/);
});

test('a prompt file that cannot be read is told in the log, and the others are read from the folder of the file', async (t) => {
  const room = await hostRoom(t, {
    scripts: {},
    agents: [{ name: 'ann', system_prompt_files: ['script.json', '~/none.md', '/none/at/all.md'] }],
    env: { HOME: '/nowhere' },
  });
  assert.deepEqual(
    room.reports,
    ['~/none.md', '/none/at/all.md'].map((file) => ({
      ...{ level: 'warn', code: 'prompt_file_unread', message: `ann: ${file}`, agent: 'ann' },
    })),
  );
});

test('agents are read again from the file when they are asked for, all or one', async (t) => {
  const room = await hostRoom(t, {
    scripts: { default: [sayTurn('x')] },
    agents: [{ name: 'ann' }, { name: 'bob' }],
  });
  assert.deepEqual(
    (await room.host.reloadAgents()).map(({ name, written }) => [name, written]),
    [
      ['ann', []],
      ['bob', []],
    ],
  );
  assert.equal((await room.host.reloadAgents('BOB')).length, 1);
  await assert.rejects(room.host.reloadAgents('eve'), { code: 'agent_unknown' });
});

test('a session is made in the folder that is named, which must be one', async (t) => {
  const room = await hostRoom(t, { scripts: {} });
  const { folder } = room.floor;
  const session = await room.host.newSession({ workspace: folder });
  assert.equal(await room.host.workspace(session), folder);
  for (const workspace of ['relative', join(folder, 'none'), join(folder, 'script.json')])
    await assert.rejects(room.host.newSession({ workspace }), { code: 'session_invalid' });
});
