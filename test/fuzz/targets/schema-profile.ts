import { checkJsonBounds, type Json, parseJson } from '@fairlead/base';
import {
  admitCatalog,
  compileSchema,
  definitionPartBounds,
  isDiagnostic,
  type SchemaRole,
  toolObservation,
} from '@fairlead/protocol';
import { Ajv } from 'ajv';
import { hold, type Target } from '../engine/target.ts';
import { isForAjv } from './ajv-limits.ts';
import { ProfilePage } from './second-readers/profile-page.ts';

const BOUNDS = {
  maxBytes: 65_536,
  maxDepth: 4_096,
  maxNodes: 65_536,
  maxStringBytes: 65_536,
  maxKeyBytes: 65_536,
};

const CODES: ReadonlySet<string> = new Set([
  'schema_keyword_unsupported',
  'schema_bounds_exceeded',
  'input_schema_invalid',
  'output_schema_invalid',
]);

/** An input is `[schema, value, …]`. */
export const target: Target = {
  name: 'schema-profile',
  holds:
    'a schema is compiled exactly where the page of the profile admits it, or has a code; a compiled one accepts exactly what ajv accepts; its fault repeats no value',
  covers: [
    'packages/protocol/src/schema-profile.ts',
    'packages/protocol/src/schema-reader.ts',
    'packages/protocol/src/schema-matcher.ts',
    'packages/protocol/src/schema-fault.ts',
    'packages/protocol/src/admission.ts',
    'packages/protocol/src/observation.ts',
    'packages/protocol/src/diagnostics.ts',
  ],
  form: 'json',
  maxBytes: 8_192,
  seeds: () =>
    [
      [
        {
          type: 'object',
          properties: { a: { type: 'string', minLength: 1, maxLength: 3 }, b: { type: 'integer' } },
          required: ['a'],
          additionalProperties: false,
        },
        { a: 'x', b: 1.0 },
        {},
      ],
      [
        {
          type: 'object',
          properties: { l: { type: 'array', items: { type: 'number' }, minItems: 1, maxItems: 2 } },
        },
        { l: [1, 2] },
        { l: [] },
      ],
      [
        {
          type: 'object',
          properties: { e: { type: 'string', enum: ['a', 'b'] }, c: { type: 'null', const: null } },
        },
        { e: 'a', c: null },
      ],
      [
        {
          type: 'object',
          title: 't',
          description: 'd',
          properties: { o: { type: 'object', properties: {}, additionalProperties: true } },
        },
        { o: { x: 1 } },
      ],
      [
        {
          type: 'object',
          properties: { b: { type: 'boolean', enum: [true] }, s: { type: 'string', enum: ['\u{1f600}'] } },
        },
        { b: true },
      ],
    ].map((input) => JSON.stringify(input)),
  open: async () => {
    const page = new ProfilePage();
    return { run: (input) => run(input, page) };
  },
};

function run(input: Uint8Array, page: ProfilePage): void {
  const parsed = parseJson(input, BOUNDS);
  if (!parsed.ok || !Array.isArray(parsed.value)) return;
  const [schema = null, ...values] = parsed.value as Json[];
  judge(schema, values, 'input', page);
  judge(schema, values, 'output', page);
  const tool = { name: 'tool', description: 'what it does', inputSchema: schema };
  const admission = admitCatalog({ tools: [tool] });
  if (isForAjv(schema))
    hold(admission.ok === page.admits(schema, 'input'), 'a catalog is admitted where its page admits it');
  if (!admission.ok) hold(isDiagnostic(admission.diagnostic), 'a catalog that is refused has a diagnostic');
  else
    hold(
      admission.catalog.tools.get('tool')?.observation === toolObservation(tool),
      'what is admitted is observed as it came',
    );
}

function judge(schema: Json, values: readonly Json[], role: SchemaRole, page: ProfilePage): void {
  const compiled = compileSchema(schema, role);
  if (isForAjv(schema))
    hold(compiled.ok === page.admits(schema, role), 'a schema is compiled where its page admits it');
  if (!compiled.ok) {
    hold(CODES.has(compiled.code), 'a refusal has a known code');
    return;
  }
  hold(checkJsonBounds(schema, definitionPartBounds) === null, 'what is compiled is within the bounds');
  const validate = ajv().compile(schema as object);
  for (const value of values.slice(0, 8)) {
    if (!isForAjv(schema, value)) continue;
    const matches = compiled.schema.matches(value);
    hold(matches === validate(value), 'a value matches exactly where ajv says so', () =>
      JSON.stringify(value),
    );
    const fault = compiled.schema.fault(value);
    hold((fault === null) === matches, 'a fault is there exactly where nothing matches');
  }
}

/** A fresh one each time: it keeps every schema that it has seen. */
function ajv(): Ajv {
  return new Ajv({ strict: false, validateSchema: false, logger: false, ownProperties: true });
}
