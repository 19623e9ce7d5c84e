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
  const pending: { readonly value: unknown; readonly path: TomlPath }[] = [{ value: document, path: [] }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const [key, value] of membersOf(next.value)) {
      const path = [...next.path, key];
      if (typeof key === 'string' && key.endsWith('_env')) {
        const fault = collectNames(value, path, names);
        if (fault !== null) return { ok: false, path: fault };
        if (names.size > hostLimits.environmentKeys) return { ok: false, path };
      }
      if (typeof value === 'object') pending.push({ value, path });
    }
  }
  return { ok: true, names: [...names].sort() };
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
