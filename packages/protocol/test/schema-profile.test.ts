// native-plugin-protocol §7
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import { type CompiledSchema, compileSchema } from '../src/index.ts';

function compiled(schema: Json, role: 'input' | 'output' = 'input'): CompiledSchema {
  const result = compileSchema(schema, role);
  assert.ok(result.ok, JSON.stringify(result));
  return result.schema;
}

function code(schema: Json, role: 'input' | 'output' = 'input'): string | null {
  const result = compileSchema(schema, role);
  return result.ok ? null : result.code;
}

/** A root whose one member has the schema under test. */
function root(member: Json): JsonObject {
  return { type: 'object', properties: { x: member } };
}

function matches(member: JsonObject, value: Json): boolean {
  const schema = compiled(root(member));
  const found = schema.matches({ x: value });
  assert.equal(schema.fault({ x: value }) === null, found, 'matches and fault must agree');
  return found;
}

describe('what a schema may say', () => {
  const accepted: readonly (readonly [string, Json])[] = [
    ['an object and nothing else', { type: 'object' }],
    ['title and description on any node', root({ type: 'null', title: '', description: 'any text' })],
    [
      'each of the seven types',
      {
        type: 'object',
        properties: Object.fromEntries(
          ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'].map((type) => [
            type,
            { type },
          ]),
        ),
      },
    ],
    [
      'every keyword of an object',
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false },
    ],
    [
      'every keyword of an array',
      root({ type: 'array', items: { type: 'string' }, minItems: 0, maxItems: 4096 }),
    ],
    ['every keyword of a string', root({ type: 'string', minLength: 0, maxLength: 65_536 })],
    ['equal bounds', root({ type: 'string', minLength: 3, maxLength: 3 })],
    ['a length written as 3.0', root({ type: 'string', minLength: 3.0 })],
    ['an array without items', root({ type: 'array' })],
    ['a required name that an open object does not describe', { type: 'object', required: ['other'] }],
    ['an enum of values that its type refuses', root({ type: 'string', enum: [1, null, { a: 1 }] })],
    ['a const that its type refuses', root({ type: 'string', const: 7 })],
    ['an enum with the same value twice', root({ type: 'string', enum: ['a', 'a'] })],
    [
      '128 properties',
      {
        type: 'object',
        properties: Object.fromEntries(
          Array.from({ length: 128 }, (_, index) => [`p${index}`, { type: 'null' }]),
        ),
      },
    ],
    [
      '128 required names',
      { type: 'object', required: Array.from({ length: 128 }, (_, index) => `p${index}`) },
    ],
    [
      'an enum of 128 values',
      root({ type: 'integer', enum: Array.from({ length: 128 }, (_, index) => index) }),
    ],
    [
      'a keyword as the name of a property',
      { type: 'object', properties: { pattern: { type: 'string' }, $ref: { type: 'null' } } },
    ],
    ['a keyword as a member of a const', root({ type: 'object', const: { $ref: '#', type: ['x'] } })],
  ];
  for (const [what, schema] of accepted) {
    it(`accepts ${what}`, () => {
      assert.equal(code(schema), null);
      assert.equal(code(schema, 'output'), null);
    });
  }

  it('accepts longer strings in an output schema than in an input schema', () => {
    assert.equal(code(root({ type: 'string', maxLength: 65_537 }), 'input'), 'input_schema_invalid');
    assert.equal(code(root({ type: 'string', maxLength: 524_288 }), 'output'), null);
    assert.equal(code(root({ type: 'string', maxLength: 524_289 }), 'output'), 'output_schema_invalid');
  });
});

