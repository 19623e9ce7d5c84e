import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import type { Principal } from '@fairlead/dispatch';
import { hygiene } from '@fairlead/testing';
import { CLIENT, type ClientRoom, clientRoom, gist, waiter } from './client-room.ts';

const ids = (output: JsonObject | undefined) =>
  (output?.['sessions'] as { id: string }[] | undefined)?.map(({ id }) => id);

async function make(room: ClientRoom, params: JsonObject = {}): Promise<string> {
  const { output } = await room.call('session_create', params);
  return String(output?.['id']);
}

test('a client makes a session, which has no agent unless one is named, finds it, writes and reads', async (t) => {
  hygiene(t);
  const room = await clientRoom(t, { scripts: { default: [{ steps: [{ text: 'I am here.' }] }] } });
  const made = await room.call('session_create', { name: 'Plans', agents: ['ann'], mode: 'normal' });
  assert.deepEqual(gist(made), ['completed', undefined]);
  const { id, agents, host, mode, name, closed } = made.output ?? {};
  assert.match(String(id), /^ses_[\w-]{43}$/);
  assert.deepEqual(
    [name, mode, closed, (agents as { name: string }[]).map((agent) => agent.name)],
    ['Plans', 'normal', false, ['ann']],
  );
  assert.equal((agents as { id: string }[])[0]?.id, host);
  assert.equal(JSON.stringify(made.output).includes(room.floor.folder), false);
  const alone = await make(room);
  assert.deepEqual(new Set(ids((await room.call('session_list', {})).output)), new Set([alone, id]));
  const message = { session: String(id), text: 'Are you there?', key: 'k1' };
  const sent = await room.call('session_append', message, { caller: waiter() });
  assert.deepEqual([sent.output?.['woken'], sent.output?.['again']], [[host], false]);
  await room.host.idle();
  const read = await room.call('session_read', { session: String(id) });
  const entries = read.output?.['entries'] as { type: string; text?: string; from: object }[];
  assert.deepEqual(
    entries.filter(({ type }) => type === 'message').map(({ text }) => text),
    ['I am here.', 'Are you there?'],
  );
  assert.deepEqual(entries.at(-1)?.from, { kind: 'client', id: 'tok_client', name: 'desk' });
  assert.deepEqual((await room.journalled()).slice(0, 2), [
    'session_create completed',
    'session_create completed',
  ]);
});

test('a message whose answer was lost is sent again under its key and stands once', async (t) => {
  const room = await clientRoom(t);
  const session = await make(room);
  const message = { session, text: 'once', key: 'key-1' };
  const one = await room.call('session_append', message);
  const two = await room.call('session_append', message);
  assert.deepEqual([two.output?.['id'], two.output?.['again']], [one.output?.['id'], true]);
  assert.deepEqual(await room.told(session), ['tok_client: once']);
  // A key is of one session.
  const other = await make(room);
  assert.equal((await room.call('session_append', { ...message, session: other })).output?.['again'], false);
});

test('the tail is bounded by count and bytes, and goes on where it ended', async (t) => {
  const room = await clientRoom(t);
  const session = await make(room);
  for (let n = 0; n < 5; n += 1)
    await room.call('session_append', { session, text: `${n}${'x'.repeat(30_000)}`, key: `k${n}` });
  const seen: string[] = [];
  let before: JsonObject = {};
  for (let page = 0; page < 9; page += 1) {
    const { output } = await room.call('session_read', { session, limit: 3, ...before });
    const entries = output?.['entries'] as { text: string }[];
    assert.ok(entries.length >= 1 && entries.length <= 2);
    seen.push(...entries.map(({ text }) => text[0] ?? ''));
    if (output?.['before'] === null) break;
    before = { before: output?.['before'] ?? null };
  }
  assert.deepEqual(seen, ['4', '3', '2', '1', '0']);
  assert.deepEqual(gist(await room.call('session_read', { session, before: 'nothing' })), [
    'not_started',
    'invalid_arguments',
  ]);
});

test('a closed session is read and not written to, and stands only in the list that asks for it', async (t) => {
  const room = await clientRoom(t);
  const session = await make(room);
  await room.call('session_append', { session, text: 'last', key: 'k' });
  await room.host.closeSession(session);
  assert.deepEqual(gist(await room.call('session_append', { session, text: 'later', key: 'l' })), [
    'not_started',
    'session_closed',
  ]);
  assert.deepEqual(gist(await room.call('session_read', { session })), ['completed', undefined]);
  assert.deepEqual(ids((await room.call('session_list', {})).output), []);
  assert.deepEqual(ids((await room.call('session_list', { closed: true, limit: 1 })).output), [session]);
});

