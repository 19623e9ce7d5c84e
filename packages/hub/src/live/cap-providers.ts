import type { PreparedInstance } from './prepared-instance.ts';

/** Who provides each kind of cap, the one who answers first in front: session over agent over global, then install order. */
export type CapProviders = ReadonlyMap<string, readonly PreparedInstance[]>;

/** `members` in the order in which they contribute. */
export function capProviders(members: readonly PreparedInstance[]): CapProviders {
  const providers = new Map<string, PreparedInstance[]>();
  for (const member of members) {
    for (const { kind } of member.contributions.caps) {
      const others = providers.get(kind);
      if (others === undefined) providers.set(kind, [member]);
      else others.push(member);
    }
  }
  for (const list of providers.values())
    if (list.length > 1) list.sort((one, other) => other.rank - one.rank);
  return providers;
}

/** The methods with which an instance provides a kind. */
export function methodsOf({ contributions }: PreparedInstance, kind: string): readonly string[] {
  return contributions.caps.find((cap) => cap.kind === kind)?.methods ?? [];
}

/** Whether an instance provides a kind in any way: as a cap, or as the text that it adds. */
export function provides({ contributions }: PreparedInstance, kind: string): boolean {
  switch (kind) {
    case 'prompt_augmentation':
      return contributions.prompt;
    case 'context_tail':
      return contributions.tail;
    case 'status_segment':
      return contributions.status;
    default:
      return contributions.caps.some((cap) => cap.kind === kind);
  }
}