describe('schema_keyword_unsupported', () => {
  const keywords = [
    '$schema',
    '$id',
    '$ref',
    '$defs',
    'definitions',
    '$comment',
    'pattern',
    'format',
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'multipleOf',
    'anyOf',
    'oneOf',
    'allOf',
    'not',
    'if',
    'patternProperties',
    'propertyNames',
    'minProperties',
    'dependentRequired',
    'prefixItems',
    'contains',
    'uniqueItems',
    'default',
    'examples',
    'nullable',
    'readOnly',
    'x-order',
    'Type',
    '__proto__',
    'constructor',
    'toString',
  ];
  for (const keyword of keywords) {
    it(`${keyword}, at the root and below`, () => {
      const node = JSON.parse(`{"type":"object","${keyword}":{}}`) as Json;
      assert.equal(code(node), 'schema_keyword_unsupported');
      assert.equal(code(root(node), 'output'), 'schema_keyword_unsupported');
      assert.equal(code(root({ type: 'array', items: node })), 'schema_keyword_unsupported');
    });
  }

  it('a list of types', () => {
    assert.equal(code(root({ type: ['string', 'null'] })), 'schema_keyword_unsupported');
    assert.equal(code({ type: ['object'] }), 'schema_keyword_unsupported');
  });

  it('comes before a missing type', () => {
    assert.equal(code(root({ $ref: '#/$defs/x' })), 'schema_keyword_unsupported');
    assert.equal(code(root({ anyOf: [] })), 'schema_keyword_unsupported');
  });
});

describe('*_schema_invalid', () => {
  const invalid: readonly (readonly [string, Json])[] = [
    ['null', null],
    ['true', true],
    ['a text', 'object'],
    ['an array', [{ type: 'object' }]],
    ['no type', {}],
    ['an unknown type', { type: 'map' }],
    ['a type that is no text', { type: 1 }],
    ['a root of type string', { type: 'string' }],
    ['a root of type array', { type: 'array', items: { type: 'object' } }],
    ['a property without type', root({})],
    ['a property that is true', root(true)],
    ['a title that is no text', { type: 'object', title: 1 }],
    ['a description that is null', { type: 'object', description: null }],
    ['an enum that is no array', root({ type: 'string', enum: 'a' })],
    ['properties that is an array', { type: 'object', properties: [] }],
    ['properties that is null', { type: 'object', properties: null }],
    ['required that is no array', { type: 'object', required: 'a' }],
    ['a required name that is no text', { type: 'object', required: [1] }],
    ['a required name that is written twice', { type: 'object', required: ['a', 'a'] }],
    [
      'a required name that a closed object does not declare',
      { type: 'object', properties: { a: { type: 'null' } }, required: ['b'], additionalProperties: false },
    ],
    [
      'a required name that only every object has',
      { type: 'object', properties: {}, required: ['toString'], additionalProperties: false },
    ],
    ['additionalProperties that is a schema', { type: 'object', additionalProperties: { type: 'string' } }],
    ['additionalProperties that is null', { type: 'object', additionalProperties: null }],
    ['items that is a list', root({ type: 'array', items: [{ type: 'string' }] })],
    ['items that is true', root({ type: 'array', items: true })],
    ['properties on a string', root({ type: 'string', properties: {} })],
    ['required on an array', root({ type: 'array', required: [] })],
    ['additionalProperties on a number', root({ type: 'number', additionalProperties: true })],
    ['items on an object', root({ type: 'object', items: { type: 'string' } })],
    ['maxItems on a string', root({ type: 'string', maxItems: 1 })],
    ['minLength on an array', root({ type: 'array', minLength: 1 })],
    ['maxLength on an integer', root({ type: 'integer', maxLength: 1 })],
    ['keywords of two types', root({ type: 'string', minLength: 1, minItems: 1 })],
    ['a negative minLength', root({ type: 'string', minLength: -1 })],
    ['a fraction', root({ type: 'string', maxLength: 1.5 })],
    ['a length as a text', root({ type: 'string', maxLength: '5' })],
    ['a length of null', root({ type: 'string', minLength: null })],
    ['a minLength out of range', root({ type: 'string', minLength: 524_289 })],
    ['minLength above maxLength', root({ type: 'string', minLength: 3, maxLength: 2 })],
    ['a negative maxItems', root({ type: 'array', maxItems: -1 })],
    ['a maxItems out of range', root({ type: 'array', maxItems: 4097 })],
    ['minItems above maxItems', root({ type: 'array', minItems: 3, maxItems: 2 })],
    [
      'a control character in the name of a property',
      { type: 'object', properties: { 'a\u001b': { type: 'null' } } },
    ],
  ];
  for (const [what, schema] of invalid) {
    it(what, () => {
      assert.equal(code(schema, 'input'), 'input_schema_invalid');
      assert.equal(code(schema, 'output'), 'output_schema_invalid');
    });
  }
});

