import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'smol-toml';
import { readBackends } from '../../src/models/configuration/read-backends.ts';

const read = (toml: string) => readBackends(parse(toml));

test('back ends are read with their models, prices and defaults', () => {
  const reading = read(`
model = "local/meta/tiny"

[[backends]]
name = "claude"
type = "anthropic"
api_key_env = "ANTHROPIC_KEY"
max_retries = 0

  [[backends.models]]
  name = "claude-1"
  context_window = 200000
  price = { input = 3, output = 15.0, cached = 0.3, written = 3.75 }

[[backends]]
name = "local"
type = "openai_compatible"
base_url = "http://127.0.0.1:8080/v1/"
request_timeout_secs = 300
max_tokens = 1024

  [[backends.models]]
  name = "meta/tiny"
  tools = false
  price = { input = 0.0000005, output = 0 }

[[backends]]
name = "demo"
type = "scripted"
file = "demo.json"
`);
  assert.deepEqual(reading, {
    ok: true,
    notices: [],
    value: {
      model: 'local/meta/tiny',
      backends: [
        {
          name: 'claude',
          type: 'anthropic',
          baseUrl: 'https://api.anthropic.com/v1',
          apiKeyEnv: 'ANTHROPIC_KEY',
          requestTimeoutMs: 120_000,
          maxRetries: 0,
          maxTokens: 8192,
          models: [
            {
              name: 'claude-1',
              contextWindow: 200_000,
              tools: true,
              price: {
                input: 3_000_000_000,
                output: 15_000_000_000,
                cached: 300_000_000,
                written: 3_750_000_000,
              },
            },
          ],
        },
        {
          name: 'local',
          type: 'openai_compatible',
          baseUrl: 'http://127.0.0.1:8080/v1',
          requestTimeoutMs: 300_000,
          maxRetries: 3,
          maxTokens: 1024,
          models: [
            {
              name: 'meta/tiny',
              contextWindow: 128_000,
              tools: false,
              // Half a nano-dollar for a thousand tokens; without prices of the cache that of the input holds.
              price: { input: 500, output: 0, cached: 500, written: 500 },
            },
          ],
        },
        {
          name: 'demo',
          type: 'scripted',
          file: 'demo.json',
          requestTimeoutMs: 120_000,
          maxRetries: 3,
          maxTokens: 8192,
          models: [{ name: 'script', contextWindow: 128_000, tools: true }],
        },
      ],
    },
  });
});

test('a file without back ends has none', () => {
  assert.deepEqual(read(''), { ok: true, notices: [], value: { backends: [] } });
});

