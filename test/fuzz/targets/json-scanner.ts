import { isDeepStrictEqual } from 'node:util';
import { encodeJson, type JsonBounds, parseJson } from '@fairlead/base';
import { hold, type Target } from '../engine/target.ts';

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
    'what is accepted, JSON.parse reads alike; what is refused has a code; what is written again is read as the same',
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
  if (!parsed.ok) {
    hold(FAULTS.has(parsed.fault), 'a refusal has a known code', () => String(parsed.fault));
    hold(parsed.fault !== 'syntax' || !isJson(input), 'syntax is said only of what JSON.parse refuses too');
    return;
  }
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(input);
  hold(isDeepStrictEqual(parsed.value, JSON.parse(text)), 'an accepted text is what JSON.parse reads');
  const again = parseJson(Buffer.from(encodeJson(parsed.value)), LOOSE);
  // Escapes may make a text longer than the bounds here.
  if (!again.ok) hold(again.fault !== 'syntax', 'what is written is JSON');
  else
    hold(JSON.stringify(again.value) === JSON.stringify(parsed.value), 'what is written is read as the same');
}

function isJson(input: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(input));
    return true;
  } catch {
    return false;
  }
}
