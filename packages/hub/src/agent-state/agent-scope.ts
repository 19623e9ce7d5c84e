import type { Manifest } from '@fairlead/extension/runtime';
import type { HostedAgent } from './agent-directory.ts';

/**
 * Which agents' state each extension may touch, as the operator configured it: an extension that is not named may touch all of
 * them, an empty list is none. Names or ids.
 */
export type AgentStateAllowlist = { readonly [extension: string]: readonly string[] };

/** Whether an extension may touch an agent: the operator's list allows it, and so does what the manifest itself asks for. */
export function isInScope(
  agent: HostedAgent,
  by: { readonly extension: string; readonly manifest: Manifest; readonly allowlist: AgentStateAllowlist },
): boolean {
  const { extension, manifest, allowlist } = by;
  const allowed = Object.hasOwn(allowlist, extension) ? allowlist[extension] : undefined;
  if (!names(allowed, agent)) return false;
  const asked = [...manifest.requires, ...manifest.requests].filter(
    ({ kind }) => kind === 'agent_state_admin',
  );
  return asked.some(({ agents }) => names(agents, agent));
}

/** Absent is everybody. */
function names(list: readonly string[] | undefined, { id, name }: HostedAgent): boolean {
  return list === undefined || list.includes(name) || list.includes(id);
}
