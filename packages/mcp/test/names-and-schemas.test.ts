import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import { foreignToolName as toolName } from '@fairlead/hub';
import * as fc from 'fast-check';
import { readDefinition } from '../src/catalog/read-definition.ts';
import { schemaMismatch } from '../src/schema/schema-check.ts';
import { shownSchema } from '../src/schema/shown-schema.ts';

test('a name fits every model, is the same whatever else there is, and two are never one', () => {
  assert.equal(toolName('files', 'read_file'), 'files__read_file');
  assert.equal(toolName('files', 'a.b'), 'files__a_b_hbvc47');
  assert.notEqual(toolName('files', 'a.b'), toolName('files', 'a:b'));
  assert.notEqual(toolName('files', 'a.b'), toolName('files', 'a_b'));
  assert.equal(toolName('s', 'n'.repeat(200)).length, 64);
  assert.equal(toolName('s', 'delete.all'), 's__delete_all_nuchb2');
  assert.equal(toolName('s', 'delete_all_nuchb2'), 's__delete_all_nuchb2_la4nv4');
  assert.equal(toolName('s', 'get_status'), 's__get_status');
  fc.assert(
    fc.property(
      fc.stringMatching(/^[a-z0-9-]{1,32}$/),
      fc.string({ minLength: 1, maxLength: 200 }),
      (server, tool) => {
        const name = toolName(server, tool);
        assert.match(name, /^[A-Za-z0-9_-]{1,64}$/);
        assert.equal(name, toolName(server, tool));
      },
    ),
  );
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, maxLength: 90 }),
      fc.string({ minLength: 1, maxLength: 90 }),
      (one, other) => {
        fc.pre(one.toWellFormed() !== other.toWellFormed());
        assert.notEqual(toolName('s', one), toolName('s', other));
      },
    ),
  );
});

const MISMATCHES: readonly (readonly [JsonObject, Json, string | undefined])[] = [
  [{ type: 'object', required: ['a'] }, {}, '/a must be present'],
  [{ type: ['string', 'null'] }, 1, 'must be a string or null'],
  [{ type: 'string', nullable: true }, null, undefined],
  [{ type: 'integer' }, 1.5, 'must be an integer'],
  [{ enum: ['a', 'b'] }, 'c', 'must be one of "a", "b"'],
  [{ const: 1 }, 2, 'must be 1'],
  [{ minimum: 2 }, 1, 'must be at least 2'],
  [{ exclusiveMinimum: 2 }, 2, 'must be more than 2'],
  [{ exclusiveMaximum: 2 }, 2, 'must be less than 2'],
  [{ maxLength: 1 }, 'ab', 'must be at most 1 characters'],
  [{ maxLength: 1 }, '😀', undefined],
  [{ minItems: 1 }, [], 'must be at least 1 items'],
  [{ maxProperties: 0 }, { a: 1 }, 'must be at most 0 members'],
  [
    { properties: { a: { type: 'string' } }, additionalProperties: false },
    { b: 1 },
    'must have no members but "a"',
  ],
  [{ additionalProperties: { type: 'string' } }, { b: 1 }, '/b must be a string'],
  [{ patternProperties: { x: {} }, additionalProperties: false }, { b: 1 }, undefined],
  [{ items: { type: 'number' } }, [1, 'a'], '/1 must be a number'],
  [{ prefixItems: [{ type: 'number' }], items: false }, [1, 2], '/1 is not allowed'],
  [{ items: [{ type: 'number' }], additionalItems: false }, [1, 2], '/1 is not allowed'],
  [{ allOf: [{ type: 'object' }, { required: ['b'] }] }, {}, '/b must be present'],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 1, 'fits none of its alternatives'],
  [{ oneOf: [{ type: 'string' }] }, 1, 'must be a string'],
  [{ $ref: '#/$defs/a~1b', $defs: { 'a/b': { type: 'string' } } }, 1, 'must be a string'],
  [{ $ref: 'https://example.com/schema' }, 1, undefined],
  [{ $ref: '#/nowhere' }, 1, undefined],
  [{ $ref: '#' }, 1, undefined],
  [{ properties: { a: { $ref: '#' } }, type: 'object' }, { a: { a: 1 } }, '/a/a must be an object'],
  [{ pattern: '^(a+)+$', format: 'uri' }, `${'a'.repeat(40)}!`, undefined],
  [{ 'x-anything': 1, type: 'unknown' } as JsonObject, 1, undefined],
];

for (const [schema, value, words] of MISMATCHES)
  test(`${JSON.stringify(value)} against ${JSON.stringify(schema)}: ${words ?? 'fits'}`, () => {
    const found = schemaMismatch(schema, value);
    assert.equal(found === undefined ? undefined : `${found.path} ${found.message}`.trim(), words);
  });

