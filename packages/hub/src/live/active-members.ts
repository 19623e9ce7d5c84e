import type { ScopeKind } from '@fairlead/extension';
import type { Installed } from '../install/installed.ts';
import type { LiveInstance } from '../instances/live-instance.ts';
import type { Member, Waiting } from './members.ts';
import type { PreparedInstance } from './prepared-instance.ts';
import type { SnapshotParts } from './snapshot-parts.ts';

/** What is installed, by whether the session has it on, in install order. */
export interface Sorted {
  readonly active: readonly Member[];
  readonly inactive: readonly Installed[];
}

/** Goes through what is installed once, with the instances that live at each scope. Without an agent nothing of an agent is missing. */
export function activeMembers(parts: SnapshotParts): Sorted {
  const scopes = SCOPES.filter((scope) => scope !== 'agent' || parts.agent !== undefined);
  const cursors = scopes.map((scope) => new Cursor(scope, parts.instances[scope]));
  const active: Member[] = [];
  const inactive: Installed[] = [];
  for (const installed of parts.installed) {
    if (!parts.active.has(installed.name)) {
      inactive.push(installed);
      continue;
    }
    const living: PreparedInstance[] = [];
    let lacks = NONE;
    for (const cursor of cursors) {
      const instance = cursor.take(installed);
      const prepared =
        instance === undefined || instance.gone !== undefined ? undefined : parts.prepared.of(instance);
      if (prepared !== undefined) living.push(prepared);
      else if (installed.manifest.scopes.includes(cursor.scope))
        lacks = [...lacks, lackOf(parts, installed, cursor.scope)];
    }
    active.push({ installed, parts: living, lacks });
  }
  return { active, inactive };
}

const NONE: readonly Waiting[] = Object.freeze([]);

const SCOPES: readonly ScopeKind[] = ['global', 'agent', 'session'];

/** Goes through the instances of a scope beside the extensions: both stand in install order. */
class Cursor {
  readonly scope: ScopeKind;
  readonly #instances: readonly LiveInstance[];
  #next = 0;

  constructor(scope: ScopeKind, instances: readonly LiveInstance[]) {
    this.scope = scope;
    this.#instances = instances;
  }

  /** The instance of this very generation. */
  take(installed: Installed): LiveInstance | undefined {
    for (;;) {
      const instance = this.#instances[this.#next];
      if (instance === undefined || instance.extension.order > installed.order) return undefined;
      this.#next += 1;
      if (instance.extension === installed) return instance;
    }
  }
}

function lackOf(parts: SnapshotParts, { name, gone }: Installed, scope: ScopeKind): Waiting {
  if (gone !== undefined) return { extension: name, scope, code: gone.code, reason: gone.reason };
  const failure = parts.failureOf(name, scope);
  if (failure === undefined)
    return { extension: name, scope, code: 'extension_ended', reason: 'its instance has ended' };
  return { extension: name, scope, code: failure.code, reason: failure.reason };
}
