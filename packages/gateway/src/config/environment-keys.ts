import type { TomlPath } from '@fairlead/base';
import { hostLimits } from '../limits.ts';
import { isTomlTable } from './toml-document.ts';

/** The names found, sorted; or the path of a `*_env` key whose value is not the name of a variable. */
export type EnvironmentKeys =
  | { readonly ok: true; readonly names: readonly string[] }
  | { readonly ok: false; readonly path: TomlPath };

/**
 * Every environment variable that a key ending in `_env` names, in any table, known to this version or not: those
 * variables hold secrets, and no child may inherit one. A value is a name, a list of names, or a table of names.
 */
export function collectEnvironmentKeys(document: unknown): EnvironmentKeys {
  const names = new Set<string>();
  const pending: Place[] = [{ value: document, above: null, key: '' }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const [key, value] of membersOf(next.value)) {
      if (typeof key === 'string' && key.endsWith('_env')) {
        const path = pathOf({ value, above: next, key });
        const fault = collectNames(value, path, names);
        if (fault !== null) return { ok: false, path: fault };
        if (names.size > hostLimits.environmentKeys) return { ok: false, path };
      }
      if (typeof value === 'object') pending.push({ value, above: next, key });
    }
  }
  return { ok: true, names: [...names].sort() };
}

/** Where a value stands. Paths are put together where one is shown: a copy for each value would cost the square of a file. */
type Place = { readonly value: unknown; readonly above: Place | null; readonly key: string | number };

function pathOf(place: Place): (string | number)[] {
  const path: (string | number)[] = [];
  for (let at = place; at.above !== null; at = at.above) path.push(at.key);
  return path.reverse();
}

function collectNames(value: unknown, path: TomlPath, names: Set<string>): TomlPath | null {
  if (isTomlTable(value)) {
    // A table may also be called so by chance, as the entry of a tool named `print_env`: only what fits is taken.
    for (const member of Object.values(value)) if (isVariableName(member)) names.add(member);
    return null;
  }
  for (const [index, item] of (Array.isArray(value) ? value : [value]).entries()) {
    if (!isVariableName(item)) return Array.isArray(value) ? [...path, index] : path;
    names.add(item);
  }
  return null;
}

function isVariableName(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z_][A-Za-z0-9_]{0,255}$/.test(value);
}

function membersOf(value: unknown): readonly (readonly [string | number, unknown])[] {
  if (Array.isArray(value)) return value.map((item: unknown, index) => [index, item] as const);
  return isTomlTable(value) ? Object.entries(value) : [];
}
