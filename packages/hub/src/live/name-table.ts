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

/**
 * One owner for each name, offered in the order of the owners: session over agent over global, then who was installed first.
 */
export class NameTable<T extends Named> {
  readonly entries = new Map<string, T>();
  readonly #losers: T[] = [];

  /** Takes all of one instance; instances come in install order, within one extension global, agent, session. */
  add(all: readonly T[]): void {
    const { entries } = this;
    for (const one of all) {
      const holder = entries.get(one.name);
      if (holder === undefined) entries.set(one.name, one);
      else this.#contend(holder, one);
    }
  }

  shadowed(kind: Shadowed['kind']): readonly Shadowed[] {
    return this.#losers.map(({ name, instance }) => {
      const winner = this.entries.get(name)?.instance ?? instance;
      return {
        kind,
        name,
        owner: instance.extension.name,
        scope: instance.kind,
        by: { owner: winner.extension.name, scope: winner.kind },
      };
    });
  }

  #contend(holder: T, one: T): void {
    if (RANKS[one.instance.kind] <= RANKS[holder.instance.kind]) {
      this.#losers.push(one);
      return;
    }
    this.#losers.push(holder);
    // Taken out and set anew: its place is the winner's.
    this.entries.delete(one.name);
    this.entries.set(one.name, one);
  }
}