describe('schema_bounds_exceeded', () => {
  function deep(levels: number): JsonObject {
    let value: Json = 1;
    for (let level = 0; level < levels; level += 1) value = [value];
    return { type: 'object', const: value };
  }
  const names = (count: number) => Array.from({ length: count }, (_, index) => `p${index}`);
  const exceeded: readonly (readonly [string, Json, Json])[] = [
    // The rest of the first schema takes 34 bytes.
    [
      '64 KiB serialized',
      { type: 'object', description: 'x'.repeat(65_502) },
      { type: 'object', description: 'x'.repeat(65_503) },
    ],
    ['16 levels', deep(15), deep(16)],
    [
      '4,096 values',
      { type: 'object', const: Array(4093).fill(0) },
      { type: 'object', const: Array(4094).fill(0) },
    ],
    [
      'names of 1,024 bytes',
      { type: 'object', const: { ['k'.repeat(1024)]: 1 } },
      { type: 'object', const: { ['k'.repeat(1025)]: 1 } },
    ],
    [
      '128 properties',
      { type: 'object', properties: Object.fromEntries(names(128).map((name) => [name, { type: 'null' }])) },
      { type: 'object', properties: Object.fromEntries(names(129).map((name) => [name, { type: 'null' }])) },
    ],
    [
      '128 required names',
      { type: 'object', required: names(128) },
      { type: 'object', required: names(129) },
    ],
    ['128 enum values', { type: 'object', enum: names(128) }, { type: 'object', enum: names(129) }],
    ['one enum value', { type: 'object', enum: ['only'] }, { type: 'object', enum: [] }],
  ];
  for (const [what, within, beyond] of exceeded) {
    it(`the bound is ${what}`, () => {
      assert.equal(code(within), null);
      assert.equal(code(beyond), 'schema_bounds_exceeded');
      assert.equal(code(beyond, 'output'), 'schema_bounds_exceeded');
    });
  }

  it('comes before anything else that is wrong with an object', () => {
    assert.equal(code({ $ref: 'x'.repeat(70_000) }), 'schema_bounds_exceeded');
  });
});

describe('the first of several faults', () => {
  const many = Array.from({ length: 129 }, () => 'same');
  const rows: readonly (readonly [string, Json, string])[] = [
    [
      'an unknown keyword before a title',
      { type: 'object', title: 1, pattern: '' },
      'schema_keyword_unsupported',
    ],
    [
      'an unknown keyword before the type of the root',
      { type: 'string', pattern: '' },
      'schema_keyword_unsupported',
    ],
    ['a title before enum', { type: 'object', title: 1, enum: [] }, 'input_schema_invalid'],
    [
      'enum before the keywords of the type',
      { type: 'object', required: 'a', enum: [] },
      'schema_bounds_exceeded',
    ],
    ['the number of names before the names', { type: 'object', required: many }, 'schema_bounds_exceeded'],
    [
      'the form of a keyword before any number',
      { type: 'object', required: many, properties: [] },
      'input_schema_invalid',
    ],
    [
      'a node before its children',
      { type: 'object', properties: { a: { $ref: '' } }, required: [1] },
      'input_schema_invalid',
    ],
    [
      'an earlier child before a later one',
      { type: 'object', properties: { a: {}, b: { $ref: '' } } },
      'input_schema_invalid',
    ],
    [
      'a later child before the type of the root',
      { type: 'array', items: { $ref: '' } },
      'schema_keyword_unsupported',
    ],
  ];
  for (const [what, schema, wanted] of rows) {
    it(what, () => assert.equal(code(schema), wanted));
  }
});

