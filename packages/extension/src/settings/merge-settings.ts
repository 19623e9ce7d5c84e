import { isJsonObject, type Json, type JsonObject, setMember } from '../json/json.ts';
import { plainJson } from '../json/plain-json.ts';
import type { CompiledSchema } from '../schema/compile-schema.ts';
import { parseNode } from '../schema/parse-node.ts';
import { faultText } from '../schema/schema-fault.ts';

/** One source of settings, named for reports: `fairlead.toml`, `agent`, `session`. */
export interface SettingsLayer {
  readonly name: string;
  readonly values: JsonObject;
}

/** What is wrong with one key of one layer. */
export interface SettingsReport {
  readonly layer: string;
  readonly key: string;
  readonly message: string;
}

/** The merge, and what in it was left out. */
export interface MergedSettings {
  /** Frozen: declared keys alone. A key that nothing sets and that has no default is absent. */
  readonly settings: JsonObject;
  readonly reports: readonly SettingsReport[];
  /** Declared keys that are required, have no default, and that no layer sets. */
  readonly missing: readonly string[];
}

/**
 * Schema defaults, then the layers in their order, key by key: the last valid value wins. An unknown key is ignored, because it
 * may belong to another version; an invalid value is reported and left out, so that what stands below it holds.
 */
export function mergeSettings(schema: CompiledSchema, layers: readonly SettingsLayer[]): MergedSettings {
  const { node } = schema;
  if (node.type !== 'object') return { settings: Object.freeze({}), reports: [], missing: [] };
  const reports: SettingsReport[] = [];
  const missing: string[] = [];
  const settings: { [key: string]: Json } = {};
  for (const [key, member] of node.properties) {
    let value = member.fallback?.value;
    for (const { name, values } of layers) {
      const given = Object.hasOwn(values, key) ? values[key] : undefined;
      if (given === undefined) continue;
      const plain = plainJson(given);
      const parsed = plain.ok
        ? parseNode(member, plain.value, '')
        : { path: plain.path, message: plain.message };
      if ('message' in parsed) reports.push({ layer: name, key, message: faultText(parsed) });
      else value = parsed.value;
    }
    if (value !== undefined) setMember(settings, key, value);
    else if (node.required.has(key)) missing.push(key);
  }
  return { settings: Object.freeze(settings), reports, missing };
}

/** A layer after a patch: `null` takes a key away. Keys that are not declared stay as they are. */
export function patchSettings(layer: JsonObject, patch: JsonObject): JsonObject {
  const merged: { [key: string]: Json } = {};
  for (const source of [layer, patch])
    if (isJsonObject(source))
      for (const [key, value] of Object.entries(source)) setMember(merged, key, value);
  for (const [key, value] of Object.entries(patch)) if (value === null) delete merged[key];
  return Object.freeze(merged);
}
