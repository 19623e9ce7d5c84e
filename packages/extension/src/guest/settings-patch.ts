import { extensionError } from '../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { plainJson } from '../json/plain-json.ts';
import type { CompiledSchema } from '../schema/compile-schema.ts';
import { parseNode } from '../schema/parse-node.ts';
import { faultText } from '../schema/schema-fault.ts';

/**
 * A patch of settings, checked key by key: a declared key with a value of its schema, or with `null`, which takes the session's
 * own value away. `settings_invalid` names the key.
 */
export function patchOf(settings: CompiledSchema, patch: unknown): JsonObject {
  const plain = plainJson(patch);
  if (!plain.ok || !isJsonObject(plain.value))
    throw extensionError('settings_invalid', 'a patch is an object');
  if (settings.node.type !== 'object') return plain.value;
  const checked: { [key: string]: Json } = {};
  for (const [key, value] of Object.entries(plain.value)) {
    const node = settings.node.properties.get(key);
    if (node === undefined) throw extensionError('settings_invalid', `${key} is not declared`);
    if (value === null && node.type !== 'null') checked[key] = null;
    else {
      const parsed = parseNode(node, value, `/${key}`);
      if ('message' in parsed) throw extensionError('settings_invalid', faultText(parsed));
      checked[key] = parsed.value;
    }
  }
  return Object.freeze(checked);
}
