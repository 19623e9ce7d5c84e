import { checkJsonBounds, isJsonObject, type Json } from '@fairlead/base';
import { definitionPartBounds } from './limits.ts';
import { faultOf, type SchemaFault } from './schema-fault.ts';
import { matcherOf } from './schema-matcher.ts';
import { readSchema, type SchemaCode, type SchemaRole } from './schema-reader.ts';

/** A schema that was admitted, as a check. It shares no state between calls and never throws. */
export type CompiledSchema = {
  /** True when the value satisfies the schema. Allocates nothing. */
  matches(value: Json): boolean;
  /** The first place where a value fails, or null. Holds names of the schema and indexes, never a part of the value. */
  fault(value: Json): SchemaFault | null;
};

/** A compiled schema, or the diagnostic code of why it is refused. */
export type SchemaCompilation =
  | { readonly ok: true; readonly schema: CompiledSchema }
  | { readonly ok: false; readonly code: SchemaCode };

/**
 * Admits one root schema of profile v1 (docs/reference/native-plugin-protocol.md §7) and compiles it. `role` decides
 * which lengths are allowed and which code an invalid schema gets. The order of refusal: not an object, bounds, then
 * node by node from the root. The compiled schema keeps parts of `schema`, which must not change afterwards.
 */
export function compileSchema(schema: Json, role: SchemaRole): SchemaCompilation {
  if (!isJsonObject(schema)) return { ok: false, code: `${role}_schema_invalid` };
  const bounds = checkJsonBounds(schema, definitionPartBounds);
  if (bounds !== null) {
    const code =
      bounds === 'key_control_character' ? (`${role}_schema_invalid` as const) : 'schema_bounds_exceeded';
    return { ok: false, code };
  }
  const node = readSchema(schema, role);
  if (typeof node === 'string') return { ok: false, code: node };
  if (node.type !== 'object') return { ok: false, code: `${role}_schema_invalid` };
  return { ok: true, schema: { matches: matcherOf(node), fault: (value) => faultOf(node, value) } };
}
