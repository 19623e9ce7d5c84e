import type { ScopeKind } from '../authoring/scope.ts';
import type { Contributions, UsedCap } from '../carrier/carrier.ts';
import type { Manifest } from './manifest.ts';

/** Something that an instance contributes and its manifest does not declare. */
export interface UndeclaredContribution {
  readonly code: 'hook_undeclared' | 'capability_not_declared';
  readonly what: string;
}

/** What of an instance's contributions is left after what the manifest does not declare was taken out, and what that was. */
export interface CheckedContributions {
  readonly contributions: Contributions;
  readonly refused: readonly UndeclaredContribution[];
}

/** Holds contributions against the manifest that was read before the code. */
export function checkContributions(
  manifest: Manifest,
  scope: ScopeKind,
  contributions: Contributions,
): CheckedContributions {
  const refused: UndeclaredContribution[] = [];
  const hook = (what: string, declared: boolean): boolean => {
    if (!declared) refused.push({ code: 'hook_undeclared', what });
    return declared;
  };
  const cap = (kind: string, present: boolean): boolean => {
    if (!present) return false;
    const declared = manifest.provides.includes(kind);
    if (!declared) refused.push({ code: 'capability_not_declared', what: kind });
    return declared;
  };
  const needed = ({ kind, provider, optional }: UsedCap): boolean => {
    const needs = optional ? manifest.requests : manifest.requires;
    const declared = needs.some((need) => need.kind === kind && need.provider === provider);
    if (!declared)
      refused.push({
        code: 'capability_not_declared',
        what: provider === undefined ? kind : `${kind} of ${provider}`,
      });
    return declared;
  };
  const named = (entries: Manifest['tools'], name: string) =>
    entries.some((entry) => entry.name === name && entry.scope === scope);
  const checked: Contributions = {
    ...contributions,
    tools: contributions.tools.filter(({ name, runtime }) =>
      hook(`tool ${name}`, runtime ? manifest.hooks.includes('tool') : named(manifest.tools, name)),
    ),
    commands: contributions.commands.filter(({ name }) =>
      hook(`command ${name}`, named(manifest.commands, name)),
    ),
    hooks: contributions.hooks.filter((kind) => hook(kind, manifest.hooks.includes(kind))),
    prompt: cap('prompt_augmentation', contributions.prompt),
    tail: cap('context_tail', contributions.tail),
    status: cap('status_segment', contributions.status),
    caps: contributions.caps.filter(({ kind }) => cap(kind, true)),
    routines: contributions.routines.filter(({ id }) =>
      hook(
        `routine ${id}`,
        manifest.routines.some((routine) => routine.id === id && routine.scope === scope),
      ),
    ),
    uses: contributions.uses.filter(needed),
  };
  return { contributions: Object.freeze(checked), refused };
}
