import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import { Ajv } from 'ajv';
import { pluginToolDefinition } from '../src/index.ts';
import { readPluginToolInput } from '../src/plugin-tool/input.ts';

const BINDING = 'wc_pbind_AAAAAAAAAAAAAAAAAAAAAA';
const VALUES: JsonObject = {
  runner: 'local',
  plugin: 'echo',
  tool: 'say',
  binding: BINDING,
  arguments: { text: 'hello' },
};

/** What each action takes: r = required, o = optional, - = refused. */
const MATRIX: readonly (readonly [string, Readonly<Record<string, 'r' | 'o' | '-'>>])[] = [
  ['list', { runner: 'o', plugin: 'o', tool: '-', binding: '-', arguments: '-' }],
  ['check', { runner: 'r', plugin: 'r', tool: '-', binding: '-', arguments: '-' }],
  ['reload', { runner: 'r', plugin: '-', tool: '-', binding: '-', arguments: '-' }],
  ['describe', { runner: 'r', plugin: 'r', tool: 'r', binding: '-', arguments: '-' }],
  ['call', { runner: '-', plugin: '-', tool: '-', binding: 'r', arguments: 'r' }],
];

function verdict(params: Json): unknown {
  const parsed = readPluginToolInput(params);
  if (parsed.ok) return 'taken';
  const { code, detail } = parsed.fault;
  return [code, detail.member, detail.problem];
}

for (const [action, members] of MATRIX) {
  const full = Object.fromEntries(
    Object.entries(VALUES).filter(([member]) => members[member] !== '-'),
  ) as JsonObject;

  test(`${action} takes all of its members`, () => {
    assert.equal(verdict({ action, ...full }), 'taken');
  });

  for (const [member, rule] of Object.entries(members)) {
    if (rule === '-')
      test(`${action} refuses ${member}`, () => {
        assert.deepEqual(verdict({ action, ...full, [member]: VALUES[member] ?? null }), [
          'invalid_arguments',
          member,
          'not_allowed',
        ]);
      });
    else
      test(`${action} ${rule === 'r' ? 'needs' : 'goes without'} ${member}`, () => {
        const { [member]: _, ...rest } = full;
        if (rule === 'r')
          assert.deepEqual(verdict({ action, ...rest }), ['invalid_arguments', member, 'missing']);
        else if (member === 'plugin') assert.equal(verdict({ action, ...rest }), 'taken');
        else assert.deepEqual(verdict({ action, ...rest }), ['invalid_arguments', 'runner', 'missing']);
      });
  }
}

test('list takes nothing at all', () => {
  assert.equal(verdict({ action: 'list' }), 'taken');
});

test('what is no action, no object or an unknown member is refused without repeating it', () => {
  const secret = 'MARKER';
  assert.deepEqual(verdict(null), ['invalid_arguments', undefined, 'not_an_object']);
  assert.deepEqual(verdict([{ action: 'list' }]), ['invalid_arguments', undefined, 'not_an_object']);
  assert.deepEqual(verdict('list'), ['invalid_arguments', undefined, 'not_an_object']);
  assert.deepEqual(verdict({}), ['invalid_arguments', 'action', 'missing']);
  for (const action of [secret, 'LIST', '', 1, null, 'constructor', 'toString'])
    assert.deepEqual(verdict({ action }), ['invalid_arguments', 'action', 'unknown']);
  const unknown = readPluginToolInput({ action: 'list', [secret]: secret });
  assert.deepEqual(unknown, {
    ok: false,
    fault: { code: 'invalid_arguments', action: 'list', detail: { problem: 'unknown_member' } },
  });
});

test('a runner that is blank, too long or not one line is invalid_runner', () => {
  for (const runner of ['', ' ', '\t', 'a\nb', 'a\u0000', 'a\u001b[31m', 'x'.repeat(129), 'é'.repeat(65)])
    assert.deepEqual(verdict({ action: 'list', runner }), ['invalid_runner', 'runner', 'invalid']);
  for (const runner of [1, null, {}, []])
    assert.deepEqual(verdict({ action: 'list', runner }), ['invalid_arguments', 'runner', 'not_a_string']);
  for (const runner of ['a', 'x'.repeat(128), 'é'.repeat(64), 'My Runner'])
    assert.equal(verdict({ action: 'list', runner }), 'taken');
});

