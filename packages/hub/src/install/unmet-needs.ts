import { type CapabilityRequest, isHostOnly, type Manifest } from '@fairlead/extension/runtime';

/**
 * Which candidates cannot run because a cap that they require is provided by none of the others: name → what is missing. One that
 * is left out provides nothing, so who needs it is left out too; two that need each other are fine. What the host alone offers is always
 * there: whom `agent_state_admin` reaches is asked at each call.
 */
export function unmetNeeds(
  candidates: readonly Manifest[],
  inForce: readonly Manifest[],
): ReadonlyMap<string, string> {
  const unmet = new Map<string, string>();
  let there = [...inForce, ...candidates];
  for (let round = 0; round <= candidates.length; round += 1) {
    const before = unmet.size;
    for (const { name, requires } of candidates) {
      if (unmet.has(name)) continue;
      const missing = requires.find((need) => !isMet(need, there));
      if (missing !== undefined) unmet.set(name, wordsOf(missing));
    }
    if (unmet.size === before) break;
    there = [...inForce, ...candidates.filter(({ name }) => !unmet.has(name))];
  }
  return unmet;
}

function isMet({ kind, provider }: CapabilityRequest, there: readonly Manifest[]): boolean {
  if (isHostOnly(kind)) return true;
  return there.some(
    ({ name, provides }) => provides.includes(kind) && (provider === undefined || provider === name),
  );
}

function wordsOf({ kind, provider }: CapabilityRequest): string {
  return provider === undefined ? kind : `${kind} from ${provider}`;
}
