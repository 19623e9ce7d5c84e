import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { hygiene } from '@fairlead/testing';
import { mentionsIn } from '../../src/sessions/mentions.ts';
import { readMeta } from '../../src/sessions/session-meta.ts';
import { room, SECRET } from './session-room.ts';

type Context = Parameters<typeof hygiene>[0] & { after(hook: () => unknown): void };

async function setUp(t: Context) {
  hygiene(t);
  const made = await room(t);
  const ann = await made.agents.create('ann');
  const bob = await made.agents.create('bob');
  return { ...made, ann, bob };
}

const AT = 1_767_225_600_000;

test('a session has its agents in order, the first as host, and a workspace that stays here', async (t) => {
  const { sessions, ann, bob } = await setUp(t);
  const id = await sessions.create({ name: 'Work', group: 'duo', workspace: '/work', mode: 'read_only' });
  assert.match(id, /^ses_[A-Za-z0-9_-]{43}$/);
  assert.deepEqual(await sessions.meta(id), {
    ...{ name: 'Work', mode: 'read_only', created: AT, closed: false, host: ann.id, models: new Map() },
    agents: [
      { id: ann.id, name: 'ann' },
      { id: bob.id, name: 'bob' },
    ],
  });
  assert.equal(await sessions.workspace(id), '/work');
  const database = await sessions.open(id);
  assert.ok(!JSON.stringify(await database.since({})).includes('/work'));
  await sessions.setWorkspace(id, '/other');
  assert.equal(await sessions.workspace(id), '/other');
  const { meta, ...line } = await sessions.line(id);
  assert.deepEqual([line, meta.name], [{ id, workspace: '/other', lastAtMs: AT }, 'Work']);
});

test('what cannot be made is refused before anything is written', async (t) => {
  const { sessions } = await setUp(t);
  await assert.rejects(sessions.create({ agents: ['nobody'] }), { code: 'agent_unknown' });
  await assert.rejects(sessions.create({ group: 'trio' }), { code: 'session_invalid' });
  await assert.rejects(sessions.create({ name: 'a\nb' }), { code: 'session_invalid' });
  await assert.rejects(sessions.create({ name: 'ses_x' }), { code: 'session_invalid' });
  assert.deepEqual(await sessions.list(), []);
});

test('two that ask for one name at once get one session', async (t) => {
  const { sessions } = await setUp(t);
  const [one, two] = await Promise.all([sessions.named('irc'), sessions.named('irc')]);
  assert.equal(one, two);
  assert.equal(await sessions.named('irc'), one);
  assert.equal(await sessions.resolve('irc'), one);
  assert.equal(await sessions.resolve(one), one);
  const other = await sessions.create({ name: 'irc' });
  await assert.rejects(sessions.resolve('irc'), {
    code: 'session_ambiguous',
    message: `More than one open session has this name. (${other}, ${one})`,
    detail: { sessions: [other, one] },
  });
  await assert.rejects(sessions.resolve('nobody'), { code: 'session_unknown' });
  await assert.rejects(sessions.resolve(`ses_${'x'.repeat(43)}`), { code: 'session_unknown' });
  await assert.rejects(sessions.open('agt_1'), { code: 'session_unknown' });
});

test('a name that holds a secret is kept, found and shown without it', async (t) => {
  const { sessions } = await setUp(t);
  const shown = 'deploy [REDACTED:configured_secret]';
  const id = await sessions.create({ name: `deploy ${SECRET}` });
  assert.equal((await sessions.meta(id)).name, shown);
  assert.equal(((await (await sessions.open(id)).doc('meta').get()) as JsonObject)['name'], shown);
  assert.equal(await sessions.resolve(`deploy ${SECRET}`), id);
  assert.equal(await sessions.named(`deploy ${SECRET}`), id);
  const key = `sk-ant-api03-${'a1B2c3D4'.repeat(11)}AA`;
  await sessions.rename(id, `of ${key}`);
  const { name = '' } = await sessions.meta(id);
  assert.match(name, /^of \[REDACTED:\w+\]$/);
  // As it was written before that was a secret, or by another peer.
  await (await sessions.open(id)).doc('meta').set(['name'], SECRET);
  const [line] = await sessions.list();
  assert.equal(line?.meta.name, '[REDACTED:configured_secret]');
  await assert.rejects(sessions.create({ name: `${SECRET} ${'x'.repeat(240)}` }), {
    code: 'session_invalid',
  });
});

test('the mode is changed by who may approve, and by nobody who may only write', async (t) => {
  const { sessions } = await setUp(t);
  const id = await sessions.create();
  const deny = sessions.setMode(id, 'normal', { scopes: ['session:write', 'session:read'] });
  await assert.rejects(deny, { code: 'session_mode_denied' });
  await sessions.setMode(id, 'inspect', { scopes: ['session:approve'] });
  assert.equal((await sessions.meta(id)).mode, 'inspect');
  await sessions.setMode(id, 'normal', { scopes: ['admin'] });
  assert.equal((await sessions.meta(id)).mode, 'normal');
});

test('attaching twice is once, and a host agent that leaves leaves nobody in its place', async (t) => {
  const { sessions, ann, bob } = await setUp(t);
  const id = await sessions.create();
  await sessions.attach(id, 'ann');
  await sessions.attach(id, 'ANN');
  await sessions.attach(id, bob.id);
  assert.equal((await sessions.meta(id)).host, ann.id);
  await sessions.detach(id, 'ann');
  assert.deepEqual(await sessions.meta(id), {
    ...{
      mode: 'normal',
      created: AT,
      closed: false,
      models: new Map(),
      agents: [{ id: bob.id, name: 'bob' }],
    },
  });
  await assert.rejects(sessions.setHost(id, 'ann'), { code: 'agent_not_attached' });
  await sessions.setHost(id, 'bob');
  assert.equal((await sessions.meta(id)).host, bob.id);
  await sessions.setHost(id, null);
  assert.equal((await sessions.meta(id)).host, undefined);
});

