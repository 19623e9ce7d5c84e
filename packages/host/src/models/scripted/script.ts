import type { JsonObject } from '@fairlead/base';
import type { ModelUsage } from '../model.ts';

/** A conversation that is known beforehand; docs/reference/models.md describes the file. */
export interface Script {
  /** By `default`, `agent:NAME` or `worker:NAME`. */
  readonly scripts: ReadonlyMap<string, readonly ScriptTurn[]>;
}

export interface ScriptTurn {
  /** Part of the last user text; another text is a mismatch. */
  readonly when?: string;
  readonly steps: readonly ScriptStep[];
}

/** What the model says at one step. Neither text nor calls: an empty reply. */
export interface ScriptStep {
  readonly text?: string;
  readonly calls: readonly ScriptCall[];
  readonly expect?: ScriptExpectation;
  /** The fault that answers each attempt, first to last; attempts beyond them succeed. */
  readonly faults: readonly ScriptFault[];
  readonly usage?: ModelUsage;
  /** Characters of one piece of text; absent: all at once. */
  readonly chunk?: number;
  /** Wait before each piece. */
  readonly delayMs: number;
}

export interface ScriptCall {
  /** By which `$from` of a later step finds its result. */
  readonly as?: string;
  readonly tool: string;
  /** With `$from` objects where values of results go. */
  readonly arguments: JsonObject;
}

export interface ScriptExpectation {
  /** Tools that must be offered. */
  readonly tools: readonly string[];
  /** Tools that must not be. */
  readonly absent: readonly string[];
  /** Part of the last message. */
  readonly last?: string;
}

export type ScriptFault =
  | { readonly kind: 'status'; readonly status: number; readonly afterMs?: number }
  | { readonly kind: 'cut' | 'garbage' | 'hang' };
