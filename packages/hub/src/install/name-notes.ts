import type { ScopeKind } from '@fairlead/extension';
import type { Manifest } from '@fairlead/extension/runtime';
import type { InstallNote } from './install-report.ts';

const RANK: Readonly<Record<ScopeKind, number>> = Object.freeze({ session: 0, agent: 1, global: 2 });

interface Named {
  readonly extension: string;
  readonly rank: number;
}

/**
 * What is worth knowing about the names of fresh extensions: commands that the host keeps for itself, and tools or commands of which
 * one hides the other where both are on: session over agent over global, then install order.
 *
 * @param manifests All that are installed, in install order.
 */
export function nameNotes(
  manifests: readonly Manifest[],
  fresh: ReadonlySet<string>,
  reserved: ReadonlySet<string>,
): readonly InstallNote[] {
  const notes: InstallNote[] = [];
  for (const { name, commands } of manifests)
    for (const command of new Set(commands.map((entry) => entry.name)))
      if (fresh.has(name) && reserved.has(command))
        notes.push({ name, code: 'name_reserved', reason: `its command ${command} was left out` });
  for (const list of ['tools', 'commands'] as const) {
    const what = list === 'tools' ? 'tool' : 'command';
    for (const [name, [first, ...others]] of byName(manifests, list)) {
      if (first === undefined || (list === 'commands' && reserved.has(name))) continue;
      for (const { extension } of others)
        if (fresh.has(extension) || fresh.has(first.extension))
          notes.push({
            name: extension,
            code: 'name_shadowed',
            reason: `its ${what} ${name} is hidden by the one of ${first.extension} where both are on`,
          });
    }
  }
  return notes;
}

/** Who has each name, the one that shows first; an extension counts once. */
function byName(
  manifests: readonly Manifest[],
  list: 'tools' | 'commands',
): ReadonlyMap<string, readonly Named[]> {
  const found = new Map<string, Map<string, Named>>();
  for (const manifest of manifests) {
    for (const { name, scope } of manifest[list]) {
      const owners = found.get(name) ?? new Map<string, Named>();
      found.set(name, owners);
      const rank = Math.min(RANK[scope], owners.get(manifest.name)?.rank ?? RANK.global);
      owners.set(manifest.name, { extension: manifest.name, rank });
    }
  }
  // The sort is stable, and the owners stand in install order.
  return new Map(
    [...found].map(([name, owners]) => [
      name,
      [...owners.values()].sort((one, other) => one.rank - other.rank),
    ]),
  );
}
