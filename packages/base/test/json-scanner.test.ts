import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { type JsonBounds, type JsonFault, parseJson, scanJson } from '../src/index.ts';

const WIDE: JsonBounds = {
  maxBytes: 4_194_304,
  maxDepth: 64,
  maxNodes: 1_000_000,
  maxStringBytes: 1_048_576,
  maxKeyBytes: 1024,
};

function scan(text: string | Uint8Array, bounds: Partial<JsonBounds> = {}): JsonFault | null {
  return scanJson(typeof text === 'string' ? Buffer.from(text) : text, { ...WIDE, ...bounds });
}

describe('what the scanner accepts', () => {
  const accepted: readonly (readonly [string, unknown])[] = [
    ['null', null],
    ['true', true],
    [' false ', false],
    ['"text"', 'text'],
    ['0', 0],
    ['-0', -0],
    ['-12.5e+3', -12500],
    ['1E2', 100],
    ['1e-7', 1e-7],
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
    ['1e20', 1e20],
    ['123456789012345678901.5', 123456789012345680000],
    ['[]', []],
    ['{}', {}],
    ['[ 1 , [ ] , { } ]\n', [1, [], {}]],
    [
      '{"a":{"a":[{"a":1}]},"b":"\\u0000\\ud83d\\ude00\\n\\"\\\\\\/\\b\\f\\r\\t"}',
      { a: { a: [{ a: 1 }] }, b: '\u0000😀\n"\\/\b\f\r\t' },
    ],
    ['"ü€😀"', 'ü€😀'],
    ['\t\r\n 1 \t\r\n', 1],
  ];
  for (const [text, value] of accepted) {
    it(`takes ${JSON.stringify(text)}`, () => {
      assert.deepEqual(parseJson(Buffer.from(text), WIDE), { ok: true, value });
    });
  }

  it('keeps a member called __proto__ as a plain member', () => {
    const parsed = parseJson(Buffer.from('{"__proto__":{"a":1}}'), WIDE);
    assert.equal(parsed.ok, true);
    assert.deepEqual(parsed.ok && Object.keys(parsed.value as object), ['__proto__']);
    assert.equal(({} as { a?: number }).a, undefined);
  });

  it('reads a slice of a larger buffer and nothing around it', () => {
    const around = Buffer.from('[[[1]]]');
    assert.deepEqual(parseJson(around.subarray(2, 5), WIDE), { ok: true, value: [1] });
  });
});

