import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  canonicalJson,
  checkJsonBounds,
  type Json,
  type JsonBounds,
  jsonEqual,
  parseJson,
} from '../src/index.ts';

const WIDE: JsonBounds = {
  maxBytes: 1_048_576,
  maxDepth: 1_048_576,
  maxNodes: 1_048_576,
  maxStringBytes: 1_048_576,
  maxKeyBytes: 1_048_576,
};

/** Well-formed strings only: what the scanner refuses otherwise has tests of its own. */
const text = fc.string({ unit: 'binary' });
const number = fc.oneof(
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !bareBigInteger(value)),
);
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    number,
    text,
    fc.array(tie('json'), { maxLength: 6 }),
    fc.dictionary(fc.oneof(text, fc.constantFrom('__proto__', 'constructor', 'toString', '')), tie('json'), {
      maxKeys: 24,
    }),
  ) as fc.Arbitrary<Json>,
}));
const space = fc.constantFrom('', ' ', '\t', '\n', ' \r\n ');

function bareBigInteger(value: number): boolean {
  return !Number.isSafeInteger(value) && /^-?\d+$/.test(JSON.stringify(value));
}

/** One value written in one of the many ways that JSON allows: spacing, indentation, escapes. */
const written = fc
  .tuple(json, fc.nat(3), fc.boolean(), space, space)
  .map(([value, indent, escaped, before, after]) => {
    const plain = JSON.stringify(value, null, indent);
    const inner = escaped
      ? plain.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      : plain;
    return before + inner + after;
  });

describe('parseJson against JSON.parse', () => {
  it('gives the same value for any JSON text', () => {
    fc.assert(
      fc.property(written, (source) => {
        assert.deepStrictEqual(parseJson(Buffer.from(source), WIDE), { ok: true, value: JSON.parse(source) });
      }),
    );
  });

  it('never throws on mutated bytes, and what it accepts JSON.parse accepts with the same value', () => {
    const mutation = fc.record({
      at: fc.nat(),
      kind: fc.constantFrom('replace', 'remove', 'insert', 'cut', 'repeat'),
      byte: fc.oneof(fc.constantFrom(...Buffer.from('"\\{}[]:,0123456789eE+-.utfn \n')), fc.nat(255)),
    });
    fc.assert(
      fc.property(written, fc.array(mutation, { minLength: 1, maxLength: 4 }), (source, mutations) => {
        let bytes = [...Buffer.from(source)];
        for (const { at, kind, byte } of mutations) {
          const index = bytes.length === 0 ? 0 : at % bytes.length;
          if (kind === 'replace') bytes[index] = byte;
          else if (kind === 'remove') bytes.splice(index, 1);
          else if (kind === 'insert') bytes.splice(index, 0, byte);
          else if (kind === 'cut') bytes = bytes.slice(0, index);
          else bytes = [...bytes.slice(0, index), ...bytes.slice(0, index), ...bytes.slice(index)];
        }
        const mutated = Buffer.from(bytes);
        const parsed = parseJson(mutated, WIDE);
        if (parsed.ok) {
          assert.deepStrictEqual(
            parsed.value,
            JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(mutated)),
          );
        } else {
          assertRefusalIsDue(mutated, parsed.fault);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('refuses every strict prefix of an object or array as a matter of syntax', () => {
    const container = json.filter((value) => typeof value === 'object' && value !== null);
    fc.assert(
      fc.property(container, fc.nat(), (value, cut) => {
        const bytes = Buffer.from(JSON.stringify(value));
        const prefix = bytes.subarray(0, cut % bytes.length);
        const parsed = parseJson(prefix, WIDE);
        assert.equal(parsed.ok, false);
        assert.equal(parsed.ok ? '' : parsed.fault, 'syntax');
      }),
    );
  });

  it('refuses a member that is written twice, wherever it stands', () => {
    const object = fc.dictionary(text, json, { minKeys: 1, maxKeys: 30 });
    fc.assert(
      fc.property(object, fc.nat(), (value, pick) => {
        const keys = Object.keys(value);
        const key = keys[pick % keys.length] as string;
        const source = JSON.stringify(value);
        const doubled = `${source.slice(0, -1)},${JSON.stringify(key)}:null}`;
        assert.deepEqual(parseJson(Buffer.from(doubled), WIDE), { ok: false, fault: 'duplicate_key' });
      }),
    );
  });
});

describe('bounds of a text and of its value', () => {
  it('agree on depth, nodes, strings and keys', () => {
    fc.assert(
      fc.property(
        json,
        fc.nat(4),
        fc.integer({ min: 1, max: 12 }),
        fc.nat(8),
        fc.nat(8),
        (value, maxDepth, maxNodes, maxStringBytes, maxKeyBytes) => {
          const plain = withoutControlKeys(value);
          const bounds = { maxBytes: 1_048_576, maxDepth, maxNodes, maxStringBytes, maxKeyBytes };
          const parsed = parseJson(Buffer.from(JSON.stringify(plain)), bounds);
          assert.equal(checkJsonBounds(plain, bounds) === null, parsed.ok);
        },
      ),
    );
  });

  it('a serialized value is never more than six times its source', () => {
    fc.assert(
      fc.property(written, (source) => {
        const again = Buffer.byteLength(JSON.stringify(JSON.parse(source)));
        assert.ok(again <= Buffer.byteLength(source) * 6);
      }),
    );
    assert.equal(JSON.stringify(JSON.parse('[9e20,9e20]')), '[900000000000000000000,900000000000000000000]');
  });
});

describe('canonical form', () => {
  it('is one text for equal values, whatever the order of their keys', () => {
    fc.assert(
      fc.property(json, fc.infiniteStream(fc.nat()), (value, choices) => {
        const shuffled = shuffleKeys(value, choices);
        assert.equal(canonicalJson(shuffled), canonicalJson(value));
        assert.equal(jsonEqual(shuffled, value), true);
      }),
    );
  });

  it('is JSON for the same value, and two values share it exactly when they are equal', () => {
    fc.assert(
      fc.property(json, json, (left, right) => {
        assert.equal(jsonEqual(JSON.parse(canonicalJson(left)) as Json, left), true);
        assert.equal(canonicalJson(left) === canonicalJson(right), jsonEqual(left, right));
      }),
    );
  });
});

/** A refused text is either no JSON at all, or one of the few things that JSON.parse lets through. */
function assertRefusalIsDue(bytes: Buffer, fault: string): void {
  let source: string;
  try {
    source = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    JSON.parse(source);
  } catch {
    return;
  }
  assert.ok(
    ['duplicate_key', 'lone_surrogate', 'number_not_finite', 'integer_out_of_range'].includes(fault),
    `${fault} for ${source}`,
  );
}

function withoutControlKeys(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => withoutControlKeys(item));
  const members = Object.entries(value as { [key: string]: Json }).map(
    ([key, member]) =>
      [key.replace(/[\u0000-\u001f\u007f-\u009f]/g, '_'), withoutControlKeys(member)] as const,
  );
  return Object.fromEntries(members);
}

function shuffleKeys(value: Json, choices: Iterator<number>): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => shuffleKeys(item, choices));
  const left = Object.entries(value as { [key: string]: Json });
  const members: [string, Json][] = [];
  while (left.length > 0) {
    const [[key, member]] = left.splice((choices.next().value as number) % left.length, 1) as [
      [string, Json],
    ];
    members.push([key, shuffleKeys(member, choices)]);
  }
  return Object.fromEntries(members);
}
