import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '@fairlead/base';
import { readScript } from '../../src/models/scripted/read-script.ts';

const FORMAT = 'fairlead-script-v1';

function reading(value: Json): Json {
  const read = readScript(Buffer.from(JSON.stringify(value)));
  return read.ok ? 'ok' : [read.pointer, read.problem];
}

/** A script of one step. */
function withStep(step: Json): Json {
  return { format: FORMAT, scripts: { default: [{ steps: [step] }] } };
}

test('a script may use everything that the format has', () => {
  const read = readScript(
    Buffer.from(
      JSON.stringify({
        format: FORMAT,
        scripts: {
          default: [
            {
              when: 'hi',
              steps: [
                {
                  text: 'I look.',
                  calls: [{ as: 'found', tool: 'describe', arguments: { plugin: 'a' } }],
                  expect: { tools: ['describe'], absent: ['shell'], last: 'hi' },
                  faults: [{ status: 429, after_secs: 1.5 }, { status: 500 }, 'cut', 'garbage', 'hang'],
                  usage: { input: 10, output: 5, cached: 3, written: 2, reasoning: 1 },
                  chunk: 4,
                  delay_ms: 10,
                },
                {
                  calls: [
                    {
                      tool: 'call',
                      arguments: { binding: { $from: 'found', pointer: '/structured/binding' } },
                    },
                  ],
                },
                {},
              ],
            },
          ],
          'agent:a/b': [],
          'worker:w': [],
        },
      }),
    ),
  );
  assert.ok(read.ok);
  assert.deepEqual([...read.script.scripts.keys()], ['default', 'agent:a/b', 'worker:w']);
  assert.deepEqual(read.script.scripts.get('default')?.[0], {
    when: 'hi',
    steps: [
      {
        text: 'I look.',
        calls: [{ as: 'found', tool: 'describe', arguments: { plugin: 'a' } }],
        expect: { tools: ['describe'], absent: ['shell'], last: 'hi' },
        faults: [
          { kind: 'status', status: 429, afterMs: 1500 },
          { kind: 'status', status: 500 },
          { kind: 'cut' },
          { kind: 'garbage' },
          { kind: 'hang' },
        ],
        usage: { input: 10, output: 5, cached: 3, written: 2, reasoning: 1 },
        chunk: 4,
        delayMs: 10,
      },
      {
        calls: [{ tool: 'call', arguments: { binding: { $from: 'found', pointer: '/structured/binding' } } }],
        faults: [],
        delayMs: 0,
      },
      { calls: [], faults: [], delayMs: 0 },
    ],
  });
});

test('a wrong place is named by its JSON pointer', () => {
  const at = '/scripts/default/0/steps/0';
  const cases: readonly (readonly [Json, string, string])[] = [
    [[], '', 'must be an object'],
    [{ format: 'v2', scripts: {} }, '/format', 'must be "fairlead-script-v1"'],
    [{ format: FORMAT, scripts: [] }, '/scripts', 'must be an object of scripts'],
    [{ format: FORMAT, scripts: {} }, '/scripts', 'must have a script called default'],
    [{ format: FORMAT, script: {} }, '/script', 'is not known (did you mean scripts?)'],
    [
      { format: FORMAT, scripts: { 'agents:a/b~': [] } },
      '/scripts/agents:a~1b~0',
      'must be called default, agent:NAME or worker:NAME',
    ],
    [{ format: FORMAT, scripts: { default: {} } }, '/scripts/default', 'must be a list'],
    [
      { format: FORMAT, scripts: { default: [{ steps: [] }] } },
      '/scripts/default/0/steps',
      'must have a step',
    ],
    [
      { format: FORMAT, scripts: { default: [{ when: 1, steps: [{}] }] } },
      '/scripts/default/0/when',
      'must be text',
    ],
    [withStep({ text: 1 }), `${at}/text`, 'must be text'],
    [withStep({ txt: 'a' }), `${at}/txt`, 'is not known (did you mean text?)'],
    [withStep({ zzzzzzzz: 'a' }), `${at}/zzzzzzzz`, 'is not known'],
    [withStep({ calls: [{ arguments: {} }] }), `${at}/calls/0/tool`, 'must be text'],
    [withStep({ calls: [{ tool: 'a', arguments: [] }] }), `${at}/calls/0/arguments`, 'must be an object'],
    [
      withStep({
        calls: [
          { tool: 'a', as: 'x' },
          { tool: 'b', as: 'x' },
        ],
      }),
      `${at}/calls/1/as`,
      'must be a name of its own in this turn',
    ],
    [
      withStep({
        calls: [
          { tool: 'a', as: 'x' },
          { tool: 'b', arguments: { 'a/b': [{ $from: 'x', pointer: '' }] } },
        ],
      }),
      `${at}/calls/1/arguments/a~1b/0/$from`,
      'must name a call of an earlier step of this turn',
    ],
    [
      withStep({ calls: [{ tool: 'b', arguments: { a: { $from: 'x', pointer: 'text' } } }] }),
      `${at}/calls/0/arguments/a`,
      'must be {"$from": a name, "pointer": a JSON pointer} and nothing else',
    ],
    [
      withStep({ calls: [{ tool: 'b', arguments: { a: { $from: 'x', pointer: '', more: 1 } } }] }),
      `${at}/calls/0/arguments/a`,
      'must be {"$from": a name, "pointer": a JSON pointer} and nothing else',
    ],
    [withStep({ expect: { tools: 'a' } }), `${at}/expect/tools`, 'must be a list'],
    [withStep({ expect: { last: null } }), `${at}/expect/last`, 'must be text'],
    [withStep({ faults: ['slow'] }), `${at}/faults/0`, 'must be {"status": …}, "cut", "garbage" or "hang"'],
    [withStep({ faults: [{ status: 200 }] }), `${at}/faults/0/status`, 'must be a whole number, 300 to 599'],
    [
      withStep({ faults: [{ status: 429, after_secs: -1 }] }),
      `${at}/faults/0/after_secs`,
      'must be seconds, 0 to 86400',
    ],
    [withStep({ usage: { input: 1.5 } }), `${at}/usage/input`, 'must be a whole number, 0 to 1000000000'],
    [
      withStep({ usage: { input: 1, cached: 2 } }),
      `${at}/usage`,
      'must not have more cached and written than input',
    ],
    [
      withStep({ usage: { output: 1, reasoning: 2 } }),
      `${at}/usage`,
      'must not have more reasoning than output',
    ],
    [withStep({ chunk: 0 }), `${at}/chunk`, 'must be a whole number, 1 to 4194304'],
    [withStep({ delay_ms: 600_001 }), `${at}/delay_ms`, 'must be a whole number, 0 to 600000'],
  ];
  for (const [value, pointer, problem] of cases) assert.deepEqual(reading(value), [pointer, problem]);
});

test('what is no JSON within its bounds is refused as a whole', () => {
  const cases = {
    '{"format"': 'syntax',
    '{"format":"a","format":"b"}': 'duplicate_key',
    [`${'['.repeat(60)}${']'.repeat(60)}`]: 'depth',
    [`"${'x'.repeat(1024 * 1024 + 1)}"`]: 'string_bytes',
    [' '.repeat(4 * 1024 * 1024 + 1)]: 'bytes',
  };
  for (const [text, fault] of Object.entries(cases))
    assert.deepEqual(readScript(Buffer.from(text)), {
      ok: false,
      pointer: '',
      problem: `is not JSON within its bounds (${fault})`,
    });
});
