import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { type CompiledSchema, compileSchema } from '@fairlead/extension/runtime';
import { hygiene } from '@fairlead/testing';
import type { HubReport } from '../../src/report.ts';
import { resolveSecrets, type SettingsTable } from '../../src/settings/secrets.ts';
import { SettingsBook } from '../../src/settings/settings-book.ts';
import { copyTo, type TestPeer, testPeer } from '../test-peer.ts';

function schemaOf(properties: JsonObject): CompiledSchema {
  const reading = compileSchema({ type: 'object', properties, additionalProperties: false });
  assert.ok(reading.ok);
  return reading.schema;
}

const WEATHER = {
  name: 'weather',
  settings: schemaOf({
    unit: { type: 'string', enum: ['C', 'F'], default: 'C' },
    poll: { type: 'integer', minimum: 1, default: 60 },
    key: { type: 'string' },
    extra: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: true },
  }),
};
const NEWS = { name: 'news', settings: schemaOf({ unit: { type: 'string', default: 'lines' } }) };

/** As it stands in `fairlead.toml`. */
const variable = (name: string) => ['$', '{', name, '}'].join('');

interface Opened extends TestPeer {
  readonly book: SettingsBook;
}

async function bookOf(
  t: TestContext,
  table: SettingsTable = {},
  environment: Record<string, string> = {},
): Promise<Opened> {
  hygiene(t);
  const here = await testPeer(t, { seed: 1 });
  return { ...here, book: new SettingsBook(resolveSecrets(table, environment), here.report) };
}

test('settings that nobody set are the defaults of the schema (framework test 7; settings defaults)', async (t) => {
  const { peer, book } = await bookOf(t);
  const session = await peer.create('session');
  assert.deepEqual(await book.for(WEATHER, { session }), { unit: 'C', poll: 60 });
  assert.deepEqual(await book.for({ name: 'bare', settings: schemaOf({}) }, { session }), {});
  assert.deepEqual(book.for(WEATHER, {}), { unit: 'C', poll: 60 });
});

test('what is saved is read again, numbers as numbers (framework test 8)', async (t) => {
  const { peer, book } = await bookOf(t);
  const session = await peer.create('session');
  await book.save(WEATHER, session, { unit: 'F', poll: 5 });
  assert.deepEqual(await book.for(WEATHER, { session }), { unit: 'F', poll: 5 });
  assert.deepEqual(await session.doc('extension_settings').get(), { weather: { unit: 'F', poll: 5 } });
});

test('two extensions do not touch each other’s settings (framework test 9)', async (t) => {
  const { peer, book } = await bookOf(t);
  const session = await peer.create('session');
  await book.save(WEATHER, session, { unit: 'F' });
  await book.save(NEWS, session, { unit: 'pages' });
  await book.save(WEATHER, session, { unit: null });
  assert.deepEqual(await book.for(WEATHER, { session }), { unit: 'C', poll: 60 });
  assert.deepEqual(await book.for(NEWS, { session }), { unit: 'pages' });
});

test('saving a key again replaces its value, and leaves the others (framework test 10)', async (t) => {
  const { peer, book } = await bookOf(t);
  const session = await peer.create('session');
  await book.save(WEATHER, session, { poll: 5, extra: { a: 'x', b: 1 } });
  await book.save(WEATHER, session, { extra: { a: 'y' } });
  assert.deepEqual(await book.for(WEATHER, { session }), { unit: 'C', poll: 5, extra: { a: 'y' } });
  await book.save(WEATHER, session, { poll: null });
  assert.deepEqual(await session.doc('extension_settings').get(), { weather: { extra: { a: 'y' } } });
});