describe('what the scanner refuses for its form', () => {
  const refused: Readonly<Record<string, readonly string[]>> = {
    syntax: [
      '',
      ' ',
      'nul',
      'nulL',
      'True',
      'truefalse',
      'undefined',
      'NaN',
      'Infinity',
      '-',
      '+1',
      '01',
      '-01',
      '.5',
      '1.',
      '1.e1',
      '1e',
      '1e+',
      '0x10',
      '1 2',
      '1,',
      '"open',
      '"line\nbreak"',
      '"tab\there"',
      '"\\x41"',
      '"\\u12g4"',
      '"\\u12"',
      '"\\',
      '"\\ud83d\\uzzzz"',
      "'single'",
      '[',
      '[1',
      '[1,',
      '[1,]',
      '[,1]',
      '[1 2]',
      '[1}',
      ']',
      '{',
      '{"a"',
      '{"a":',
      '{"a":1',
      '{"a":1,',
      '{"a":1,}',
      '{"a" 1}',
      '{a:1}',
      '{1:1}',
      '{,}',
      '{"a":1]',
      '}',
      '{} {}',
      '// comment\n1',
      '1 /* comment */',
      '\ufeff{}',
      '\u00a01',
    ],
    duplicate_key: [
      '{"a":1,"a":1}',
      '{"a":1,"b":2,"a":3}',
      '{"a":1,"\\u0061":2}',
      '{"\\u0061":1,"a":2}',
      '{"":1,"":2}',
      '[{"x":{"é":1,"\\u00e9":2}}]',
      '{"__proto__":1,"__proto__":2}',
    ],
    lone_surrogate: [
      '"\\ud800"',
      '"\\udc00"',
      '"\\ud83dx"',
      '"\\ud83d\\n"',
      '"\\ud83d\\u0041"',
      '"\\ud83d\\ud83d"',
      '{"\\ud800":1}',
    ],
    number_not_finite: ['1e309', '-1e309', '1.0e999', '0.1e400', '1e99999999999999999999'],
    integer_out_of_range: [
      '9007199254740992',
      '-9007199254740992',
      '18446744073709551615',
      '1'.repeat(400),
      `[${'9'.repeat(17)}]`,
    ],
  };
  for (const [fault, texts] of Object.entries(refused)) {
    for (const text of texts) {
      it(`${fault}: ${JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)}`, () => {
        assert.equal(scan(text), fault);
        assert.deepEqual(parseJson(Buffer.from(text), WIDE), { ok: false, fault });
      });
    }
  }

  const bytes: readonly (readonly [string, readonly number[]])[] = [
    ['a stray continuation byte', [0x80]],
    ['a start byte without its rest', [0xc3]],
    ['an overlong form', [0xc0, 0xaf]],
    ['a surrogate written as three bytes', [0xed, 0xa0, 0x80]],
    ['a code point above U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
    ['0xff', [0xff]],
  ];
  for (const [what, sequence] of bytes) {
    it(`invalid_utf8: ${what} in a string and in a key`, () => {
      assert.equal(scan(Buffer.from([0x22, ...sequence, 0x22])), 'invalid_utf8');
      assert.equal(scan(Buffer.from([0x7b, 0x22, ...sequence, 0x22, 0x3a, 0x31, 0x7d])), 'invalid_utf8');
    });
  }
});

describe('what the scanner refuses for its size', () => {
  it('bytes: one more than allowed, before anything is read', () => {
    assert.equal(scan('[1]', { maxBytes: 3 }), null);
    assert.equal(scan('[1] ', { maxBytes: 3 }), 'bytes');
    assert.equal(scan('%%%%', { maxBytes: 3 }), 'bytes');
  });

  it('depth: the root counts as 0, and an empty container has no deeper level', () => {
    assert.equal(scan('1', { maxDepth: 0 }), null);
    assert.equal(scan('[]', { maxDepth: 0 }), null);
    assert.equal(scan('[1]', { maxDepth: 0 }), 'depth');
    assert.equal(scan('[[[]]]', { maxDepth: 2 }), null);
    assert.equal(scan('[[[1]]]', { maxDepth: 2 }), 'depth');
    assert.equal(scan('{"a":{"b":{}}}', { maxDepth: 2 }), null);
    assert.equal(scan('{"a":{"b":{"c":1}}}', { maxDepth: 2 }), 'depth');
  });

  it('nodes: values are counted, keys are not', () => {
    assert.equal(scan('{"a":1,"b":[2,3]}', { maxNodes: 5 }), null);
    assert.equal(scan('{"a":1,"b":[2,3]}', { maxNodes: 4 }), 'nodes');
  });

  it('string_bytes: UTF-8 bytes of the decoded text, however it was written', () => {
    assert.equal(scan('"abcd"', { maxStringBytes: 4 }), null);
    assert.equal(scan('"abcde"', { maxStringBytes: 4 }), 'string_bytes');
    assert.equal(scan('"éé"', { maxStringBytes: 4 }), null);
    assert.equal(scan('"éé!"', { maxStringBytes: 4 }), 'string_bytes');
    assert.equal(scan('"\\u0041\\u0042\\u0043\\u0044"', { maxStringBytes: 4 }), null);
    assert.equal(scan('"\\u00e9\\u00e9x"', { maxStringBytes: 4 }), 'string_bytes');
    assert.equal(scan('"\\u20ac\\n"', { maxStringBytes: 4 }), null);
    assert.equal(scan('"\\u20ac\\n\\n"', { maxStringBytes: 4 }), 'string_bytes');
    assert.equal(scan('"\\ud83d\\ude00"', { maxStringBytes: 4 }), null);
    assert.equal(scan('"\\ud83d\\ude00x"', { maxStringBytes: 4 }), 'string_bytes');
  });

  it('key_bytes: keys have a bound of their own', () => {
    assert.equal(scan('{"abcd":"longer than that"}', { maxKeyBytes: 4 }), null);
    assert.equal(scan('{"abcde":1}', { maxKeyBytes: 4 }), 'key_bytes');
  });
});

describe('what a hostile text costs', () => {
  it('refuses 1 MiB of opening brackets by its depth, without a stack', () => {
    assert.equal(scan(Buffer.alloc(1_048_576, '[')), 'depth');
  });

  it('walks 1 MiB of nested arrays without a stack where the bounds allow it', () => {
    const deep = Buffer.concat([Buffer.alloc(524_288, '['), Buffer.alloc(524_288, ']')]);
    assert.equal(scan(deep, { maxDepth: 1_048_576 }), null);
    assert.equal(parseJson(deep, { ...WIDE, maxDepth: 1_048_576 }).ok, true);
  });

  it('decodes each of 50,000 keys a bounded number of times', () => {
    const members = Array.from({ length: 50_000 }, (_, index) => `"key${index}":${index}`);
    const text = Buffer.from(`{${members.join(',')}}`);
    const decode = mock.method(JSON, 'parse');
    try {
      assert.equal(scan(text), null);
      assert.ok(decode.mock.callCount() <= 50_000, `${decode.mock.callCount()} keys decoded`);
    } finally {
      decode.mock.restore();
    }
  });

  it('finds a repeated key behind 50,000 others', () => {
    const members = Array.from({ length: 50_000 }, (_, index) => `"key${index}":0`);
    assert.equal(scan(`{${members.join(',')},"key7":0}`), 'duplicate_key');
  });

  it('finds a repeated key at each place around the size where it changes how keys are kept', () => {
    for (let count = 1; count <= 40; count += 1) {
      const members = Array.from({ length: count }, (_, index) => `"k${index}":0`);
      assert.equal(scan(`{${members.join(',')}}`), null);
      for (let repeated = 0; repeated < count; repeated += 1) {
        assert.equal(scan(`{${members.join(',')},"k${repeated}":0}`), 'duplicate_key');
      }
    }
  });

  it('keeps two keys apart whose hashes meet', () => {
    assert.equal(scan('{"k4uzx":1,"kf2ad":2}'), null);
    assert.equal(scan('{"k4uzx":1,"kf2ad":2,"k4uzx":3}'), 'duplicate_key');
  });
});
