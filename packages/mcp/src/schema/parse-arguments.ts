import { checkJsonBounds, isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { deepFreeze, type ParseResult } from '@fairlead/extension/runtime';
import { argumentBounds } from '../limits.ts';
import { schemaMismatch } from './schema-check.ts';

/** Arguments of a call as they may be sent, or the first thing that does not fit. Defaults are the server's to apply. */
export function parseArguments(schema: JsonObject, args: Json): ParseResult {
  if (!isJsonObject(args)) return no('', 'must be an object');
  const bound = checkJsonBounds(args, argumentBounds);
  if (bound !== null) return no('', `passes a bound (${bound})`);
  const mismatch = schemaMismatch(schema, args);
  if (mismatch !== undefined) return no(mismatch.path, mismatch.message);
  return { ok: true, value: deepFreeze(args) };
}

function no(path: string, message: string): ParseResult {
  return { ok: false, fault: { path, message } };
}