describe('matching: types', () => {
  const values: Readonly<Record<string, Json>> = {
    object: {},
    array: [],
    string: '',
    number: 1.5,
    integer: 1,
    boolean: false,
    null: null,
  };
  for (const type of Object.keys(values)) {
    it(`${type} accepts its own values only`, () => {
      for (const [other, value] of Object.entries(values)) {
        const wanted = other === type || (type === 'number' && other === 'integer');
        assert.equal(matches({ type }, value), wanted, `${type} and ${JSON.stringify(value)}`);
      }
    });
  }

  it('integer accepts any finite number without a fraction, however it was written', () => {
    assert.equal(matches({ type: 'integer' }, JSON.parse('1.0') as Json), true);
    assert.equal(matches({ type: 'integer' }, JSON.parse('1e3') as Json), true);
    assert.equal(matches({ type: 'integer' }, -0), true);
    assert.equal(matches({ type: 'integer' }, 1.000001), false);
  });
});

describe('matching: strings', () => {
  it('counts Unicode code points, not UTF-16 units and not bytes', () => {
    const three = { type: 'string', minLength: 3, maxLength: 3 };
    for (const [value, wanted] of [
      ['abc', true],
      ['ab', false],
      ['abcd', false],
      ['😀😀😀', true],
      ['😀😀', false],
      ['😀😀😀😀', false],
      ['a😀é', true],
      ['é̀', false],
      ['€€€', true],
      ['\ud83d\ud83d\ud83d', true],
      ['\ude00\ud83da', true],
    ] as const) {
      assert.equal(matches(three, value), wanted, value);
    }
  });

  it('holds each bound alone', () => {
    assert.equal(matches({ type: 'string', minLength: 2 }, '😀'), false);
    assert.equal(matches({ type: 'string', minLength: 2 }, 'x'.repeat(9999)), true);
    assert.equal(matches({ type: 'string', maxLength: 2 }, '😀😀'), true);
    assert.equal(matches({ type: 'string', maxLength: 2 }, '😀😀😀'), false);
    assert.equal(matches({ type: 'string', maxLength: 0 }, ''), true);
    assert.equal(matches({ type: 'string', maxLength: 0 }, 'x'), false);
  });
});

describe('matching: arrays', () => {
  it('holds bounds and items', () => {
    const node = { type: 'array', items: { type: 'integer' }, minItems: 1, maxItems: 2 };
    assert.equal(matches(node, []), false);
    assert.equal(matches(node, [1]), true);
    assert.equal(matches(node, [1, 2]), true);
    assert.equal(matches(node, [1, 2, 3]), false);
    assert.equal(matches(node, [1, 'x']), false);
    assert.equal(matches({ type: 'array' }, [1, 'x', null, [{}]]), true);
  });
});

