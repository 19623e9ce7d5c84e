import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'smol-toml';
import { ceilingError, ceilingWords } from '../../src/usage/ceiling-words.ts';
import { readUsageSettings } from '../../src/usage/read-limits.ts';

const read = (toml: string) => readUsageSettings(parse(toml), 'Europe/Berlin');

test('without a word about it, ceilings are on', () => {
  assert.deepEqual(read(''), {
    ok: true,
    notices: [],
    value: {
      ceilings: {
        turn: { tokens: 1_000_000, nanousd: 2_000_000_000 },
        session: { tokens: 10_000_000, nanousd: 20_000_000_000 },
        agentDay: { tokens: 10_000_000, nanousd: 20_000_000_000 },
        day: { tokens: 20_000_000, nanousd: 50_000_000_000 },
      },
      zone: 'Europe/Berlin',
      schedules: { perAgent: 50, minSecs: 60 },
      modelCalls: 10,
    },
  });
});

test('each can be set by itself, and 0 switches it off; keys of others are left to them', () => {
  const reading = read(`
[limits]
turn_tokens = 0
session_usd = 0.000000001
agent_day_usd = 1.5
day_tokens = 7
day_usd = 0
zone = "UTC"
model_calls = 3
schedules_per_agent = 0
schedule_min_secs = 300
body_bytes = "of the gateway"
`);
  assert.ok(reading.ok);
  assert.deepEqual(reading.value, {
    ceilings: {
      turn: { tokens: 0, nanousd: 2_000_000_000 },
      session: { tokens: 10_000_000, nanousd: 1 },
      agentDay: { tokens: 10_000_000, nanousd: 1_500_000_000 },
      day: { tokens: 7, nanousd: 0 },
    },
    zone: 'UTC',
    schedules: { perAgent: 0, minSecs: 300 },
    modelCalls: 3,
  });
});

test('a value that is none refuses the file by its place', () => {
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ['limits = 1', '', /^must be a table$/],
    ['[limits]\nturn_tokens = -1', 'turn_tokens', /^must be a whole number, 0 to/],
    ['[limits]\nday_tokens = 1.5', 'day_tokens', /^must be a whole number/],
    ['[limits]\nday_usd = nan', 'day_usd', /^must be a number, 0 to 1000000$/],
    ['[limits]\nsession_usd = "2"', 'session_usd', /^must be a number/],
    ['[limits]\nmodel_calls = 0', 'model_calls', /^must be a whole number, 1 to 256$/],
    ['[limits]\nzone = "Mars/Olympus"', 'zone', /^must be the name of a time zone/],
    ['[limits]\nschedule_min_secs = 0', 'schedule_min_secs', /^must be a whole number, 1 to/],
    ['[limits]\nzone = 2', 'zone', /^must be the name of a time zone/],
  ];
  for (const [toml, key, problem] of cases) {
    const reading = read(toml);
    assert.ok(!reading.ok, toml);
    assert.deepEqual(reading.at, key === '' ? ['limits'] : ['limits', key]);
    assert.match(reading.problem, problem);
  }
});

test('ceilings are told in words: what holds, and which one was reached', () => {
  const reading = read('[limits]\nturn_usd = 0.0125\nsession_tokens = 0\nday_tokens = 0\nday_usd = 0');
  assert.ok(reading.ok);
  assert.deepEqual(ceilingWords(reading.value, ['local/tiny']), [
    'A turn stops at 1,000,000 tokens or 0.0125 USD.',
    'A session stops at 20.00 USD.',
    'An agent stops at 10,000,000 tokens or 20.00 USD, by the days of Europe/Berlin.',
    'This host has no ceiling.',
    'Without a price, these models obey the ceilings on tokens alone: local/tiny.',
  ]);
  assert.equal(ceilingWords(reading.value).length, 4);
  const error = ceilingError({
    scope: 'agent_day',
    unit: 'nanousd',
    limit: 20_000_000_000,
    used: 19_500_000_000,
  });
  assert.deepEqual(
    [error.code, error.detail],
    ['ceiling_reached', { scope: 'agent_day', unit: 'nanousd', limit: 20_000_000_000, used: 19_500_000_000 }],
  );
  assert.match(error.message, /\(of a agent’s day: 20\.00 USD, 19\.50 USD used\)$/);
  assert.match(
    ceilingError({ scope: 'turn', unit: 'tokens', limit: 1000, used: 999 }).message,
    /\(of a turn: 1,000 tokens, 999 tokens used\)$/,
  );
});
