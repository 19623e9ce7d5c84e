import type { ScopeKind } from '@fairlead/extension';
import type { Failure } from '../failures/failure.ts';
import type { Installed } from '../install/installed.ts';
import type { FailedExtension } from '../install/roster.ts';
import type { LiveInstance } from '../instances/live-instance.ts';
import type { Engine } from './engine.ts';
import type { LiveAgent } from './live-agent.ts';
import type { LiveSession } from './live-session.ts';
import type { PreparedInstances } from './prepared-instance.ts';

/** An extension that is installed and does not run, with its place in install order. */
type FailedRow = FailedExtension & { readonly order: number };

/** Everything that a live set is put together from, as it is at one moment. */
export interface SnapshotParts {
  readonly version: string;
  readonly engine: Engine;
  readonly session: LiveSession;
  readonly agent: LiveAgent | undefined;
  /** In install order. */
  readonly installed: readonly Installed[];
  readonly failed: readonly FailedRow[];
  readonly active: { has(name: string): boolean };
  readonly optOuts: ReadonlySet<string>;
  /** By scope, each in install order. */
  readonly instances: Readonly<Record<ScopeKind, readonly LiveInstance[]>>;
  readonly prepared: PreparedInstances;
  failureOf(name: string, scope: ScopeKind): Failure | undefined;
}
