import type { ScopeKind } from '@fairlead/extension';

/** Where something failed: `install` is the extension as a whole, the others an instance. */
export type FailureScope = 'install' | ScopeKind;

/** Why something of an extension does not run here; it never leaves the peer. */
export interface Failure {
  /** The extension's. */
  readonly name: string;
  readonly scope: FailureScope;
  /** The root id of the agent's or session's database, else "". */
  readonly key: string;
  readonly code: string;
  /** Safe to show; 500 characters at most. */
  readonly reason: string;
  /** How often it was tried in vain. */
  readonly tries: number;
  /** When the next use tries again, wall clock; null when only a reload does. */
  readonly nextTryMs: number | null;
}
