import { isDeepStrictEqual } from 'node:util';
import { checkJsonBounds, type Json } from '@fairlead/base';
import { argumentsBounds } from '@fairlead/protocol';
import { Ajv } from 'ajv';
import { compileSchema } from '../../../packages/extension/src/schema/compile-schema.ts';
import { faultText } from '../../../packages/extension/src/schema/schema-fault.ts';
import { hold, type Target } from '../engine/target.ts';
import { isForAjv } from './ajv-limits.ts';

/** An input is `[schema, value, …]`. */
export const target: Target = {
  name: 'extension-schema',
  holds:
    'a schema is compiled or its fault has a place; a compiled one accepts exactly what ajv accepts with defaults; parsing twice changes nothing',
  covers: ['packages/extension/src/schema', 'packages/extension/src/json'],
  form: 'json',
  maxBytes: 8_192,
  seeds: () =>
    [
      [
        {
          type: 'object',
          properties: {
            city: { type: 'string', minLength: 1 },
            days: { type: 'integer', minimum: 1, maximum: 7, default: 3 },
          },
          required: ['city'],
        },
        { city: 'x' },
        { city: 'x', days: 9 },
      ],
      [
        {
          type: 'object',
          additionalProperties: true,
          properties: {
            l: { type: 'array', items: { type: 'number', maximum: 2.5 }, minItems: 1, maxItems: 2 },
          },
        },
        { l: [1], z: null },
      ],
      [
        {
          type: 'object',
          properties: {
            o: { type: 'object', properties: { f: { type: 'boolean', default: true } }, default: {} },
          },
        },
        {},
      ],
      [{ type: 'string', enum: ['a', 'b'], default: 'a' }, 'b'],
      [{ type: 'array', items: { type: 'null', const: null } }, [null]],
    ].map((input) => JSON.stringify(input)),
  open: async () => ({ run }),
};

function run(input: Uint8Array): void {
  const given = parsed(input);
  if (!Array.isArray(given)) return;
  const [schema, ...values] = given as unknown[];
  const compiled = compileSchema(schema);
  if (!compiled.ok) {
    hold(
      compiled.fault.message !== '' && (compiled.fault.path === '' || compiled.fault.path.startsWith('/')),
      'a refusal has a place and words',
    );
    return;
  }
  const { json, parse } = compiled.schema;
  const again = compileSchema(json);
  hold(again.ok && isDeepStrictEqual(again.schema.json, json), 'a schema that was read reads as itself');
  // Defaults fill what is missing, so what is required and has one is not required of the value.
  const validate = new Ajv({
    strict: false,
    validateSchema: false,
    logger: false,
    useDefaults: true,
    ownProperties: true,
  }).compile(json as object);
  for (const given of values.slice(0, 8)) {
    const value = wellFormed(given);
    // The parser has bounds of its own, which no schema says.
    if (checkJsonBounds(value, argumentsBounds) !== null || !isForAjv(json, value)) continue;
    const answer = parse(value);
    const copy: { v: unknown } = { v: structuredClone(value) };
    hold(answer.ok === validate(copy.v), 'a value is taken exactly where ajv says so', () =>
      JSON.stringify([value, answer]),
    );
    if (!answer.ok) {
      hold(faultText(answer.fault) !== '', 'a fault has words');
      continue;
    }
    hold(
      JSON.stringify(sorted(answer.value)) === JSON.stringify(sorted(copy.v)),
      'defaults are those of ajv',
      () => JSON.stringify([answer.value, copy.v]),
    );
    const twice = parse(answer.value);
    hold(twice.ok && isDeepStrictEqual(twice.value, answer.value), 'parsing twice changes nothing');
    hold(isFrozen(answer.value), 'what was parsed is frozen');
  }
}

function parsed(input: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(input).toString());
  } catch {
    return undefined;
  }
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.entries(value)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, member]) => [key, sorted(member)]);
}

function isFrozen(value: unknown): boolean {
  return (
    typeof value !== 'object' ||
    value === null ||
    (Object.isFrozen(value) && Object.values(value).every(isFrozen))
  );
}

/** Half a surrogate pair as the parser reads it. JSON text has each as an escape, and nothing else of that form. */
function wellFormed(value: unknown): Json {
  const text = JSON.stringify(value).replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/gi, '$1\ufffd');
  return JSON.parse(text) as Json;
}
