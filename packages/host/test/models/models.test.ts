import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '@fairlead/testing';
import { parse } from 'smol-toml';
import { readBackends } from '../../src/models/configuration/read-backends.ts';
import { Models } from '../../src/models/models.ts';
import { TokenEstimate } from '../../src/models/token-estimate.ts';
import { ask, requestWith, textOf } from './asked.ts';
import { openAiDelta, openAiStream } from './model-stub.ts';

const TOML = `
[[backends]]
name = "demo"
type = "scripted"
file = "demo.json"

[[backends]]
name = "absolute"
type = "scripted"
file = "/elsewhere/demo.json"

[[backends]]
name = "local"
type = "openai_compatible"
base_url = "http://127.0.0.1:9/v1"
max_tokens = 64
  [[backends.models]]
  name = "org/tiny"
  context_window = 4096
  [[backends.models]]
  name = "priced"
  price = { input = 1, output = 2 }

[[backends]]
name = "claude"
type = "anthropic"
api_key_env = "CLAUDE_KEY"
  [[backends.models]]
  name = "c"
`;

const SCRIPT = JSON.stringify({
  format: 'fairlead-script-v1',
  scripts: { default: [{ steps: [{ text: 'scripted' }] }] },
});

function open(toml: string, files: Record<string, string> = { '/conf/demo.json': SCRIPT }, env = {}) {
  const reading = readBackends(parse(toml));
  assert.ok(reading.ok);
  const read: string[] = [];
  let loads = 0;
  const models = new Models({
    tables: reading.value,
    folder: '/conf',
    env,
    clock: manualClock(),
    readFile: async (path) => {
      read.push(path);
      const text = files[path];
      return text === undefined ? null : Buffer.from(text);
    },
    fetch: async () =>
      new Response(openAiStream(openAiDelta({ content: 'over http' }, 'stop')), {
        headers: { 'content-type': 'text/event-stream' },
      }),
    tokens: new TokenEstimate(async () => {
      loads += 1;
      return (text) => text.length;
    }),
  });
  return { models, read, loads: () => loads };
}

test('a model is found by its back end and name, slashes and all', async () => {
  const { models, loads } = open(TOML);
  assert.deepEqual(models.refs, [
    'demo/script',
    'absolute/script',
    'local/org/tiny',
    'local/priced',
    'claude/c',
  ]);
  const { model, load, tokens, ...tiny } = models.resolve('local/org/tiny');
  assert.deepEqual(tiny, {
    ref: 'local/org/tiny',
    backend: 'local',
    name: 'org/tiny',
    type: 'openai_compatible',
    contextWindow: 4096,
    tools: true,
    maxTokens: 64,
    maxRetries: 3,
  });
  assert.equal(textOf((await ask(model)).parts), 'over http');
  assert.equal(loads(), 0);
  await load();
  await load();
  assert.deepEqual([loads(), tokens.ofText('abcdefgh')], [1, 8]);
  assert.deepEqual(models.resolve('local/priced').price, {
    input: 1_000_000_000,
    output: 2_000_000_000,
    cached: 1_000_000_000,
    written: 1_000_000_000,
  });
});

test('the default is what the file says, else the first; another name is refused with the nearest', () => {
  assert.equal(open(TOML).models.resolve().ref, 'demo/script');
  assert.equal(open(`model = "claude/c"\n${TOML}`).models.resolve().ref, 'claude/c');
  assert.throws(() => open(TOML).models.resolve('local/org/tini'), {
    code: 'model_unknown',
    message: 'No back end of this host has a model of this name. (did you mean local/org/tiny?)',
  });
  const none = open('').models;
  assert.equal(none.default, undefined);
  assert.throws(() => none.resolve(), {
    code: 'model_unknown',
    message: 'No back end of this host has a model of this name.',
  });
});

test('a script is read when it is first used, from the folder of the configuration, and never loads a tokenizer', async () => {
  const { models, read, loads } = open(TOML, { '/conf/demo.json': SCRIPT, '/elsewhere/demo.json': SCRIPT });
  const demo = models.resolve('demo/script');
  assert.deepEqual(read, []);
  await demo.load();
  assert.equal(textOf((await ask(demo.model)).parts), 'scripted');
  assert.equal(textOf((await ask(models.resolve('absolute/script').model)).parts), 'scripted');
  assert.deepEqual([read, loads()], [['/conf/demo.json', '/elsewhere/demo.json'], 0]);
  assert.equal(demo.tokens.ofText('12345'), 2);
});

test('a script that cannot be used says why and where, and is read again once it was mended', async () => {
  const files: Record<string, string> = {};
  const { models } = open(TOML, files);
  const demo = models.resolve('demo/script');
  await assert.rejects(demo.load(), {
    code: 'script_invalid',
    retryable: false,
    message: 'The file of a scripted back end cannot be used. (demo: the file cannot be read)',
  });
  files['/conf/demo.json'] = SCRIPT.replace('text', 'txet');
  const { fault } = await ask(demo.model, requestWith());
  assert.deepEqual(fault?.detail, {
    backend: 'demo',
    pointer: '/scripts/default/0/steps/0/txet',
    problem: 'is not known (did you mean text?)',
  });
  files['/conf/demo.json'] = SCRIPT;
  assert.equal(textOf((await ask(demo.model)).parts), 'scripted');
});

test('the list tells whether a key is there, and never the key', () => {
  const list = open(TOML, {}, { CLAUDE_KEY: 'MARKER' }).models.list();
  assert.deepEqual(list, [
    {
      name: 'demo',
      type: 'scripted',
      models: [{ name: 'script', contextWindow: 128_000, tools: true }],
      unpriced: [],
      file: 'demo.json',
      key: 'none',
    },
    {
      name: 'absolute',
      type: 'scripted',
      models: [{ name: 'script', contextWindow: 128_000, tools: true }],
      unpriced: [],
      file: '/elsewhere/demo.json',
      key: 'none',
    },
    {
      name: 'local',
      type: 'openai_compatible',
      models: [
        { name: 'org/tiny', contextWindow: 4096, tools: true },
        { name: 'priced', contextWindow: 128_000, tools: true },
      ],
      unpriced: ['org/tiny'],
      baseUrl: 'http://127.0.0.1:9/v1',
      key: 'none',
    },
    {
      name: 'claude',
      type: 'anthropic',
      models: [{ name: 'c', contextWindow: 128_000, tools: true }],
      unpriced: ['c'],
      baseUrl: 'https://api.anthropic.com/v1',
      key: 'present',
    },
  ]);
  assert.equal(open(TOML).models.list()[3]?.key, 'missing');
  assert.ok(!JSON.stringify(list).includes('MARKER'));
});
