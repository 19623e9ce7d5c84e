import { deepFreeze } from '../json/deep-freeze.ts';
import { membersOf } from './builder.ts';
import { type AnySchema, isSchema } from './schema.ts';
import { isStandardSchema, jsonOfStandard } from './standard-schema.ts';

/** The JSON of whatever stands as a schema, still to be read by `compileSchema`; nothing means a closed object without members. */
export function jsonOf(schema: AnySchema | undefined): object {
  if (schema === undefined) return deepFreeze({ type: 'object', ...membersOf({}) });
  if (isStandardSchema(schema)) return jsonOfStandard(schema);
  return isSchema(schema) ? schema.json : deepFreeze({ type: 'object', ...membersOf(schema) });
}
