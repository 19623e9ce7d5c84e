import type { ScopeKind } from '@fairlead/extension';
import {
  type Contributions,
  checkContributions,
  deepFreeze,
  type Manifest,
} from '@fairlead/extension/runtime';
import type { RefusedContribution } from './live-instance.ts';

/** What of an instance's contributions may be used, and what was left out of it. */
export interface CheckedInstance {
  readonly contributions: Contributions;
  readonly refused: readonly RefusedContribution[];
}

/** Leaves out what the manifest does not declare, and commands that the host keeps for itself. Throws where it is no list of contributions at all. */
export function checkInstance(
  manifest: Manifest,
  kind: ScopeKind,
  raw: Contributions,
  reserved: ReadonlySet<string>,
): CheckedInstance {
  const { contributions, refused } = checkContributions(manifest, kind, raw);
  const taken = contributions.commands.filter(({ name }) => reserved.has(name));
  return deepFreeze({
    contributions: {
      ...contributions,
      commands: contributions.commands.filter(({ name }) => !reserved.has(name)),
    },
    refused: [
      ...refused,
      ...taken.map(({ name }) => ({ code: 'name_reserved' as const, what: `command ${name}` })),
    ],
  });
}
