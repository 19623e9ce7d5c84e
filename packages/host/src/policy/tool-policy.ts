import type { Grants } from '../grants/grants.ts';

export type Risk = 'low' | 'medium' | 'high';
export type Approval = 'never' | 'unless_auto_approved' | 'always';

/** What a call touches: nothing, only Fairlead's own databases, anything else. */
export type Effect = 'read' | 'records' | 'write';

/** What holds for one tool, from every source that has a say. */
export interface ToolPolicy {
  readonly risk: Risk;
  readonly approval: Approval;
  readonly effect: Effect;
  readonly timeoutMs: number;
  /** Calls in 60 s of one agent or principal; absent is unlimited, 0 is none. */
  readonly perMinute?: number;
  /** Arguments that are shown and stored masked. */
  readonly sensitive: readonly string[];
  /** The tool's own levels of grants; `grantsInForce` takes them together with the session's and the agent's. */
  readonly grants: readonly Grants[];
}

/** What one source says of a tool; what it leaves out is the next one's to say. */
export interface PolicyWords extends Partial<Omit<ToolPolicy, 'grants'>> {
  readonly grants?: Grants;
}

/** Hints of an MCP server or a plugin: they decide how often a person is asked, never what a tool touches. */
export interface ToolHints {
  readonly destructiveHint?: boolean;
  readonly readOnlyHint?: boolean;
}

export interface PolicySources {
  /** `[policy.tools.NAME]`. */
  readonly operator?: PolicyWords | undefined;
  /** The entry of the MCP server or the pin that the tool comes through. */
  readonly source?: PolicyWords | undefined;
  /** Given for every tool of a server or plugin, empty where it has none; absent for an extension's. */
  readonly hints?: ToolHints | undefined;
  /** What the tool says of itself. */
  readonly own: OwnWords;
}

export interface OwnWords extends PolicyWords {
  readonly timeoutMs: number;
  /** True for a built-in: what it says of its effect is believed. Of others only the operator may say it. */
  readonly isBuiltin: boolean;
}

/**
 * The policy of a tool, key by key: `[policy.tools.NAME]`, then the server's or pin's entry, then hints, then the tool's own words. Two
 * keys only add up: `sensitive` is the union, since nobody may unmask what another masks, and each source's grants narrow the others'.
 */
export function policyOf({ operator = {}, source = {}, hints, own }: PolicySources): ToolPolicy {
  const hinted = hints === undefined ? {} : hintedWords(hints);
  const perMinute = operator.perMinute ?? source.perMinute ?? own.perMinute;
  const effect = operator.effect ?? source.effect ?? (own.isBuiltin ? own.effect : undefined);
  const sensitive = new Set([
    ...(operator.sensitive ?? []),
    ...(source.sensitive ?? []),
    ...(own.sensitive ?? []),
  ]);
  const grants = [operator.grants, source.grants].filter((level) => level !== undefined);
  return {
    risk: operator.risk ?? source.risk ?? hinted.risk ?? own.risk ?? 'low',
    approval: operator.approval ?? source.approval ?? hinted.approval ?? own.approval ?? 'never',
    effect: effect ?? 'write',
    timeoutMs: operator.timeoutMs ?? source.timeoutMs ?? own.timeoutMs,
    ...(perMinute === undefined ? {} : { perMinute }),
    sensitive: [...sensitive],
    grants,
  };
}

/** A tool that calls itself both is taken for the worse. */
function hintedWords({ destructiveHint, readOnlyHint }: ToolHints): PolicyWords {
  if (destructiveHint === true) return { risk: 'high', approval: 'always' };
  if (readOnlyHint === true) return { risk: 'low', approval: 'never' };
  return { risk: 'medium', approval: 'unless_auto_approved' };
}
