import type { Json, JsonObject } from '../json/json.ts';
import { plainJson } from '../json/plain-json.ts';
import { ARGUMENTS_BOUNDS } from '../limits.ts';
import { type Parsed, parseNode } from './parse-node.ts';
import { readSchema } from './read-schema.ts';
import type { SchemaFault } from './schema-fault.ts';
import type { SchemaNode } from './schema-node.ts';

/** What the parser answers. */
export type ParseResult =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly fault: SchemaFault };

/** A schema of the dialect, ready to parse with. It holds no state between calls and never throws. */
export interface CompiledSchema {
  /** The schema as JSON, frozen. */
  readonly json: JsonObject;
  readonly node: SchemaNode;
  /**
   * The value as a deep-frozen copy with defaults applied, or the first fault. Bounds: 64 KiB of JSON, 16 deep, 4,096 values.
   * `value` may be anything; what JSON cannot hold is a fault.
   */
  parse(value: unknown): ParseResult;
}

/** Reads a schema once, or says what in it the dialect does not allow. */
export function compileSchema(
  schema: unknown,
):
  | { readonly ok: true; readonly schema: CompiledSchema }
  | { readonly ok: false; readonly fault: SchemaFault } {
  const reading = readSchema(schema);
  if (!reading.ok) return reading;
  const { node, json } = reading;
  return { ok: true, schema: { json, node, parse: (value) => parseWith(node, value) } };
}

function parseWith(node: SchemaNode, value: unknown): ParseResult {
  const plain = plainJson(value, ARGUMENTS_BOUNDS);
  if (!plain.ok) return { ok: false, fault: { path: plain.path, message: plain.message } };
  const parsed: Parsed = parseNode(node, plain.value, '');
  return 'message' in parsed ? { ok: false, fault: parsed } : { ok: true, value: parsed.value };
}
