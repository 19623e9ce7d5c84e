import { hasControlCharacter } from './control-characters.ts';
import type { Json } from './json.ts';

/** Limits on one JSON text or value. Depth counts the root as 0; nodes count values, not keys. */
export type JsonBounds = {
  readonly maxBytes: number;
  readonly maxDepth: number;
  readonly maxNodes: number;
  /** UTF-8 bytes of one decoded string. */
  readonly maxStringBytes: number;
  /** UTF-8 bytes of one decoded object key. */
  readonly maxKeyBytes: number;
};

/** Which limit a value passed. */
export type JsonBoundsFault = 'bytes' | 'depth' | 'nodes' | 'string_bytes' | 'key_bytes';

/** Why a parsed value is refused: a limit, or a control character (other than TAB, LF, CR) in a key. */
export type JsonValueFault = JsonBoundsFault | 'key_control_character';

/**
 * Holds an already parsed value against its bounds, without recursion, so that its own depth cannot hurt.
 * `sourceBytes`, when given, is the size of the text that the value came from: it spares serializing small values.
 * Returns the first limit passed, or null. `value` must be what `parseJson` gives: plain objects and arrays.
 */
export function checkJsonBounds(
  value: Json,
  bounds: JsonBounds,
  sourceBytes?: number,
): JsonValueFault | null {
  const fault = checkShape(value, bounds);
  if (fault !== null) return fault;
  // A serialized value is never more than six times its source: the worst growth is 1e20, four characters to twenty-one.
  if (sourceBytes !== undefined && sourceBytes * 6 <= bounds.maxBytes) return null;
  return Buffer.byteLength(JSON.stringify(value)) > bounds.maxBytes ? 'bytes' : null;
}

type Level = { readonly values: readonly Json[]; next: number };

function checkShape(value: Json, bounds: JsonBounds): JsonValueFault | null {
  const levels: Level[] = [{ values: [value], next: 0 }];
  let nodes = 0;
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    if (level.next === level.values.length) {
      levels.pop();
      continue;
    }
    const current = level.values[level.next] as Json;
    level.next += 1;
    nodes += 1;
    if (nodes > bounds.maxNodes) return 'nodes';
    if (typeof current === 'string') {
      if (exceedsUtf8(current, bounds.maxStringBytes)) return 'string_bytes';
      continue;
    }
    if (typeof current !== 'object' || current === null) continue;
    if (Array.isArray(current)) {
      if (current.length > 0) levels.push({ values: current, next: 0 });
    } else {
      const keys = Object.keys(current);
      for (const key of keys) {
        if (exceedsUtf8(key, bounds.maxKeyBytes)) return 'key_bytes';
        if (hasControlCharacter(key)) return 'key_control_character';
      }
      if (keys.length > 0) levels.push({ values: Object.values(current), next: 0 });
    }
    if (levels.length - 1 > bounds.maxDepth) return 'depth';
  }
  return null;
}

function exceedsUtf8(text: string, maxBytes: number): boolean {
  // Three bytes per UTF-16 unit is the most that UTF-8 takes.
  return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
}
