import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completed } from '@fairlead/base';
import type { Store } from '@fairlead/store';
import { type Principal, type RecordingSession, type Scope, scopes } from '../src/index.ts';
import { dispatchFloor, EVERYTHING, gist } from './dispatch-floor.ts';
import { fakeSessions } from './fake-sessions.ts';

const NEEDED: readonly (readonly [string, Scope])[] = [
  ['list', 'plugin:inspect'],
  ['describe', 'plugin:inspect'],
  ['call', 'plugin:invoke'],
  ['check', 'plugin:manage'],
  ['reload', 'plugin:manage'],
];

const PARAMS = {
  list: { action: 'list', runner: 'local' },
  describe: { action: 'describe', runner: 'local', plugin: 'echo', tool: 'say' },
  call: { action: 'call', binding: 'wc_pbind_AAAAAAAAAAAAAAAAAAAAAA', arguments: { text: 'hello' } },
  check: { action: 'check', runner: 'local', plugin: 'echo' },
  reload: { action: 'reload', runner: 'local' },
} as const;

for (const [action, needed] of NEEDED)
  test(`${action} needs ${needed} and no other scope opens it`, async (t) => {
    const floor = await dispatchFloor(t);
    const others: Principal = { id: 'token:others', scopes: scopes.filter((scope) => scope !== needed) };
    const params = PARAMS[action as keyof typeof PARAMS];
    const answer = await floor.invoke(params, others);
    assert.deepEqual(answer, {
      call: answer.call,
      action,
      certainty: 'not_started',
      error: {
        code: 'insufficient_scope',
        message: 'The token does not have the scope that this action needs; nothing was sent.',
        recovery: `Use a token with the scope ${needed}. No scope implies another.`,
        detail: { scope: needed },
      },
      needsScope: needed,
    });
    assert.deepEqual(floor.runners.sent, []);
    const alone = await floor.invoke(params, { id: 'token:alone', scopes: [needed] });
    assert.notEqual(alone.error?.code, 'insufficient_scope');
    const none = await floor.invoke(params, { id: 'token:none', scopes: [] });
    assert.equal(none.error?.code, 'insufficient_scope');
    const rows = await floor.rows();
    assert.deepEqual(
      rows
        .map((row) => [row['principal'], row['action'], row['code']])
        .filter((row) => row[0] !== 'token:alone'),
      [
        ['token:others', action, 'insufficient_scope'],
        ['token:none', action, 'insufficient_scope'],
      ],
    );
  });

for (const authority of ['restricted', 'Trusted_Agent', 'trusted', '', 'invalid_authority_mode:x'])
  test(`under the authority mode “${authority}” call, check and reload are refused, list and describe are not`, async (t) => {
    const floor = await dispatchFloor(t, { authority });
    const binding = await floor.bind();
    assert.deepEqual(gist(await floor.invoke({ action: 'list' })), ['completed', undefined]);
    for (const params of [{ ...PARAMS.call, binding }, PARAMS.check, PARAMS.reload])
      assert.deepEqual(gist(await floor.invoke(params)), ['not_started', 'permission_denied']);
    assert.equal(floor.runners.sent.length, 1);
    const rows = await floor.rows();
    assert.deepEqual(
      rows
        .filter((row) => row['code'] !== null)
        .map((row) => [row['action'], row['tool'], row['certainty'], row['code']]),
      [
        ['call', 'say', 'not_started', 'permission_denied'],
        ['check', null, 'not_started', 'permission_denied'],
        ['reload', null, 'not_started', 'permission_denied'],
      ],
    );
  });

test('a recording session that does not exist is refused for every action, also when none can exist', async (t) => {
  const floor = await dispatchFloor(t);
  for (const params of Object.values(PARAMS))
    assert.deepEqual(gist(await floor.invoke(params, EVERYTHING, 'ses_unknown')), [
      'not_started',
      'unknown_session_id',
    ]);
  assert.deepEqual(floor.runners.sent, []);
  assert.deepEqual(
    (await floor.rows()).map((row) => row['code']),
    Array.from({ length: 5 }, () => 'unknown_session_id'),
  );
});

