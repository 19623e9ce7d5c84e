import { type InstanceScope, placeOf, type ScopeOf } from './live-instance.ts';
import { ScopeGroup } from './scope-group.ts';

/** The groups of instances: one for the peer, one for each agent and session that has some. */
export class ScopeGroups {
  readonly #global = new ScopeGroup(undefined);
  /** The least recently used one first. */
  readonly #groups = new Map<string, ScopeGroup>();

  get(scope: InstanceScope): ScopeGroup | undefined {
    return scope === 'global' ? this.#global : this.#groups.get(placeOf(scope));
  }

  /** The group at a place, as `placeOf` says it. */
  at(place: string): ScopeGroup | undefined {
    return place === placeOf('global') ? this.#global : this.#groups.get(place);
  }

  /** The group of a scope, as the most recently used one. */
  use(scope: InstanceScope): ScopeGroup {
    if (scope === 'global') return this.#global;
    const place = placeOf(scope);
    const group = this.#groups.get(place) ?? new ScopeGroup(scope);
    this.#groups.delete(place);
    this.#groups.set(place, group);
    return group;
  }

  /** Those of agents and sessions, the least recently used one first. */
  all(): readonly ScopeGroup[] {
    return [...this.#groups.values()];
  }

  remove(scope: ScopeOf): void {
    this.#groups.delete(placeOf(scope));
  }

  /** A group without instances and pins is nothing to keep. */
  forgetEmpty(group: ScopeGroup): void {
    const { scope, slots, pins } = group;
    if (scope === undefined || slots.size > 0 || pins > 0) return;
    if (this.#groups.get(placeOf(scope)) === group) this.remove(scope);
  }

  /**
   * Which groups give way so that at most `most` instances are left: the least recently used ones. Those that are pinned or about to open
   * stay, and so does the one that is in use.
   */
  overCap(most: number, used: ScopeGroup | undefined): readonly ScopeGroup[] {
    const groups = this.all();
    let count = groups.reduce((sum, { slots }) => sum + slots.size, 0);
    const leaving: ScopeGroup[] = [];
    for (const group of groups) {
      if (count <= most) break;
      if (group === used || group.isBusy()) continue;
      count -= group.slots.size;
      leaving.push(group);
    }
    return leaving;
  }
}