test('in restricted nobody is asked about records of Fairlead’s own', async (t) => {
  const room = await clientRoom(t, { authority: 'restricted' });
  const session = await make(room);
  assert.match(session, /^ses_/);
  assert.deepEqual(gist(await room.call('session_append', { session, text: 'x', key: 'k' })), [
    'completed',
    undefined,
  ]);
});

test('each tool needs its scope, and names what it was given wrong', async (t) => {
  const room = await clientRoom(t);
  const session = await make(room);
  const wants: readonly (readonly [string, JsonObject, string])[] = [
    ['session_list', {}, 'session:read'],
    ['session_read', { session }, 'session:read'],
    ['session_create', {}, 'session:write'],
    ['session_append', { session, text: 'x', key: 'k' }, 'session:write'],
  ];
  for (const [tool, params, scope] of wants) {
    const principal: Principal = { ...CLIENT, scopes: CLIENT.scopes.filter((own) => own !== scope) };
    const answer = await room.call(tool, params, { principal });
    assert.deepEqual([answer.error?.code, answer.needsScope], ['insufficient_scope', scope], tool);
  }
  const wrong: readonly (readonly [string, JsonObject, string])[] = [
    ['session_list', { limit: 0 }, 'limit'],
    ['session_list', { limit: 101 }, 'limit'],
    ['session_list', { closed: 1 }, 'closed'],
    ['session_create', { mode: 'everything' }, 'mode'],
    ['session_create', { agents: 'ann' }, 'agents'],
    ['session_create', { name: '' }, 'name'],
    ['session_read', { session: '' }, 'session'],
    ['session_read', {}, 'session'],
    ['session_read', { session, before: 4 }, 'before'],
    ['session_read', { session, limit: 1.5 }, 'limit'],
    ['session_append', { session, text: '', key: 'k' }, 'text'],
    ['session_append', { session, text: 'x'.repeat(65_537), key: 'k' }, 'text'],
    ['session_append', { session, text: 'x' }, 'key'],
    ['session_append', { session, text: 'x', key: 'k'.repeat(129) }, 'key'],
    ['session_append', { session, text: 'x', key: 'k', agent: '' }, 'agent'],
    ['session_append', { session: 7, text: 'x', key: 'k' }, 'session'],
  ];
  for (const [tool, params, member] of wrong) {
    const { error } = await room.call(tool, params);
    assert.deepEqual(
      [error?.code, (error?.detail as JsonObject | undefined)?.['member']],
      ['invalid_arguments', member],
      tool,
    );
  }
  for (const tool of ['session_list', 'session_create', 'session_read', 'session_append'])
    assert.equal((await room.call(tool, { MARKER: 1 })).error?.code, 'invalid_arguments');
});

test('what is not there is named by its code', async (t) => {
  const room = await clientRoom(t);
  assert.deepEqual(gist(await room.call('session_create', { agents: ['nobody'] })), [
    'not_started',
    'agent_unknown',
  ]);
  assert.deepEqual(gist(await room.call('session_create', { name: 'ses_x' })), [
    'not_started',
    'session_invalid',
  ]);
  for (const session of ['plans', 'ses_none'])
    for (const [tool, more] of [
      ['session_read', {}],
      ['session_append', { text: 'x', key: 'k' }],
    ] as const)
      assert.deepEqual(gist(await room.call(tool, { session, ...more })), [
        'not_started',
        'unknown_session_id',
      ]);
  const session = await make(room);
  const stranger = { session, text: 'x', key: 'k', agent: 'ann' };
  assert.deepEqual(gist(await room.call('session_append', stranger)), ['not_started', 'agent_not_attached']);
});

test('a token that is limited to Runners reads no session whose agents may use others, open or closed', async (t) => {
  const room = await clientRoom(t, { agents: [{ name: 'ann' }, { name: 'ben', runners: ['local'] }] });
  const principal: Principal = { ...CLIENT, runners: ['local'] };
  const wide = await make(room, { agents: ['ann'] });
  const narrow = await make(room, { agents: ['ben'] });
  const read = async (session: string) => gist(await room.call('session_read', { session }, { principal }));
  for (const close of [false, true]) {
    if (close) for (const session of [wide, narrow]) await room.host.closeSession(session);
    assert.deepEqual(await read(wide), ['not_started', 'token_limited']);
    assert.deepEqual(await read(narrow), ['completed', undefined]);
  }
});