test('a value that cannot be used refuses the file by its place, and never repeats it', () => {
  const openai = '[[backends]]\nname = "a"\ntype = "openai_compatible"\n';
  const url = 'base_url = "http://127.0.0.1:1/v1"\n';
  const models = '[[backends.models]]\nname = "m"\n';
  const cases: readonly (readonly [string, readonly (string | number)[], RegExp])[] = [
    ['backends = "MARKER"', ['backends'], /^must be written as \[\[backends\]\]/],
    ['backends = [1]', ['backends', 0], /^must be a table$/],
    ['[[backends]]\ntype = "scripted"\nfile = "f"', ['backends', 0, 'name'], /^must be given$/],
    [
      '[[backends]]\nname = "a/MARKER"\ntype = "scripted"',
      ['backends', 0, 'name'],
      /^must be a name of letters/,
    ],
    [`[[backends]]\nname = "${'a'.repeat(65)}"`, ['backends', 0, 'name'], /at most 64$/],
    [
      '[[backends]]\nname = "a"',
      ['backends', 0, 'type'],
      /^must be one of openai_compatible, anthropic, scripted$/,
    ],
    ['[[backends]]\nname = "a"\ntype = "antropic"', ['backends', 0, 'type'], /did you mean anthropic\?/],
    ['[[backends]]\nname = "a"\ntype = "scripted"', ['backends', 0, 'file'], /^must name the file/],
    [`${openai}${url}`, ['backends', 0, 'models'], /^must have a model/],
    [`${openai}${models}`, ['backends', 0, 'base_url'], /^must be the address/],
    [
      `${openai}base_url = "ftp://MARKER/"\n${models}`,
      ['backends', 0, 'base_url'],
      /^must be an http or https URL/,
    ],
    [`${openai}base_url = "http://u:MARKER@h/"\n${models}`, ['backends', 0, 'base_url'], /^must be an http/],
    [
      `${openai}base_url = "http://h/?key=MARKER"\n${models}`,
      ['backends', 0, 'base_url'],
      /^must be an http/,
    ],
    [`${openai}base_url = "nonsense"\n${models}`, ['backends', 0, 'base_url'], /^must be an http/],
    [
      `${openai}${url}api_key_env = "sk-MARKER"\n${models}`,
      ['backends', 0, 'api_key_env'],
      /^must name an environment/,
    ],
    [
      `${openai}${url}request_timeout_secs = 301\n${models}`,
      ['backends', 0, 'request_timeout_secs'],
      /1 to 300$/,
    ],
    [`${openai}${url}max_retries = 11\n${models}`, ['backends', 0, 'max_retries'], /0 to 10$/],
    [`${openai}${url}max_tokens = 0\n${models}`, ['backends', 0, 'max_tokens'], /1 to 1000000$/],
    [
      `${openai}${url}[[backends.models]]\ntools = true`,
      ['backends', 0, 'models', 0, 'name'],
      /^must be given$/,
    ],
    [`${openai}${url}${models}${models}`, ['backends', 0, 'models', 1, 'name'], /no other model/],
    [
      `${openai}${url}${models}tools = "yes"`,
      ['backends', 0, 'models', 0, 'tools'],
      /^must be true or false$/,
    ],
    [
      `${openai}${url}${models}context_window = 1`,
      ['backends', 0, 'models', 0, 'context_window'],
      /^must be a whole/,
    ],
    [`${openai}${url}${models}price = 3`, ['backends', 0, 'models', 0, 'price'], /^must be a table$/],
    [
      `${openai}${url}${models}price = {input = 1}`,
      ['backends', 0, 'models', 0, 'price', 'output'],
      /^must be given/,
    ],
    [
      `${openai}${url}${models}price = {output = 1}`,
      ['backends', 0, 'models', 0, 'price', 'input'],
      /^must be given/,
    ],
    [
      `${openai}${url}${models}price = {input = -1, output = 1}`,
      ['backends', 0, 'models', 0, 'price', 'input'],
      /^must be a number, 0 to 100000$/,
    ],
    [
      `[[backends]]\nname = "a"\ntype = "anthropic"\n${models}`,
      ['backends', 0, 'api_key_env'],
      /^must name the variable that holds the key$/,
    ],
    [`${openai}${url}${models}${openai}${url}${models}`, ['backends', 1, 'name'], /no other back end/],
    [`model = "a/x"\n${openai}${url}${models}`, ['model'], /of a back end in this file$/],
    ['model = "a"', ['model'], /^must be "backend\/model"/],
    ['model = 7', ['model'], /^must be "backend\/model"/],
  ];
  for (const [toml, at, problem] of cases) {
    const reading = read(toml);
    assert.ok(!reading.ok, toml);
    assert.deepEqual(reading.at, at, toml);
    assert.match(reading.problem, problem);
    assert.ok(!reading.problem.includes('MARKER'));
  }
});

test('what has no effect, and a key that crosses a network in the open, is noticed', () => {
  const reading = read(`
[[backends]]
name = "far"
type = "openai_compatible"
base_url = "http://models.example/v1"
api_key_env = "K"
file = "x"
  [[backends.models]]
  name = "m"
  contextwindow = 5
  price = { input = 1, output = 2, cash = 3 }

[[backends]]
name = "demo"
type = "scripted"
file = "f"
base_url = "x"
`);
  assert.ok(reading.ok);
  assert.deepEqual(
    reading.notices.map(({ at, message }) => [at.join('.'), message]),
    [
      [
        'backends.0.models.0.contextwindow',
        'is not known to this version; it is kept and has no effect (did you mean context_window?)',
      ],
      ['backends.0.models.0.price.cash', 'is not known to this version; it is kept and has no effect'],
      ['backends.0.file', 'is not known to this version; it is kept and has no effect'],
      ['backends.0.base_url', 'is not encrypted: whoever can watch that network can read the key'],
      ['backends.1.base_url', 'is not known to this version; it is kept and has no effect'],
    ],
  );
});
