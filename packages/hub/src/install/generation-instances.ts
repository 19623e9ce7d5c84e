import type { Failure } from '../failures/failure.ts';
import type { Installed } from './installed.ts';

/** Instances that were taken off every list; calls in flight still have theirs. */
export interface TakenInstances {
  /** Ends them, the last one opened first. Never rejects. */
  close(): Promise<void>;
}

/** What installing needs of the instances; they stand above it. */
export interface GenerationInstances {
  /** Opens what the names lack at global scope. Never rejects. */
  ensure(scope: 'global', names: ReadonlySet<string>): Promise<void>;
  failureOf(name: string, scope: 'global'): Failure | undefined;
  /** Opens the global instance of a generation that is not in force yet; why not, where it does not open. Nothing is recorded. */
  openAhead(generation: Installed): Promise<{ readonly code: string; readonly reason: string } | undefined>;
  /** Lists what was opened ahead: its generation is in force now. */
  adopt(generation: Installed): void;
  /** Takes a generation's instances off every list, at once. */
  take(generation: Installed): TakenInstances;
  /** An instance says that what it contributes has changed. */
  changed(instance: string): void;
  /** Takes all, and opens no other. */
  takeAll(): TakenInstances;
}
