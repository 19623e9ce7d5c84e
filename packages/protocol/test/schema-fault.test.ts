// native-plugin-protocol §7
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json } from '@fairlead/base';
import { compileSchema } from '../src/index.ts';

function fault(schema: Json, value: Json) {
  const result = compileSchema(schema, 'input');
  assert.ok(result.ok);
  assert.equal(result.schema.matches(value), result.schema.fault(value) === null);
  return result.schema.fault(value);
}

const SCHEMA: Json = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1, maxLength: 4096 },
    mode: { type: 'string', enum: ['read', 'write'] },
    version: { type: 'integer', const: 1 },
    'a/b~c': { type: 'array', items: { type: 'object', properties: { n: { type: 'number' } } }, maxItems: 2 },
    flags: { type: 'array', minItems: 1, items: { type: 'boolean' } },
    note: { type: 'string', minLength: 2 },
    code: { type: 'string', minLength: 1, maxLength: 1 },
    nothing: { type: 'null' },
  },
  required: ['path'],
  additionalProperties: false,
};

describe('the fault of a value', () => {
  const rows: readonly (readonly [Json, string, string])[] = [
    [null, '', 'an object'],
    [[], '', 'an object'],
    [{}, '/path', 'present'],
    [{ path: 7 }, '/path', 'a string'],
    [{ path: '' }, '/path', 'a string of 1 to 4096 characters'],
    [{ path: 'x', mode: 'secret' }, '/mode', 'one of the values that its schema lists'],
    [{ path: 'x', version: 2 }, '/version', 'the one value that its schema names'],
    [{ path: 'x', version: 1.5 }, '/version', 'an integer'],
    [{ path: 'x', 'a/b~c': {} }, '/a~1b~0c', 'an array'],
    [{ path: 'x', 'a/b~c': [{}, {}, {}] }, '/a~1b~0c', 'an array of at most 2 items'],
    [{ path: 'x', 'a/b~c': [{}, { n: 'secret' }] }, '/a~1b~0c/1/n', 'a number'],
    [{ path: 'x', flags: [] }, '/flags', 'an array of at least 1 item'],
    [{ path: 'x', flags: [true, 'secret'] }, '/flags/1', 'true or false'],
    [{ path: 'x', note: 'x' }, '/note', 'a string of at least 2 characters'],
    [{ path: 'x', code: 'xy' }, '/code', 'a string of 1 to 1 character'],
    [{ path: 'x', nothing: 0 }, '/nothing', 'null'],
    [{ path: 'x', secret: 1 }, '', 'an object with no members but those that its schema declares'],
  ];
  for (const [value, path, expected] of rows) {
    it(`${JSON.stringify(value)} should be ${expected} at "${path}"`, () => {
      const found = fault(SCHEMA, value);
      assert.deepEqual(found, { path, expected });
      assert.equal(JSON.stringify(found).includes('secret'), false);
    });
  }

  it('is none for a value that satisfies the schema', () => {
    assert.equal(
      fault(SCHEMA, { path: 'x', 'a/b~c': [{ n: 1, more: 2 }], flags: [true], nothing: null }),
      null,
    );
  });

  it('has a path of one line and at most 200 characters, whatever the schema names its members', () => {
    const long = fault(
      { type: 'object', properties: { ['n'.repeat(900)]: { type: 'null' } } },
      { ['n'.repeat(900)]: 1 },
    );
    assert.equal(long?.path.length, 200);
    assert.equal(long?.path.endsWith('…'), true);
    assert.equal(fault({ type: 'object', required: ['a\nb'] }, {})?.path, '/a b');
  });

  it('names the first member that is wrong in the order of the schema', () => {
    assert.equal(fault(SCHEMA, { nothing: 1, mode: 1, path: 'x' })?.path, '/mode');
  });
});
