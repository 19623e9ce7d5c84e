import { isJsonObject, parseJson } from '@fairlead/base';
import { argumentsBounds } from '@fairlead/protocol';
import type { CallRequest } from './run.ts';

/** Reads `TOOL=JSON`, both as the plugin gets them; null where it is not that. */
export function callRequestOf(text: string): CallRequest | null {
  const at = text.indexOf('=');
  const parsed = parseJson(Buffer.from(text.slice(at + 1)), argumentsBounds);
  if (at < 1 || !parsed.ok || !isJsonObject(parsed.value)) return null;
  return { tool: text.slice(0, at), arguments: parsed.value };
}
