import type { ScopeKind } from '@fairlead/extension';

/** One thing that the operator should learn: a line of the log, a mark in a list. It never ends anything by itself. */
export interface HubReport {
  /** A code of the hub's table or of the extension package's. */
  readonly code: string;
  readonly extension?: string;
  readonly scope?: ScopeKind;
  /** The root id of the agent's or session's database; absent at global scope. */
  readonly key?: string;
  /** Safe to show; 500 characters at most. */
  readonly reason: string;
}

/** Where reports go. It must not throw. */
export type Report = (report: HubReport) => void;