test('plugin and tool are one line of 1..64 and 1..128 bytes', () => {
  for (const plugin of ['', 'x'.repeat(65), 'a\nb', 'a\u0007', 5, null])
    assert.deepEqual(verdict({ action: 'check', runner: 'local', plugin }), [
      'invalid_arguments',
      'plugin',
      'invalid',
    ]);
  assert.equal(verdict({ action: 'check', runner: 'local', plugin: 'x'.repeat(64) }), 'taken');
  for (const tool of ['', 'x'.repeat(129), 'a\rb', false])
    assert.deepEqual(verdict({ action: 'describe', runner: 'local', plugin: 'echo', tool }), [
      'invalid_arguments',
      'tool',
      'invalid',
    ]);
  assert.equal(
    verdict({ action: 'describe', runner: 'local', plugin: 'echo', tool: 'x'.repeat(128) }),
    'taken',
  );
});

test('a binding has our prefix, something behind it, and at most 128 safe characters', () => {
  for (const binding of [
    '',
    'wc_pbind_',
    'pbind_AAAA',
    `${BINDING} `,
    'wc_pbind_ä',
    'x'.repeat(129),
    7,
    null,
  ])
    assert.deepEqual(verdict({ action: 'call', binding, arguments: {} }), [
      'invalid_arguments',
      'binding',
      'invalid',
    ]);
  for (const binding of [BINDING, `wc_pbind_${'0'.repeat(32)}`])
    assert.equal(verdict({ action: 'call', binding, arguments: {} }), 'taken');
});

test('arguments are an object of at most 65,536 bytes within the JSON bounds', () => {
  const call = (given: Json) => verdict({ action: 'call', binding: BINDING, arguments: given });
  for (const given of [null, [], 'text', 1, true])
    assert.deepEqual(call(given), ['invalid_arguments', 'arguments', 'not_an_object']);
  // {"text":"…"} is 11 bytes around the text.
  assert.equal(call({ text: 'x'.repeat(65_525) }), 'taken');
  assert.deepEqual(call({ text: 'x'.repeat(65_526) }), ['invalid_arguments', 'arguments', 'bytes']);
  assert.equal(call({ text: '€'.repeat(21_841) }), 'taken');
  assert.deepEqual(call({ text: '€'.repeat(21_842) }), ['invalid_arguments', 'arguments', 'bytes']);
  assert.deepEqual(call({ text: '"'.repeat(33_000) }), ['invalid_arguments', 'arguments', 'bytes']);
  assert.equal(call({ list: Array.from({ length: 4_094 }, () => 0) }), 'taken');
  assert.deepEqual(call({ list: Array.from({ length: 4_095 }, () => 0) }), [
    'invalid_arguments',
    'arguments',
    'nodes',
  ]);
  assert.equal(call({ nest: nested(14) }), 'taken');
  assert.deepEqual(call({ nest: nested(17) }), ['invalid_arguments', 'arguments', 'depth']);
  assert.deepEqual(call({ ['k'.repeat(1_025)]: 1 }), ['invalid_arguments', 'arguments', 'key_bytes']);
  assert.deepEqual(call({ 'k\u0000': 1 }), ['invalid_arguments', 'arguments', 'key_control_character']);
});

test('the schema that callers see agrees with the parser on members and bounds', () => {
  const valid = new Ajv({ strict: true }).compile(pluginToolDefinition.inputSchema);
  for (const [action, members] of MATRIX) {
    const full = Object.fromEntries(Object.entries(VALUES).filter(([member]) => members[member] !== '-'));
    assert.equal(valid({ action, ...full }), true);
  }
  assert.equal(valid({ action: 'list', other: 1 }), false);
  assert.equal(valid({}), false);
  assert.equal(valid({ action: 'call', binding: 'x', arguments: {} }), false);
  assert.equal(valid({ action: 'list', runner: 'x'.repeat(129) }), false);
});

function nested(levels: number): Json {
  let value: Json = 0;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}
