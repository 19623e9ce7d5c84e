import type { InstanceScope, ScopeOf } from './live-instance.ts';
import { type InstanceCount, ScopeGroup } from './scope-group.ts';

/** The groups of instances: one for the peer, one for each agent and session that has some. */
export class ScopeGroups {
  readonly #global = new ScopeGroup(undefined, { instances: 0 });
  // By key, so that looking one up makes no text: it is done at every turn.
  readonly #agents = new Map<string, ScopeGroup>();
  readonly #sessions = new Map<string, ScopeGroup>();
  /** Of agents and sessions. */
  readonly #count: InstanceCount = { instances: 0 };
  #uses = 0;

  get(scope: InstanceScope): ScopeGroup | undefined {
    return scope === 'global' ? this.#global : this.#groupsOf(scope).get(scope.key);
  }

  /** The group of a scope, as the most recently used one. */
  use(scope: InstanceScope): ScopeGroup {
    if (scope === 'global') return this.#global;
    const groups = this.#groupsOf(scope);
    let group = groups.get(scope.key);
    if (group === undefined) {
      group = new ScopeGroup(scope, this.#count);
      groups.set(scope.key, group);
    }
    this.#uses += 1;
    group.used = this.#uses;
    return group;
  }

  /** Those of agents and sessions. */
  all(): readonly ScopeGroup[] {
    return [...this.#agents.values(), ...this.#sessions.values()];
  }

  remove(scope: ScopeOf): void {
    this.#groupsOf(scope).delete(scope.key);
  }

  /** A group without instances and pins is nothing to keep. */
  forgetEmpty(group: ScopeGroup): void {
    const { scope, slots, pins } = group;
    if (scope === undefined || slots.size > 0 || pins > 0) return;
    if (this.get(scope) === group) this.remove(scope);
  }

  /**
   * Which groups give way so that at most `most` instances are left: the least recently used ones. Those that are pinned or about to open
   * stay, and so does the one that is in use.
   */
  overCap(most: number, used: ScopeGroup | undefined): readonly ScopeGroup[] {
    let count = this.#count.instances;
    if (count <= most) return NONE;
    const leaving: ScopeGroup[] = [];
    for (const group of this.all().toSorted((one, other) => one.used - other.used)) {
      if (count <= most) break;
      if (group === used || group.isBusy()) continue;
      count -= group.slots.size;
      leaving.push(group);
    }
    return leaving;
  }

  #groupsOf({ kind }: ScopeOf): Map<string, ScopeGroup> {
    return kind === 'agent' ? this.#agents : this.#sessions;
  }
}

const NONE: readonly ScopeGroup[] = [];