describe('matching: objects', () => {
  it('allows members that it does not describe, unless it is closed', () => {
    const properties = { a: { type: 'integer' } };
    assert.equal(matches({ type: 'object', properties }, { b: 'anything' }), true);
    assert.equal(matches({ type: 'object', properties, additionalProperties: true }, { b: 1 }), true);
    assert.equal(matches({ type: 'object', properties, additionalProperties: false }, { a: 1 }), true);
    assert.equal(matches({ type: 'object', properties, additionalProperties: false }, { a: 1, b: 1 }), false);
    assert.equal(matches({ type: 'object', additionalProperties: false }, {}), true);
    assert.equal(matches({ type: 'object', properties }, { a: 'x' }), false);
  });

  it('asks for what is required, described or not', () => {
    const node = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a', 'b'] };
    assert.equal(matches(node, { a: 1, b: null }), true);
    assert.equal(matches(node, { a: 1 }), false);
    assert.equal(matches(node, { b: 1 }), false);
    assert.equal(matches(node, { b: 1, a: 1, c: 1 }), true);
  });

  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '']) {
    it(`treats ${JSON.stringify(name)} as a plain name`, () => {
      const parse = (text: string) => JSON.parse(text.replaceAll('NAME', name)) as Json;
      const closed = compiled(
        parse(
          '{"type":"object","properties":{"NAME":{"type":"integer"}},"required":["NAME"],"additionalProperties":false}',
        ),
      );
      const cases: readonly (readonly [string, boolean])[] = [
        ['{"NAME":1}', true],
        ['{"NAME":"x"}', false],
        ['{"NAME":{}}', false],
        ['{}', false],
        ['{"NAME":1,"other":1}', false],
      ];
      for (const [text, wanted] of cases) {
        assert.equal(closed.matches(parse(text)), wanted, text);
        assert.equal(closed.fault(parse(text)) === null, wanted, text);
      }
      const empty = compiled({ type: 'object', additionalProperties: false });
      assert.equal(empty.matches(parse('{"NAME":1}')), false);
      assert.equal(empty.fault(parse('{"NAME":1}')) === null, false);
      const open = compiled(parse('{"type":"object","required":["NAME"]}'));
      assert.equal(open.matches({}), false);
      assert.equal(open.matches(parse('{"NAME":1}')), true);
    });
  }
});

describe('matching: enum and const', () => {
  it('compare by JSON equality', () => {
    const node = { type: 'object', enum: [{ a: [1, { b: null }] }, { c: 1 }] };
    assert.equal(matches(node, { a: [1.0, { b: null }] }), true);
    assert.equal(matches(node, { c: 1 }), true);
    assert.equal(matches(node, { a: [1] }), false);
    assert.equal(matches(node, {}), false);
    assert.equal(matches({ type: 'number', enum: [0, 1] }, -0), true);
    assert.equal(matches({ type: 'array', const: [1, 2] }, [1, 2]), true);
    assert.equal(matches({ type: 'array', const: [1, 2] }, [2, 1]), false);
    assert.equal(matches({ type: 'null', const: null }, null), true);
    assert.equal(matches({ type: 'boolean', const: false }, true), false);
    assert.equal(matches({ type: 'string', enum: ['a', 'b'] }, 'b'), true);
    assert.equal(matches({ type: 'string', enum: ['a', 'b'] }, 'c'), false);
  });

  it('hold beside the type and beside each other', () => {
    assert.equal(matches({ type: 'string', enum: [1, 'a'] }, 1), false);
    assert.equal(matches({ type: 'string', const: 1 }, 1), false);
    assert.equal(matches({ type: 'string', enum: ['a', 'b'], const: 'b' }, 'b'), true);
    assert.equal(matches({ type: 'string', enum: ['a', 'b'], const: 'b' }, 'a'), false);
    assert.equal(matches({ type: 'string', enum: ['a'], const: 'b' }, 'b'), false);
    assert.equal(matches({ type: 'string', enum: ['ab'], maxLength: 1 }, 'ab'), false);
  });
});

describe('a compiled schema', () => {
  it('does not read what a polluted Object.prototype lends', () => {
    const schema = compiled({
      type: 'object',
      properties: { a: { type: 'integer' } },
      additionalProperties: false,
    });
    Object.defineProperty(Object.prototype, 'lent', { value: 'x', enumerable: true, configurable: true });
    try {
      assert.equal(schema.matches({ a: 1 }), true);
    } finally {
      Reflect.deleteProperty(Object.prototype, 'lent');
    }
  });
});