test('a recording session that exists lets the invocation through; one that cannot be read does not', async (t) => {
  const floor = await dispatchFloor(t, { sessions: fakeSessions() });
  const invoke = async (id: string) => gist(await floor.invoke({ action: 'list' }, EVERYTHING, id));
  assert.deepEqual(await invoke('ses_here'), ['completed', undefined]);
  assert.deepEqual(await invoke('ses_other'), ['not_started', 'unknown_session_id']);
  assert.deepEqual(await invoke('ses_broken'), ['not_started', 'unknown_session_id']);
  assert.deepEqual(floor.logged, ['error dispatch.session_not_read']);
});

test('the order is parse, scope, session, guard, decision, intent, dispatch, outcome', async (t) => {
  const steps: string[] = [];
  const sessions = fakeSessions();
  const session: RecordingSession = {
    guard: async () => void steps.push('guard'),
    begin: async () => steps.push('begin') > 0,
    settle: async () => void steps.push('settle'),
    whole: async () => void steps.push('whole'),
  };
  const spy = (store: Store): Store => ({
    ...bound(store),
    write: async (statements, durability) => {
      steps.push(`${statements[0]?.sql.startsWith('UPDATE') ? 'outcome' : 'intent'} ${durability}`);
      return await store.write(statements, durability);
    },
  });
  const floor = await dispatchFloor(t, {
    wrap: spy,
    sessions: { ...sessions, open: async () => ({ ok: true, session }) },
  });
  floor.runners.answers.check = () => {
    steps.push('dispatch');
    return completed({ kind: 'check', provider: 'echo', ready: true, phase: 'ready', tools: [] });
  };
  await floor.invoke({ action: 'check' }, { id: 'token:x', scopes: [] }, 'ses_x');
  assert.deepEqual(steps.splice(0), []);
  await floor.invoke(PARAMS.check, { id: 'token:x', scopes: [] }, 'ses_x');
  assert.deepEqual(steps.splice(0), ['intent full']);
  await floor.invoke(PARAMS.check, EVERYTHING, 'ses_x');
  assert.deepEqual(steps.splice(0), ['guard', 'begin', 'dispatch', 'settle']);
  await floor.invoke(PARAMS.check);
  assert.deepEqual(steps.splice(0), ['intent full', 'dispatch', 'outcome full']);
});

test('input that does not parse names the member, says how the action is used, and leaves no row', async (t) => {
  const floor = await dispatchFloor(t);
  assert.deepEqual(await floor.invoke({ action: 'describe', runner: 'local', plugin: 'echo' }), {
    action: 'describe',
    certainty: 'not_started',
    error: {
      code: 'invalid_arguments',
      message: 'The arguments are not what the tool takes; nothing was sent.',
      recovery: 'describe takes runner, plugin and tool.',
      detail: { member: 'tool', problem: 'missing' },
    },
  });
  assert.deepEqual(gist(await floor.invoke({ action: 'list', runner: ' ' })), [
    'not_started',
    'invalid_runner',
  ]);
  assert.deepEqual(await floor.invoke({}), {
    certainty: 'not_started',
    error: {
      code: 'invalid_arguments',
      message: 'The arguments are not what the tool takes; nothing was sent.',
      recovery:
        'Give action one of list, check, reload, describe, call or outcome, and the members that it takes.',
      detail: { member: 'action', problem: 'missing' },
    },
  });
  assert.deepEqual(await floor.rows(), []);
});

function bound(store: Store): Store {
  return {
    read: (sql, parameters) => store.read(sql, parameters),
    write: (statements, durability) => store.write(statements, durability),
    close: () => store.close(),
    [Symbol.asyncDispose]: () => store.close(),
  };
}
