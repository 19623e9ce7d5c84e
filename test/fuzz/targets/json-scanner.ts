import { isDeepStrictEqual } from 'node:util';
import { encodeJson, type JsonBounds, parseJson } from '@fairlead/base';
import { hold, type Target } from '../engine/target.ts';
import { readStrictly, type StrictJson } from './second-readers/strict-json.ts';

const BOUNDS: JsonBounds = {
  maxBytes: 8_192,
  maxDepth: 64,
  maxNodes: 512,
  maxStringBytes: 1_024,
  maxKeyBytes: 128,
};
const LOOSE: JsonBounds = {
  maxBytes: 65_536,
  maxDepth: 1_000,
  maxNodes: 65_536,
  maxStringBytes: 65_536,
  maxKeyBytes: 65_536,
};

const FAULTS: ReadonlySet<string> = new Set([
  'syntax',
  'invalid_utf8',
  'duplicate_key',
  'lone_surrogate',
  'number_not_finite',
  'integer_out_of_range',
  'bytes',
  'depth',
  'nodes',
  'string_bytes',
  'key_bytes',
]);

export const target: Target = {
  name: 'json-scanner',
  holds:
    'what is accepted is what JSON.parse and the tokens of the text say, within its bounds, and nothing less; what is refused has a reason that is there; what is written again is read as the same',
  covers: ['packages/base/src/json-scanner.ts', 'packages/base/src/encode-json.ts'],
  form: 'bytes',
  maxBytes: 16_384,
  seeds: () => [
    '{"a":[1,-2.5e3,true,false,null,"x\\u00e9\\n\\ud83d\\ude00"],"b":{"c":{}}}',
    '[1E400]',
    '9007199254740993',
    '"\u{1f600}\u00e9"',
    ` {"${Array.from({ length: 20 }, (_, index) => `k${index}":${index},"`).join('')}z" : [ ] } `,
    Uint8Array.of(0x22, 0xff, 0x22),
  ],
  open: async () => ({ run }),
};

function run(input: Uint8Array): void {
  judge(input, BOUNDS);
  judge(input, LOOSE);
}

function judge(input: Uint8Array, bounds: JsonBounds): void {
  const parsed = parseJson(input, bounds);
  const strict = readStrictly(input);
  const reasons = strict === undefined ? undefined : reasonsIn(strict, input.length, bounds);
  hold(parsed.ok === (reasons?.size === 0), 'a text is accepted exactly where nothing is wrong with it', () =>
    JSON.stringify([parsed, [...(reasons ?? ['no JSON'])]]),
  );
  if (!parsed.ok) {
    hold(FAULTS.has(parsed.fault), 'a refusal has a known code', () => parsed.fault);
    // Of a text that is no JSON, whatever comes first may be said.
    hold(reasons?.has(parsed.fault) !== false, 'what is said of a text is so', () => parsed.fault);
    return;
  }
  hold(isDeepStrictEqual(parsed.value, strict?.value), 'an accepted text is what JSON.parse reads');
  const again = parseJson(Buffer.from(encodeJson(parsed.value)), LOOSE);
  // Escapes may make a text longer than the bounds here.
  if (!again.ok) hold(again.fault !== 'syntax', 'what is written is JSON');
  else
    hold(JSON.stringify(again.value) === JSON.stringify(parsed.value), 'what is written is read as the same');
}

/** Everything for which a text may be refused. */
function reasonsIn(strict: StrictJson, bytes: number, bounds: JsonBounds): ReadonlySet<string> {
  const reasons = new Set<string>(strict.faults);
  if (bytes > bounds.maxBytes) reasons.add('bytes');
  if (strict.depth > bounds.maxDepth) reasons.add('depth');
  if (strict.stringBytes > bounds.maxStringBytes) reasons.add('string_bytes');
  if (strict.keyBytes > bounds.maxKeyBytes) reasons.add('key_bytes');
  if (strict.nodes > bounds.maxNodes) reasons.add('nodes');
  return reasons;
}
