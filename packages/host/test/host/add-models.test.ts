import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Json } from '@fairlead/base';
import { readBackends } from '../../src/models/configuration/read-backends.ts';
import { hostRoom } from './host-room.ts';

const SCRIPTED = { name: 'demo', type: 'scripted', file: 'demo.json' };
const KEYLESS = {
  name: 'near',
  type: 'openai_compatible',
  base_url: 'http://127.0.0.1:9/v1',
  models: [{ name: 'm' }],
};
const KNOWN = { ...KEYLESS, name: 'known', api_key_env: 'KNOWN_KEY' };
const NEW_KEY = { ...KEYLESS, name: 'keyed', api_key_env: 'NEW_KEY' };

function tables(backends: readonly Json[], model?: string) {
  const reading = readBackends({ backends, ...(model === undefined ? {} : { model }) });
  assert.ok(reading.ok);
  return reading.value;
}

test('the first model that is added makes the agent that answers with it, without a new start', async (t) => {
  const room = await hostRoom(t, {
    scripts: {},
    agents: [],
    hasBackend: false,
    readBackendTables: async () => tables([SCRIPTED]),
  });
  const { host, floor } = room;
  assert.equal(host.models.default, undefined);
  assert.deepEqual(await host.agents.list(), []);
  writeFileSync(
    join(floor.folder, 'demo.json'),
    JSON.stringify({ format: 'fairlead-script-v1', scripts: { default: [{ steps: [{ text: 'Here.' }] }] } }),
  );
  const { words, ...taken } = await host.addModels();
  assert.deepEqual(taken, { added: ['demo'], later: [] });
  assert.match(words[0] ?? '', /^A turn stops at /);
  assert.equal(host.models.default, 'demo/script');
  const session = await room.session('fairlead');
  await room.ask(session, 'hello');
  assert.ok((await room.told(session)).includes('fairlead: Here.'));
  assert.deepEqual(await host.addModels(), { added: [], later: [], words: [] });
});

test('the ceilings are told when the first model is added to a host that runs, and again with each one that has no price', async (t) => {
  const files = [[KEYLESS], [KEYLESS, { ...KEYLESS, name: 'far' }, NEW_KEY]];
  let file = 0;
  const readBackendTables = async () => tables(files[file] ?? []);
  const { host, session } = await hostRoom(t, {
    ...{ scripts: {}, agents: [], hasBackend: false, readBackendTables },
  });
  const first = (await host.addModels()).words;
  assert.equal(first.length, 5);
  assert.match(first[0] ?? '', /^A turn stops at 1,000,000 tokens or 2\.00 USD/);
  const unpriced = 'Without a price, these models obey the ceilings on tokens alone: ';
  assert.equal(first[4], `${unpriced}near/m.`);
  assert.deepEqual((await host.addModels()).words, []);
  assert.deepEqual(await host.firstWords(), []);
  file = 1;
  assert.equal((await host.addModels()).words[4], `${unpriced}near/m, far/m.`);
  const made = await session('fairlead');
  const costs = await host.command({
    ...{ session: made, line: '/costs', by: { id: 'person:ada', scopes: ['session:read'] } },
  });
  assert.match(JSON.stringify(costs), /near\/m, far\/m\./);
});

test('a back end whose key was no secret at the start waits for the next one', async (t) => {
  const { host } = await hostRoom(t, {
    scripts: {},
    secretVariables: ['KNOWN_KEY'],
    readBackendTables: async () => tables([KEYLESS, KNOWN, NEW_KEY], 'near/m'),
  });
  const { words: _, ...taken } = await host.addModels();
  assert.deepEqual(taken, { added: ['near', 'known'], later: ['keyed'] });
  assert.deepEqual(host.models.refs, ['local/script', 'local/other', 'near/m', 'known/m']);
  // What was the default stays it.
  assert.equal(host.models.default, 'local/script');
  assert.throws(() => host.models.resolve('keyed/m'), { code: 'model_unknown' });
});

test('a back end that stands already is not changed by what the file says of it now', async (t) => {
  const changed = { name: 'local', type: 'scripted', file: 'other.json', models: [{ name: 'new' }] };
  const { host } = await hostRoom(t, { scripts: {}, readBackendTables: async () => tables([changed]) });
  assert.deepEqual(await host.addModels(), { added: [], later: [], words: [] });
  assert.deepEqual(host.models.refs, ['local/script', 'local/other']);
});
