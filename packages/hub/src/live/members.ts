import type { ScopeKind } from '@fairlead/extension';
import type { CapabilityRequest } from '@fairlead/extension/runtime';
import type { Installed } from '../install/installed.ts';
import { type CapProviders, capProviders, provides } from './cap-providers.ts';
import type { PreparedInstance } from './prepared-instance.ts';

/** Why an active extension, or a part of it, takes no part. */
export interface Waiting {
  readonly extension: string;
  /** The scope whose instance is missing; absent where the whole extension is left out. */
  readonly scope?: ScopeKind;
  /** `capability_missing`, or what stopped the instance or the extension. */
  readonly code: string;
  readonly reason: string;
}

/** An active extension with what of it lives here. */
export interface Member {
  readonly installed: Installed;
  /** Global, agent, session: those that live. */
  readonly parts: readonly PreparedInstance[];
  /** Those that should, and do not. */
  readonly lacks: readonly Waiting[];
}

/** Members that take part, and those that wait for a cap of somebody who does not. */
export interface Admitted {
  readonly members: readonly Member[];
  /** Their instances, in the order in which they contribute. */
  readonly parts: readonly PreparedInstance[];
  readonly unmet: ReadonlyMap<Member, Waiting>;
  readonly caps: CapProviders;
}

/**
 * Leaves out whose required caps nobody provides here; leaving one out may leave out others. Two that need each other stay.
 */
export function admitMembers(candidates: readonly Member[]): Admitted {
  const unmet = new Map<Member, Waiting>();
  let members = candidates;
  for (;;) {
    const parts = partsOf(members);
    const caps = capProviders(parts);
    const before = unmet.size;
    for (const member of members) {
      const need = unmetNeed(member, parts, caps);
      if (need !== undefined) unmet.set(member, waitingFor(member, need));
    }
    if (unmet.size === before) return { members, parts, unmet, caps };
    members = members.filter((member) => !unmet.has(member));
  }
}

function partsOf(members: readonly Member[]): readonly PreparedInstance[] {
  const all: PreparedInstance[] = [];
  for (const { parts } of members) for (const part of parts) all.push(part);
  return all;
}

function unmetNeed(
  { parts }: Member,
  all: readonly PreparedInstance[],
  caps: CapProviders,
): CapabilityRequest | undefined {
  const needs = parts[0]?.needs;
  if (needs === undefined || needs.length === 0) return undefined;
  return needs.find(({ kind, provider }) => {
    const fits = ({ instance }: PreparedInstance) =>
      provider === undefined || instance.extension.name === provider;
    if (caps.get(kind)?.some(fits) === true) return false;
    return !all.some((part) => fits(part) && provides(part, kind));
  });
}

function waitingFor({ installed }: Member, { kind, provider }: CapabilityRequest): Waiting {
  const reason = provider === undefined ? `waiting for ${kind}` : `waiting for ${kind} from ${provider}`;
  return { extension: installed.name, code: 'capability_missing', reason };
}