test('defaults, the file, the agent and the session count in that order, key by key', async (t) => {
  const { peer, book } = await bookOf(t, { weather: { unit: 'F', poll: 7, key: 'of the file' } });
  const [session, agent] = [await peer.create('session'), await peer.create('agent')];
  assert.deepEqual(book.for(WEATHER, {}), { unit: 'F', poll: 7, key: 'of the file' });
  await agent.doc('extension_settings').set(['weather', 'poll'], 8);
  await agent.doc('extension_settings').set(['weather', 'key'], 'of the agent');
  await book.save(WEATHER, session, { key: 'of the session' });
  assert.deepEqual(await book.for(WEATHER, { session, agent }), {
    unit: 'F',
    poll: 8,
    key: 'of the session',
  });
  assert.deepEqual(await book.for(WEATHER, { session }), { unit: 'F', poll: 7, key: 'of the session' });
  assert.deepEqual(await book.for(WEATHER, { agent }), { unit: 'F', poll: 8, key: 'of the agent' });
});

test('an unchanged merge is answered at once, as the same frozen object', async (t) => {
  const { peer, book } = await bookOf(t);
  const session = await peer.create('session');
  const first = await book.for(WEATHER, { session });
  assert.equal(Object.isFrozen(first), true);
  assert.equal(book.for(WEATHER, { session }), first);
  await session.table('entries').append({ type: 'message' });
  assert.equal(book.for(WEATHER, { session }), first);
  await book.save(WEATHER, session, { poll: 2 });
  assert.ok(book.for(WEATHER, { session }) instanceof Promise);
  assert.deepEqual(await book.for(WEATHER, { session }), { unit: 'C', poll: 2 });
  // Another version of the extension, with another schema, is merged anew.
  const next = { name: 'weather', settings: schemaOf({ poll: { type: 'integer', default: 1 } }) };
  assert.deepEqual(book.for(next, { session }), { poll: 2 });
});

test('settings that another peer wrote count from the next call on (cache stale after a synced event)', async (t) => {
  const here = await bookOf(t);
  const other = await testPeer(t, { seed: 2 });
  const session = await here.peer.create('session', undefined, { grants: { [other.peer.peerId]: 'write' } });
  await here.book.for(WEATHER, { session });
  const copy = await copyTo(other, session);
  await copy.doc('extension_settings').set(['weather', 'poll'], 3);
  await copyTo(here, copy);
  assert.deepEqual(await here.book.for(WEATHER, { session }), { unit: 'C', poll: 3 });
});

test('what is written while settings are read is not missed', async (t) => {
  const { peer, book } = await bookOf(t);
  const session = await peer.create('session');
  const reading = book.for(WEATHER, { session });
  const saved = book.save(WEATHER, session, { poll: 9 });
  await Promise.all([reading, saved]);
  assert.deepEqual(await book.for(WEATHER, { session }), { unit: 'C', poll: 9 });
});

test('a value that does not fit gives what stands below it, and is told once', async (t) => {
  const { peer, book, reports } = await bookOf(t, { weather: { unit: 'K' } });
  const session = await peer.create('session');
  await session.doc('extension_settings').set(['weather', 'poll'], 'often');
  assert.deepEqual(await book.for(WEATHER, { session }), { unit: 'C', poll: 60 });
  await session.doc('extension_settings').set(['news', 'unit'], 'pages');
  await book.for(WEATHER, { session });
  assert.deepEqual(reports, [
    {
      code: 'settings_invalid',
      extension: 'weather',
      scope: 'global',
      reason: 'unit of fairlead.toml must be one of "C", "F"',
    },
    {
      code: 'settings_invalid',
      extension: 'weather',
      scope: 'session',
      key: session.root,
      reason: 'poll of session must be an integer',
    },
  ] satisfies HubReport[]);
});

test('unknown keys are kept and ignored; what is no object at all is told', async (t) => {
  const { peer, book, reports } = await bookOf(t);
  const session = await peer.create('session');
  await session.doc('extension_settings').set(['weather', 'tomorrow'], true);
  await book.save(WEATHER, session, { poll: 2 });
  assert.deepEqual(await book.for(WEATHER, { session }), { unit: 'C', poll: 2 });
  assert.deepEqual(await book.own('weather', session), { poll: 2, tomorrow: true });
  assert.deepEqual(reports, []);
  await session.doc('extension_settings').set(['weather'], 'nonsense');
  assert.deepEqual(await book.for(WEATHER, { session }), { unit: 'C', poll: 60 });
  assert.deepEqual(
    reports.map(({ scope, reason }) => [scope, reason]),
    [['session', 'they are no object']],
  );
  // Saving mends it.
  await book.save(WEATHER, session, { poll: 2 });
  assert.deepEqual(await book.for(WEATHER, { session }), { unit: 'C', poll: 2 });
});

