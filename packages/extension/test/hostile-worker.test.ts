import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { hygiene } from '@fairlead/testing';
import type { EndpointKind } from '../src/carrier/carrier.ts';
import type { Json } from '../src/json/json.ts';
import { WorkerCarrier } from '../src/worker/worker-carrier.ts';
import { RecordingHost } from './contract/recording-host.ts';

const module = new URL('./fixtures/worker/hostile.ts', import.meta.url);

async function hostile(t: TestContext) {
  hygiene(t);
  const carrier = await WorkerCarrier.start({ module, host: new RecordingHost() as never });
  t.after(() => carrier.end());
  const open = (contributions: string) =>
    carrier.open({
      instance: contributions === '' ? 'g' : contributions,
      kind: 'global',
      key: '',
      settings: { contributions },
    });
  await open('');
  let calls = 0;
  const call = async (
    endpoint: EndpointKind,
    name: string,
    input: Json,
    method?: string,
  ): Promise<unknown> => {
    calls += 1;
    const context = { settings: {}, caps: {} };
    const named = method === undefined ? { name } : { name, method };
    try {
      return await carrier.call({ call: calls, instance: 'g', endpoint, ...named, input, context });
    } catch (error) {
      const { code, certainty } = error as { code: string; certainty: string };
      return { code, certainty };
    }
  };
  return { carrier, open, call };
}

const INVALID = { code: 'tool_output_invalid', certainty: 'completed' };
const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;

test('a worker’s forged tool answer cannot overwrite the certainty, nor be anything but an answer', async (t) => {
  const { call } = await hostile(t);
  const table: readonly (readonly [string, unknown])[] = [
    ['{"certainty":"not_started","text":"x","isError":false}', INVALID],
    ['{"certainty":"not_started"}', INVALID],
    ['5', INVALID],
    ['null', INVALID],
    ['"str"', INVALID],
    ['{"text":5}', INVALID],
    ['{"text":"x"}', INVALID],
    ['{"text":"x","isError":"no"}', INVALID],
    ['[]', INVALID],
    [`{"text":"x","isError":false,"data":${deep}}`, INVALID],
    ['{"text":"x","isError":true}', { text: 'x', isError: true }],
    ['{"text":"x","isError":false,"data":[1]}', { text: 'x', data: [1], isError: false }],
  ];
  for (const [json, expected] of table)
    assert.deepEqual(await call('tool', 'answers', { json }), expected, json.slice(0, 80));
});

test('a worker’s forged answer of a command, a cap or a routine is bounded, or nothing', async (t) => {
  const { call } = await hostile(t);
  assert.deepEqual(await call('command', 'answers', { json: deep }), {
    code: 'command_failed',
    certainty: 'completed',
  });
  assert.deepEqual(await call('cap', 'example.oracle', deep, 'says'), {
    code: 'cap_failed',
    certainty: 'completed',
  });
  assert.deepEqual(await call('cap', 'example.oracle', '{"a":1}', 'says'), { a: 1 });
  assert.equal(await call('routine', 'tells', '{"certainty":"not_started"}'), null);
});

const tool = {
  name: 'answers',
  about: 'x',
  args: { type: 'object', properties: {}, additionalProperties: false },
  risk: 'low',
  approval: 'never',
  timeout_ms: 60_000,
  sensitive: [],
  effect: 'write',
  runtime: true,
};
const whole = {
  tools: [tool],
  commands: [
    { name: 'answers', about: 'x', args: { type: 'object', properties: {}, additionalProperties: false } },
  ],
  hooks: ['agent_end'],
  gates: ['a*'],
  prompt: true,
  tail: false,
  status: false,
  caps: [{ kind: 'example.oracle', methods: ['says'] }],
  routines: [
    { id: 'tells', about: 'x', every_ms: 60_000 },
    { id: 'two', cron: '* * * * *' },
  ],
  uses: [{ alias: 'a', kind: 'memory', provider: 'x', optional: false }],
};

test('garbage in the place of contributions is instantiate_failed with the place, not a crash', async (t) => {
  const { carrier, open } = await hostile(t);
  const table: readonly (readonly [unknown, RegExp])[] = [
    [5, /contributions is no object/],
    [null, /contributions is no object/],
    [{}, /contributions\/tools is no list/],
    [{ ...whole, tools: [5] }, /\/tools\/0 is no object/],
    [{ ...whole, tools: [{ ...tool, name: 'no name' }] }, /\/tools\/0\/name is no text/],
    [{ ...whole, tools: [{ ...tool, args: { type: 'oven' } }] }, /\/tools\/0\/args/],
    [
      { ...whole, tools: [{ ...tool, args: { type: 'string' } }] },
      /\/tools\/0\/args is no schema of an object/,
    ],
    [{ ...whole, tools: [{ ...tool, risk: 'none' }] }, /\/tools\/0\/risk is none of low, medium, high/],
    [{ ...whole, tools: [{ ...tool, timeout_ms: null }] }, /\/tools\/0\/timeout_ms is no number of 1000/],
    [{ ...whole, tools: [{ ...tool, per_minute: -1 }] }, /\/tools\/0\/per_minute is no number/],
    [{ ...whole, tools: [{ ...tool, sensitive: [5] }] }, /\/tools\/0\/sensitive\/0 is no text/],
    [{ ...whole, tools: [tool, tool] }, /\/tools has a name twice/],
    [{ ...whole, tools: Array.from({ length: 65 }, () => tool) }, /\/tools has more than 64 entries/],
    [{ ...whole, hooks: ['agent_stop'] }, /\/hooks\/0 is none of/],
    [{ ...whole, gates: ['?'] }, /\/gates\/0 is no text/],
    [{ ...whole, prompt: 'yes' }, /\/prompt is neither/],
    [{ ...whole, caps: [{ kind: 'memory' }] }, /\/caps\/0\/methods is no list/],
    [{ ...whole, uses: [{ alias: 'a', kind: 5 }] }, /\/uses\/0\/kind is no text/],
  ];
  for (const [contributions, message] of table) {
    const opening = open(JSON.stringify(contributions));
    await assert.rejects(opening, { code: 'instantiate_failed', message }, JSON.stringify(contributions));
  }
  await assert.rejects(open(deep), { code: 'instantiate_failed' });
  assert.equal(carrier.dead, undefined);
});

test('contributions that came over a port are what they say, and no member more', async (t) => {
  const { open } = await hostile(t);
  const read = await open(JSON.stringify({ ...whole, extra: 1, tools: [{ ...tool, extra: 1 }] }));
  assert.deepEqual(JSON.parse(JSON.stringify(read)), {
    ...whole,
    tools: [{ ...tool, args: { type: 'object', properties: {}, additionalProperties: false } }],
    routines: [
      { id: 'tells', about: 'x', every_ms: 60_000 },
      { id: 'two', about: '', cron: '* * * * *' },
    ],
  });
});
