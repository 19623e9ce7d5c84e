import type { Clock } from '@fairlead/base';
import type { JsonObject } from '@fairlead/extension';
import type { Failure } from '../failures/failure.ts';
import type { Installed } from '../install/installed.ts';
import type { Roster } from '../install/roster.ts';
import type { Report } from '../report.ts';
import type { InstanceScope, LiveInstance, ScopeOf } from './live-instance.ts';

export interface InstancesOptions {
  readonly roster: Roster;
  readonly clock: Clock;
  readonly report: Report;
  /** The merge that `open` sees. */
  settingsFor(extension: Installed, scope: InstanceScope): JsonObject | Promise<JsonObject>;
  readonly maxInstances?: number;
}

/** The instances of every extension at every scope. */
export class Instances {
  /** Moves with each eviction: a live set that was cached before is not served after. */
  evictions = 0;

  // biome-ignore lint/complexity/noUselessConstructor: comes with the next step
  constructor(_options: InstancesOptions) {}

  ensure(_scope: InstanceScope, _names: ReadonlySet<string>): Promise<void> {
    throw new Error('not yet');
  }

  of(_scope: InstanceScope): readonly LiveInstance[] {
    throw new Error('not yet');
  }

  find(_id: string): LiveInstance | undefined {
    throw new Error('not yet');
  }

  failureOf(_name: string, _scope: InstanceScope): Failure | undefined {
    throw new Error('not yet');
  }

  nextRetryMs(_scope: InstanceScope): number | undefined {
    throw new Error('not yet');
  }

  pin(_scope: InstanceScope): () => void {
    throw new Error('not yet');
  }

  narrow(_scope: ScopeOf, _names: ReadonlySet<string>): Promise<void> {
    throw new Error('not yet');
  }

  close(_scope: ScopeOf): Promise<void> {
    throw new Error('not yet');
  }
}