test('a setting that is needed and set nowhere is told', async (t) => {
  const { book, reports } = await bookOf(t);
  const reading = compileSchema({
    type: 'object',
    properties: { key: { type: 'string' } },
    required: ['key'],
  });
  assert.ok(reading.ok);
  assert.deepEqual(book.for({ name: 'weather', settings: reading.schema }, {}), {});
  assert.deepEqual(
    reports.map(({ reason }) => reason),
    ['key is needed and set nowhere'],
  );
});

test('saving refuses what the schema does not take, and writes nothing of the patch', async (t) => {
  const { peer, book } = await bookOf(t);
  const session = await peer.create('session');
  for (const patch of [{ poll: 0 }, { poll: 'x' }, { unknown: 1 }, { unit: 'F', poll: 0 }, 'text', null])
    await assert.rejects(book.save(WEATHER, session, patch), { code: 'settings_invalid' });
  await assert.rejects(book.save(WEATHER, session, { extra: { a: 'x'.repeat(70_000) } }), {
    code: 'settings_invalid',
  });
  assert.deepEqual(await session.doc('extension_settings').get(), {});
  await book.save(WEATHER, session, {});
  assert.equal(session.changes('extension_settings'), session.changes('nothing'));
});

test('saving needs a session, and the right to write to it', async (t) => {
  const here = await bookOf(t);
  await assert.rejects(here.book.save(WEATHER, undefined, { poll: 2 }), { code: 'settings_need_session' });
  const other = await testPeer(t, { seed: 2 });
  const session = await here.peer.create('session', undefined, { grants: { [other.peer.peerId]: 'append' } });
  const copy = await copyTo(other, session);
  const book = new SettingsBook(resolveSecrets({}, {}), other.report);
  await assert.rejects(book.save(WEATHER, copy, { poll: 2 }), { code: 'access_denied' });
});

test('unset takes a key away, declared or not', async (t) => {
  const { peer, book } = await bookOf(t);
  const session = await peer.create('session');
  await session.doc('extension_settings').set(['weather', 'tomorrow'], true);
  await book.save(WEATHER, session, { poll: 2 });
  await book.unset(WEATHER, session, ['poll', 'tomorrow']);
  assert.deepEqual(await book.own('weather', session), {});
});

test('a string that is wholly a variable comes from the environment, in the file alone', async (t) => {
  const { peer, book, reports } = await bookOf(
    t,
    {
      weather: {
        key: variable('WEATHER_KEY'),
        extra: { a: variable('WEATHER_KEY'), b: [variable('WEATHER_KEY'), `x ${variable('WEATHER_KEY')}`] },
      },
    },
    { WEATHER_KEY: 'hunter2-hunter2' },
  );
  assert.deepEqual(book.for(WEATHER, {}), {
    unit: 'C',
    poll: 60,
    key: 'hunter2-hunter2',
    extra: { a: 'hunter2-hunter2', b: ['hunter2-hunter2', `x ${variable('WEATHER_KEY')}`] },
  });
  const session = await peer.create('session');
  await session.doc('extension_settings').set(['weather', 'key'], variable('PATH'));
  assert.equal((await book.for(WEATHER, { session }))['key'], variable('PATH'));
  assert.deepEqual(reports, []);
});

test('a variable that is missing is told, and what stands below it holds', async (t) => {
  const { book, reports } = await bookOf(t, {
    weather: { unit: variable('UNIT'), extra: { a: variable('A') }, poll: 3 },
  });
  assert.deepEqual(book.for(WEATHER, {}), { unit: 'C', poll: 3 });
  assert.deepEqual(reports, [
    { code: 'settings_variable_missing', extension: 'weather', reason: 'unit names UNIT' },
    { code: 'settings_variable_missing', extension: 'weather', reason: 'extra names A' },
  ]);
});