test('name, model and burst are set and taken back', async (t) => {
  const { sessions, ann } = await setUp(t);
  const id = await sessions.create({ agents: ['ann'] });
  await sessions.rename(id, 'Work');
  await sessions.setModel(id, 'local/m');
  await sessions.setModel(id, 'local/n', ann.id);
  await sessions.setBurst(id, 3);
  const { name, model, models, burst } = await sessions.meta(id);
  assert.deepEqual([name, model, [...models], burst], ['Work', 'local/m', [[ann.id, 'local/n']], 3]);
  await assert.rejects(sessions.setModel(id, 'evil/m'), { code: 'model_unknown' });
  await assert.rejects(sessions.setBurst(id, 0), { code: 'session_invalid' });
  await sessions.rename(id, null);
  await sessions.setModel(id, null);
  await sessions.setBurst(id, null);
  const now = await sessions.meta(id);
  assert.deepEqual([now.name, now.model, now.burst], [undefined, undefined, undefined]);
});

test('a closed session is not listed, not changed, and can be opened again', async (t) => {
  const { sessions } = await setUp(t);
  const old = await sessions.create({ name: 'old' });
  const id = await sessions.create({ name: 'done' });
  await sessions.touch(id);
  await sessions.close(id);
  await sessions.close(id);
  assert.deepEqual(
    (await sessions.list()).map((line) => line.id),
    [old],
  );
  assert.equal((await sessions.list({ closed: true })).length, 2);
  assert.equal((await sessions.list({ closed: true, limit: 1 })).length, 1);
  await assert.rejects(sessions.rename(id, 'x'), { code: 'session_closed' });
  await assert.rejects(sessions.attach(id, 'ann'), { code: 'session_closed' });
  await sessions.reopen(id);
  assert.equal(sessions.forget(id), true);
  assert.equal((await sessions.meta(id)).closed, false);
});

test('a handle that was given out is good for as long as was said, and a held one until it is let go of', async (t) => {
  const { sessions, host } = await setUp(t);
  const id = await sessions.create({});
  const isKept = () => !sessions.forget(id, { unusedMs: 60_000 });
  const database = await sessions.open(id);
  await host.clock.advance(59_999);
  assert.equal(isKept(), true);
  const opening = sessions.open(id);
  await host.clock.advance(1);
  assert.deepEqual([isKept(), await opening], [true, database]);
  const held = await sessions.hold(id);
  await host.clock.advance(60_000);
  assert.deepEqual(sessions.inMemory(), [{ id, usedMs: 59_999, isInUse: true }]);
  assert.equal(sessions.forget(id), false);
  held[Symbol.dispose]();
  held[Symbol.dispose]();
  assert.equal(isKept(), true);
  await host.clock.advance(60_000);
  // What is only looked at is no use of it.
  const looking = sessions.meta(id);
  assert.equal(sessions.forget(id), false);
  await looking;
  assert.deepEqual([isKept(), sessions.inMemory()], [false, []]);
  assert.throws(() => database.changes('meta'), { code: 'database_released' });
  assert.equal(await (await sessions.open(id)).table('entries').count(), 0);
});

test('what another peer wrote of a session narrows it or has no effect', () => {
  const read = (document: Parameters<typeof readMeta>[0]) => readMeta(document, (ref) => ref === 'local/m');
  assert.equal(read({ mode: 'root' }).mode, 'inspect');
  assert.equal(read({ mode: 5 }).mode, 'inspect');
  assert.equal(read({ model: 'evil/m' }).model, undefined);
  assert.deepEqual([...read({ models: { a: 'evil/m', b: 'local/m' } }).models], [['b', 'local/m']]);
  const closed = {
    shell: { allow: [] },
    network: { endpoints: [], allowPrivate: false },
    fs: { read: [], write: [] },
  };
  assert.deepEqual(read({ grants: 'all' }).grants, closed);
  assert.deepEqual(read({ grants: { fz: 1 } }).grants, closed);
  assert.deepEqual(read({ grants: { fs: { read: [] } } }).grants, { fs: { read: [] } });
  assert.equal(read({ host: 'agt_x' }).host, undefined);
  assert.deepEqual(read({ agents: { x: {}, agt_1: { name: 'a' }, agt_2: null } }).agents, [
    { id: 'agt_1', name: 'a' },
  ]);
  assert.equal(read({ burst: 1e9 }).burst, 64);
  assert.equal(read({ parent: { session: 'ses_1' } }).parent, undefined);
  assert.equal(read({ closed: 5 }).closed, true);
});

test('a mention is a name after @, whatever its case, each once and in the order of the text', () => {
  const agents = ['ann', 'bob', 'c.d', 'Ann'].map((name, index) => ({ id: `agt_${index}`, name }));
  const cases: readonly [string, readonly string[]][] = [
    ['@bob and @ANN, @bob', ['agt_1', 'agt_0']],
    ['(@bob) ask @c.d.', ['agt_1', 'agt_2']],
    ['mail me@bob.example or @@bob', []],
    ["@bob's turn, @bobby no", ['agt_1']],
    ['@ann-', ['agt_0']],
    ['nobody @', []],
  ];
  for (const [text, ids] of cases) assert.deepEqual(mentionsIn(text, agents), ids, text);
  const many = Array.from({ length: 30 }, (_, index) => ({ id: `agt_${index}`, name: `a${index}` }));
  assert.equal(mentionsIn(many.map(({ name }) => `@${name}`).join(' '), many).length, 16);
});
