import { DETAIL_BOUNDS } from '../limits.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import { plainJson } from './plain-json.ts';

/** What a fault adds, as a frozen copy within its bounds; undefined for what is no such object. It must never hide the fault. */
export function faultDetail(value: unknown): JsonObject | undefined {
  if (value === undefined) return undefined;
  const plain = plainJson(value, DETAIL_BOUNDS);
  return plain.ok && isJsonObject(plain.value) ? plain.value : undefined;
}