test('what came from the environment is masked where people see it, and never stored', async (t) => {
  const { peer, book } = await bookOf(
    t,
    { weather: { key: variable('WEATHER_KEY'), unit: variable('UNIT') } },
    { WEATHER_KEY: 'hunter2-hunter2', UNIT: 'F' },
  );
  const session = await peer.create('session');
  assert.deepEqual(await book.shown(WEATHER, { session }), { unit: '••••••', poll: 60, key: '••••••' });
  assert.deepEqual(book.mask(['F', 'Fog', 'key hunter2-hunter2!', { 'hunter2-hunter2': 1 }, 5, null]), [
    '••••••',
    'Fog',
    'key ••••••!',
    { '••••••': 1 },
    5,
    null,
  ]);
  // All of ctx.settings with one change: what the file gives stays the file's.
  const all = (await book.for(WEATHER, { session })) as JsonObject;
  await book.save(WEATHER, session, { ...all, poll: 2 });
  assert.deepEqual(await session.doc('extension_settings').get(), { weather: { poll: 2 } });
  await assert.rejects(book.save(WEATHER, session, { extra: { a: 'Bearer hunter2-hunter2' } }), {
    code: 'settings_secret',
    message: /\(extra\)$/,
  });
  await assert.rejects(book.save(NEWS, session, { unit: 'hunter2-hunter2' }), { code: 'settings_secret' });
  await assert.rejects(book.save(WEATHER, session, { extra: { 'x-hunter2-hunter2': 'x' } }), {
    code: 'settings_secret',
  });
  assert.deepEqual(await session.doc('extension_settings').get(), { weather: { poll: 2 } });
});

test('an extension called like a member of every object has settings of its own', async (t) => {
  const { peer, book } = await bookOf(t);
  const session = await peer.create('session');
  const odd = { name: 'constructor', settings: WEATHER.settings };
  assert.deepEqual(await book.for(odd, { session }), { unit: 'C', poll: 60 });
  await book.save(odd, session, { poll: 4 });
  assert.deepEqual(await book.for(odd, { session }), { unit: 'C', poll: 4 });
});

test('a database that cannot be read is an error, and is read again by the next call', async (t) => {
  const { peer, book, store } = await bookOf(t);
  const session = await peer.create('session');
  const broken = {
    root: session.root,
    changes: () => 1,
    doc: () => ({ get: () => Promise.reject(new Error('disk')) }),
  };
  await assert.rejects(async () => book.for(WEATHER, { session: broken as never }), /disk/);
  assert.deepEqual(await book.for(WEATHER, { session }), { unit: 'C', poll: 60 });
  book.forget(session.root);
  assert.ok(book.for(WEATHER, { session }) instanceof Promise);
  assert.ok(store);
});

test('what is kept is bounded: the one used longest ago goes first', async (t) => {
  const { book } = await bookOf(t);
  const database = (index: number) => ({
    root: `ses_${index}`,
    changes: () => 1,
    doc: () => ({ get: async () => ({}) }),
  });
  for (let index = 0; index < 2_100; index += 1)
    await book.for(WEATHER, { session: database(index) as never });
  assert.ok(book.for(WEATHER, { session: database(0) as never }) instanceof Promise);
  assert.equal(book.for(WEATHER, { session: database(2_099) as never }) instanceof Promise, false);
  for (let index = 0; index < 8_200; index += 1)
    book.for({ name: `x${index}`, settings: WEATHER.settings }, {});
  assert.deepEqual(book.for({ name: 'x0', settings: WEATHER.settings }, {}), { unit: 'C', poll: 60 });
});

test('faults are told again once so many others came that they were forgotten', async (t) => {
  const { book, reports } = await bookOf(t, { weather: { poll: 0 } });
  book.for(WEATHER, {});
  const bad = (index: number) => ({
    root: `ses_${index}`,
    changes: () => 1,
    doc: () => ({ get: async () => ({ weather: { unit: 'K' } }) }),
  });
  for (let index = 0; index < 1_030; index += 1) await book.for(WEATHER, { session: bad(index) as never });
  assert.equal(reports.filter(({ reason }) => reason.startsWith('poll of fairlead.toml')).length, 2);
});