test('a schema that branches without end is checked in bounded time, and then left to the server', () => {
  const branch = { anyOf: Array.from({ length: 10 }, () => ({ $ref: '#/$defs/x' })) };
  const before = process.threadCpuUsage();
  assert.equal(schemaMismatch({ $ref: '#/$defs/x', $defs: { x: branch } }, 1), undefined);
  assert.ok(process.threadCpuUsage(before).user < 20_000_000);
});

test('what models are shown has no reference, no foreign keyword, and an object at the top', () => {
  const shown = shownSchema({
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: 'x',
    type: 'object',
    discriminator: { propertyName: 'kind' },
    oneOf: [{ properties: { b: { type: 'number', exclusiveMinimum: true } }, required: ['b'] }],
    properties: {
      a: { $ref: '#/$defs/a', description: 'An a' },
      n: { type: 'string', nullable: true, example: 'x', xml: {} },
      loop: { $ref: '#/$defs/loop' },
      map: { type: 'object', additionalProperties: { type: 'number' } },
      'bad name': { type: 'string' },
    },
    required: ['a', 'ghost'],
    $defs: {
      a: { type: 'string' },
      loop: { type: 'object', properties: { next: { $ref: '#/$defs/loop' } } },
    },
  });
  assert.deepEqual(shown, {
    ok: true,
    schema: {
      type: 'object',
      properties: {
        a: { type: 'string', description: 'An a' },
        n: { type: ['string', 'null'] },
        loop: { type: 'object', properties: { next: {} } },
        map: { type: 'object', additionalProperties: { type: 'number' } },
        b: { type: 'number' },
      },
      required: ['a'],
    },
  });
});

test('a schema that grows without end when its references are written out is cut where it is large enough', () => {
  const $defs: Record<string, Json> = { x0: { type: 'string' } };
  for (let at = 1; at < 12; at += 1)
    $defs[`x${at}`] = {
      type: 'object',
      properties: Object.fromEntries(
        ['a', 'b', 'c', 'd'].map((key) => [key, { $ref: `#/$defs/x${at - 1}` }]),
      ),
    };
  const shown = shownSchema({ type: 'object', properties: { x: { $ref: '#/$defs/x11' } }, $defs });
  assert.equal(shown.ok, true);
  assert.ok(JSON.stringify(shown).length < 300_000);
});

const manyWays: readonly (readonly [string, JsonObject, string])[] = [
  ['itself 4,000 times', { allOf: Array.from({ length: 4000 }, () => ({ $ref: '#' })) }, 'refused'],
  ['itself three times', { allOf: Array.from({ length: 3 }, () => ({ $ref: '#' })) }, 'shown'],
  [
    'eight halves of each other',
    {
      $ref: '#/$defs/x0',
      $defs: Object.fromEntries(
        Array.from({ length: 8 }, (_, at) => [
          `x${at}`,
          { anyOf: Array.from({ length: 12 }, () => ({ $ref: `#/$defs/x${at + 1}` })) },
        ]),
      ),
    },
    'refused',
  ],
];

for (const [title, schema, expected] of manyWays)
  test(`a small tool whose schema refers side by side to ${title} does not hold the host up: it is ${expected}`, () => {
    const before = process.threadCpuUsage();
    const shown = shownSchema({ type: 'object', ...schema });
    assert.ok(process.threadCpuUsage(before).user < 20_000_000);
    if (expected === 'shown')
      assert.deepEqual(shown, { ok: true, schema: { type: 'object', properties: {} } });
    else
      assert.deepEqual(shown, {
        ok: false,
        problem: 'its input schema refers to itself in more ways than are followed',
      });
  });

test('one tool that cannot be offered says why', () => {
  const problems: readonly (readonly [Json, string])[] = [
    [1, 'it has no name'],
    [{ name: 'x'.repeat(300), inputSchema: {} }, 'its name is longer than 256 bytes'],
    [{ name: 'a\u0007', inputSchema: {} }, 'its name has a control character'],
    [{ name: 'x' }, 'its input schema is no object'],
    [{ name: 'x', inputSchema: {}, title: 1 }, 'its title is no text'],
    [{ name: 'x', inputSchema: {}, annotations: 1 }, 'its annotations is no object'],
    [
      { name: 'x', inputSchema: {}, description: 'd'.repeat(200_000) },
      'its definition passes a bound (string_bytes)',
    ],
    [
      { name: 'x', inputSchema: { properties: { 'bad name': {} }, required: ['bad name'] } },
      'it needs an argument whose name models cannot be given (bad name)',
    ],
  ];
  for (const [entry, problem] of problems) {
    const read = readDefinition(entry);
    assert.equal(read.ok ? 'taken' : read.problem, problem);
  }
});

test('icons and _meta are no part of what is compared', () => {
  const read = readDefinition({
    name: 'x',
    inputSchema: {},
    icons: [{ src: 'a' }],
    _meta: { a: 1 },
    execution: {},
  });
  assert.deepEqual(read, { ok: true, name: 'x', definition: { name: 'x', inputSchema: {} } });
});
