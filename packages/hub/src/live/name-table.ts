import type { ScopeKind } from '@fairlead/extension';
import type { LiveInstance } from '../instances/live-instance.ts';
import { RANKS } from './prepared-instance.ts';

/** A tool or command whose name another one has taken here. */
export interface Shadowed {
  readonly kind: 'tool' | 'command';
  readonly name: string;
  readonly owner: string;
  readonly scope: ScopeKind;
  /** Whose is called. */
  readonly by: { readonly owner: string; readonly scope: ScopeKind };
}

interface Named {
  readonly name: string;
  readonly instance: LiveInstance;
}

/** Who is called by each name, and who is not. */
export interface NameTable<T> {
  readonly entries: ReadonlyMap<string, T>;
  readonly losers: readonly T[];
}

/**
 * One owner for each name, offered in the order of the owners: session over agent over global, then who was installed first. `lists`
 * holds what each instance has, in install order, within one extension global, agent, session.
 */
export function nameTable<T extends Named>(lists: readonly (readonly T[])[]): NameTable<T> {
  const entries = new Map<string, T>();
  let count = 0;
  for (const list of lists)
    for (const one of list) {
      entries.set(one.name, one);
      count += 1;
    }
  // Nearly always every name is there once, and nobody has to be looked at twice.
  return entries.size === count ? { entries, losers: [] } : contested(lists);
}

function contested<T extends Named>(lists: readonly (readonly T[])[]): NameTable<T> {
  const entries = new Map<string, T>();
  const losers: T[] = [];
  for (const one of lists.flat()) {
    const holder = entries.get(one.name);
    if (holder !== undefined && RANKS[one.instance.kind] <= RANKS[holder.instance.kind]) {
      losers.push(one);
      continue;
    }
    if (holder !== undefined) losers.push(holder);
    // Taken out and set anew: its place is the winner's.
    entries.delete(one.name);
    entries.set(one.name, one);
  }
  return { entries, losers };
}

/** The losers of a table, each with who is called instead. */
export function shadowedIn<T extends Named>(
  kind: Shadowed['kind'],
  { entries, losers }: NameTable<T>,
): readonly Shadowed[] {
  return losers.map(({ name, instance }) => {
    const winner = entries.get(name)?.instance ?? instance;
    return {
      kind,
      name,
      owner: instance.extension.name,
      scope: instance.kind,
      by: { owner: winner.extension.name, scope: winner.kind },
    };
  });
}
