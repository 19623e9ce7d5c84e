import type { SchemaFault } from './schema-fault.ts';

/**
 * A schema of another library: Standard Schema (https://standardschema.dev) that also speaks Standard JSON Schema, as zod
 * from 4.2 does. Its JSON Schema must fit the dialect of {@link JsonSchema}; what it transforms reaches the handler.
 */
export interface StandardSchema<In = unknown, Out = unknown> {
  readonly '~standard': {
    readonly types?: { readonly input: In; readonly output: Out } | undefined;
    readonly validate: (value: unknown) => StandardResult<Out> | Promise<StandardResult<Out>>;
    readonly jsonSchema: {
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
    };
  };
}

/** What a Standard Schema answers about a value. */
export type StandardResult<Out> =
  | { readonly value: Out; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Whether a value is a schema of another library; some are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  return (typeof value === 'object' || typeof value === 'function') && value !== null && '~standard' in value;
}

/** The JSON Schema of what a caller may send, without `$schema`; still to be read. Throws what the library throws. */
export function jsonOfStandard(schema: StandardSchema): object {
  const { $schema: _dropped, ...json } = schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
  return json;
}

/** The first issue in the form of our own parser. Its words are the library's and may hold a part of the value: 200 characters. */
export function faultOfStandard(issues: readonly StandardIssue[]): SchemaFault {
  const [issue] = issues;
  const path = (issue?.path ?? []).map((step) => (typeof step === 'object' ? step.key : step));
  return {
    path: path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
    message: (issue?.message ?? 'does not fit its schema').slice(0, 200),
  };
}
